"""The expectations of a step of a tournament, compared with its results, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from itertools import pairwise
from typing import Any

from faristol.casebook.case import Step
from faristol.casebook.document import Value
from faristol.casebook.expectations import STEP
from faristol.casebook.hosts.world import Differences, StepResult
from faristol.casebook.table_state import NO_PLAYER_WORD, TABLE_STATE, fields
from faristol.casebook.tournament.results import seats
from faristol.casebook.tournament.world import TournamentWorld as World
from faristol.kernel.spellings import names_of
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2
from faristol.pb.results.v1 import results_pb2

OF_FIELDS = ("sheet", "clock", "table")
"""Expectations of a table by fields of the contract, with names for ids."""
COMMON = ("refused", "reason", "invalid", "exists", "facts", "no-facts", "answer")
"""Expectations of a step that tournaments and tables share."""

Expectation = Callable[["World", Value], Differences]
OfStandings = Callable[["World", Value, int], Differences]
"""Compares the standings after a round, or the current ones for 0."""
Lines = Callable[["World", int], Awaitable[Mapping[str, Any]]]
"""Returns the lines of standings, by the names of players or teams."""


def of_tournament(world: World, done: StepResult, step: Step, key: str, value: Value) -> Differences:
    """Return the differences from an expectation of a tournament."""
    if key in AT_TABLE:
        return _at_table(world, done, key, value)
    if key in COMMON:
        return STEP[key](done, world.names.replace_names(value, world.game))
    if key in STANDING:
        after = step.given.get("after-round")
        return STANDING[key](world, value, after.number() if after else 0)
    return OTHER[key](world, value)


async def _at_table(world: World, done: StepResult, key: str, value: Value) -> Differences:
    view = world.tables.last_view
    if view is None:
        raise value.wrong(f"{key} is expected of a table: no step was at a table")
    if key in OF_FIELDS:
        value = world.names.replace_names(value, world.game)
    async for difference in STEP[key](done, value) if key in STEP else TABLE_STATE[key](view, value):
        yield difference


async def _last_round(world: World) -> pairing_pb2.Round:
    """Return the last round paired; an empty one before the first."""
    played = (await world.services.tournament()).played
    return played[-1] if played else pairing_pb2.Round()


def _all_of(world: World, tables: Iterable[Iterable[str]]) -> str:
    """Format who plays whom, table by table, as a case writes it."""
    return ", ".join(" – ".join(map(world.names.name, players)) for players in tables) or "none"


def _format_by_name(values: Mapping[str, object]) -> str:
    """Format values by name."""
    return ", ".join(f"{name} {value}" for name, value in values.items()) or NO_PLAYER_WORD


def _number(value: Value) -> float:
    """Parse a number in quarters: ``8.5``, ``−0.25``. Raises ``CaseError``."""
    try:
        return float(value.text().replace("−", "-"))
    except ValueError:
        raise value.wrong(f"expected a number such as 8.5, got {value.text()!r}") from None


def _meeting(who: str, pairs: Callable[[pairing_pb2.Round], list[tuple[str, ...]]]) -> Expectation:
    """Return the expectation of these pairs in the last round, in any order."""

    async def compare(world: World, value: Value) -> Differences:
        found = pairs(await _last_round(world))
        wanted = [world.names.pair(item) for item in value.items()]
        if Counter(map(frozenset, found)) != Counter(map(frozenset, wanted)):
            yield f"expected {who} to meet: {_all_of(world, wanted)}; got {_all_of(world, found)}"

    return compare


def _pairs(played: pairing_pb2.Round) -> list[tuple[str, ...]]:
    return [seats(table) for table in played.pairings]


def _matches(played: pairing_pb2.Round) -> list[tuple[str, ...]]:
    return [(match.first_team_id, match.second_team_id) for match in played.matches]


def _bye(field: str) -> Expectation:
    """Return the expectation of the bye of the last round, for a player or a team."""

    async def compare(world: World, value: Value) -> Differences:
        found = world.names.name(getattr(await _last_round(world), field)) or NO_PLAYER_WORD
        if value.text() != found:
            yield f"expected the bye for {value.text()}, got {found}"

    return compare


async def _boards(world: World, value: Value) -> Differences:
    last = await _last_round(world)
    found = {world.names.name(player): table.board for table in last.pairings for player in seats(table)}
    found.update({world.names.name(bye.player_id): bye.board for bye in last.requested_byes})
    wanted = {name: board.number() for name, board in value.keys(world.names.ids).items()}
    if found != wanted:
        yield f"expected at the boards: {_format_by_name(wanted)}; got {_format_by_name(found)}"


async def _tables(world: World, value: Value) -> Differences:
    found = _pairs(await _last_round(world))
    wanted = [world.names.pair(item) for item in value.items()]
    if found != wanted:
        yield f"expected the tables {_all_of(world, wanted)}; got {_all_of(world, found)}"


async def _seats(world: World, value: Value) -> Differences:
    found = {
        world.names.name(player): f"{table.hall} {table.table}".strip()
        for table in (await _last_round(world)).pairings
        for player in seats(table)
    }
    for name, wanted in value.keys(world.names.ids).items():
        if found.get(name) != wanted.text():
            yield f"expected {name} at {wanted.text()}, got {found.get(name, 'no table')}"


async def _table_sizes(world: World, value: Value) -> Differences:
    found = [len(seats(table)) for table in (await _last_round(world)).pairings]
    wanted = [item.number() for item in value.items()]
    if found != wanted:
        yield f"expected tables of {', '.join(map(str, wanted))} players; got {', '.join(map(str, found)) or 'none'}"


async def _sits_out(world: World, value: Value) -> Differences:
    kinds = {number: name for name, number in names_of(events.ByeKind.DESCRIPTOR).items()}
    found = {world.names.name(bye.player_id): kinds[bye.kind] for bye in (await _last_round(world)).requested_byes}
    wanted = {name: kind.text() for name, kind in value.keys(world.names.ids).items()} if value.is_mapping else {}
    if found != wanted:
        yield f"expected to sit out: {_format_by_name(wanted)}; got {_format_by_name(found)}"


async def _met_twice(world: World, value: Value) -> Differences:
    played = (await world.services.tournament()).played
    met = Counter(frozenset(seats(table)) for paired in played for table in paired.pairings)
    found = {players for players, times in met.items() if times > 1}
    wanted = (
        set()
        if value.is_text and value.text() == NO_PLAYER_WORD
        else {frozenset(world.names.pair(pair)) for pair in value.items()}
    )
    if found != wanted:
        yield f"expected to meet twice: {_all_of(world, map(sorted, wanted))}; got {_all_of(world, map(sorted, found))}"


async def _byes(world: World, value: Value) -> Differences:
    played = (await world.services.tournament()).played
    found = [world.names.name(paired.bye_player_id) for paired in played if paired.bye_player_id]
    wanted = [item.text() for item in value.items()]
    if found != wanted:
        yield f"expected the byes {', '.join(wanted)}; got {', '.join(found) or 'none'}"


async def _rounds(world: World, value: Value) -> Differences:
    phases = {number: name for name, number in names_of(pairing_pb2.RoundPhase.DESCRIPTOR).items()}
    found = {str(paired.round): phases[paired.phase] for paired in (await world.services.tournament()).played}
    for number, phase in value.keys().items():
        if found.get(number, "none") != phase.text():
            yield f"expected round {number} to be {phase.text()}, got {found.get(number, 'none')}"


async def _begins(world: World, value: Value) -> Differences:
    if value.text() != "first-named":
        raise value.wrong(f"expected first-named, got {value.text()!r}")
    first = {table.game_id: seats(table)[0] for table in world.pairings}
    game = ""
    for fact in await world.services.facts():
        if isinstance(fact, game_events.GameOpened):
            game = fact.game_id
        elif isinstance(fact, game_events.StartDecided) and fact.player_id != first.pop(game, ""):
            yield f"expected the first named to begin in {world.name_of(game)}, got {world.name_of(fact.player_id)}"
    if first:
        yield f"expected it to be decided who begins in {', '.join(map(world.name_of, first))}"


async def _first_in_turn(world: World, value: Value) -> Differences:
    firsts = [seats(table)[0] for paired in (await world.services.tournament()).played for table in paired.pairings]
    found = all(first != other for first, other in pairwise(firsts))
    if found != value.truth():
        yield f"expected to be first named in turn: {value.text()}, got {', '.join(map(world.names.name, firsts))}"


async def _fictitious(world: World, value: Value) -> Differences:
    half_points = {
        player.player_id: player.fictitious_half_points for player in (await world.services.tournament()).players
    }
    for name, points in value.keys(world.names.ids).items():
        found = half_points.get(world.names.ids[name])
        if found is None or found / 2 != _number(points):
            yield f"expected {points.text()} fictitious points for {name}, got {'none' if found is None else found / 2}"


async def _obstacles(world: World, value: Value) -> Differences:
    found = [obstacle.reason for obstacle in await world.services.obstacles()]
    wanted = [] if value.is_text and value.text() == "none" else [item.text() for item in value.items()]
    if found != wanted:
        yield f"expected the obstacles {', '.join(wanted) or 'none'}; got {', '.join(found) or 'none'}"


async def _ratings(world: World, value: Value) -> Differences:
    listed = {rating.player_id: rating.after for rating in await world.services.ratings()}
    for name, rating in value.keys(world.names.ids).items():
        found = listed.get(world.names.ids[name])
        if found != rating.number():
            yield f"expected the rating {rating.text()} for {name}, got {'none' if found is None else found}"


async def _tournament(world: World, value: Value) -> Differences:
    translated = world.names.replace_names(value, world.game)
    for difference in fields("tournament", await world.services.tournament(), translated, world.name_of):
        yield difference


async def _check_options(world: World, value: Value) -> Differences:
    options = {option.name: option.value for option in (await world.services.tournament()).ruleset.options}
    for name, choice in value.keys().items():
        if options.get(name) != choice.text():
            yield f"expected the option {name} to be {choice.text()}, got {options.get(name, 'nothing')}"


async def _lines(world: World, round_: int) -> Mapping[str, results_pb2.Standing]:
    return {world.names.name(line.player_id): line for line in await world.services.standings(round_)}


async def _team_lines(world: World, round_: int) -> Mapping[str, results_pb2.TeamStanding]:
    return {world.names.name(line.team_id): line for line in await world.services.team_standings(round_)}


def _ranks(what: str, lines: Lines) -> OfStandings:
    """Return the expectation of ranks and names, in any order among equals."""

    async def compare(world: World, value: Value, round_: int) -> Differences:
        found = [f"{line.rank} {name}" for name, line in (await lines(world, round_)).items()]
        wanted = [item.text() for item in value.items()]
        if Counter(found) != Counter(wanted):
            yield f"expected the {what} {', '.join(wanted)}; got {', '.join(found)}"

    return compare


def _half_points(what: str, lines: Lines, field: str) -> OfStandings:
    """Return the expectation of points that a line stores doubled."""

    async def compare(world: World, value: Value, round_: int) -> Differences:
        known = await lines(world, round_)
        for name, points in value.keys(world.names.ids).items():
            found = getattr(known[name], field) / 2 if name in known else None
            if found != _number(points):
                yield f"expected {points.text()} {what} for {name}, got {'none' if found is None else f'{found:g}'}"

    return compare


async def _tie_breaks(world: World, value: Value, round_: int) -> Differences:
    lines = await _lines(world, round_)
    for name, wanted in value.keys(world.names.ids).items():
        values = {tie_break.name: _value(tie_break) for tie_break in lines[name].tie_breaks} if name in lines else {}
        for tie_break, number in wanted.keys().items():
            if tie_break not in values:
                yield number.no_such("tie-break", tie_break, values).problem
            elif values[tie_break] != _number(number):
                yield f"expected {tie_break} {number.text()} for {name}, got {values[tie_break]:g}"


def _value(tie_break: results_pb2.TieBreak) -> float:
    return tie_break.quarters / 4 / max(1, tie_break.divisor)


async def _standing(world: World, value: Value, round_: int) -> Differences:
    lines = await _lines(world, round_)
    for name, wanted in value.keys(world.names.ids).items():
        if name not in lines:
            yield f"expected a line for {name} in the standings, found no line"
            continue
        translated = world.names.replace_names(wanted, world.game)
        for difference in fields(f"line of {name}", lines[name], translated, world.name_of):
            yield difference


STANDING: Mapping[str, OfStandings] = {
    "standings": _ranks("standings", _lines),
    "points": _half_points("points", _lines, "half_points"),
    "tie-breaks": _tie_breaks,
    "standing": _standing,
    "team-standings": _ranks("standings of teams", _team_lines),
    "match-points": _half_points("points of matches", _team_lines, "match_half_points"),
    "board-points": _half_points("points of boards", _team_lines, "board_half_points"),
}
"""The expectations of the standings."""

OTHER: Mapping[str, Expectation] = {
    "pairs": _meeting("these", _pairs),
    "matches": _meeting("these teams", _matches),
    "boards": _boards,
    "tables": _tables,
    "table-sizes": _table_sizes,
    "seats": _seats,
    "bye": _bye("bye_player_id"),
    "team-bye": _bye("bye_team_id"),
    "byes": _byes,
    "sits-out": _sits_out,
    "met-twice": _met_twice,
    "rounds-are": _rounds,
    "begins": _begins,
    "first-in-turn": _first_in_turn,
    "fictitious": _fictitious,
    "obstacles": _obstacles,
    "ratings": _ratings,
    "tournament": _tournament,
    "chosen": _check_options,
}
"""The other expectations of a tournament."""

AT_TABLE = frozenset({*STEP, *TABLE_STATE} - {*COMMON})
"""The keys of expectations of the table of the last step."""

EXPECTATIONS = frozenset({*COMMON, *AT_TABLE, *STANDING, *OTHER})
"""The keys of all expectations of a step of a tournament."""
