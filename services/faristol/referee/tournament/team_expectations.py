"""What a step expects of a tournament of teams (FISE 4.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from faristol.pb.results.v1 import results_pb2
from faristol.referee.document import Value
from faristol.referee.table_state import NOBODY, Differences
from faristol.referee.tournament.results import seats
from faristol.referee.tournament.seen import all_of, last_round, number_of, shown

if TYPE_CHECKING:
    from faristol.referee.tournament.world import World


async def _matches(world: World, value: Value) -> Differences:
    found = [(match.first_team_id, match.second_team_id) for match in (await last_round(world)).matches]
    wanted = [world.names.pair(item) for item in value.items()]
    if Counter(map(frozenset, found)) != Counter(map(frozenset, wanted)):
        yield f"expected these teams to meet: {all_of(world, wanted)}; got {all_of(world, found)}"


async def _team_bye(world: World, value: Value) -> Differences:
    found = (await last_round(world)).bye_team_id
    if value.text() != (world.names.name(found) if found else NOBODY):
        yield f"expected the bye for {value.text()}, got {world.names.name(found) or NOBODY}"


async def _boards(world: World, value: Value) -> Differences:
    last = await last_round(world)
    found = {world.names.name(player): table.board for table in last.pairings for player in seats(table)}
    found.update({world.names.name(bye.player_id): bye.board for bye in last.requested_byes})
    wanted = {name: board.number() for name, board in value.keys(world.names.ids).items()}
    if found != wanted:
        yield f"expected at the boards: {shown(wanted)}; got {shown(found)}"


async def _team_lines(world: World, round_: int) -> Mapping[str, results_pb2.TeamStanding]:
    lines = (await world.services.team_standings(round_)).standings
    return {world.names.name(line.team_id): line for line in lines}


async def _team_standings(world: World, value: Value, round_: int) -> Differences:
    found = [f"{line.rank} {name}" for name, line in (await _team_lines(world, round_)).items()]
    wanted = [item.text() for item in value.items()]
    if Counter(found) != Counter(wanted):
        yield f"expected the standings of teams {', '.join(wanted)}; got {', '.join(found)}"


async def _match_points(world: World, value: Value, round_: int) -> Differences:
    lines = await _team_lines(world, round_)
    for name, points in value.keys(world.names.ids).items():
        found = lines[name].match_half_points / 2 if name in lines else None
        if found != number_of(points):
            yield f"expected {points.text()} points of matches for {name}, got {found}"


async def _board_points(world: World, value: Value, round_: int) -> Differences:
    lines = await _team_lines(world, round_)
    for name, points in value.keys(world.names.ids).items():
        found = lines[name].board_half_points / 2 if name in lines else None
        if found != number_of(points):
            yield f"expected {points.text()} points of boards for {name}, got {found}"


STANDING_OF_TEAMS: Mapping[str, Callable[[World, Value, int], Differences]] = {
    "team-standings": _team_standings,
    "match-points": _match_points,
    "board-points": _board_points,
}
"""What is expected of the standings of teams, after a round or with the results so far."""

OF_TEAMS: Mapping[str, Callable[[World, Value], Differences]] = {
    "matches": _matches,
    "boards": _boards,
    "team-bye": _team_bye,
}
"""What else is expected of teams."""
