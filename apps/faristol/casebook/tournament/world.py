"""A tournament at the start of a case, and how its steps change it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from google.protobuf.message import Message

from faristol.casebook.case import ARBITER, DIRECTOR, JUDGE, Step
from faristol.casebook.document import Value
from faristol.casebook.forms import fill, moment
from faristol.casebook.hosts.lexicons import LEXICON_NAME
from faristol.casebook.hosts.services import TABLE_VERBS
from faristol.casebook.hosts.world import World
from faristol.casebook.tournament.case import TOURNAMENT_ID, TournamentCase
from faristol.casebook.tournament.commands import arguments
from faristol.casebook.tournament.names import BETWEEN
from faristol.casebook.tournament.results import (
    CaseResult,
    absences_of,
    final_of,
    lines_of,
    read_line,
    rounds_of,
    seats,
)
from faristol.casebook.tournament.services import TournamentServices
from faristol.casebook.tournament.table import TournamentTables, is_of_table
from faristol.pairing.tournament.tournaments import pin_of
from faristol.pb.game.v1 import game_pb2
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2
from faristol.rules import Board

PLAY_ROUND, PLAY_ROUNDS, CREATE = "play-round", "play-rounds", "create-tournament"
"""Verbs that are several commands, or that use the data of the case."""


class TournamentWorld(World[TournamentServices]):
    """A tournament: it is created, players enter, and steps are executed."""

    tournament_id = TOURNAMENT_ID

    def __init__(self, case: TournamentCase) -> None:
        super().__init__()
        self.case = case
        self.names = case.names
        self.tables = TournamentTables(self)
        self.pairings: Sequence[events.Pairing] = ()
        """All tables so far, those of the last round first."""
        self._awaited: Sequence[tuple[str, ...]] = ()
        """The players of tables of the last round without a result."""

    async def open(self, services: TournamentServices) -> None:
        """Create the tournament of the case and register its players, unless its first step creates it."""
        self.services = services
        if self.case.steps[0].verb == CREATE:
            return
        await self._create()
        for name in self.case.registered:
            await self._send("register-player", {"player-id": self.case.place.saying(name)})
        for name, line_up in self.case.teams.items():
            said = self.case.place.saying
            await self._send("register-team", {"team-id": said(name), "player-ids": said(", ".join(line_up))})

    async def append_due_events(self) -> None:
        """Append the clock events that are due by now."""
        await self.tables.append_due_events()

    async def act(self, step: Step, answers: list[Message]) -> None:
        """Execute a step at a table or on the tournament."""
        match step.verb:
            case "":
                await self._report(step)
            case "play-round" | "play-rounds" if step.actor == DIRECTOR:
                await self._play(step, answers)
            case "create-tournament" if step.actor == DIRECTOR:
                answers.append(await self._create())
            case _ if is_of_table(step):
                await self._reload_pairings()
                await self.tables.act(step, answers)
            case "register-players" if step.argument is not None:
                answers.append(await self._register(step, step.argument))
            case "enter-results" if "results" in step.given:
                await self._reload_pairings()
                lines = lines_of(step.given["results"], self._awaited, self.case, self.case.name)
                answers.append(await self._send(step.verb, step.fields, step.actor, lines))
            case _:
                answers.append(await self._ask(step))
                await self._report(step)

    async def _ask(self, step: Step) -> Message:
        """Send one command or query."""
        verbs = self.services.verbs
        if step.verb not in verbs:
            raise step.place.no_such("verb", step.verb, (*verbs, *TABLE_VERBS, PLAY_ROUND, PLAY_ROUNDS))
        verb = verbs[step.verb]
        if step.argument and "scores" in verb.request.DESCRIPTOR.fields_by_name:
            line = read_line(step.argument, self.names)
            return await self._send(step.verb, step.fields, step.actor, [line])
        return await self._send(step.verb, arguments(verb, step, self.names), step.actor)

    async def _send(self, name: str, fields: Any, actor: str = DIRECTOR, lines: Sequence[CaseResult] = ()) -> Message:
        verb = self.services.verbs[name]
        request: Any = verb.request()
        known = request.DESCRIPTOR.fields_by_name
        await self._reload_pairings()
        self.complete(actor, name, request)
        if "arbiter_id" in known and actor == ARBITER:
            request.arbiter_id = ARBITER
        for line in lines:
            self._say(line, request.results.add() if "results" in known else request)
        if name == "register-player":
            self._introduce(request, fields.get("player-id"))
        if name == "register-team" and (team := fields.get("team-id")) is not None:
            request.name = team.text()
        if "version" in fields:
            fields = {**fields, "version": await self._version(fields["version"])}
        fill(request, {key: self.names.replace_names(value, self.game, key) for key, value in fields.items()}, Board())
        return await self.services.call(request)

    def _say(self, line: CaseResult, result: Any) -> None:
        """Fill the result of a game: its scores and fields; an ``absent`` player has lost it by forfeit."""
        pairing = self._table_of(line)
        result.game_id = pairing.game_id
        for player in seats(pairing) if line.scores else ():
            result.scores.add(player_id=player, score=line.scores[player])
        said = {"forfeited-by" if key == "absent" else key: value for key, value in line.fields.items()}
        fill(result, {key: self.names.replace_names(value, self.game, key) for key, value in said.items()}, Board())

    async def _create(self) -> Message:
        case = self.case
        pin = pin_of(case.ruleset)
        request = pairing_pb2.CreateTournamentRequest(
            name=case.name[:200],
            rounds=case.rounds,
            ruleset=pin.name,
            lexicon=LEXICON_NAME,
            seed=hashlib.sha256(case.name.encode()).digest(),
            keeping=case.keeping,
        )
        self.complete(DIRECTOR, CREATE, request)
        for name, value in pin.options:
            request.options.add(name=name, value=value)
        answer = await self.services.call(request)
        if any(step.actor == JUDGE for step in case.steps):
            await self.services.appoint_judges()
        return answer

    def _introduce(self, request: Any, who: Value | None) -> None:
        """Fill the data of an entry from the case; fields of the step are set after it."""
        if who is None or who.text() not in self.case.entries:
            return
        entry = self.case.entries[who.text()]
        request.name, request.club, request.country = who.text(), entry.club, entry.country
        if entry.rating is not None:
            request.rating = entry.rating

    async def _register(self, step: Step, listed: Value) -> Message:
        """Register a list of players in one command."""
        request: Any = self.services.verbs[step.verb].request()
        self.complete(step.actor, step.verb, request)
        for player_id in self.names.ids_in(listed):
            player = request.players.add()
            self.complete(step.actor, step.verb, player)
            self._introduce(player, listed.saying(self.names.name(player_id)))
            player.player_id = player_id
        return await self.services.call(request)

    async def _version(self, value: Value) -> Value:
        """Return the version of the last event of a kind: ``PlayerWithdrawn``."""
        if value.text().isdecimal():
            return value
        recorded = await self.services.record.read_stream(f"tournament-{TOURNAMENT_ID}")
        found = [act.version for act in recorded if act.name == value.text()]
        if not found:
            raise value.no_such("act", value.text(), {act.name for act in recorded})
        return value.saying(str(found[-1]))

    async def _play(self, step: Step, answers: list[Message]) -> None:
        """Pair, start, play and close whole rounds."""
        if step.argument is None or not step.argument.text().isdecimal():
            raise step.place.wrong(f"expected the number of a round, such as `{PLAY_ROUND} 1`")
        first = last = int(step.argument.text())
        if step.verb == PLAY_ROUNDS:
            first = len((await self.services.tournament()).played) + 1
        by_hand = self._by_hand(step, last - first + 1)
        for number in range(first, last + 1):
            round_ = {"round": step.argument.saying(str(number))}
            for line in by_hand[number - first] if by_hand else ():
                pair = {"player-ids": line.place.saying(", ".join(map(self.names.name, line.players)))}
                await self._send("keep-pair", pair)
            answers.append(await self._send("pair-round", round_))
            await self._send("start-round", round_)
            await self._report(step, by_hand[number - first] if by_hand else None)
            await self._send("close-round", round_)

    def _by_hand(self, step: Step, rounds: int) -> list[list[CaseResult]]:
        """Return the results of each round with pairs made by hand; an empty list if the step has none.

        Raises ``CaseError`` for results of another number of rounds.
        """
        if "by-hand" not in step.given or not step.given["by-hand"].truth():
            return []
        if "results" not in step.given:
            raise step.given["by-hand"].wrong("expected the pairs under `results`")
        found = rounds_of(lines_of(step.given["results"], (), self.case, ""))
        if len(found) != rounds:
            raise step.given["results"].wrong(
                f"expected the results of {rounds} rounds, one after another, got those of {len(found)}: "
                "a round ends where a player comes again"
            )
        return found

    async def _report(self, step: Step, lines: Sequence[CaseResult] | None = None) -> None:
        """Write the results of the tables: these ``lines``, or those of the step."""
        if "results" not in step.given:
            return
        await self._reload_pairings()
        seed = f"{self.case.name} {self._sent}"
        awaited = [set(players) for players in self._awaited]
        for line in lines or lines_of(step.given["results"], self._awaited, self.case, seed):
            if step.verb == PLAY_ROUNDS and set(line.players) not in awaited:
                continue  # it belongs to another of these rounds
            pairing = self._table_of(line)
            if "absent" in line.fields:
                await self._forfeit(line, pairing)
            else:
                final = final_of(line, pairing, self.names, self.game, moment(self.now_ms))
                await self.services.write(f"game-{pairing.game_id}", [final])

    async def _forfeit(self, line: CaseResult, pairing: events.Pairing) -> None:
        """Write the forfeit of absent players on the clock, and sign the sheet."""
        await self.services.write(f"clock-{pairing.game_id}", absences_of(line, self.names, moment(self.now_ms)))
        absent = self.names.ids_in(line.fields["absent"])
        for player in sorted(seats(pairing), key=absent.__contains__):
            await self._reload_pairings()
            if seats(pairing) not in self._awaited:
                return
            sign = game_pb2.SignSheetRequest(game_id=pairing.game_id, player_id=player)
            self.complete(player, "sign-sheet", sign)
            await self.services.call(sign)

    async def _reload_pairings(self) -> None:
        """Reload the pairings, the tables of the last round first."""
        if await self.services.record.read_stream(f"tournament-{TOURNAMENT_ID}"):
            played = (await self.services.tournament()).played
            self.pairings = [table for paired in reversed(played) for table in paired.pairings]
            last = played[-1] if played else pairing_pb2.Round()
            self._awaited = [seats(table) for table in last.pairings if table.game_id not in last.finished_game_ids]

    def game(self, players: Sequence[str]) -> str:
        """Return the id of the latest game of these players; empty without one."""
        return next((table.game_id for table in self.pairings if set(seats(table)) == set(players)), "")

    def name_of(self, id_: str) -> str:
        """Return the name for an id; a game is named by its players."""
        table = next((table for table in self.pairings if table.game_id == id_), None)
        return self.names.name(id_) if table is None else f" {BETWEEN} ".join(map(self.names.name, seats(table)))

    def _table_of(self, line: CaseResult) -> events.Pairing:
        for table in self.pairings:
            if set(seats(table)) == set(line.players):
                return table
        raise line.place.wrong(f"{' and '.join(map(self.names.name, line.players))} have not been paired")
