"""First page of the console: the next step and its obstacles."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from faristol.gateway.consoles.director.page import DirectorPageDep
from faristol.gateway.consoles.navigation import may
from faristol.kernel.pairings import seats_of
from faristol.kernel.refusal import N_
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.presentation.ruleset_lookup import is_of_duplicate_games
from faristol.text import say

routes = APIRouter(include_in_schema=False)

WITHDREW = N_("Round {round} cannot be started: {players} withdrew after it was paired; pair it again.")


@routes.get("/tournaments/{tournament_id}/console")
async def show_overview(desk: DirectorPageDep) -> Response:
    """Show the state of the tournament, the next step and its obstacles."""
    obstacles = await desk.calls.ask(pairing.ListObstaclesRequest(tournament_id=desk.tournament_id))
    roster = desk.roster
    players = [player for player in desk.tournament.players if not player.withdrawn_round]
    return await desk.show(
        "director/overview.html",
        "",
        obstacles=[(roster.named_in(each.text), each.article) for each in obstacles.obstacles],
        ways_out=[roster.named_in(way.text) for way in obstacles.ways_out],
        next_round=obstacles.round,
        rounds_needed=obstacles.rounds,
        players=players,
        checked_in=sum(player.checked_in for player in players),
        late=await _late(desk),
        withdrawn=_describe_withdrawn(desk),
        appeals=[each for each in desk.tournament.appeals if each.phase == pairing.APPEAL_PHASE_OPEN],
        appealed_tables=await _appealed_tables(desk),
    )


def _describe_withdrawn(desk: DirectorPageDep) -> str:
    """Describe why the paired round cannot start: players withdrew after its pairing. Empty if none did."""
    last = desk.last
    if last is None or last.phase != pairing.ROUND_PHASE_PAIRED or is_of_duplicate_games(desk.tournament):
        return ""
    paired = {player for each in last.pairings for player in seats_of(each)}
    gone = [each.player_id for each in desk.tournament.players if each.withdrawn_round and each.player_id in paired]
    players = ", ".join(desk.roster.name(player) for player in gone)
    return say(WITHDREW, {"round": last.round, "players": players}, desk.language) if gone else ""


async def _appealed_tables(desk: DirectorPageDep) -> list[results.WatchedTable]:
    """Return the tables of the running round at which a ruling was appealed."""
    last = desk.last
    if last is None or last.phase != pairing.ROUND_PHASE_STARTED or is_of_duplicate_games(desk.tournament):
        return []
    request = results.ListTablesRequest(tournament_id=desk.tournament_id, min_position=desk.done)
    if not may(desk.session, type(request)):
        return []
    listed: results.ListTablesResponse = await desk.calls.ask(request)
    return [table for table in listed.tables if any(wait.kind == results.WAIT_KIND_APPEAL for wait in table.waits)]


async def _late(desk: DirectorPageDep) -> list[pairing.TableResult]:
    """Return the tables of the current round without a result or with an unconfirmed one."""
    last = desk.last
    if last is None or last.phase != pairing.ROUND_PHASE_STARTED or not desk.may_call("ListResults"):
        return []
    listed = await desk.calls.ask(pairing.ListResultsRequest(tournament_id=desk.tournament_id, round=last.round))
    unconfirmed = (pairing.RESULT_CHECK_PHASE_OPEN, pairing.RESULT_CHECK_PHASE_DISPUTED)
    return [
        table for table in listed.tables if (not table.scores and not table.postponed) or table.check in unconfirmed
    ]
