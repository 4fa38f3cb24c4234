"""Queries of rounds and games."""

from __future__ import annotations

from collections.abc import Awaitable

from faristol.event_store import Record
from faristol.host.held_events import hears_late
from faristol.host.rpc.dispatch import Context
from faristol.host.ruleset_store import load_pinned
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.api import answers
from faristol.read_models.api.hall_results import add_hall_result, add_hall_results, is_final_here
from faristol.read_models.api.page import page
from faristol.read_models.computed import standings, teams
from faristol.read_models.computed.mode import check_has_tables
from faristol.read_models.computed.sheet import write_pinned
from faristol.read_models.projections.model import tournament_of
from faristol.read_models.projections.projection import read_now
from faristol.read_models.storage import history
from faristol.read_models.storage.history import Moment
from faristol.read_models.storage.lookup import Found, Part, find_head, is_made
from faristol.read_models.storage.models import ReadModels, check_reached
from faristol.read_models.storage.names import name_arbiters
from faristol.read_models.storage.rows import Game, Round, Tournament
from faristol.read_models.storage.store import Reader


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
    if not await models.moment(request):
        await add_hall_results(models.record, found.head, answer.tables)
    if request.player_id:
        keep_player(answer, request.player_id)
    await models.name(list_seats(answer), request.tournament_id)
    await name_arbiters(models.record, answer.tables)
    if request.seats_alone:
        leave_out_scores(answer)
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


def list_seats(answer: results.GetPairingsResponse) -> list[results.Seat]:
    """Return the seats of a round at tables and with byes, whose names can be filled in place."""
    seats = [seat for table in answer.tables for seat in table.seats]
    if answer.HasField("bye"):
        seats.append(answer.bye)
    return [*seats, *(bye.seat for bye in answer.requested_byes)]


def keep_player(answer: results.GetPairingsResponse, player_id: str) -> None:
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
    """List the tables of a round, by default the latest, in all halls or one, with the waits at each."""
    if request.round < 0:
        raise Invalid("round", N_("{round} is not a round: expected 1 or more"), {"round": request.round})
    await models.reach(request.min_position, context)

    async def look(reader: Reader) -> results.ListTablesResponse:
        head, rounds = await reader.tournament(request.tournament_id)
        if head is None or not is_made(head):
            raise NotFound("tournament", request.tournament_id)
        if request.round and request.round not in rounds:
            raise NotFound("round", f"{request.tournament_id}/{request.round}")
        if not rounds:
            return results.ListTablesResponse()
        of = rounds[request.round or max(rounds)]
        games = await reader.games_of_round(request.tournament_id, of.round, request.hall)
        phase = results.RoundPhase.ValueType(of.phase)
        tables = [answers.to_watched_table(game) for game in games]
        for game, table in zip(games, tables, strict=True):
            table.final = table.final or is_final_here(models.record, game)
        return results.ListTablesResponse(round=of.round, phase=phase, tables=tables)

    answer, position = await read_now(models.record, look, request.tournament_id)
    answer.position = position
    check_reached(request.min_position, answer.position)
    await models.name([seat for table in answer.tables for seat in table.seats], request.tournament_id)
    return answer


def leave_out_scores(answer: results.GetPairingsResponse) -> None:
    """Remove the scores of running games from the answer."""
    for table in answer.tables:
        if not table.final:
            table.turns = 0
            for seat in table.seats:
                seat.score = 0


async def get_game(models: ReadModels, request: results.GetGameRequest, context: Context) -> results.GetGameResponse:
    """Return a game: board and scoresheet, from its pairing on."""

    async def look(reader: Reader) -> tuple[Game, Tournament, int]:
        games = await reader.those_games([request.game_id])
        if request.game_id not in games:
            raise NotFound("game", request.game_id)
        game = games[request.game_id]
        if game.sheet is not None:
            await reader.add_lines(games, [game.game_id])
        rounds = await reader.those(Round, "tournament_id", [game.tournament_id])
        phase = next(each.phase for each in rounds if each.round == game.round)
        return game, await find_head(reader, game.tournament_id), phase

    if moment := await models.moment(request):
        (game, head, phase), position = await history.game(models.record, request.game_id, moment)
        if hears_late(game.tournament_id, [seat.player_id for seat in game.seats]):
            moment = await history.as_told(models.record, game.tournament_id, Moment(position))
            (game, head, phase), position = await history.game(models.record, request.game_id, moment)
    else:
        await models.reach(request.min_position, context)
        (game, head, phase), position = await read_now(models.record, look, tournament_of(request.game_id))
        check_reached(request.min_position, position)
        if late := await models.moment_told(head, position, [seat.player_id for seat in game.seats]):
            (game, head, phase), position = await history.game(models.record, request.game_id, late)
    answer = answers.build_unopened_game(game, head) if game.sheet is None else answers.game(game)
    answers.add_tournament_fields(answer, game, head, phase)
    if not moment:
        add_hall_result(models.record, head, game, answer)
    answer.position = position
    if head.held_from and not moment and hears_late(game.tournament_id, [seat.player_id for seat in game.seats]):
        answers.delay_clocks(answer, head.broadcast_delay_minutes)
    await load_pinned(models.record, answer.ruleset)
    write_pinned(answer)
    await models.name([*answer.seats, *answer.counted], answer.tournament_id)
    await name_arbiters(models.record, [answer])
    return answer
