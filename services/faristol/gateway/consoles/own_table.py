"""Page of the signed-in player's table: place, opponent, and the commands that the rules allow a player."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any, NamedTuple

import grpc
from fastapi import APIRouter, Depends
from google.protobuf.message import Message
from starlette.exceptions import HTTPException
from starlette.responses import Response

from faristol.gateway.auth.sign_in import redirect_to
from faristol.gateway.consoles.attendance.day import DAY_COMMANDS, carry_out, load_day, unless_unregistered
from faristol.gateway.consoles.attendance.here import is_player_of
from faristol.gateway.consoles.commands import command_id, hide_errors, to_problem
from faristol.gateway.consoles.forms import fill
from faristol.gateway.consoles.frame import Console, TournamentId, Typed
from faristol.gateway.duplicate_game.service import Duplicates
from faristol.gateway.http.forms import Fields
from faristol.gateway.pages.hall_links import find_hall_code
from faristol.gateway.pages.render import Part, private_page
from faristol.gateway.pages.spectators.pages import place_of
from faristol.gateway.pages.spectators.seats import PlayerPlace, latest, outcome_for
from faristol.gateway.rpc.calls import answer_or
from faristol.gateway.rpc.results import OwnReader
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_
from faristol.kernel.spellings import sentences_of
from faristol.pb.game.v1 import game_pb2
from faristol.pb.pairing.v1 import pairing_pb2
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.history import HistoryEntry, describe_history
from faristol.presentation.messages import concerns
from faristol.presentation.names import Roster, name_in_id
from faristol.presentation.outcome import CORRECTED
from faristol.presentation.page_addresses import tournament_path
from faristol.presentation.ruleset_lookup import known_rules
from faristol.presentation.table_commands import TABLE_COMMANDS
from faristol.rules import Ruleset
from faristol.text import join_list, say

MAX_RULING_APPEAL_CHARACTERS = 2_000
"""Limit in characters of the arguments of an appeal."""

MAX_SANCTION_APPEAL_CHARACTERS = 500
"""Limit in characters of the arguments of an appeal against a sanction."""

LODGE = "LodgeAppeal"

IN_GAME = N_("In the game {game}.")
REASON = N_("Reason: {note}")

SENTENCES_FOR_PLAYER = ("points_off", "rounds_out", "game_lost")
"""Sentences of the history about a sanction that the player reads too."""


def describe_state(table: pb.Table, check: pairing_pb2.ResultCheckPhase.ValueType) -> str:
    """Return the state of a final result, an English text; empty for an ordinary one.

    A result is not called corrected before it is confirmed: until then a correction repairs the entry.
    """
    return sentences_of(pairing_pb2.ResultCheckPhase.DESCRIPTOR).get(check) or (CORRECTED if table.corrected else "")


class OwnSanction(NamedTuple):
    """Sanction on the signed-in player."""

    version: int
    said: str
    """Sentence about the sanction."""
    further: Sequence[str]
    """Sentences: points or rounds taken, the game, the reason."""
    appealable: bool
    phase: str
    """State of the appeal against it, an English text; empty without an appeal."""
    members: Sequence[str]
    """Names of the members of the tribunal who decide the appeal."""


class OwnSanctions(NamedTuple):
    """Sanctions on the player, and the data that an appeal needs."""

    sanctions: Sequence[OwnSanction] = ()
    without_country: Sequence[tuple[str, str]] = ()
    """Ids and names of people whose country is unknown."""


CHALLENGED = N_("Challenged: the ruling is awaited.")
APPEALED = N_("Appealed: the ruling on the appeal is awaited.")
ARBITER_CALLED = N_("The arbiter has been called.")
RULED_VALID = N_("Ruling: {word} stands.")
RULED_INVALID = N_("Ruling: {word} does not stand.")
GAME_OVER = N_("The game is over.")
RESULT_IS_FINAL = N_("The result is final.")
AWAITED_SIGNATURES = N_("You have signed. Signatures awaited: {names}.")

PLAYER_COMMANDS: Mapping[str, type[Message]] = {
    "Challenge": game_pb2.ChallengeRequest,
    "AcceptRuling": game_pb2.AcceptRulingRequest,
    "Appeal": game_pb2.AppealRequest,
    "SignSheet": game_pb2.SignSheetRequest,
    "CallArbiter": game_pb2.CallArbiterRequest,
}
"""Commands from a player's own phone, if the table offers them."""

