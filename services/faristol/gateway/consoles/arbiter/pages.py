"""Arbiter's pages: the tables of a hall, and a table with its commands."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any, NamedTuple

import grpc
from fastapi import APIRouter, Depends, Query
from starlette.exceptions import HTTPException
from starlette.responses import Response

from faristol.gateway.auth.sign_in import redirect_after, redirect_to
from faristol.gateway.consoles.arbiter import acts, situation
from faristol.gateway.consoles.arbiter.acts import BY_METHOD, Act, Offered
from faristol.gateway.consoles.arbiter.hall import FILTERS, TableRow, Urgency, count_by_filter, rows
from faristol.gateway.consoles.arbiter.words import COMMANDS_DONE, DEADLINES, TABLE_PHASES, WAIT_REASONS
from faristol.gateway.consoles.commands import command_id, to_problem
from faristol.gateway.consoles.frame import Console, GameId, TournamentId
from faristol.gateway.consoles.results_entry.entry import SEATS
from faristol.gateway.http.forms import Fields
from faristol.gateway.live import page_updates
from faristol.gateway.pages.hall_links import find_hall_code
from faristol.gateway.pages.render import Part
from faristol.gateway.rpc.calls import answer_or
from faristol.gateway.rpc.results import OwnReader
from faristol.gateway.rpc.service import UNAVAILABLE_CODES
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_
from faristol.kernel.topics import place_of, place_of_duplicate
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.game.v1 import game_pb2
from faristol.pb.pairing.v1 import pairing_pb2
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation import labels
from faristol.presentation.game_view import clocks
from faristol.presentation.page_addresses import tournament_path
from faristol.presentation.ruleset_lookup import known_rules
from faristol.presentation.table_commands import CHOICES, GROUPS
from faristol.rules.board import Square
from faristol.text import join_list, say
from faristol.typed_input.fields import Kind
from faristol.typed_input.results.tables import Tables

MAX_DEADLINE_TABLES = 24
"""Limit of tables with absent players for which the list shows a deadline."""

CHANGED = N_(
    "The table has changed since you opened this page, so the command was not carried out. Check the "
    "table and send the command again if it still applies."
)
NOTHING_DONE = N_("No change was made.")
WRONG_FIELD = N_("{field}: {problem}")
NO_TABLE = N_("There is no table {table} in this round.")
DISPUTE_DECIDED = N_("The dispute at table {table} is decided.")

routes = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class _Table:
    """Content of a table's page."""

    game: game_pb2.GetGameResponse
    shown: pb.GetGameResponse
    """Public view of the game, with names and events other than turns."""
    clock: clock_pb2.GetClockResponse | None
    offers: Sequence[Offered]
    why_none: str = ""
    """Reason why no command is offered."""

    @property
    def situation(self) -> situation.Situation:
        return situation.of(self.game, self.clock)

    @property
    def players(self) -> list[str]:
        return [side.player_id for side in self.game.sides]


class Dispute(NamedTuple):
    """A disputed result."""

    table: int
    standing: str
    """The table and its result."""
    note: str
    """The error in the words of the person who disputes it."""
    result: pairing_pb2.TableResult
    """Both versions."""


