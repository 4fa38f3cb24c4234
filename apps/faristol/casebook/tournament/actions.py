"""The start of a tournament of a case, the actions on it, and the publication of its drafts."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from google.protobuf.message import Message

from faristol.casebook.case import DIRECTOR, TOURNAMENT_ID, TOURNAMENT_STREAM, Step, TournamentCase
from faristol.casebook.commands import Verb, arguments
from faristol.casebook.document import Value
from faristol.casebook.expectations import STEP
from faristol.casebook.forms import moment
from faristol.casebook.hosts.lexicons import LEXICON_NAME
from faristol.casebook.hosts.services import PAIRING, Services
from faristol.casebook.hosts.table import TABLE_VERBS
from faristol.casebook.table.expectations import TABLE_STATE
from faristol.casebook.tournament.expectations import TOURNAMENT_RESULTS, TOURNAMENT_STATE
from faristol.casebook.tournament.results import (
    CaseResult,
    absences_of,
    final_of,
    lines_of,
    read_line,
    rounds_of,
    seats,
)
from faristol.casebook.world import Kind, World
from faristol.host.table_store import clock_stream, game_stream
from faristol.kernel.spellings import kebab
from faristol.kernel.times import Instant
from faristol.pb.game.v1 import game_pb2
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2
from faristol.tournament.administration.tournaments import pin_of
from faristol.tournament.publication_timer import PublicationTimer

PLAY_ROUND, PLAY_ROUNDS, CREATE = "play-round", "play-rounds", "create-tournament"
"""Verbs that are several commands, or that use the data of the case."""

TOURNAMENT_VERBS: Mapping[str, Verb] = {
    kebab(method.name): Verb(method)
    for method in PAIRING.methods
    if {"tournament_id", "to_tournament_id"}.intersection(method.input_type.fields_by_name) == {"tournament_id"}
}
"""All commands and queries of the pairing service on one tournament, by name.