routes = APIRouter(include_in_schema=False)


@dataclass
class OwnTable(Console):
    """Page of the table of a signed-in player."""

    results: OwnReader
    tournament_id: TournamentId

    @property
    def player_id(self) -> str:
        """Id of the player."""
        return self.session.credential.player_id

    async def act(self, given: Mapping[str, str]) -> Response:
        """Send the command of a form. Raises ``HTTPException`` for an unknown command."""
        act = given.get("act", "")
        if act in DAY_COMMANDS and is_player_of(self.session, self.tournament_id):
            refused = await carry_out(self, given, act, self.tournament_id)
        elif act == LODGE:
            await self._load_day()
            refused = await self._lodge(given)
        else:
            refused = await self._act_at_table(act, given)
        if refused:
            return await self.show("", refused, given)
        return redirect_to(tournament_path(self.tournament_id, "my-table"))

    async def _act_at_table(self, act: str, given: Mapping[str, str]) -> str:
        """Send a command at the table; return its refusal, without the names of fields, empty for success."""
        _, place = await self._load_day()
        if act not in PLAYER_COMMANDS or place is None or place.table is None:
            raise HTTPException(HTTPStatus.BAD_REQUEST)
        try:
            await self.calls.ask(_command(act, given, place))
        except (Invalid, ValueError) as malformed:
            raise HTTPException(HTTPStatus.BAD_REQUEST) from malformed
        except grpc.aio.AioRpcError as error:
            problem = to_problem(error, self.language)
            return "; ".join(each["problem"] for each in problem.more.get("errors", ())) or problem.detail
        return ""

    async def _lodge(self, given: Mapping[str, str]) -> str:
        """Appeal against a sanction; return the refusal. Raises ``HTTPException`` for a form without a sanction."""
        command = pairing_pb2.LodgeAppealRequest()
        try:
            fill(command, {**given, "note": given.get("note", "").strip()[:MAX_SANCTION_APPEAL_CHARACTERS]})
        except Invalid as problem:
            raise HTTPException(HTTPStatus.BAD_REQUEST) from problem
        if command.version <= 0:
            raise HTTPException(HTTPStatus.BAD_REQUEST)
        command.command_id, command.tournament_id = command_id(given, LODGE), self.tournament_id
        command.player_id = self.player_id
        try:
            await self.calls.ask(command)
        except grpc.aio.AioRpcError as error:
            known = pairing_pb2.GetTournamentResponse(tournament_id=self.tournament_id)
            roster = Roster(known, self.language, dict(_without_country(await self._ask_sanctions())))
            return roster.named_in_refusal(to_problem(error, self.language).detail, error)
        return ""

    async def _ask_sanctions(self) -> pairing_pb2.ListSanctionsResponse:
        """Return the sanctions on the player; an empty answer for an unregistered player."""
        asked = pairing_pb2.ListSanctionsRequest(tournament_id=self.tournament_id, player_id=self.player_id)
        return await unless_unregistered(self.calls.ask(asked), pairing_pb2.ListSanctionsResponse())

    async def _sanctions(self, tournament: pb.Tournament) -> OwnSanctions:
        """Return the sanctions on the player, in sentences; empty for an unregistered player."""
        answer = await self._ask_sanctions()
        known = pairing_pb2.GetTournamentResponse(
            tournament_id=self.tournament_id, name=tournament.name, time_zone=tournament.time_zone
        )
        rounds = {each.act.round for each in answer.sanctions if each.act.game_id}
        for number in sorted(rounds & {each.round for each in tournament.played}):
            asked = self.results.pairings(self.tournament_id, number, seats_alone=True, player_id=self.player_id)
            _add_tables(known, await asked)
        return describe_sanctions(answer, Roster(known, self.language), self.language)

    async def _load_day(self) -> tuple[pb.GetPlayerDayResponse, PlayerPlace | None]:
        """Return the day of the signed-in player, and their place in the latest round; None before the first.

        Raises ``HTTPException`` if the user is not a player with the tournament in scope.
        """
        if not is_player_of(self.session, self.tournament_id):
            raise HTTPException(HTTPStatus.NOT_FOUND)
        found = await self.results.player_day(self.tournament_id, self.player_id)
        return found, await place_of(found, await Duplicates.for_visitor(self.request), self.player_id)

    async def show(self, part: str, said: str = "", given: Mapping[str, str] | None = None) -> Response:
        """Render the page. ``said`` is the refusal of a command, whose form keeps the fields ``given``."""
        found, place = await self._load_day()
        tournament, language, player = found.head.tournament, self.language, self.player_id
        round_ = latest(tournament)
        table = place.table if place else None
        hall = table.hall if table else ""
        is_started = round_ is not None and round_.phase == pb.ROUND_PHASE_STARTED
        # The calls are independent, and each waits for a busy process: one after another they would take a multiple.
        cell_hall = table.cell_hall if table and not table.final else ""
        (offers, game), stands, day, hall_code = await asyncio.gather(
            self._load_offers(table if is_started else None),
            self._load_state(table),
            load_day(self.session, found, table, language),
            find_hall_code(self.calls, self.tournament_id, cell_hall, self.request.app.state.hall),
        )
        play = None
        if game is not None:
            play = game.pending if game.HasField("pending") else game.open_play if game.HasField("open_play") else None
        return private_page(
            self.request,
            "own_table.html",
            part=part,
            status=HTTPStatus.CONFLICT if said else HTTPStatus.OK,
            session=self.session,
            tournament=tournament,
            place=place,
            round=round_,
            player_id=player,
            hall_code=hall_code,
            messages=[each for each in found.messages if concerns(each, player, hall, table.table if table else 0)],
            offers=offers,
            names={method: command.title for method, command in TABLE_COMMANDS.items()},
            said=said,
            typed=Typed(given or {}),
            day=day,
            own=await self._sanctions(tournament) if day.state.sanctioned else OwnSanctions(),
            outcome=outcome_for(table, player) if table and table.final else None,
            stands=stands,
            state=describe_game(game, table, player, language) if game and table else "",
            words=[" ".join(each.word.faces) for each in play.words] if play else [],
            may_hide_arguments=may_hide_arguments(known_rules(tournament.ruleset)),
            totals=[(side.player_id, side.score) for side in game.sides] if game else [],
            seat_names={seat.player_id: seat.name for seat in table.seats} if table else {},
        )

    async def _load_state(self, table: pb.Table | None) -> str:
        """Return the state of a final result, an English text; empty without one."""
        if table is None or not table.final:
            return ""
        answer = await self.calls.ask(
            pairing_pb2.GetResultCheckRequest(
                tournament_id=self.tournament_id, game_id=table.game_id, player_id=self.player_id
            )
        )
        return describe_state(table, answer.check)

    async def _load_offers(
        self, table: pb.Table | None
    ) -> tuple[Sequence[game_pb2.Offer], game_pb2.GetGameResponse | None]:
        """Return each command that a table offers to the player, and the game; empty if no table is open.

        Raises ``HTTPException`` (404) for a table of others.
        """
        if table is None:
            return (), None

        async def ask() -> tuple[game_pb2.ListOffersResponse, game_pb2.GetGameResponse]:
            # Of a table that is not opened, as in a tournament of typed results, the game is not asked for.
            listed = await self.calls.ask(
                game_pb2.ListOffersRequest(game_id=table.game_id, player_id=self.player_id, methods=PLAYER_COMMANDS)
            )
            return listed, await self.calls.ask(game_pb2.GetGameRequest(game_id=table.game_id))

        with hide_errors(grpc.StatusCode.PERMISSION_DENIED):
            answers = await answer_or(ask(), None, grpc.StatusCode.NOT_FOUND)
        if answers is None:
            return (), None
        listed, game = answers
        found = {
            offer.method: offer
            for offer in listed.offers
            if offer.method in PLAYER_COMMANDS and offer.player_id == self.player_id and not offer.by_arbiter
        }
        return [found[name] for name in PLAYER_COMMANDS if name in found], game