@dataclass
class _ArbiterPages(Console):
    """Arbiter's pages of a tournament, for a signed-in user."""

    results: OwnReader
    tournament_id: TournamentId

    def check(self) -> None:
        """Raise ``HTTPException`` (404) if the user is not an arbiter of the tournament."""
        if not self.may(game_pb2.AssignArbiterRequest, self.tournament_id):
            raise HTTPException(HTTPStatus.NOT_FOUND)

    # --- the hall --------------------------------------------------------------------------------------------------

    async def show_hall(self, part: str, hall: str, show: str, table: int) -> Response:
        """Render the tables of a hall by urgency, or redirect to the table with the given number."""
        head = await self.results.tournament(self.tournament_id)
        listed = await self.calls.ask(pb.ListTablesRequest(tournament_id=self.tournament_id, hall=hall))
        refusal = ""
        if table:
            found = next((each for each in listed.tables if each.table == table), None)
            if found:
                return redirect_to(tournament_path(self.tournament_id, "arbiter", found.game_id))
            refusal = say(NO_TABLE, {"table": table}, self.language)
        every = rows(listed.tables, self.now_ms)
        show = show if show in FILTERS else "waiting"
        shown = [row for row in every if FILTERS[show][1](row)]
        return self.page(
            "arbiter_hall.html",
            head,
            console_name="arbiter",
            part=part,
            refused=refusal,
            said="" if part or refusal else self._describe_decision(),
            listed=listed,
            rows=shown,
            counts=count_by_filter(every),
            filters={name: text for name, (text, _) in FILTERS.items()},
            show=show,
            hall=hall,
            deadlines=await self._deadlines(shown),
            disputes=await self._disputes(listed),
            own=self.session.credential.player_id,
            arbiter_id=self.subject,
            now_ms=self.now_ms,
            waits=WAIT_REASONS,
            by_itself=DEADLINES,
            urgencies=Urgency,
            seats=SEATS,
            news=_NEWS,
        )

    def _describe_decision(self) -> str:
        """Describe the decision of a dispute that led to the list of tables; empty without one."""
        method, table = self.done_by("arbiter")
        return say(DISPUTE_DECIDED, {"table": table}, self.language) if method == "DecideDispute" else ""

    async def _disputes(self, listed: pb.ListTablesResponse) -> Sequence[Dispute]:
        """Return the disputed results of the round at these tables. A player or a second person disputes a result.

        While the pairing service is unavailable, the calls of the tables are shown without disputes.
        """
        if not any(table.final for table in listed.tables):
            return ()
        asked = pairing_pb2.ListResultsRequest(tournament_id=self.tournament_id, round=listed.round)
        results = await answer_or(self.calls.ask(asked), pairing_pb2.ListResultsResponse(), *UNAVAILABLE_CODES)
        tables = Tables(results, self.language)
        here = {table.game_id for table in listed.tables}
        return [
            Dispute(each.table, tables.standing(each.table), each.dispute, each)
            for each in tables.listed.tables
            if each.check == pairing_pb2.RESULT_CHECK_PHASE_DISPUTED and each.game_id in here
        ]

    async def _deadlines(self, shown: Sequence[TableRow]) -> Mapping[str, clock_pb2.GetClockResponse]:
        """Return the clocks of tables with absent players, by game; the clock service knows the forfeit deadline."""
        absent = [row.table.game_id for row in shown if Urgency.ABSENT in row.reasons][:MAX_DEADLINE_TABLES]
        read = await asyncio.gather(*(self._clock(game_id) for game_id in absent))
        return {game_id: clock for game_id, clock in zip(absent, read, strict=True) if clock}

    # --- a table ---------------------------------------------------------------------------------------------------

    async def table(self, game_id: str) -> _Table:
        """Return a table of the tournament with its offers. Raises ``HTTPException`` if there is no such table."""
        if self.tournament_id not in (place_of(game_id)[0], place_of_duplicate(game_id)[0]):
            raise HTTPException(HTTPStatus.NOT_FOUND)
        game = await self.calls.ask(game_pb2.GetGameRequest(game_id=game_id))
        shown, clock = await asyncio.gather(self.results.game(game_id), self._clock(game_id))
        offers: Sequence[Offered] = ()
        why_none = ""
        try:
            found = await self.calls.ask(game_pb2.ListOffersRequest(game_id=game_id, arbiter_id=self.subject))
        except grpc.aio.AioRpcError as error:
            why_none = to_problem(error, self.language).detail
        else:
            offers = acts.list_offered(found.offers, [side.player_id for side in game.sides], _warning(game))
        return _Table(game, shown, clock, offers, why_none)

    async def _clock(self, game_id: str) -> clock_pb2.GetClockResponse | None:
        """Return the clocks of a table; None for one without clocks."""
        asked = self.calls.ask(clock_pb2.GetClockRequest(game_id=game_id))
        return await answer_or(asked, None, grpc.StatusCode.NOT_FOUND)

    async def show_table(
        self,
        game_id: str,
        part: str = "",
        *,
        refusal: str = "",
        status: HTTPStatus = HTTPStatus.OK,
        given: Mapping[str, str] | None = None,
        table: _Table | None = None,
    ) -> Response:
        """Render a table, with a notice after a command that led here.

        After a refused form, ``given`` refills its fields, and the changes since are shown.
        """
        head = await self.results.tournament(self.tournament_id)
        table = table or await self.table(game_id)
        given = given or {}
        asks_anybody = any(field.kind is Kind.PERSON for each in table.offers for field in each.act.fields)
        players = (await self.results.players(self.tournament_id)).players if asks_anybody else ()
        before = situation.read(given.get("seen", ""))
        cell_hall = "" if table.shown.final else table.shown.cell_hall
        hall_code = await find_hall_code(self.calls, self.tournament_id, cell_hall, self.request.app.state.hall)
        return self.page(
            "arbiter_table.html",
            head,
            console_name="arbiter",
            part=part,
            status=status,
            said="" if part or refusal else self._describe_done(table),
            refused=refusal,
            table=table,
            game=table.game,
            shown=table.shown,
            hall_code=hall_code,
            clock=table.clock,
            clocks=clocks(table.shown),
            names={seat.player_id: seat.name for seat in table.shown.seats},
            groups=_group_offers(table.offers),
            group_names={key: group.label for key, group in GROUPS.items()},
            players=players,
            given=given,
            left_over=_left_over(given, table),
            seen=situation.encode_situation(table.situation),
            changes=situation.changes(before, table.situation),
            told=self._build_describer(table),
            choice=_choice,
            now_ms=self.now_ms,
            phases=TABLE_PHASES,
            by_itself=DEADLINES,
        )

    def _describe_done(self, table: _Table) -> str:
        """Describe the command that led to this page, with the name of its player; empty without one."""
        method, player_id = self.done_by("arbiter")
        if method not in COMMANDS_DONE:
            return ""
        names = {seat.player_id: seat.name or seat.player_id for seat in table.shown.seats}
        return say(COMMANDS_DONE[method], {"who": names.get(player_id, player_id)}, self.language)

    def _build_describer(self, table: _Table) -> Any:
        """Return a function that describes a part of a situation."""
        names = {seat.player_id: seat.name or seat.player_id for seat in table.shown.seats}

        def describe(part: str, value: str) -> str:
            if not value:
                return "–"
            if part == "phase":
                return say(TABLE_PHASES.get(int(value), "{value}"), {"value": value}, self.language)
            if part == "stopped":
                reason = clock_events.NeutralisationReason.ValueType(int(value))
                return say(labels.NEUTRALISED.get(reason, "{value}"), {"value": value}, self.language)
            if part == "incident":
                kind, _, turn = value.partition(" ")
                text = WAIT_REASONS.get(_INCIDENTS.get(kind, 0), "{value}")
                return f"{say(text, {'value': value}, self.language)} ({turn})"
            if part in {"called", "absent"}:
                return join_list([names.get(each, each) for each in value.split()], self.language)
            return value.replace(" ", "–") if part == "scores" else value.rstrip("+")

        return describe

    async def act(self, game_id: str, given: Mapping[str, str]) -> Response:
        """Send the command of a form. If it is refused, the form keeps its content."""
        act = BY_METHOD.get(given.get("act", ""))
        if act is None:
            raise HTTPException(HTTPStatus.BAD_REQUEST)
        named = {
            "command_id": command_id(given, act.method),
            "game_id": game_id,
            "tournament_id": self.tournament_id,
            "arbiter_id": self.subject,
        }
        table = await self.table(game_id)
        if _is_stale(act, given, table.situation):
            text = say(CHANGED, {}, self.language)
            return await self.show_table(game_id, refusal=text, status=HTTPStatus.CONFLICT, given=given, table=table)
        try:
            wanted = acts.request(act, given, table.players, **named)
        except Invalid as problem:
            text = self._wrong(act, problem.field, say(problem.problem, problem.params, self.language))
            return await self.show_table(game_id, refusal=text, status=HTTPStatus.BAD_REQUEST, given=given, table=table)
        try:
            await self.calls.ask(wanted)
        except grpc.aio.AioRpcError as error:
            found = to_problem(error, self.language)
            detail = found.detail
            for wrong in found.more.get("errors", ()):
                detail = self._wrong(act, wrong["field"], wrong["problem"])
            text = f"{say(NOTHING_DONE, {}, self.language)} {detail}"
            return await self.show_table(game_id, refusal=text, status=found.status, given=given)
        done = f"arbiter.{act.method}.{given.get('player_id', '')}".rstrip(".")
        return redirect_after(self.request, tournament_path(self.tournament_id, "arbiter", game_id), done)

    def _wrong(self, act: Act, field: str, problem: str) -> str:
        """Format the error of a field with its label."""
        label = next((each.label for each in act.fields if each.name == field), field)
        return say(WRONG_FIELD, {"field": say(label, {}, self.language), "problem": problem}, self.language)


