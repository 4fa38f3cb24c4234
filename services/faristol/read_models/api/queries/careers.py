"""The queries of players across tournaments, of careers, and of the best results of seasons."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from faristol.event_store import load
from faristol.host.rpc.dispatch import Context
from faristol.kernel.errors import NotFound, check_range
from faristol.kernel.names import check_length
from faristol.pb.results.v1 import careers_pb2 as pb
from faristol.pb.results.v1 import results_pb2 as results
from faristol.personal_data.minors import public_category
from faristol.read_models.api import person
from faristol.read_models.api.page import page
from faristol.read_models.api.queries.seasons import load_seasons, load_tournaments
from faristol.read_models.computed.careers import BestsTournament, build_bests, build_career, unite_entries
from faristol.read_models.computed.circuits import SeasonTournament, count_as_persons
from faristol.read_models.projections.projection import read_now
from faristol.read_models.storage.models import ReadModels, check_reached
from faristol.read_models.storage.names import load_people
from faristol.read_models.storage.rows import Line
from faristol.read_models.storage.store import Reader
from faristol.seasons.model import SEASONS_STREAM, Seasons, evolve

DEFAULT_AVERAGE_GAMES_COUNT = 10
"""Games that an average requires by default."""

MAX_AVERAGE_GAMES_COUNT = 10_000


async def get_career(models: ReadModels, request: pb.GetCareerRequest, context: Context) -> pb.GetCareerResponse:
    """Return the career of a player, with all entries that were merged into one person.

    Raises ``NotFound`` for a player without a tournament.
    """
    await models.reach(request.min_position, context)
    seasons = (await load(models.record, SEASONS_STREAM, Seasons(), evolve)).state
    found = []
    entries = seasons.entries_of(request.player_id)
    for player_id in entries:
        try:
            found.append(await person.player(models.record, player_id, 0, "", models.moment_told))
        except NotFound:
            if len(entries) == 1:
                raise
    if not found:
        raise NotFound("player", request.player_id)
    whole = unite_entries(found, seasons.person_of)
    check_reached(request.min_position, whole.position)
    return await asyncio.to_thread(build_career, whole, seasons.person_of(request.opponent_id))


async def get_season_bests(
    models: ReadModels, request: pb.GetSeasonBestsRequest, context: Context
) -> pb.GetSeasonBestsResponse:
    """Return the best results of a season. Raises ``NotFound``, and ``Invalid`` for an impossible number of games."""
    check_range("min_games", request.min_games, 0, MAX_AVERAGE_GAMES_COUNT)
    seasons, position = await load_seasons(models, request, context)
    season = seasons.find(request.season_id)
    tournaments, position = await load_tournaments(
        models, request, context, season.tournament_ids, position, games=True
    )
    is_past = bool(request.as_of_position) or request.HasField("as_of")
    played = [BestsTournament(each, await _list_plays(models, each, position, is_past=is_past)) for each in tournaments]
    person_of = seasons.person_of
    played = [
        BestsTournament(
            count_as_persons(each.tournament, person_of),
            [replace(line, player_id=person_of(line.player_id)) for line in each.plays],
        )
        for each in played
    ]
    answer = await asyncio.to_thread(build_bests, played, request.min_games or DEFAULT_AVERAGE_GAMES_COUNT)
    lines: list[Any] = [*answer.games, *answer.spreads, *answer.plays, *answer.averages, *answer.medals]
    people = await load_people(models.record, {line.player_id for line in lines})
    for line in lines:
        line.name = people[line.player_id].name
    answer.season_id, answer.season_name, answer.position = season.season_id, season.name, position
    return answer


async def _list_plays(models: ReadModels, tournament: SeasonTournament, position: int, *, is_past: bool) -> list[Line]:
    """Return complete plays of a tournament: of a past state all, of the present the highest of each player."""
    if is_past or await models.moment_told(tournament.head, position):
        return [
            line
            for round_ in tournament.rounds
            for game in round_.games
            for line in game.lines
            if line.kind == results.ENTRY_KIND_PLAY and line.complete
        ]

    async def look(reader: Reader) -> list[Line]:
        return await reader.best_plays(tournament.head.tournament_id)

    return (await read_now(models.record, look, tournament.head.tournament_id))[0]


DEFAULT_FOUND_PLAYERS = 100
"""Players in one answer by default."""

MAX_ANSWER_PLAYERS = 1_000
"""Most players in one answer."""

MAX_NAME_QUERY_CHARACTERS = 200
"""Characters of a search text."""


async def get_player(
    models: ReadModels, request: results.GetPlayerRequest, context: Context
) -> results.GetPlayerResponse:
    """Return a player with every tournament, the latest first."""
    await models.reach(request.min_position, context)
    answer = await person.player(
        models.record, request.player_id, request.page_size, request.page_token, models.moment_told
    )
    check_reached(request.min_position, answer.position)
    if models.hides_minors(request.player_id):
        for entered in answer.tournaments:
            entered.player.category = public_category(entered.player.category)
            if entered.HasField("standing"):
                entered.standing.category = public_category(entered.standing.category)
    return answer


async def search_players(
    models: ReadModels, request: results.SearchPlayersRequest, context: Context
) -> results.SearchPlayersResponse:
    """Search players by name or club."""
    check_range("page_size", request.page_size, 0, MAX_ANSWER_PLAYERS)
    check_length("search", request.search, 0, MAX_NAME_QUERY_CHARACTERS)
    await models.reach(request.min_position, context)
    found, position = await models.directory.search(request.search, request.min_position)
    check_reached(request.min_position, position)
    shown, following = page(found, request.page_size or DEFAULT_FOUND_PLAYERS, request.page_token)
    return results.SearchPlayersResponse(
        players=[
            results.FoundPlayer(player_id=each.person.player_id, **each.person.public, tournaments=each.tournaments)
            for each in shown
        ],
        position=position,
        next_page_token=following,
        total=len(found),
    )
