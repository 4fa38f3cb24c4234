"""Result entry: a page for a round, and a form for one table, opened by the QR code of its slip."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import urlencode

import grpc
from fastapi import APIRouter, Depends, Path, Query
from google.protobuf.message import Message
from starlette.exceptions import HTTPException
from starlette.responses import Response

from faristol.access_control.roles import DIRECTOR, PLAYER
from faristol.client.problems import every_reason, info_of
from faristol.gateway.auth.sign_in import redirect_after, redirect_to
from faristol.gateway.consoles.commands import hide_errors
from faristol.gateway.consoles.frame import Console, Done, TournamentId, Typed
from faristol.gateway.consoles.navigation import may
from faristol.gateway.consoles.results_entry.entry import (
    OPEN,
    SEATS,
    ResultEntry,
    Rights,
    confirm_all,
    confirmation,
    encode_shown_scores,
    from_sheet,
    read,
    read_decision,
    read_report,
    read_withdrawal,
)
from faristol.gateway.http.errors import STATUSES
from faristol.gateway.http.forms import Fields
from faristol.gateway.pages.alternatives import check_has_tables
from faristol.gateway.pages.hall_links import find_hall_code
from faristol.gateway.pages.render import Part
from faristol.gateway.rpc.results import Moment, OwnReader
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results_pb
from faristol.presentation.history import say_rounds_after
from faristol.presentation.labels import ABANDONED
from faristol.presentation.names import Roster
from faristol.presentation.page_addresses import tournament_path
from faristol.text import say
from faristol.typed_input.results.doubts import as_labelled
from faristol.typed_input.results.tables import Tables

DISPUTED = N_("Table {table}: the result is disputed, and an official is checking it.")
CONFIRMED = N_("Confirmed: {standing}")
CONFIRMED_RESULTS = N_("Confirmed: {count} {count:result|results}.")
MOST_TABLES_COUNT = 999_999

Number = Annotated[int, Path(ge=1, le=10_000)]
Table = Annotated[int, Path(ge=1, le=999_999)]
At = Annotated[int, Query(ge=0, le=MOST_TABLES_COUNT)]
LastPaired = Annotated[int, Query(ge=0, le=10_000)]

routes = APIRouter(include_in_schema=False)


@dataclass
class _ResultsPage(Console):
    """Page of a round, for a user who enters or confirms results."""

    results: OwnReader
    tournament_id: TournamentId
    number: Number
    done: Done = 0
    part: Part = ""
    paired: LastPaired = 0
    """Last round that was paired before the correction that led to this page; 0 without one."""
    refused: str = field(default="", init=False)
    check: pairing.GetResultCheckResponse = field(default_factory=pairing.GetResultCheckResponse, init=False)
    """Confirmations of the result of a player's own table."""
    reason: str = field(default="", init=False)
    """Reason code of the refusal."""
    typed: Mapping[str, str] = field(default_factory=dict, init=False)

    @property
    def address(self) -> str:
        return tournament_path(self.tournament_id, "round", self.number, "results")

    @property
    def is_player(self) -> bool:
        """True for a player, who may only confirm their own result."""
        return self.session.credential.role == PLAYER

    async def tables(self) -> Tables:
        """Return the tables of the round; for a player their own table.

        Raises ``HTTPException`` if there is no table to show, and ``Refusal`` for a tournament without tables.
        """
        if self.is_player:
            return Tables(await self._own_table(), self.language)
        if not may(self.session, pairing.ListResultsRequest):
            raise HTTPException(HTTPStatus.NOT_FOUND)
        asked = pairing.ListResultsRequest(tournament_id=self.tournament_id, round=self.number)
        with hide_errors(grpc.StatusCode.PERMISSION_DENIED):
            listed = await self.calls.ask(asked)
        if not listed.tables:
            check_has_tables(await self.results.tournament(self.tournament_id))
        return Tables(listed, self.language)

    async def _own_table(self) -> pairing.ListResultsResponse:
        """Return the public data of a player's table in the form of the officials' list."""
        scope = self.session.credential.scope.tournament_ids
        own = self.session.credential.player_id
        if not own or (scope and self.tournament_id not in scope):
            raise HTTPException(HTTPStatus.NOT_FOUND)
        answer = await self.results.pairings(self.tournament_id, self.number, Moment(self.done), player_id=own)
        found = answer.tables
        if not found:
            raise HTTPException(HTTPStatus.NOT_FOUND)
        listed = pairing.ListResultsResponse(round=self.number, time_zone="UTC")
        for table in found:
            shown = listed.tables.add(table=table.table, hall=table.hall, game_id=table.game_id)
            for seat in table.seats:
                shown.players.add(player_id=seat.player_id, name=seat.name)
                if table.final:
                    shown.scores.add(player_id=seat.player_id, score=seat.score)
            shown.winner_id, shown.lost_by_all = table.winner_id, table.lost_by_all
            shown.unplayed = table.unplayed
            if table.condition == ABANDONED:
                shown.abandoned_by.extend(table.loser_ids)
            asked = pairing.GetResultCheckRequest(
                tournament_id=self.tournament_id, game_id=table.game_id, player_id=own
            )
            self.check = await self.calls.ask(asked)
            if self.check.kept_scores:
                del shown.scores[:]
                shown.scores.extend(self.check.kept_scores)
                shown.kept = True
            if table.final or shown.kept:
                shown.check = self.check.check
        return listed

    async def ask(self, command: Any) -> Any:
        """Return the answer to a command; None if it was refused, after storing the refusal."""
        try:
            return await self.calls.ask(command)
        except grpc.aio.AioRpcError as problem:
            if STATUSES.get(problem.code(), HTTPStatus.BAD_GATEWAY) >= HTTPStatus.INTERNAL_SERVER_ERROR:
                raise
            text = every_reason(problem, self.language)
            if not self.is_player:
                known = await self.calls.ask(pairing.GetTournamentRequest(tournament_id=self.tournament_id))
                text = Roster(known, self.language).named_in_refusal(text, problem)
            self.refused, self.reason = as_labelled(text, self.language), info_of(problem).reason
            return None

    @property
    def rights(self) -> Rights:
        """Rights of the user on a recorded result."""
        return Rights(
            self.subject,
            corrects=self.may(pairing.CorrectResultRequest, self.tournament_id),
            corrects_own=self.may(pairing.CorrectOwnResultRequest, self.tournament_id),
            gives_up=self.may(pairing.EnterSignedSheetRequest, self.tournament_id),
        )

    async def _find_cell_hall(self, table: pairing.TableResult) -> str:
        """Return the hall whose cell decides on a table, empty for the championship.

        For a table with a result, and before its start, it is that of this cell: no other needs to be named.
        """
        own = str(self.request.app.state.hall)
        if table.scores:
            return "" if table.decided_elsewhere else own
        game = await self.results.game(table.game_id)
        return own if game.state == results_pb.GAME_STATE_PAIRED else game.cell_hall

    async def show(self, tables: Tables, entry: ResultEntry, table: int = 0, said: str = "") -> Response:
        """Render the page of the round, or of one of its tables."""
        head = await self.results.tournament(self.tournament_id, Moment(self.done))
        rights = self.rights
        is_wrong = bool(entry.problem or entry.doubts or self.refused)
        cell_hall = await self._find_cell_hall(tables[table]) if table else ""
        hall_code = await find_hall_code(self.calls, self.tournament_id, cell_hall, self.request.app.state.hall)
        return self.page(
            "results/table.html" if table else "results/round.html",
            head,
            console_name="results",
            part=self.part,
            status=HTTPStatus.CONFLICT if is_wrong else HTTPStatus.OK,
            said=add_rounds_after(said or entry.stands, head.tournament, self.number, self.paired, self.language),
            refused=self.refused,
            number=self.number,
            tables=tables,
            listed=tables.listed.tables,
            left=tables.left,
            table=tables[table] if table else None,
            cell_hall=cell_hall,
            hall_code=hall_code,
            entry=entry,
            typed=Typed(self.typed if is_wrong else {}),
            seats=SEATS,
            most=max((len(each.players) for each in tables.listed.tables), default=2),
            to_confirm=[each for each in tables.listed.tables if each.check in OPEN and not each.decided_elsewhere],
            hidden={each.table for each in tables.listed.tables if _is_hidden(tables, each.table, rights)},
            seen=encode_shown_scores,
            own=self.subject,
            player_id=self.session.credential.player_id if self.is_player else "",
            is_player=self.is_player,
            on_paper=self.session.credential.role == DIRECTOR,
            decides=self.may(pairing.DecideDisputeRequest, self.tournament_id),
            check=self.check,
            base=self.address,
            pairing=pairing,
        )


