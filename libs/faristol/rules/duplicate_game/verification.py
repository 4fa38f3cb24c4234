"""Verification of the racks of a duplicate game once its seed is public: each must follow from the seed and the bag."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from faristol.rules.draws.bag import commitment, draw, full_bag, without
from faristol.rules.duplicate_game.racks import is_valid
from faristol.rules.ruleset.ruleset import Ruleset


class CalledRack(NamedTuple):
    """A rack from the bag, played or returned."""

    faces: tuple[str, ...]
    """The tiles, the leftover first."""
    leftover: int
    """Number of leftover tiles."""
    draw: int
    """The number of the draw."""
    by_hand: bool = False
    """Whether the judge took it from the bag by hand, before it went back: it follows from no seed."""


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """The public data of a turn."""

    rack: CalledRack
    went_back: tuple[CalledRack, ...]
    by_hand: bool
    """Whether the judge took the tiles from a bag by hand: they follow from no seed."""
    used: tuple[str, ...]
    """Tiles of the rack laid by the master play, ``?`` for a blank."""
    sealed: bool = False
    """Whether the rack is that of a sealed game, with its own seed and its own count of draws."""
    drawn_as: int = 0
    """The turn for which the rack was drawn in the game that is replayed; 0 for this turn."""


class HeldSeed(NamedTuple):
    """A seed and its commitment."""

    seed: bytes
    committed: bytes


def check_racks(
    turns: Sequence[PlayedTurn],
    *,
    game_id: str,
    held: HeldSeed | None,
    ruleset: Ruleset,
    sealed: HeldSeed | None = None,
) -> Iterator[str]:
    """Yield every error in the racks of a game, in sentences.

    ``held`` is the seed of the game, ``sealed`` that of its sealed game. Racks without a given seed are only compared
    with the tiles left. The check ends at the first turn whose tiles cannot have been in the bag: the tiles left are
    unknown after it.
    """
    for each in (held, sealed):
        if each is not None and commitment(each.seed, game_id) != each.committed:
            yield f"the seed {each.seed.hex()} is not the one that {each.committed.hex()} commits to"
    left: tuple[str, ...] = full_bag(ruleset.tile_set)
    leftover: tuple[str, ...] = ()
    counters = {True: 0, False: 0}
    for number, turn in enumerate(turns, start=1):
        if missing := Counter(turn.rack.faces) - Counter(left):
            yield f"turn {number}: {_format_tiles(missing)} was not left"
            return
        of_seed = sealed if turn.sealed else held
        if not turn.by_hand and of_seed is not None:
            for rack in (*turn.went_back, turn.rack):
                if rack.by_hand:
                    continue
                yield from _check(number, rack, counters[turn.sealed], left, leftover, of_seed.seed, ruleset)
                counters[turn.sealed] += 1
        if not is_valid(turn.rack.faces, turn.drawn_as or number, left, ruleset):
            yield f"turn {number}: the rack {' '.join(turn.rack.faces)} is not valid"
        if strange := Counter(turn.used) - Counter(turn.rack.faces):
            yield f"turn {number}: the master play has {_format_tiles(strange)}, which the rack does not hold"
            return
        left = without(left, turn.used)
        leftover = without(turn.rack.faces, turn.used) if turn.used else ()  # without a play the whole rack goes back


def _check(
    number: int,
    rack: CalledRack,
    counter: int,
    left: Sequence[str],
    leftover: Sequence[str],
    seed: bytes,
    ruleset: Ruleset,
) -> Iterator[str]:
    """Yield the errors in a rack that was drawn as the draw ``counter``."""
    if rack.draw != counter:
        yield f"turn {number}: draw {rack.draw} stands where draw {counter} should"
    kept, drawn = rack.faces[: rack.leftover], rack.faces[rack.leftover :]
    if rack.leftover and Counter(kept) != Counter(leftover):
        yield f"turn {number}: {' '.join(kept)} is called first, and {' '.join(leftover)} was left of the turn before"
        return
    size = min(ruleset.game.rack_size, len(left))
    expected = draw(without(left, kept), size - len(kept), seed, counter)
    if drawn != expected:
        yield (
            f"turn {number}: draw {counter} gives {' '.join(expected)} from the seed, and {' '.join(drawn)} was drawn"
        )


def _format_tiles(tiles: Counter[str]) -> str:
    return " ".join(sorted(tiles.elements()))
