"""The state of a duplicate game after a step, compared with the expectations of the step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields as fields_of
from fractions import Fraction
from typing import Any

from faristol.casebook.case import Step
from faristol.casebook.document import Value
from faristol.casebook.duplicate_game.world import DuplicateWorld
from faristol.casebook.expectations import STEP, last
from faristol.casebook.hosts.world import Differences, StepResult
from faristol.casebook.table_state import check_known
from faristol.duplicate_game.end_reasons import END_REASONS
from faristol.duplicate_game.game import Turn
from faristol.duplicate_game.hall import Counting
from faristol.duplicate_game.situation import same_play_in
from faristol.duplicate_game.standings import game_scores, players_of
from faristol.kernel.spellings import kebab
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.rules import Notation
from faristol.rules.duplicate_game.call_names import load_call_names, with_names
from faristol.rules.duplicate_game.finish import unofficial
from faristol.rules.duplicate_game.plays import Play
from faristol.rules.duplicate_game.ranking import RankingLine, rank

NONE = "none"


def _texts(world: DuplicateWorld, value: Value) -> dict[str, str]:
    """Return the expected texts by player. Raises ``CaseError`` for an unknown player."""
    return {name: item.text() for name, item in value.keys(world.names.ids).items()}


def _numbers(world: DuplicateWorld, value: Value) -> dict[str, int]:
    return {name: item.number() for name, item in value.keys(world.names.ids).items()}


async def _turn(world: DuplicateWorld) -> Turn:
    turn = (await world.services.game()).current
    if turn is None:
        raise ValueError("no rack was called")
    return turn


async def _rack(world: DuplicateWorld, value: Value) -> Differences:
    found = (await _turn(world)).rack
    if list(found) != value.text().split():
        yield f"expected the rack {value.text()}, got {' '.join(found)}"


async def _leftover_called(world: DuplicateWorld, value: Value) -> Differences:
    turn = await _turn(world)
    found = turn.rack[: turn.leftover]
    if list(found) != ([] if value.text() == NONE else value.text().split()):
        yield f"expected {value.text()} to be called first, got {' '.join(found) or NONE}"


async def _check_rejected_racks(world: DuplicateWorld, value: Value) -> Differences:
    found = (await _turn(world)).rejected
    if found != value.number():
        yield f"expected {value.number()} racks to go back, got {found}"


async def _top(world: DuplicateWorld, value: Value) -> Differences:
    found = (await _turn(world)).top
    if found != value.number():
        yield f"expected the top {value.number()}, got {found}"


async def _master(world: DuplicateWorld, value: Value) -> Differences:
    play = (await _turn(world)).master
    found = _format_play(play) if play else NONE
    if found != " ".join(value.text().split()):
        yield f"expected the master play {value.text()}, got {found}"


async def _check_call(world: DuplicateWorld, value: Value) -> Differences:
    """Compare what the judge calls out: the names of the tiles, or the start of the chosen master play."""
    turn = await _turn(world)
    game, tile_set = await world.services.game(), world.case.ruleset.tile_set
    table = with_names(load_call_names(tile_set.language), game.call_names, tile_set, game.call_numbers)
    found = table.start(turn.master.start) if turn.master else ", ".join(table.rack(turn.rack))
    if found != value.text():
        yield f"expected to be called {value.text()!r}, got {found!r}"


async def _slips(world: DuplicateWorld, value: Value) -> Differences:
    found = {world.names.name(player): scored.points for player, scored in await _list_scores(world)}
    for difference in _by_player("points", found, _numbers(world, value)):
        yield difference


async def _null(world: DuplicateWorld, value: Value) -> Differences:
    found = {world.names.name(player): scored.fault or NONE for player, scored in await _list_scores(world)}
    wanted = _texts(world, value)
    for difference in _by_player("as its reason", found, wanted):
        yield difference
    for name in sorted({name for name, fault in found.items() if fault != NONE} - wanted.keys()):
        yield f"expected the slip of {name} to count, and it is null: {found[name]}"


async def _check_warnings(world: DuplicateWorld, value: Value) -> Differences:
    found = {world.names.name(player): ", ".join(scored.warned) or NONE for player, scored in await _list_scores(world)}
    for difference in _by_player("warned for", found, _texts(world, value)):
        yield difference


async def _waits(world: DuplicateWorld, value: Value) -> Differences:
    found = {name: counting.waits or NONE for name, counting in (await _counting(world)).items()}
    for difference in _by_player("waiting for", found, _texts(world, value)):
        yield difference


async def _check_written_slips(world: DuplicateWorld, value: Value) -> Differences:
    """Compare the slip of each player that counts, as written."""
    found = {
        name: f"{counting.written.coordinates} {counting.written.word}".strip() or NONE
        for name, counting in (await _counting(world)).items()
    }
    for difference in _by_player("written", found, _texts(world, value)):
        yield difference


async def _standings(world: DuplicateWorld, value: Value) -> Differences:
    found = [f"{line.rank} {world.names.name(line.player)} {line.total}" for line in await _lines(world)]
    wanted = [" ".join(item.text().split()) for item in value.items()]
    if found[: len(wanted)] != wanted:
        yield f"expected the standings {', '.join(wanted)}; got {', '.join(found)}"


async def _standing(world: DuplicateWorld, value: Value) -> Differences:
    lines = {world.names.name(line.player): line for line in await _lines(world)}
    for name, wanted in value.keys(world.names.ids).items():
        for key, item in wanted.keys().items():
            if not hasattr(lines[name], key.replace("-", "_")):
                raise item.no_such(
                    "field of the standings", key, [kebab(field.name) for field in fields_of(RankingLine)]
                )
            found = _format_value(getattr(lines[name], key.replace("-", "_")))
            if found != item.text():
                yield f"expected {key} {item.text()} for {name}, got {found}"


async def _ends(world: DuplicateWorld, value: Value) -> Differences:
    end = (await world.services.game()).end
    check_known(value, "end of a game", {"no", *(reason.value for reason in END_REASONS.values())})
    found = END_REASONS[end].value if end else "no"
    if found != value.text():
        yield f"expected the game to end: {value.text()}, got {found}"


async def _unofficial(world: DuplicateWorld, value: Value) -> Differences:
    game = await world.services.game()
    found = list(unofficial(game.players, END_REASONS.get(game.end), world.case.ruleset))
    if found != ([] if value.text() == NONE else list(value.parts())):
        yield f"expected the game not to be official for {value.text()}, got {', '.join(found) or NONE}"


async def _claims(world: DuplicateWorld, value: Value) -> Differences:
    claims = [claim for hall in await world.services.halls() for claim in hall.claims.values()]
    found = {world.names.name(claim.player_id): "decided" if claim.decided else "open" for claim in claims}
    for difference in _by_player("as a claim", found, _texts(world, value)):
        yield difference


async def _check_correction(done: StepResult, value: Value) -> Differences:
    """Compare the score of a slip before and after its correction: ``70 → 0``."""
    fact = last(done.facts, events.SlipCorrected)
    found = f"{fact.points_before} → {fact.score.points}" if fact else NONE
    if found != value.text():
        yield f"expected the correction {value.text()}, got {found}"


async def _list_scores(world: DuplicateWorld) -> list[tuple[str, Any]]:
    number = len((await world.services.game()).turns)
    return [item for hall in await world.services.halls() for item in hall.turn(number).scores.items()]


async def _counting(world: DuplicateWorld) -> dict[str, Counting]:
    turn = await _turn(world)
    if turn.timer is None:
        return {}
    is_same = same_play_in(turn, world.case.ruleset)
    return {
        world.names.name(player): hall.turn(turn.number).counting(player, turn.timer, is_same)
        for hall in await world.services.halls()
        for player in hall.seats
    }


async def _lines(world: DuplicateWorld) -> Sequence[RankingLine]:
    game, halls = await world.services.game(), await world.services.halls()
    return rank([game_scores(game, halls)], players_of(halls), world.case.ruleset)


def _format_play(play: Play) -> str:
    return f"{Notation.FISC.write(play.start)} {' '.join(map(str, play.word))}"


def _format_value(found: object) -> str:
    return f"{float(found):.2f}" if isinstance(found, Fraction) else str(found)


def _by_player(what: str, found: Mapping[str, object], wanted: Mapping[str, object]) -> Iterable[str]:
    for name, expected in wanted.items():
        if found.get(name, NONE) != expected:
            yield f"expected {expected} {what} for {name}, got {found.get(name, NONE)}"


STATE: Mapping[str, Callable[[DuplicateWorld, Value], Differences]] = {
    "rack": _rack,
    "called-first": _leftover_called,
    "rejected": _check_rejected_racks,
    "top": _top,
    "master": _master,
    "called": _check_call,
    "slips": _slips,
    "null": _null,
    "warned": _check_warnings,
    "waits": _waits,
    "written": _check_written_slips,
    "standings": _standings,
    "standing": _standing,
    "ends": _ends,
    "unofficial": _unofficial,
    "claims": _claims,
}
"""The expectations of the state of a duplicate game, by key."""

OF_STEPS: Mapping[str, Callable[[StepResult, Value], Differences]] = {
    **{key: STEP[key] for key in ("refused", "reason", "invalid", "facts", "no-facts", "answer")},
    "corrected": _check_correction,
}
"""The expectations of the result of a step of a duplicate game, by key."""

EXPECTATIONS = frozenset({*OF_STEPS, *STATE})
"""The keys of all expectations of a step of a duplicate game."""


def of_duplicate(world: DuplicateWorld, done: StepResult, _: Step, key: str, value: Value) -> Differences:
    """Return the differences from an expectation of a duplicate game."""
    return STATE[key](world, value) if key in STATE else OF_STEPS[key](done, world.by_id(value))
