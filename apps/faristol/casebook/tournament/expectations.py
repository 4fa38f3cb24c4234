"""The expectations of the state of a tournament after a step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from faristol.casebook.comparisons import (
    NO_PLAYER_WORD,
    NONE,
    Expectation,
    Find,
    each,
    find_by_key,
    find_field,
    format_list,
    known_names,
    one,
    read_number,
    read_words,
    several,
)
from faristol.casebook.document import Value
from faristol.casebook.table.expectations import fields, of_fields
from faristol.casebook.tournament.results import seats
from faristol.casebook.tournament.shown import (
    expect_awards,
    expect_screens,
    find_messages,
    find_pictures,
    find_prize_lists,
    find_standings,
)
from faristol.casebook.world import Differences, StepResult, World
from faristol.kernel.spellings import name_of
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import pairing_pb2
from faristol.pb.rating.v1 import rating_pb2
from faristol.pb.results.v1 import results_pb2


async def _tournament(world: World) -> pairing_pb2.GetTournamentResponse:
    return await world.services.tournament()


async def _list_rounds(world: World) -> Sequence[pairing_pb2.Round]:
    return (await _tournament(world)).played


async def _ruleset(world: World) -> game_events.Pin:
    return (await _tournament(world)).ruleset


async def _ratings(world: World) -> rating_pb2.GetRatingListResponse:
    return await world.services.query(rating_pb2.GetRatingListRequest())


async def _last(world: World) -> pairing_pb2.Round:
    """Return the last round paired; an empty one before the first."""
    played = await _list_rounds(world)
    return played[-1] if played else pairing_pb2.Round()


def _format_pair(world: World, players: Sequence[str]) -> str:
    return " – ".join(map(world.names.name, players))


def _meeting(who: str, pairs: Callable[[pairing_pb2.Round], list[tuple[str, ...]]]) -> Expectation:
    """Return the expectation of these pairs in the last round, in any order."""

    async def compare(world: World, value: Value) -> Differences:
        found = pairs(await _last(world))
        wanted = [world.names.pair(item) for item in value.items()]
        if Counter(map(frozenset, found)) != Counter(map(frozenset, wanted)):
            named, met = (format_list(_format_pair(world, pair) for pair in pairs) for pairs in (wanted, found))
            yield f"expected {who} to meet: {named}; got {met}"

    return compare


def _seats_of_tables(played: pairing_pb2.Round) -> list[tuple[str, ...]]:
    return [seats(table) for table in played.pairings]


def _teams_of_matches(played: pairing_pb2.Round) -> list[tuple[str, ...]]:
    return [(match.first_team_id, match.second_team_id) for match in played.matches]


async def _tables(world: World, value: Value) -> Differences:
    found = _seats_of_tables(await _last(world))
    wanted = [world.names.pair(item) for item in value.items()]
    if found != wanted:
        named, sat = (format_list(_format_pair(world, pair) for pair in pairs) for pairs in (wanted, found))
        yield f"expected the tables {named}; got {sat}"


async def _met_twice(world: World, value: Value) -> Differences:
    met = Counter(frozenset(seats(table)) for paired in await _list_rounds(world) for table in paired.pairings)
    found = {players for players, times in met.items() if times > 1}
    nobody = value.is_text and value.text() == NO_PLAYER_WORD
    wanted = set() if nobody else {frozenset(world.names.pair(pair)) for pair in value.items()}
    if found != wanted:
        named, again = (format_list(_format_pair(world, sorted(pair)) for pair in pairs) for pairs in (wanted, found))
        yield f"expected to meet twice: {named}; got {again}"


def _all_of(what: str, find: Find, read: Callable[[Value], object]) -> Expectation:
    """Return the expectation of all values by name, or the word for no player."""

    async def compare(world: World, value: Value) -> Differences:
        found = await find(world)
        wanted = {name: read(item) for name, item in value.keys(world.names.ids).items()} if value.is_mapping else {}
        if found != wanted:
            named, given = (
                ", ".join(f"{name} {item}" for name, item in values.items()) or NO_PLAYER_WORD
                for values in (wanted, found)
            )
            yield f"expected {what}: {named}; got {given}"

    return compare


async def _boards(world: World) -> Mapping[str, int]:
    last = await _last(world)
    found = {world.names.name(player): table.board for table in last.pairings for player in seats(table)}
    return found | {world.names.name(bye.player_id): bye.board for bye in last.requested_byes}


async def _seats(world: World) -> Mapping[str, str]:
    return {
        world.names.name(player): f"{table.hall} {table.table}".strip()
        for table in (await _last(world)).pairings
        for player in seats(table)
    }


async def _table_sizes(world: World) -> list[int]:
    return [len(seats(table)) for table in (await _last(world)).pairings]


async def _byes(world: World) -> list[str]:
    return [world.names.name(paired.bye_player_id) for paired in await _list_rounds(world) if paired.bye_player_id]


async def _begins(world: World, value: Value) -> Differences:
    if value.text() != "first-named":
        raise value.wrong(f"expected first-named, got {value.text()!r}")
    first = {table.game_id: seats(table)[0] for table in world.pairings}
    game = ""
    for event in await world.services.events():
        if isinstance(event, game_events.GameOpened):
            game = event.game_id
        elif isinstance(event, game_events.StartDecided) and event.player_id != first.pop(game, ""):
            yield f"expected the first named to begin in {world.name_of(game)}, got {world.name_of(event.player_id)}"
    if first:
        yield f"expected it to be decided who begins in {', '.join(map(world.name_of, first))}"


async def _first_in_turn(world: World, value: Value) -> Differences:
    firsts = [seats(table)[0] for paired in await _list_rounds(world) for table in paired.pairings]
    if all(first != other for first, other in pairwise(firsts)) != value.truth():
        yield f"expected to be first named in turn: {value.text()}, got {', '.join(map(world.names.name, firsts))}"


async def _obstacles(world: World) -> list[str]:
    answer = await world.services.query(pairing_pb2.ListObstaclesRequest())
    return [obstacle.reason for obstacle in answer.obstacles]


async def _team_standings(world: World) -> results_pb2.GetTeamStandingsResponse:
    request = results_pb2.GetTeamStandingsRequest(round=world.after_round)
    return await world.services.query(request)


def _ranks(what: str, standings: Find, key: str) -> Expectation:
    """Return the expectation of ranks and names, in any order among equals."""

    async def find(world: World) -> list[str]:
        return [
            f"{rank} {name}" for name, rank in (await find_by_key(standings, "standings", key, "rank")(world)).items()
        ]

    return several(f"the {what} {{wanted}};", find, ordered=False)


def _points(what: str, standings: Find, key: str, name: str) -> Expectation:
    """Return the expectation of points of standings."""
    found = find_by_key(standings, "standings", key, name)
    return each(f"{{wanted}} {what} for {{name}}", found, read_number)


async def _lines(world: World) -> Mapping[str, results_pb2.Standing]:
    return {world.names.name(line.player_id): line for line in (await find_standings(world)).standings}


async def _tie_breaks(world: World, value: Value) -> Differences:
    lines = await _lines(world)
    for name, wanted in value.keys(known_names(world)).items():
        known = lines[name].tie_breaks if name in lines else ()
        values = {tie_break.name: tie_break.quarters / 4 / max(1, tie_break.divisor) for tie_break in known}
        for tie_break, number in wanted.keys().items():
            if tie_break not in values:
                yield number.no_such("tie-break", tie_break, values).problem
            elif values[tie_break] != read_number(number):
                yield f"expected {tie_break} {number.text()} for {name}, got {values[tie_break]:g}"


async def _standing(world: World, value: Value) -> Differences:
    lines = await _lines(world)
    for name, wanted in value.keys(known_names(world)).items():
        if name not in lines:
            yield f"expected a line for {name} in the standings, found no line"
            continue
        for difference in fields(f"line of {name}", lines[name], world.by_id(wanted), world.name_of):
            yield difference


def _proposal(done: StepResult, value: Value) -> pairing_pb2.ProposedRound:
    """Return the pairing that the last answer of a step proposes. Raises ``CaseError`` without such an answer."""
    answer = done.answers[-1] if done.answers else None
    if isinstance(answer, pairing_pb2.GetDraftResponse):
        return answer.draft
    if isinstance(answer, pairing_pb2.PreviewRoundResponse):
        return answer.preview
    raise value.wrong("expected after a pairing that is not public: after `get-draft` or `preview-round`")


async def _compare_proposed(done: StepResult, value: Value) -> Differences:
    found = [" – ".join(map(done.called, seats(table))) for table in _proposal(done, value).pairings]
    wanted = [] if value.is_text and value.text() == NONE else list(map(read_words, value.items()))
    if found != wanted:
        yield f"expected the tables {format_list(wanted)} to be proposed; got {format_list(found)}"


async def _compare_seats(done: StepResult, value: Value) -> Differences:
    found = {
        done.called(player): f"{table.hall} {table.table}".strip()
        for table in _proposal(done, value).pairings
        for player in seats(table)
    }
    for name, seat in value.keys(found).items():
        if found[name] != seat.text():
            yield f"expected the seat {seat.text()} to be proposed for {name}, got {found[name]}"


async def _compare_bye(done: StepResult, value: Value) -> Differences:
    found = done.called(_proposal(done, value).bye_player_id) or NO_PLAYER_WORD
    if found != value.text():
        yield f"expected the bye to be proposed for {value.text()}, got {found}"


async def _compare_checks(done: StepResult, value: Value) -> Differences:
    kinds = pairing_pb2.DraftCheckKind.DESCRIPTOR
    found = [name_of(kinds, check.kind) for check in _proposal(done, value).checks]
    wanted = [] if value.is_text and value.text() == NONE else [item.text() for item in value.items()]
    if found != wanted:
        yield f"expected the checks {format_list(wanted)}; got {format_list(found)}"


TOURNAMENT_RESULTS: Mapping[str, Callable[[StepResult, Value], Differences]] = {
    "proposed": _compare_proposed,
    "proposed-seats": _compare_seats,
    "proposed-bye": _compare_bye,
    "checks": _compare_checks,
}
"""The expectations of a pairing that a step shows to officials, by key."""

TOURNAMENT_STATE: Mapping[str, Expectation] = {
    "pairs": _meeting("these", _seats_of_tables),
    "matches": _meeting("these teams", _teams_of_matches),
    "boards": _all_of("at the boards", _boards, Value.number),
    "tables": _tables,
    "table-sizes": several("tables of {wanted} players;", _table_sizes, Value.number),
    "seats": each("{name} at {wanted}", _seats, missing="no table"),
    "bye": one("the bye for {wanted}", find_field(_last, "bye_player_id")),
    "team-bye": one("the bye for {wanted}", find_field(_last, "bye_team_id")),
    "byes": several("the byes {wanted};", _byes),
    "sits-out": _all_of("to sit out", find_by_key(_last, "requested_byes", "player_id", "kind"), Value.text),
    "met-twice": _met_twice,
    "rounds-are": each("round {name} to be {wanted}", find_by_key(_tournament, "played", "round", "phase"), known=None),
    "begins": _begins,
    "first-in-turn": _first_in_turn,
    "fictitious": each(
        "{wanted} fictitious points for {name}",
        find_by_key(_tournament, "players", "player_id", "fictitious_half_points"),
        read_number,
    ),
    "obstacles": several("the obstacles {wanted};", _obstacles),
    "ratings": each(
        "the rating {wanted} for {name}", find_by_key(_ratings, "ratings", "player_id", "after"), Value.number
    ),
    "tournament": of_fields("tournament", _tournament),
    "chosen": each(
        "the option {name} to be {wanted}",
        find_by_key(_ruleset, "options", "name", "value"),
        known=None,
        missing="nothing",
    ),
    "standings": _ranks("standings", find_standings, "player_id"),
    "points": _points("points", find_standings, "player_id", "half_points"),
    "tie-breaks": _tie_breaks,
    "standing": _standing,
    "awards": expect_awards,
    "prize-lists": several("the prize lists {wanted};", find_prize_lists),
    "messages": several("the messages {wanted};", find_messages),
    "screens": expect_screens,
    "pictures": several("the pictures {wanted};", find_pictures),
    "team-standings": _ranks("standings of teams", _team_standings, "team_id"),
    "match-points": _points("points of matches", _team_standings, "team_id", "match_half_points"),
    "board-points": _points("points of boards", _team_standings, "team_id", "board_half_points"),
}
"""The expectations of the state of a tournament, by key."""
