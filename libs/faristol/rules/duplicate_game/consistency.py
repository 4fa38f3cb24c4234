"""Checks for values of a ruleset of duplicate games that contradict each other."""

from __future__ import annotations

from collections.abc import Iterator

from faristol.rules.ruleset.ruleset import Ruleset
from faristol.rules.tiles import load_tile_set

Problem = tuple[str, str]
"""The key (``section.key``) of the contradiction, and its description."""


def of_duplicate(rules: Ruleset) -> Iterator[Problem]:
    """Yield the contradictions in rules of duplicate games."""
    yield from _of_game(rules)
    yield from _of_racks(rules)
    yield from _of_turns(rules)
    slips, warned = rules.slips, rules.warnings
    if slips.score == "not-asked" and slips.score_missing != "nothing":
        yield "slips.score_missing", "has no effect if slips have no score (slips.score)"
    if warned.points == 0 and warned.free:
        yield "warnings.free", "has no effect if a warning costs 0 points (warnings.points)"


def _of_game(rules: Ruleset) -> Iterator[Problem]:
    game = rules.game
    if not 1 <= game.players_min <= game.players_max:
        yield "game.players_min", f"expected 1 or more, and at most players_max ({game.players_max})"
    if game.turn_direction != "together":
        yield "game.turn_direction", "all take a turn at once in a duplicate game: expected together"
    try:
        tile_set = load_tile_set(game.tile_set)
    except LookupError as error:
        yield "game.tile_set", str(error)
    else:
        if not 1 <= game.rack_size <= tile_set.size:
            yield "game.rack_size", f"expected 1 to {tile_set.size}, the tiles of {game.tile_set}"
    if not 1 <= rules.first_move.tiles_min <= game.rack_size:
        yield "first_move.tiles_min", f"expected 1 to rack_size ({game.rack_size})"
    if rules.first_move.centre != "mandatory":
        yield "first_move.centre", "no opponent can accept a play: expected mandatory"


def _of_racks(rules: Ruleset) -> Iterator[Problem]:
    racks, size = rules.racks, rules.game.rack_size
    if racks.vowels_min + racks.consonants_min > size:
        yield "racks.vowels_min", f"with consonants_min is more than a rack of {size} holds"
    if racks.vowels_min_late > racks.vowels_min:
        yield "racks.vowels_min_late", f"is more than before that turn ({racks.vowels_min})"
    if racks.consonants_min_late > racks.consonants_min:
        yield "racks.consonants_min_late", f"is more than before that turn ({racks.consonants_min})"


def _of_turns(rules: Ruleset) -> Iterator[Problem]:
    turns = rules.turns
    if turns.seconds < 1:
        yield "turns.seconds", "a turn takes a second or more"
    if turns.turns == 0:
        yield "turns.turns", "a game has a turn or more"
    for name in ("may_warn_seconds", "must_warn_seconds"):
        before = getattr(turns, name)
        if before is not None and not 0 < before < turns.seconds:
            yield f"turns.{name}", f"expected 1 to {turns.seconds - 1}, before the end of the turn"