ResultsPageDep = Annotated[_ResultsPage, Depends()]


@routes.get("/tournaments/{tournament_id}/round/{number}/results")
async def show_results(
    page: ResultsPageDep, at: At = 0, confirmed: Annotated[int, Query(ge=0, le=MOST_TABLES_COUNT)] = 0
) -> Response:
    """Show the tables of the round and the form; a player is redirected to their own table.

    ``confirmed`` is the number of results that one form has just confirmed.
    """
    tables = await page.tables()
    if page.is_player and not page.part:
        return redirect_to(f"{page.address}/{tables.listed.tables[0].table}")
    said = say(CONFIRMED_RESULTS, {"count": confirmed}, page.language) if confirmed else ""
    return await page.show(tables, ResultEntry(), said=said or describe_saved(tables, at, page.rights, page.language))


@routes.post("/tournaments/{tournament_id}/round/{number}/results")
async def enter_result(page: ResultsPageDep, given: Fields) -> Response:
    """Enter, correct or confirm the result of a table."""
    return await _handle_form(page, given, 0)


@routes.get("/tournaments/{tournament_id}/round/{number}/results/{table}")
async def show_table(page: ResultsPageDep, table: Table) -> Response:
    """Show the form of one table, as opened by the QR code of its slip."""
    tables = await page.tables()
    if not tables.players(table):
        raise HTTPException(HTTPStatus.NOT_FOUND)
    return await page.show(tables, ResultEntry(table), table)