OwnTableDep = Annotated[OwnTable, Depends()]
"""Route parameter."""


@routes.get("/tournaments/{tournament_id}/my-table")
async def show_own_table(console: OwnTableDep, part: Part = "") -> Response:
    """Show a player the current table and the commands offered there."""
    return await console.show(part)


@routes.post("/tournaments/{tournament_id}/my-table")
async def act_at_own_table(console: OwnTableDep, given: Fields) -> Response:
    """Challenge, appeal, sign or call an arbiter."""
    return await console.act(given)


def _add_tables(known: pairing_pb2.GetTournamentResponse, paired: pb.GetPairingsResponse) -> None:
    """Add the tables of a round, with the names of their players, to the known data of a tournament."""
    round_ = known.played.add(round=paired.round)
    for table in paired.tables:
        seated = [seat.player_id for seat in table.seats]
        round_.pairings.add(table=table.table, game_id=table.game_id, player_ids=seated)
        for seat in table.seats:
            known.players.add(player_id=seat.player_id, name=seat.name)


def describe_sanctions(answer: pairing_pb2.ListSanctionsResponse, roster: Roster, language: str) -> OwnSanctions:
    """Return sanctions in sentences. ``roster`` has the tables of their games."""
    acts = pairing_pb2.ListActsResponse(acts=[each.act for each in answer.sanctions])
    by_version = {each.act.version: each for each in answer.sanctions}
    return OwnSanctions(
        [
            OwnSanction(
                each.act.version,
                each.said,
                _further(each, roster, language),
                by_version[each.act.version].appealable,
                sentences_of(pairing_pb2.AppealPhase.DESCRIPTOR).get(by_version[each.act.version].appeal.phase, ""),
                [member.name or name_in_id(member.player_id) for member in by_version[each.act.version].members],
            )
            for each in describe_history(acts, roster, language)
        ],
        _without_country(answer),
    )