Those on two divisions of a championship are excluded: a case has one tournament.
"""


async def _open(world: World) -> None:
    """Create the tournament of the case and register its players, unless its first step creates it."""
    case = _case(world)
    world.timed[TOURNAMENT_ID] = ScheduledPublication(world.services, world.now)
    if case.steps[0].verb == CREATE:
        return
    await _create(world)
    for name in case.registered:
        await _send(world, "register-player", {"player-id": case.place.saying(name)})
    for name, line_up in case.teams.items():
        saying = case.place.saying
        await _send(world, "register-team", {"team-id": saying(name), "player-ids": saying(", ".join(line_up))})


def _case(world: World) -> TournamentCase:
    assert isinstance(world.case, TournamentCase)
    return world.case


async def _act(world: World, step: Step, answers: list[Message]) -> None:
    match step.verb:
        case "":
            await _report(world, step)
        case "play-round" | "play-rounds" if step.actor == DIRECTOR:
            await _play(world, step, answers)
        case "create-tournament" if step.actor == DIRECTOR:
            answers.append(await _create(world))
        case "register-players" if step.argument is not None:
            answers.append(await _register(world, step, step.argument))
        case "enter-results" | "confirm-results" | "preview-round" if "results" in step.given:
            lines = lines_of(step.given["results"], world.awaited, _case(world), world.case.seed)
            answers.append(await _send(world, step.verb, step.fields, step.actor, lines))
        case _:
            answers.append(await _ask(world, step))
            await _report(world, step)


async def _ask(world: World, step: Step) -> Message:
    """Send one command or query."""
    verb = world.verb_of(step)
    if step.argument and "scores" in verb.request.DESCRIPTOR.fields_by_name:
        return await _send(world, step.verb, step.fields, step.actor, [read_line(step.argument, world.names)])
    fields = {**arguments(verb, step, world.names, TOURNAMENT_KIND.step_fields), **step.fields}
    return await _send(world, step.verb, fields, step.actor)


async def _send(
    world: World,
    name: str,
    fields: Mapping[str, Value],
    actor: str = DIRECTOR,
    lines: Sequence[CaseResult] = (),
) -> Message:
    """Send a command with these fields, the results of ``lines``, and what the case says about a new player or team."""
    request = world.request_of(name, actor)
    known = request.DESCRIPTOR.fields_by_name
    if lines and actor in world.names.ids and "player_id" in known:
        request.player_id = world.names.ids[actor]
    for line in lines:
        _say(world, line, request.results.add() if "results" in known else request)
    if name == "register-player":
        _introduce(world, request, fields.get("player-id"))
    if name == "register-team" and (team := fields.get("team-id")) is not None:
        request.name = team.text()
    if "version" in fields:
        fields = {**fields, "version": await _version(world, fields["version"])}
    world.fill(request, fields)
    return await world.services.call(request)


def _say(world: World, line: CaseResult, result: Any) -> None:
    """Fill the result of a game: its scores and fields; an ``absent`` player has lost it by forfeit."""
    pairing = _table_of(world, line)
    result.game_id = pairing.game_id
    for player in seats(pairing) if line.scores else ():
        result.scores.add(player_id=player, score=line.scores[player])
    world.fill(result, {"forfeited-by" if key == "absent" else key: value for key, value in line.fields.items()})


async def _create(world: World) -> Message:
    case = _case(world)
    pin = pin_of(case.ruleset)
    request = pairing_pb2.CreateTournamentRequest(
        name=case.name[:200],
        rounds=case.rounds,
        ruleset=pin.name,
        lexicon=LEXICON_NAME,
        seed=hashlib.sha256(case.seed.encode()).digest(),
        keeping=case.keeping,
    )
    world.complete(DIRECTOR, CREATE, request)
    for name, value in pin.options:
        request.options.add(name=name, value=value)
    return await world.services.call(request)


def _introduce(world: World, request: Any, who: Value | None) -> None:
    """Fill the data of an entry from the case; fields of the step are set after it."""
    entries = _case(world).entries
    if who is None or who.text() not in entries:
        return
    request.name = who.text()
    request.MergeFrom(entries[who.text()])


async def _register(world: World, step: Step, listed: Value) -> Message:
    """Register a list of players in one command."""
    request = world.request_of(step.verb, step.actor)
    for player_id in world.names.ids_in(listed):
        player = request.players.add()
        world.complete(step.actor, step.verb, player)
        _introduce(world, player, listed.saying(world.names.name(player_id)))
        player.player_id = player_id
    return await world.services.call(request)


async def _version(world: World, value: Value) -> Value:
    """Return the version of the last event of a kind: ``PlayerWithdrawn``."""
    if value.text().isdecimal():
        return value
    recorded = await world.services.record.read_stream(TOURNAMENT_STREAM)
    found = [act.version for act in recorded if act.name == value.text()]
    if not found:
        raise value.no_such("act", value.text(), {act.name for act in recorded})
    return value.saying(str(found[-1]))


async def _play(world: World, step: Step, answers: list[Message]) -> None:
    """Pair, start, play and close whole rounds."""
    if step.argument is None or not step.argument.text().isdecimal():
        raise step.place.wrong(f"expected the number of a round, such as `{PLAY_ROUND} 1`")
    first = last = int(step.argument.text())
    if step.verb == PLAY_ROUNDS:
        first = len((await world.services.tournament()).played) + 1
    by_hand = _by_hand(world, step, last - first + 1)
    for number in range(first, last + 1):
        round_ = {"round": step.argument.saying(str(number))}
        for line in by_hand[number - first] if by_hand else ():
            pair = {"player-ids": line.place.saying(", ".join(map(world.names.name, line.players)))}
            await _send(world, "keep-pair", pair)
        answers.append(await _send(world, "pair-round", round_))
        await world.reload_pairings()
        await _send(world, "start-round", round_)
        await _report(world, step, by_hand[number - first] if by_hand else None)
        await _send(world, "close-round", round_)


def _by_hand(world: World, step: Step, rounds: int) -> list[list[CaseResult]]:
    """Return the results of each round with pairs made by hand; an empty list if the step has none.

    Raises ``CaseError`` for results of another number of rounds.
    """
    if "by-hand" not in step.given or not step.given["by-hand"].truth():
        return []
    if "results" not in step.given:
        raise step.given["by-hand"].wrong("expected the pairs under `results`")
    found = rounds_of(lines_of(step.given["results"], (), _case(world), ""))
    if len(found) != rounds:
        raise step.given["results"].wrong(
            f"expected the results of {rounds} rounds, one after another, got those of {len(found)}: "
            "a round ends where a player comes again"
        )
    return found


async def _report(world: World, step: Step, lines: Sequence[CaseResult] | None = None) -> None:
    """Write the results of the tables: these ``lines``, or those of the step."""
    if "results" not in step.given:
        return
    await world.reload_pairings()
    seed = f"{world.case.seed} {world.sent}"
    awaited = [set(players) for players in world.awaited]
    for line in lines or lines_of(step.given["results"], world.awaited, _case(world), seed):
        if step.verb == PLAY_ROUNDS and set(line.players) not in awaited:
            continue  # it belongs to another of these rounds
        pairing = _table_of(world, line)
        if "absent" in line.fields:
            await _forfeit(world, line, pairing)
        else:
            final = final_of(line, pairing, world.names, world.game_of, moment(world.now_ms))
            await world.services.write({game_stream(pairing.game_id): [final]})


async def _forfeit(world: World, line: CaseResult, pairing: events.Pairing) -> None:
    """Write the forfeit of absent players on the clock, and sign the sheet."""
    absences = absences_of(line, world.names, moment(world.now_ms))
    await world.services.write({clock_stream(pairing.game_id): absences})
    absent = world.names.ids_in(line.fields["absent"])
    for player in sorted(seats(pairing), key=absent.__contains__):
        await world.reload_pairings()
        if seats(pairing) not in world.awaited:
            return
        sign = game_pb2.SignSheetRequest(player_id=player)
        world.complete(player, "sign-sheet", sign)
        sign.game_id = pairing.game_id
        await world.services.call(sign)


def _table_of(world: World, line: CaseResult) -> events.Pairing:
    for table in world.pairings:
        if set(seats(table)) == set(line.players):
            return table
    raise line.place.wrong(f"{' and '.join(map(world.names.name, line.players))} have not been paired")


TOURNAMENT_KIND = Kind(
    open=_open,
    act=_act,
    verbs=TOURNAMENT_VERBS,
    step_fields=frozenset({"command_id", "tournament_id", "occurred_at", "arbiter_id"}),
    table_verbs=TABLE_VERBS,
    tool_verbs=(PLAY_ROUND, PLAY_ROUNDS),
    results={**STEP, **TOURNAMENT_RESULTS},
    state={**TABLE_STATE, **TOURNAMENT_STATE},
)
"""Tournaments: entries, pairings, results."""


class ScheduledPublication:
    """The time at which the draft of a tournament is published.

    The timer of a cell counts seconds of the computer, in which the time of a case does not pass.
    """

    def __init__(self, services: Services, now: Callable[[], datetime]) -> None:
        """``now`` returns the time of the case."""
        self._services = services
        self._timer = PublicationTimer(services.record, now)
        self._checked: Instant = 0

    async def append_due_events(self, until: Instant) -> None:
        """Publish the draft if it is due by ``until``, and run all reactions to it."""
        if until > self._checked:
            self._checked = until
            await self._timer.publish_if_due(TOURNAMENT_ID)
            await self._services.settle()
