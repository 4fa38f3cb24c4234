"""The expectations of the state of a duplicate game after a step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields as fields_of
from fractions import Fraction
from typing import Any

from faristol.casebook.comparisons import NO, NONE, Expectation, Find, each, known_names, one, read_words, several
from faristol.casebook.document import Value
from faristol.casebook.duplicate_game.game import game_of
from faristol.casebook.expectations import STEP, last
from faristol.casebook.world import Differences, StepResult, World
from faristol.duplicate_game.draws import END_REASONS
from faristol.duplicate_game.game import Duplicate, Turn
from faristol.duplicate_game.hall import Counting
from faristol.duplicate_game.situation import same_play_in
from faristol.duplicate_game.standings import game_scores, players_of
from faristol.kernel.spellings import kebab
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.rules import Notation
from faristol.rules.duplicate_game.call_names import load_call_names, with_names
from faristol.rules.duplicate_game.finish import unofficial
from faristol.rules.duplicate_game.ranking import RankingLine, rank


async def _state(world: World) -> Duplicate:
    return await game_of(world).state()


async def _turn(world: World) -> Turn:
    turn = (await _state(world)).current
    if turn is None:
        raise ValueError("no rack was called")
    return turn


async def _rack(world: World) -> str:
    return " ".join((await _turn(world)).rack)


async def _leftover_called(world: World) -> str:
    turn = await _turn(world)
    return " ".join(turn.rack[: turn.leftover]) or NONE


async def _count_rejected(world: World) -> int:
    return (await _turn(world)).rejected


async def _top(world: World) -> int:
    return (await _turn(world)).top


async def _master(world: World) -> str:
    play = (await _turn(world)).master
    return f"{Notation.FISC.write(play.start)} {' '.join(map(str, play.word))}" if play else NONE


async def _call(world: World) -> str:
    """Return the announcement of the judge: the names of the tiles, or the start of the chosen master play."""
    turn, game, tile_set = await _turn(world), await _state(world), world.case.ruleset.tile_set
    table = with_names(load_call_names(tile_set.language), game.call_names, tile_set, game.call_numbers)
    return table.start(turn.master.start) if turn.master else ", ".join(table.rack(turn.rack))


def _of_scores(of: Callable[[Any], object]) -> Find:
    """Return the function that finds a value of the scored slip of every player."""

    async def find(world: World) -> Mapping[str, object]:
        number = len((await _state(world)).turns)
        scores = (item for hall in await game_of(world).halls() for item in hall.turn(number).scores.items())
        return {world.names.name(player): of(scored) for player, scored in scores}

    return find


_faults = _of_scores(lambda scored: scored.fault or NONE)


async def _null(world: World, value: Value) -> Differences:
    expected = each("{wanted} as its reason for {name}", _faults)
    async for difference in expected(world, value):
        yield difference
    found = await _faults(world)
    for name in sorted({name for name, fault in found.items() if fault != NONE} - value.keys().keys()):
        yield f"expected the slip of {name} to count, and it is null: {found[name]}"


def _of_counting(of: Callable[[Counting], str | None]) -> Find:
    """Return the function that finds a value of the slips of every player in the turn."""

    async def find(world: World) -> Mapping[str, str]:
        turn = await _turn(world)
        if turn.timer is None:
            return {}
        is_same = same_play_in(turn, world.case.ruleset)
        return {
            world.names.name(player): of(hall.turn(turn.number).counting(player, turn.timer, is_same)) or NONE
            for hall in await game_of(world).halls()
            for player in hall.seats
        }

    return find


async def _lines(world: World) -> Sequence[RankingLine]:
    halls = await game_of(world).halls()
    return rank([game_scores(await _state(world), halls)], players_of(halls), world.case.ruleset)


async def _standings(world: World, value: Value) -> Differences:
    found = [f"{line.rank} {world.names.name(line.player)} {line.total}" for line in await _lines(world)]
    wanted = [read_words(item) for item in value.items()]
    if found[: len(wanted)] != wanted:
        yield f"expected the standings {', '.join(wanted)}; got {', '.join(found)}"


async def _standing(world: World, value: Value) -> Differences:
    lines = {world.names.name(line.player): line for line in await _lines(world)}
    for name, wanted in value.keys(known_names(world)).items():
        for key, item in wanted.keys().items():
            if not hasattr(lines[name], key.replace("-", "_")):
                known = [kebab(field.name) for field in fields_of(RankingLine)]
                raise item.no_such("field of the standings", key, known)
            found = getattr(lines[name], key.replace("-", "_"))
            shown = f"{float(found):.2f}" if isinstance(found, Fraction) else str(found)
            if shown != item.text():
                yield f"expected {key} {item.text()} for {name}, got {shown}"


async def _end(world: World) -> str:
    end = (await _state(world)).end
    return END_REASONS[end].value if end else NO


async def _unofficial(world: World) -> Sequence[str]:
    game = await _state(world)
    return unofficial(game.players, END_REASONS.get(game.end), world.case.ruleset)


async def _claims(world: World) -> Mapping[str, str]:
    claims = [claim for hall in await game_of(world).halls() for claim in hall.claims.values()]
    return {world.names.name(claim.player_id): "decided" if claim.decided else "open" for claim in claims}


async def _check_correction(done: StepResult, value: Value) -> Differences:
    """Compare the score of a slip before and after its correction: ``70 → 0``."""
    event = last(done.new_events, events.SlipCorrected)
    found = f"{event.points_before} → {event.score.points}" if event else NONE
    if found != value.text():
        yield f"expected the correction {value.text()}, got {found}"


DUPLICATE_STATE: Mapping[str, Expectation] = {
    "rack": one("the rack {wanted}", _rack, read_words),
    "called-first": one("{wanted} to be called first", _leftover_called, read_words),
    "rejected": one("{wanted} racks to go back", _count_rejected, Value.number),
    "top": one("the top {wanted}", _top, Value.number),
    "master": one("the master play {wanted}", _master, read_words),
    "called": one("to be called {wanted!r}", _call),
    "slips": each("{wanted} points for {name}", _of_scores(lambda scored: scored.points), Value.number),
    "null": _null,
    "warned": each("{wanted} warned for for {name}", _of_scores(lambda scored: ", ".join(scored.warned) or NONE)),
    "waits": each("{wanted} waiting for for {name}", _of_counting(lambda counting: counting.waits)),
    "written": each(
        "{wanted} written for {name}",
        _of_counting(lambda counting: f"{counting.written.coordinates} {counting.written.word}".strip()),
    ),
    "standings": _standings,
    "standing": _standing,
    "ends": one(
        "the game to end: {wanted}",
        _end,
        known=("end of a game", lambda _: {NO, *(reason.value for reason in END_REASONS.values())}),
    ),
    "unofficial": several("the game not to be official for {wanted},", _unofficial),
    "claims": each("{wanted} as a claim for {name}", _claims),
}
"""The expectations of the state of a duplicate game, by key."""

DUPLICATE_RESULTS: Mapping[str, Callable[[StepResult, Value], Differences]] = {
    **{key: STEP[key] for key in ("refused", "reason", "invalid", "facts", "no-facts", "answer")},
    "corrected": _check_correction,
}
"""The expectations of the result of a step of a duplicate game, by key."""
