"""Queries of rounds and games."""

from __future__ import annotations

from collections.abc import Awaitable

from faristol.event_store import Record
from faristol.host.rpc.dispatch import Context
from faristol.host.ruleset_store import load_pinned
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.api import answers
from faristol.read_models.api.page import page
from faristol.read_models.computed import standings, teams
from faristol.read_models.computed.mode import check_has_tables
from faristol.read_models.computed.sheet import write_pinned
from faristol.read_models.storage import history, lookup
from faristol.read_models.storage.history import Moment
from faristol.read_models.storage.lookup import Found, Part
from faristol.read_models.storage.models import ReadModels, check_reached


async def get_pairings(
    models: ReadModels, request: results.GetPairingsRequest, context: Context
) -> results.GetPairingsResponse:
    """Return the pairings of a round with their current scores."""
    if request.round < 1:
        raise Invalid("round", N_("{round} is not a round: expected 1 or more"), {"round": request.round})

    def fold_pairings(record: Record, tournament_id: str, moment: Moment) -> Awaitable[Found]:
        return history.pairings(record, tournament_id, request.round, moment)

    found = await models.find_tournament(
        request, context, fold_pairings, Part.TEAMS | Part.TABLES, only=request.round, player_id=request.player_id
    )
    check_has_tables(found.head)
    round_ = found.round(request.round)
    answer = answers.pairings(round_, found.of.teams)
    if request.player_id:
        _keep_player(answer, request.player_id)
    seats = [seat for table in answer.tables for seat in table.seats]
    if answer.HasField("bye"):
        seats.append(answer.bye)
    seats.extend(bye.seat for bye in answer.requested_byes)
    await models.name(seats, request.tournament_id)
    await lookup.name_arbiters(models.record, answer.tables)
    if request.seats_alone:
        _leave_out_scores(answer)
    if answer.matches:
        try:
            ruleset = standings.rules_of(found.head)
        except Refusal:
            ruleset = None
        teams.show_matches(answer, round_, ruleset)
    answer.total = len(answer.tables)
    shown, answer.next_page_token = page(list(answer.tables), request.page_size, request.page_token)
    if len(shown) < len(answer.tables):
        del answer.tables[:]
        answer.tables.extend(shown)
    answer.tournament_id, answer.division = request.tournament_id, found.head.division
    answer.position = found.position
    return answer


def _keep_player(answer: results.GetPairingsResponse, player_id: str) -> None:
    """Remove all tables and byes but those of one player from the answer."""
    tables = [table for table in answer.tables if any(seat.player_id == player_id for seat in table.seats)]
    byes = [bye for bye in answer.requested_byes if bye.seat.player_id == player_id]
    for field in ("tables", "requested_byes", "matches", "team_byes"):
        answer.ClearField(field)
    answer.tables.extend(tables)
    answer.requested_byes.extend(byes)
    if answer.bye.player_id != player_id:
        answer.ClearField("bye")


async def list_tables(
    models: ReadModels, request: results.ListTablesRequest, context: Context
) -> results.ListTablesResponse:
    """List the tables of a round with the waits at each."""
    if request.round < 0:
        raise Invalid("round", N_("{round} is not a round: expected 1 or more"), {"round": request.round})
    await models.reach(request.min_position, context)
    answer = await lookup.tables(models.record, request.tournament_id, request.round, request.hall)
    check_reached(request.min_position, answer.position)
    await models.name([seat for table in answer.tables for seat in table.seats], request.tournament_id)
    return answer


def _leave_out_scores(answer: results.GetPairingsResponse) -> None:
    for table in answer.tables:
        if not table.final:
            table.turns = 0
            for seat in table.seats:
                seat.score = 0


async def get_game(models: ReadModels, request: results.GetGameRequest, context: Context) -> results.GetGameResponse:
    """Return a game: board and scoresheet."""
    if moment := await models.moment(request):
        answer = await history.game(models.record, request.game_id, moment)
    else:
        await models.reach(request.min_position, context)
        answer = await lookup.game(models.record, request.game_id)
        check_reached(request.min_position, answer.position)
    await load_pinned(models.record, answer.ruleset)
    write_pinned(answer)
    await models.name([*answer.seats, *answer.counted], answer.tournament_id)
    await lookup.name_arbiters(models.record, [answer])
    return answer
