"""Query of a player's day in a tournament.

Problem. The page of a player's day asks for the tournament, the own table, the own line of the standings and the
messages. 500 phones ask for them every ten seconds, and each of four calls opened transactions of its own.

Idea. One transaction reads the rows of all four. The answer is that of the four calls, which are composed where rows
alone do not suffice: while a delay holds back events from the caller, and for standings that are not stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from faristol.host.held_events import hears_late
from faristol.host.rpc.dispatch import Context
from faristol.host.ruleset_store import load_pinned
from faristol.kernel.errors import NotFound
from faristol.kernel.likeness import like
from faristol.pb.results.v1 import results_pb2 as results
from faristol.personal_data.minors import public_category
from faristol.read_models.api import answers
from faristol.read_models.api.hall_results import add_hall_results
from faristol.read_models.api.queries.games import get_pairings, keep_player, leave_out_scores, list_seats
from faristol.read_models.api.queries.messages import load_readable_messages
from faristol.read_models.api.queries.standings import get_standings
from faristol.read_models.api.queries.tournaments import describe_tournament, get_tournament
from faristol.read_models.computed.standings import pin_of
from faristol.read_models.projections.championship import Championship
from faristol.read_models.projections.projection import read_now
from faristol.read_models.storage.lookup import Found, find_head, is_made
from faristol.read_models.storage.models import ReadModels, check_reached
from faristol.read_models.storage.names import load_player_names, name_arbiters
from faristol.read_models.storage.rows import Division
from faristol.read_models.storage.store import Reader


async def get_player_day(
    models: ReadModels, request: results.GetPlayerDayRequest, context: Context
) -> results.GetPlayerDayResponse:
    """Return the tournament, a player's place in its latest round, their line in the standings, and their messages."""
    await models.reach(request.min_position, context)
    found = await _load_rows(models, request)
    check_reached(request.min_position, found.position)
    await load_pinned(models.record, pin_of(found.head))
    if found.head.held_from and hears_late(request.tournament_id):
        answer = await _compose(models, request, context)
    else:
        answer = await _build(models, request, found, context)
    answer.messages.extend(await load_readable_messages(models, found.head))
    if player := found.of.players.get(request.player_id):
        name = await _find_name(models, request, answer)
        is_hidden = models.hides_minors(request.player_id)
        category = public_category(player.category) if is_hidden else player.category
        answer.player.CopyFrom(like(results.Player, player, name=name, shown_name=name, category=category))
        if answer.HasField("standing"):
            answer.standing.name, answer.standing.category, answer.standing.club = name, category, ""
    return answer


async def _load_rows(models: ReadModels, request: results.GetPlayerDayRequest) -> Found:
    """Return the tournament with the player's rows: of the latest round, and of the standings after it."""
    tournament_id, player_id = request.tournament_id, request.player_id

    async def look(reader: Reader) -> tuple[Championship, Sequence[Division]]:
        head, rounds = await reader.tournament(tournament_id)
        if head is None or not is_made(head):
            raise NotFound("tournament", tournament_id)
        of = Championship(head, rounds=rounds)
        of.players = {each.player_id: each for each in await reader.players(tournament_id, [player_id])}
        if last := max(rounds, default=0):
            await reader.add_tables(rounds, tournament_id, only=last, teams=False, player_id=player_id)
            own = await reader.standing(tournament_id, last, player_id)
            of.standings = [own] if own is not None else []
        first = await find_head(reader, head.division_of) if head.division_of else head
        return of, first.divisions

    (of, divisions), position = await read_now(models.record, look, tournament_id)
    return Found(of, position, divisions)


async def _build(
    models: ReadModels, request: results.GetPlayerDayRequest, found: Found, context: Context
) -> results.GetPlayerDayResponse:
    """Return the answer from rows, without messages and the player."""
    answer = results.GetPlayerDayResponse(head=await describe_tournament(models, found), position=found.position)
    if not found.rounds or answer.head.tournament.mode == results.TOURNAMENT_MODE_DUPLICATE:
        return answer
    pairings = answers.pairings(found.rounds[-1], {})
    await add_hall_results(models.record, found.head, pairings.tables)
    keep_player(pairings, request.player_id)
    await models.name(list_seats(pairings), request.tournament_id)
    await name_arbiters(models.record, pairings.tables)
    leave_out_scores(pairings)
    pairings.total = len(pairings.tables)
    pairings.tournament_id, pairings.division = request.tournament_id, found.head.division
    pairings.position = found.position
    answer.pairings.CopyFrom(pairings)
    if not _has_results(answer.head.tournament) or request.player_id not in found.of.players:
        return answer
    if not found.of.standings:
        return await _add_standing(models, request, context, answer)
    (line,) = answers.standings(found.of, found.rounds, arithmetic=False)
    line.withdrawn_round = found.of.players[request.player_id].withdrawn_round
    answer.standing.CopyFrom(line)
    return answer


async def _compose(
    models: ReadModels, request: results.GetPlayerDayRequest, context: Context
) -> results.GetPlayerDayResponse:
    """Return the answer from those of the four calls, as far as the caller may know them."""
    tournament_id, least = request.tournament_id, request.min_position
    about = results.GetTournamentRequest(tournament_id=tournament_id, min_position=least)
    head = await get_tournament(models, about, context)
    answer = results.GetPlayerDayResponse(head=head, position=head.position)
    rounds = head.tournament.played
    if not rounds or head.tournament.mode == results.TOURNAMENT_MODE_DUPLICATE:
        return answer
    asked = results.GetPairingsRequest(
        tournament_id=tournament_id,
        round=rounds[-1].round,
        player_id=request.player_id,
        seats_alone=True,
        min_position=least,
    )
    answer.pairings.CopyFrom(await get_pairings(models, asked, context))
    answer.position = min(answer.position, answer.pairings.position)
    return await _add_standing(models, request, context, answer) if _has_results(head.tournament) else answer


async def _add_standing(
    models: ReadModels, request: results.GetPlayerDayRequest, context: Context, answer: results.GetPlayerDayResponse
) -> results.GetPlayerDayResponse:
    """Add the player's line from the standings, if the player has one."""
    asked = results.GetStandingsRequest(
        tournament_id=request.tournament_id, player_id=request.player_id, min_position=request.min_position
    )
    with suppress(NotFound):
        ranked = await get_standings(models, asked, context)
        answer.standing.CopyFrom(ranked.standings[0])
        answer.position = min(answer.position, ranked.position)
    return answer


def _has_results(tournament: results.Tournament) -> bool:
    """Check whether a table of any round has a final result: else all lines of the standings are zero."""
    return any(round_.finished for round_ in tournament.played)


async def _find_name(
    models: ReadModels, request: results.GetPlayerDayRequest, answer: results.GetPlayerDayResponse
) -> str:
    """Return the player's name as lists show it; that of the seat if the answer has one."""
    seated = (seat.name for seat in list_seats(answer.pairings) if seat.player_id == request.player_id)
    name = next(seated, "")
    if name:
        return name
    return (await load_player_names(models.record, [request.player_id], request.tournament_id))[request.player_id]