@routes.post("/tournaments/{tournament_id}/round/{number}/results/{table}")
async def enter_at_table(page: ResultsPageDep, given: Fields, table: Table) -> Response:
    """Enter, correct or confirm the result of this table."""
    return await _handle_form(page, {**given, "table": str(table)}, table)


async def _handle_form(page: _ResultsPage, given: Mapping[str, str], table: int) -> Response:
    page.typed = given
    tables = await page.tables()
    if table and not tables.players(table):
        raise HTTPException(HTTPStatus.NOT_FOUND)
    back = f"{page.address}/{table}" if table else page.address
    try:
        if given.get("act") == "ConfirmResult":
            return await _confirm_result(page, given, tables, table, back)
        if table and given.get("act") == "DecideDispute" and not page.is_player:
            sent = await _send(page, lambda: read_decision(given, tables[table], page.tournament_id), table, back)
            if given.get("back") != "arbiter" or sent.status_code != HTTPStatus.SEE_OTHER:
                return sent
            address = f"{tournament_path(page.tournament_id, 'arbiter')}?{urlencode({'hall': given.get('hall', '')})}"
            return redirect_after(page.request, address, f"arbiter.DecideDispute.{table}")
        if table and given.get("act") == "ReportResult" and page.is_player:
            own = page.session.credential.player_id
            return await _send(page, lambda: read_report(given, tables[table], page.tournament_id, own), table, back)
        if page.is_player:
            raise HTTPException(HTTPStatus.BAD_REQUEST)  # players may only confirm
        if table and given.get("act") == "WithdrawKeptCommand":
            return await _send(page, lambda: read_withdrawal(given, page.tournament_id), table, back)
        if given.get("act") == "ConfirmAll":
            command = confirm_all(given, tables, page.tournament_id, page.subject)
            back = f"{back}?confirmed={len(command.results)}"
            return await _send(page, lambda: command, 0, back) if command.results else redirect_to(back)
        entry = read(given, tables, page.tournament_id, page.rights, page.language)
    except ValueError as problem:
        raise HTTPException(HTTPStatus.BAD_REQUEST) from problem
    if entry.command is not None:
        answer = await page.ask(entry.command)
        if answer is not None:
            rounds_after = getattr(answer, "rounds_after", ())
            paired = f"&paired={max(rounds_after)}" if rounds_after else ""
            return redirect_to(f"{back}?at={entry.table}&done={answer.position}{paired}")
        if page.reason == "GAME_BEGUN" and page.rights.gives_up:
            entry, page.refused = from_sheet(entry, page.refused, page.language), ""
        tables = await page.tables()
    return await page.show(tables, entry, table)


async def _confirm_result(
    page: _ResultsPage, given: Mapping[str, str], tables: Tables, table: int, back: str
) -> Response:
    number = given.get("table", "")
    at = int(number) if number.isdecimal() and len(number) < 7 else 0
    if not tables.players(at):
        raise HTTPException(HTTPStatus.BAD_REQUEST)
    back = back if table else f"{back}?at={at}"
    return await _send(page, lambda: confirmation(given, tables[at], page.tournament_id), table, back)


async def _send(page: _ResultsPage, read_command: Callable[[], Message], table: int, back: str) -> Response:
    """Send the command of a form, and lead to the address ``back``; show the page again if it is refused."""
    try:
        answer = await page.ask(read_command())
    except Invalid as problem:
        text = say(problem.problem, problem.params, page.language)
        page.refused, answer = f"{problem.field}: {text}", None
    if answer is None:
        return await page.show(await page.tables(), ResultEntry(), table)
    return redirect_to(f"{back}{'&' if '?' in back else '?'}done={answer.position}")


def _is_hidden(tables: Tables, table: int, rights: Rights) -> bool:
    """Check whether a blind second entry hides a result. A user who may correct any result sees all."""
    return not rights.corrects and tables.is_hidden(table, rights.subject)


def add_rounds_after(said: str, tournament: results_pb.Tournament, number: int, paired: int, language: str) -> str:
    """Append the rounds after ``number`` and up to ``paired``: they were paired with a result that was corrected."""
    rounds = [each.round for each in tournament.played if number < each.round <= paired]
    return ". ".join(filter(None, [said, say_rounds_after(rounds, language) if rounds else ""]))


def describe_saved(tables: Tables, table: int, rights: Rights, language: str) -> str:
    """Describe the recorded result of the table that was just entered or confirmed.

    Empty without a table, and for a result that a blind second entry hides: the address may name any table.
    """
    if not tables.players(table) or not tables[table].scores or _is_hidden(tables, table, rights):
        return ""
    match tables[table].check:
        case pairing.RESULT_CHECK_PHASE_DISPUTED:
            return say(DISPUTED, {"table": table}, language)
        case pairing.RESULT_CHECK_PHASE_CONFIRMED:
            return say(CONFIRMED, {"standing": tables.standing(table)}, language)
    return tables.standing(table)
