"""Questions of standings and crosstables."""

from __future__ import annotations

import asyncio

from faristol.host.dispatch import Context
from faristol.host.interceptor import language_of
from faristol.kernel.errors import NotFound
from faristol.pb.results.v1 import results_pb2 as results
from faristol.results import explanations, history, lookup, standings, teams
from faristol.results.crosstable import crosstable
from faristol.results.models import ReadModels
from faristol.results.shelf import Kind


async def get_standings(
    models: ReadModels, request: results.GetStandingsRequest, context: Context
) -> results.GetStandingsResponse:
    """Standings with their tie-breaks and, where asked for, how each comes about: so far, or as of a round."""
    found = await models.found(request, context, history.tournament, Kind.PLAYERS, Kind.ROUND)
    counted = found.up_to(request.round)
    lines = await asyncio.to_thread(
        standings.rank,
        found.tournament,
        found.players,
        counted,
        arithmetic=request.arithmetic,
        only=request.player_id,
    )
    if request.player_id and not lines:
        raise NotFound("player", request.player_id)
    if request.category:
        lines = [line for line in lines if line.category.casefold() == request.category.casefold()]
    named = {line.player_id for line in lines}.union(*map(explanations.opponents, lines))
    names = await lookup.shown(models.record, named, request.tournament_id)
    left = {one.player_id: one.withdrawn_round for one in found.players}
    for line in lines:
        line.name = names[line.player_id]
        line.withdrawn_round = left[line.player_id]
    if request.arithmetic:
        taken = explanations.taken_off(counted)
        await asyncio.to_thread(explanations.word_all, lines, names, language_of(context), taken)
    last = request.round or standings.last_counted(counted)
    return results.GetStandingsResponse(
        standings=lines, round=last, position=found.position, division=found.tournament.division
    )


async def get_team_standings(
    models: ReadModels, request: results.GetTeamStandingsRequest, context: Context
) -> results.GetTeamStandingsResponse:
    """Standings of teams with their tie-breaks and, where asked for, how each comes about."""
    found = await models.found(request, context, history.tournament, Kind.PLAYERS, Kind.ROUND)
    counted = found.up_to(request.round)
    lines = await asyncio.to_thread(
        teams.rank_teams,
        found.tournament,
        found.listed.teams,
        counted,
        arithmetic=request.arithmetic,
        only=request.team_id,
    )
    if request.team_id and not any(team.team_id == request.team_id for team in found.listed.teams):
        raise NotFound("team", request.team_id)
    left = {one.team_id: one.withdrawn_round for one in found.listed.teams}
    for line in lines:
        line.withdrawn_round = left[line.team_id]
    if request.arithmetic:
        names = {team.team_id: team.name for team in found.listed.teams}
        await asyncio.to_thread(explanations.word_all, lines, names, language_of(context))
    return results.GetTeamStandingsResponse(
        standings=lines,
        round=request.round or teams.last_counted(counted),
        position=found.position,
        division=found.tournament.division,
        score=teams.score(found.tournament),
    )


async def get_crosstable(
    models: ReadModels, request: results.GetCrosstableRequest, context: Context
) -> results.GetCrosstableResponse:
    """Everybody's rounds: so far, or up to a round."""
    found = await models.found(request, context, history.games, Kind.PLAYERS, Kind.ROUND)
    counted = found.up_to(request.round)
    lines = await asyncio.to_thread(standings.rank, found.tournament, found.players, counted, arithmetic=True)
    names = await lookup.shown(models.record, (line.player_id for line in lines), request.tournament_id)
    for line in lines:
        line.name = names[line.player_id]
    rows = await asyncio.to_thread(crosstable, lines, found.players, counted)
    return results.GetCrosstableResponse(
        rows=rows, rounds=len(counted), position=found.position, division=found.tournament.division
    )