_NEWS = " ".join(
    sorted(
        kind.DESCRIPTOR.name
        for kind in page_updates.events_of("arbiter_hall.html")
        - {game_events.PlayPlaced, game_events.TilesTakenBack}  # one play in a thousand misses the centre
    )
)
"""Notifications after which the list of a hall is reloaded; rare changes wait for the next reload."""

_INCIDENTS = {
    "overdraw": pb.WAIT_KIND_OVERDRAW,
    "underdraw": pb.WAIT_KIND_UNDERDRAW,
    "illegal_exchange": pb.WAIT_KIND_ILLEGAL_EXCHANGE,
    "count": pb.WAIT_KIND_COUNT,
}


def _is_stale(act: Act, given: Mapping[str, str], now: situation.Situation) -> bool:
    """Check whether the object of a form was replaced since."""
    turn = act.request is game_pb2.ImposeSanctionRequest and given.get("kind") == str(game_events.SANCTION_KIND_TURN)
    part = "turn" if turn else act.depends
    return bool(part) and situation.is_another(part, situation.read(given.get("seen", "")), now)


def _warning(game: game_pb2.GetGameResponse) -> str:
    """Return the article of warnings; empty if the rules are unavailable or have none."""
    rules = known_rules(game.ruleset)
    return rules.law.warning if rules else ""