def _further(told_: HistoryEntry, roster: Roster, language: str) -> list[str]:
    """Return sentences about a sanction: points or rounds taken, the game, the reason."""
    found = [told_.also[field] for field in SENTENCES_FOR_PLAYER if field in told_.also]
    if told_.act.game_id and "points_off" in told_.also:
        found.append(say(IN_GAME, {"game": roster.describe_id(told_.act.game_id)}, language))
    if told_.act.note:
        found.append(say(REASON, {"note": told_.act.note}, language))
    return found


def _without_country(answer: pairing_pb2.ListSanctionsResponse) -> list[tuple[str, str]]:
    """Return the ids and names of persons without a known country."""
    return [(each.player_id, each.name or name_in_id(each.player_id)) for each in answer.without_country]


def _command(act: str, given: Mapping[str, str], place: PlayerPlace) -> Message:
    """Return the command of a form. Raises ``Invalid`` for invalid fields."""
    assert place.table is not None
    command: Any = PLAYER_COMMANDS[act]()
    fill(command, {**given, "arguments": given.get("arguments", "")[:MAX_RULING_APPEAL_CHARACTERS]})
    command.command_id, command.game_id = command_id(given, act), place.table.game_id
    command.player_id = place.player_id
    return command  # type: ignore[no-any-return] # a message of the contract


def may_hide_arguments(rules: Ruleset | None) -> bool:
    """Check whether the book lets an appellant hide the arguments from the opponent, as FISE 42.4 does."""
    return rules is not None and rules.game.mode != "duplicate" and rules.challenge.arguments_hidden


def describe_game(game: game_pb2.GetGameResponse, table: pb.Table, player_id: str, language: str) -> str:
    """Return the last ruling and the event that a game waits for, in sentences; empty if it just goes on."""
    found = []
    is_ruled = game.HasField("ruling") and game.ruling.turn >= game.turn - 1
    if game.phase == game_pb2.PHASE_CHALLENGED:
        found.append(say(APPEALED if game.appealed else CHALLENGED, {}, language))
    elif is_ruled:
        ruling = RULED_VALID if game.ruling.valid else RULED_INVALID
        found.append(say(ruling, {"word": "".join(game.ruling.word.faces)}, language))
    if game.phase in (game_pb2.PHASE_ENDED, game_pb2.PHASE_FINAL):
        found.append(say(GAME_OVER if game.phase == game_pb2.PHASE_ENDED else RESULT_IS_FINAL, {}, language))
    if game.arbiter_called_by:
        found.append(say(ARBITER_CALLED, {}, language))
    names = {seat.player_id: seat.name for seat in table.seats}
    has_signed = any(side.signed for side in game.sides if side.player_id == player_id)
    if has_signed and (awaited := [names.get(each, each) for each in game.awaited_signer_ids]):
        found.append(say(AWAITED_SIGNATURES, {"names": join_list(awaited, language)}, language))
    return " ".join(found)
