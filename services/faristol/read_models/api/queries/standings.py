"""Queries of standings, crosstables, and the places that remain possible."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from faristol.host.rpc.dispatch import Context
from faristol.host.rpc.interceptor import language_of
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.refusal import N_
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.api import answers
from faristol.read_models.api.page import page
from faristol.read_models.api.queries.prizes import load_offered
from faristol.read_models.computed import standings, standings_explanations, teams
from faristol.read_models.computed.crosstable import crosstable
from faristol.read_models.computed.mode import check_has_tables
from faristol.read_models.computed.prospects import add_goals, build_race, list_goals, list_prospects
from faristol.read_models.storage import history, lookup
from faristol.read_models.storage.lookup import Found, Part
from faristol.read_models.storage.models import ReadModels
from faristol.read_models.storage.names import load_clubs, load_player_names
from faristol.read_models.storage.rows import Tournament


async def get_standings(
    models: ReadModels, request: results.GetStandingsRequest, context: Context
) -> results.GetStandingsResponse:
    """Return current standings or those after a round, with tie-breaks and, if requested, their arithmetic."""
    parts = Part.PLAYERS | (Part.TABLES if request.arithmetic else Part.STANDINGS)
    own = "" if request.arithmetic else request.player_id
    found = await models.find_tournament(
        request, context, history.tournament, parts, up_to=request.round, standing_of=own
    )
    check_has_tables(found.head)
    counted = found.up_to(request.round)
    lines = await asyncio.to_thread(
        answers.standings, found.of, counted, arithmetic=request.arithmetic, only=request.player_id
    )
    if request.player_id and not lines:
        raise NotFound("player", request.player_id)
    if request.category:
        lines = [line for line in lines if line.category.casefold() == request.category.casefold()]
    shown, following = page(lines, request.page_size, request.page_token)
    named = {line.player_id for line in shown}
    if request.arithmetic:
        named.update(*map(standings_explanations.opponents, shown))
    names = await load_player_names(models.record, named, request.tournament_id)
    clubs = await load_clubs(models.record, [line.player_id for line in shown], request.tournament_id)
    for line in shown:
        line.name, line.club = names[line.player_id], clubs.get(line.player_id, "")
        line.withdrawn_round = found.of.players[line.player_id].withdrawn_round
    if request.arithmetic:
        taken = standings_explanations.taken_off(counted)
        await asyncio.to_thread(standings_explanations.fill_texts, shown, names, language_of(context), taken)
    last = request.round or standings.last_counted(counted)
    return results.GetStandingsResponse(
        standings=shown,
        round=last,
        position=found.position,
        division=found.head.division,
        tournament_id=request.tournament_id,
        next_page_token=following,
        total=len(lines),
    )


async def get_team_standings(
    models: ReadModels, request: results.GetTeamStandingsRequest, context: Context
) -> results.GetTeamStandingsResponse:
    """Return the standings of teams with tie-breaks and, if requested, their arithmetic."""
    parts = Part.TEAMS | (Part.TABLES if request.arithmetic else Part.TEAM_STANDINGS)
    found = await models.find_tournament(request, context, history.tournament, parts, up_to=request.round)
    counted = found.up_to(request.round)
    registered = found.of.teams
    if found.of.team_standings:
        lines = teams.to_standing_messages(found.of.team_standings, registered)
    else:
        lines = await asyncio.to_thread(
            teams.rank_teams, found.head, registered.values(), counted, arithmetic=request.arithmetic
        )
    last = request.round or teams.last_counted(lines)
    if request.team_id:
        if request.team_id not in registered:
            raise NotFound("team", request.team_id)
        lines = [line for line in lines if line.team_id == request.team_id]
    shown, following = page(lines, request.page_size, request.page_token)
    for line in shown:
        line.withdrawn_round = registered[line.team_id].withdrawn_round
    if request.arithmetic:
        names = {team.team_id: team.name for team in registered.values()}
        await asyncio.to_thread(standings_explanations.fill_texts, shown, names, language_of(context))
    return results.GetTeamStandingsResponse(
        standings=shown,
        round=last,
        position=found.position,
        division=found.head.division,
        tournament_id=request.tournament_id,
        score=teams.score(found.head),
        next_page_token=following,
        total=len(lines),
    )


async def get_crosstable(
    models: ReadModels, request: results.GetCrosstableRequest, context: Context
) -> results.GetCrosstableResponse:
    """Return all rounds of the players so far, or up to a round."""
    found = await models.find_tournament(request, context, history.games, Part.PLAYERS | Part.TABLES)
    check_has_tables(found.head)
    counted = found.up_to(request.round)
    lines = await asyncio.to_thread(answers.standings, found.of, counted, arithmetic=True)
    ranks = {line.player_id: line.rank for line in lines}
    shown, following = page(lines, request.page_size, request.page_token)
    await models.name(shown, request.tournament_id)
    rows = await asyncio.to_thread(crosstable, shown, found.of.players, counted, ranks)
    return results.GetCrosstableResponse(
        rows=rows,
        rounds=len(counted),
        position=found.position,
        division=found.head.division,
        tournament_id=request.tournament_id,
        next_page_token=following,
        total=len(lines),
    )


async def _list_stages(models: ReadModels, found: Found) -> list[Tournament]:
    """Return the later stages of the championship of a tournament."""
    later = [each.tournament_id for each in found.divisions if each.stage > found.head.stage_number]
    heads = []
    for tournament_id in later:
        with suppress(NotFound):  # removed
            heads.append((await lookup.tournament(models.record, tournament_id, Part(0))).head)
    return heads


async def get_prospects(
    models: ReadModels, request: results.GetProspectsRequest, context: Context
) -> results.GetProspectsResponse:
    """Return the places that players can still reach, or those of one player with the others in both extremes.

    Raises ``NotFound`` for a player without a line, and ``Refusal`` if the points of games do not decide the places.
    """
    if request.place < 0:
        raise Invalid("place", N_("is {place}; expected 1 or more, or 0 for the first place"), {"place": request.place})
    found = await models.find_tournament(request, context, history.games, Part.PLAYERS | Part.TABLES)
    check_has_tables(found.head)
    counted, place = found.up_to(0), request.place or 1
    lines = await asyncio.to_thread(answers.standings, found.of, counted, arithmetic=False)
    race = build_race(found.head, standings.rules_of(found.head), found.of.players, counted, lines)
    shown = await asyncio.to_thread(list_prospects, race, lines, place, request.player_id)
    if request.player_id and not shown:
        raise NotFound("player", request.player_id)
    stages = await _list_stages(models, found)
    offered = await load_offered(models, request.tournament_id)
    goals = list_goals(place, offered.lists, stages, request.tournament_id)
    gone = {player.player_id for player in found.of.players.values() if player.withdrawn_round}
    await asyncio.to_thread(add_goals, shown, lines, race, gone, goals, language_of(context))
    await models.name(shown, request.tournament_id)
    return results.GetProspectsResponse(
        goals=goals,
        lines=shown,
        place=place,
        rounds_left=len(race.rounds),
        tables_left=len(race.tables) + len(race.postponed),
        exact=race.is_exact,
        position=found.position,
        division=found.head.division,
        tournament_id=request.tournament_id,
    )
