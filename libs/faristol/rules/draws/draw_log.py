"""Verification of a game's draws once its seed is public.

Each player compares the tiles drawn for their own rack. The rest is verified here. The seed is the one that was
committed to, and no draw is missing or repeated. Each draw gives the tiles computed from the seed, and the bag has the
correct content.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from faristol.rules.draws.bag import commitment, draw
from faristol.rules.tiles import TileSet


class Source(StrEnum):
    """The source of the tiles of a draw."""

    START = "start"
    """The bag before the game, for the starting draw."""
    BAG = "bag"
    RACK = "rack"
    """A rack with too many tiles, or of a player who exchanged too many."""


@dataclass(frozen=True, slots=True)
class Draw:
    """One draw of a game."""

    number: int
    """Number from 0, without gaps."""
    player_id: str
    source: Source
    among: tuple[str, ...]
    """The tiles that it was made from, in any order."""
    faces: tuple[str, ...]
    """The tiles drawn, in order; empty if a number was used without a draw."""


def check_draws(
    log: Sequence[Draw], *, game_id: str, seed: bytes, committed: bytes, tile_set: TileSet
) -> Iterator[str]:
    """Yield every error in the draws of a game, in sentences."""
    if commitment(seed, game_id) != committed:
        yield f"the seed {seed.hex()} is not the one that {committed.hex()} commits to"
    for expected, logged in enumerate(log):
        if logged.number != expected:
            yield f"draw {logged.number} stands where draw {expected} should"
            return
    for logged in log:
        try:
            drawn = draw(logged.among, len(logged.faces), seed, logged.number)
        except ValueError as error:
            yield f"draw {logged.number} cannot have been made: {error}"
            continue
        if drawn != logged.faces:
            yield f"draw {logged.number} gives {' '.join(drawn)} from the seed, and {' '.join(logged.faces)} was drawn"
    yield from _check_bag(log, tile_set)


def _check_bag(log: Sequence[Draw], tile_set: TileSet) -> Iterator[str]:
    """Yield every tile that left the bag without a draw, or entered it without having been drawn.

    After an exchange of too many tiles the opponent chooses the tiles to keep from bag and rack: as many may leave the
    bag.
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
            yield f"before draw {logged.number} the bag had lost {_format_tiles(gone)}, which had not been drawn"
        out += gone
        if strange := added - out:
            yield (
                f"before draw {logged.number} the bag had gained {_format_tiles(strange)}, which had not been "
                "drawn before"
            )
        drawn = Counter(logged.faces)
        out = (out - added) + drawn
        inside, chosen = held - drawn, 0


def _format_tiles(tiles: Counter[str]) -> str:
    return " ".join(sorted(tiles.elements()))
