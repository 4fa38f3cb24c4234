"""Checking a game's draws once its seed is public: each followed from the seed and from what it was drawn from.

Whoever played knows which tiles came into the own rack, and compares them. What is checked here is the rest: that the
seed is the one that was committed to, that no draw was left out or made twice, that each gives the tiles that it must,
and that the bag held what it should.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from faristol.rules.bag import commitment, draw
from faristol.rules.tiles import TileSet


class Source(StrEnum):
    """What a draw was made from."""

    START = "start"
    """The bag before the game: who begins."""
    BAG = "bag"
    RACK = "rack"
    """A rack that was too full, or exchanged too many."""


@dataclass(frozen=True, slots=True)
class Draw:
    """One draw of a game."""

    number: int
    """From 0, without gaps."""
    player_id: str
    source: Source
    among: tuple[str, ...]
    """The tiles that it was made from, in any order."""
    faces: tuple[str, ...]
    """What came of it, in order; empty where a number was used and nothing drawn."""


def check_draws(
    log: Sequence[Draw], *, game_id: str, seed: bytes, committed: bytes, tile_set: TileSet
) -> Iterator[str]:
    """Everything that is wrong with the draws of a game, in sentences; nothing when all follow from the seed."""
    if commitment(seed, game_id) != committed:
        yield f"the seed {seed.hex()} is not the one that {committed.hex()} commits to"
    for expected, logged in enumerate(log):
        if logged.number != expected:
            yield f"draw {logged.number} stands where draw {expected} should"
            return
    for logged in log:
        try:
            drawn = draw(logged.among, len(logged.faces), seed, logged.number)
        except ValueError as problem:
            yield f"draw {logged.number} cannot have been made: {problem}"
            continue
        if drawn != logged.faces:
            yield f"draw {logged.number} gives {' '.join(drawn)} from the seed, and {' '.join(logged.faces)} was drawn"
    yield from _check_bag(log, tile_set)


def _check_bag(log: Sequence[Draw], tile_set: TileSet) -> Iterator[str]:
    """Tiles leave the bag by being drawn alone, and none comes into it that was not drawn before.

    After an exchange of too many the opponent chooses what is kept, out of bag and rack: as many may leave it then.
    """
    inside = Counter({kind.face: kind.count for kind in tile_set.kinds})
    out: Counter[str] = Counter()
    chosen = 0
    for logged in log:
        if logged.source is Source.RACK:
            chosen += len(logged.faces)
        if logged.source is not Source.BAG:
            continue
        held = Counter(logged.among)
        gone, added = inside - held, held - inside
        if gone.total() > chosen:
            yield f"before draw {logged.number} the bag had lost {_told(gone)}, which nobody had drawn"
        out += gone
        if strange := added - out:
            yield f"before draw {logged.number} the bag had gained {_told(strange)}, which nobody had drawn before"
        drawn = Counter(logged.faces)
        out = (out - added) + drawn
        inside, chosen = held - drawn, 0


def _told(tiles: Counter[str]) -> str:
    return " ".join(sorted(tiles.elements()))