def _group_offers(offers: Sequence[Offered]) -> Mapping[str, Sequence[Offered]]:
    """Return the offers by heading."""
    found = {group: [each for each in offers if each.act.group == group] for group in GROUPS}
    return {group: of for group, of in found.items() if of}


def _left_over(given: Mapping[str, str], table: _Table) -> Sequence[tuple[str, str]]:
    """Return the labels and values of a form that is no longer offered; labels are to be translated."""
    act = BY_METHOD.get(given.get("act", ""))
    if act is None or any(each.act is act for each in table.offers):
        return ()
    return [(field.label, value) for field in act.fields if (value := given.get(field.name, ""))]


def _choice(act: Act, field: str, value: int) -> str:
    """Return the label of a choice, to be translated; a turn as its number, a square as its coordinates."""
    if field == "square":
        return str(Square(value // 15, value % 15))
    return CHOICES.get((act.method, field), {}).get(value, str(value))


ArbiterPagesDep = Annotated[_ArbiterPages, Depends()]


@routes.get("/tournaments/{tournament_id}/arbiter")
async def show_hall(
    console: ArbiterPagesDep,
    part: Part = "",
    hall: Annotated[str | None, Query(max_length=100)] = None,
    show: Annotated[str, Query(max_length=20)] = "",
    table: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> Response:
    """Show the tables of a hall, the most urgent first. An arbiter of a single hall starts with that one."""
    console.check()
    own = console.session.credential.scope.halls
    wanted = hall if hall is not None else own[0] if len(own) == 1 else ""
    return await console.show_hall(part, wanted, show, table)


@routes.get("/tournaments/{tournament_id}/arbiter/{game_id}")
async def show_table(console: ArbiterPagesDep, game_id: GameId, part: Part = "") -> Response:
    """Show a table with the commands of an arbiter."""
    console.check()
    return await console.show_table(game_id, part)


@routes.post("/tournaments/{tournament_id}/arbiter/{game_id}")
async def act_at_table(given: Fields, console: ArbiterPagesDep, game_id: GameId) -> Response:
    """Send a command at a table. A refusal is shown on the page, with the changes at the table."""
    console.check()
    return await console.act(game_id, given)
