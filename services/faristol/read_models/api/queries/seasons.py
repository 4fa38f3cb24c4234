"""The queries of seasons and circuits, computed from the standings of their tournaments."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping

from faristol.host.rpc.dispatch import Context
from faristol.kernel.errors import NotFound
from faristol.kernel.likeness import like
from faristol.pb.results.v1 import careers_pb2 as careers
from faristol.pb.results.v1 import results_pb2 as results
from faristol.pb.results.v1 import seasons_pb2 as pb
from faristol.pb.season.v1 import events_pb2 as events
from faristol.read_models.api import answers
from faristol.read_models.computed.circuits import (
    SeasonTournament,
    build_event,
    build_line,
    count_as_persons,
    describe_circuit,
    list_games,
)
from faristol.read_models.storage import history
from faristol.read_models.storage.lookup import Part
from faristol.read_models.storage.models import ReadModels
from faristol.read_models.storage.names import load_people
from faristol.seasons.circuit_ranking import rank_circuit
from faristol.seasons.model import SEASONS_STREAM, CircuitState, Seasons, SeasonState, fold_seasons

OfSeason = pb.GetSeasonRequest | pb.GetCircuitRequest | careers.GetSeasonBestsRequest
"""Queries of a season as of a moment."""


async def list_seasons(models: ReadModels, request: pb.ListSeasonsRequest, context: Context) -> pb.ListSeasonsResponse:
    """Return the seasons with their circuits, the latest first, and the ids of their tournaments."""
    seasons, position = await load_seasons(models, request, context)
    listed = [*seasons.by_id.values()][::-1]
    latest = sorted(listed, key=lambda season: season.starts_on, reverse=True)
    return pb.ListSeasonsResponse(seasons=[_describe(season, ()) for season in latest], position=position)


async def get_season(models: ReadModels, request: pb.GetSeasonRequest, context: Context) -> pb.GetSeasonResponse:
    """Return a season with its circuits and their tournaments. Raises ``NotFound``."""
    seasons, position = await load_seasons(models, request, context)
    season = seasons.find(request.season_id)
    tournaments, position = await load_tournaments(
        models, request, context, season.tournament_ids, position, games=False
    )
    return pb.GetSeasonResponse(season=_describe(season, tournaments), position=position)


async def get_circuit(models: ReadModels, request: pb.GetCircuitRequest, context: Context) -> pb.GetCircuitResponse:
    """Return the ranking of a circuit, or the line of one player with the games of each result.

    Raises ``NotFound`` for an unknown season, circuit or player.
    """
    seasons, position = await load_seasons(models, request, context)
    season = seasons.find(request.season_id)
    if request.circuit_id not in season.circuits:
        raise NotFound("circuit", request.circuit_id)
    circuit = season.circuits[request.circuit_id]
    weights = season.weights_of(circuit)
    needs_games = bool(request.player_id) or _is_by_games(circuit)
    tournaments, position = await load_tournaments(models, request, context, weights, position, games=needs_games)
    tournaments = [count_as_persons(each, seasons.person_of) for each in tournaments]
    person = seasons.person_of(request.player_id)
    lines = await asyncio.to_thread(_rank, circuit, weights, tournaments, person)
    if request.player_id and not lines:
        raise NotFound("player", request.player_id)
    await _add_names(models, lines)
    return pb.GetCircuitResponse(
        season_id=season.season_id,
        circuit_id=circuit.circuit_id,
        season_name=season.name,
        circuit=describe_circuit(circuit, weights, tournaments),
        lines=lines,
        position=position,
    )


def _is_by_games(circuit: CircuitState) -> bool:
    """Check whether the ranking of a circuit depends on single games."""
    is_head_to_head = events.CIRCUIT_TIE_BREAK_HEAD_TO_HEAD in circuit.rule.tie_breaks
    return is_head_to_head or circuit.rule.basis == events.POINTS_BASIS_RATING


def _rank(
    circuit: CircuitState, weights: Mapping[str, int], tournaments: Iterable[SeasonTournament], player_id: str
) -> list[pb.CircuitLine]:
    counted = [each for each in tournaments if each.is_finished]
    ranking = rank_circuit(circuit.rule, [build_event(each, weights[each.head.tournament_id]) for each in counted])
    entries = {each.head.tournament_id: each.entries for each in counted}
    games = {each.head.tournament_id: list_games(each) for each in counted} if player_id else {}
    return [
        build_line(each, circuit.rule.qualified_places, entries, games)
        for each in ranking
        if player_id in ("", each.player_id)
    ]


async def _add_names(models: ReadModels, lines: Iterable[pb.CircuitLine]) -> None:
    """Fill the names and clubs of players, and the names of opponents."""
    games = [game for line in lines for result in line.results for game in result.games]
    wanted = {line.player_id for line in lines} | {game.opponent_id for game in games}
    people = await load_people(models.record, wanted)
    for line in lines:
        line.name, line.club = people[line.player_id].name, people[line.player_id].club
    for game in games:
        game.opponent_name = people[game.opponent_id].name


def _describe(season: SeasonState, tournaments: Iterable[SeasonTournament]) -> pb.Season:
    listed = list(tournaments)
    circuits = [describe_circuit(each, season.weights_of(each), listed) for each in season.circuits.values()]
    return like(pb.Season, season, circuits=circuits)


async def load_seasons(
    models: ReadModels, request: OfSeason | pb.ListSeasonsRequest, context: Context
) -> tuple[Seasons, int]:
    """Return the seasons as of the moment of a request, and the position of the record that they reflect."""
    moment = None if isinstance(request, pb.ListSeasonsRequest) else await models.moment(request)
    if moment is None:
        await models.reach(request.min_position, context)
        position = await models.record.last_position()
    else:
        position = await moment.resolve_position(models.record)
    past = await models.record.read_stream(SEASONS_STREAM)
    return fold_seasons(event.message for event in past if event.position <= position), position


async def load_tournaments(
    models: ReadModels,
    request: OfSeason,
    context: Context,
    tournament_ids: Iterable[str],
    position: int,
    *,
    games: bool,
) -> tuple[list[SeasonTournament], int]:
    """Return tournaments in the order of time, and the position that all of the answer reflects.

    A tournament that was removed, or did not exist at the moment of the request, is left out.
    """

    async def load(tournament_id: str) -> tuple[SeasonTournament, int] | None:
        asked = results.GetStandingsRequest(
            tournament_id=tournament_id, min_position=request.min_position, as_of_position=request.as_of_position
        )
        if request.HasField("as_of"):
            asked.as_of.CopyFrom(request.as_of)
        parts = Part.PLAYERS | Part.STANDINGS | (Part.TABLES if games else Part.NOTHING)
        try:
            found = await models.find_tournament(asked, context, history.games if games else history.tournament, parts)
        except NotFound:
            return None
        lines = await asyncio.to_thread(answers.standings, found.of, found.rounds, arithmetic=False)
        places = {line.player_id: line.rank for line in lines}
        return SeasonTournament(found.head, found.of.players, found.rounds, places), found.position

    loaded = [each for each in await asyncio.gather(*map(load, sorted(tournament_ids))) if each]
    ordered = sorted((tournament for tournament, _ in loaded), key=lambda tournament: tournament.order)
    return ordered, min([position, *(reached for _, reached in loaded)])
