"""The bag: reproducible random draws, and the starting draw, which determines the first player.

A draw is computed from a secret of 32 bytes and a counter. After the game anyone can verify every draw with any
implementation of SHA-256:

1. The tiles in the bag are sorted by code point (``?`` first, then ``A``, ``B``, … ``Ç``).
2. Block ``i`` (0, 1, 2 …) is ``SHA-256(b"faristol.draw.v1" + seed + counter + i)``, with ``counter`` and ``i``
   as 8 bytes, big-endian. The first 8 bytes of a block, big-endian, are one number below 2⁶⁴.
3. For a choice among ``n`` tiles a number is used if it is below the greatest multiple of ``n`` not above
   2⁶⁴, and skipped otherwise. Its remainder by ``n`` is the index of the tile drawn, from 0.
4. That tile leaves the row, those behind it move up, and the next tile is chosen from the rest.

Python's ``random`` is not used: its algorithm may change between versions.

In the starting draw, each player draws a tile. The one nearest to the start of the alphabet begins, and a blank comes
before A. Players with the same best tile draw again, from the whole bag (FISC I.5, PES Γ.α), unless the rules keep
equal tiles out.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from faristol.rules.ruleset.ruleset import Ruleset
from faristol.rules.tiles import BLANK, TileSet

SEED_BYTES = 32
_LABEL = b"faristol.draw.v1"
_COMMITMENT_LABEL = b"faristol.commitment.v1"
_UINT64_LIMIT = 1 << 64


class Exchanged(NamedTuple):
    """The result of an exchange: the tiles drawn, in order, and the bag afterwards."""

    drawn: tuple[str, ...]
    bag: tuple[str, ...]


def full_bag(tile_set: TileSet) -> tuple[str, ...]:
    """Return every tile of the set, ``?`` for a blank, in the order of the set."""
    return tuple(kind.face for kind in tile_set.kinds for _ in range(kind.count))


def draw(bag: Iterable[str], n: int, seed: bytes, counter: int) -> tuple[str, ...]:
    """Draw ``n`` tiles from ``bag`` and return them in the order of the draw.

    ``seed`` is 32 bytes, ``counter`` the number of the draw in its game, from 0. The order of ``bag`` does not matter.
    Raises ``ValueError`` if the bag has fewer than ``n`` tiles, or for an invalid ``seed`` or ``counter``.
    """
    if len(seed) != SEED_BYTES:
        raise ValueError(f"a seed has {SEED_BYTES} bytes, not {len(seed)}")
    if not 0 <= counter < _UINT64_LIMIT:
        raise ValueError(f"a draw is numbered from 0 to 2**64 - 1, not {counter}")
    rest = sorted(bag)
    if not 0 <= n <= len(rest):
        raise ValueError(f"{n} tiles cannot be drawn from a bag of {len(rest)}")
    numbers = _numbers(seed, counter)
    return tuple(rest.pop(_below(len(rest), numbers)) for _ in range(n))


def exchange(
    bag: Iterable[str], aside: Iterable[str], seed: bytes, counter: int, *, count: int | None = None
) -> Exchanged:
    """Draw as many tiles as were set ``aside``, and then put those into the bag (FISC I.7.1).

    No tile that was set aside can come back in the same exchange. ``count`` overrides the number of tiles drawn. Raises
    ``ValueError`` as ``draw`` does.
    """
    before, returned = tuple(bag), tuple(aside)
    drawn = draw(before, len(returned) if count is None else count, seed, counter)
    return Exchanged(drawn, tuple(sorted((*without(before, drawn), *returned))))


def free_exchange(bag: Iterable[str], aside: Iterable[str], seed: bytes, counter: int) -> Exchanged:
    """Put the tiles ``aside`` into the bag, and then draw as many (UF 14.2, FM 6).

    A tile can come back at once: the order is the reverse of ``exchange``. Raises ``ValueError`` as ``draw`` does.
    """
    returned = tuple(aside)
    whole = (*bag, *returned)
    drawn = draw(whole, len(returned), seed, counter)
    return Exchanged(drawn, tuple(sorted(without(whole, drawn))))


def without(tiles: Iterable[str], taken: Iterable[str]) -> tuple[str, ...]:
    """Return ``tiles`` without those ``taken``, in their order. Raises ``ValueError`` for a tile that is missing."""
    before, gone = tuple(tiles), tuple(taken)
    rest = list(before)
    try:
        for tile in gone:
            rest.remove(tile)
    except ValueError:
        missing = Counter(gone) - Counter(before)
        raise ValueError(f"not among the tiles: {' '.join(missing.elements())}") from None
    return tuple(rest)


def derive_seed(seed: bytes, label: str) -> bytes:
    """Derive a seed of 32 bytes for one use: HMAC-SHA-256 keyed by ``seed`` over ``label`` in UTF-8."""
    return hmac.digest(seed, label.encode(), "sha256")


def salt_seed(seed: bytes, salt: bytes) -> bytes:
    """Return the seed of a tournament with a salt that its halls do not know; the same seed without a salt."""
    return derive_seed(seed, f"halls {salt.hex()}") if salt else seed


def commitment(seed: bytes, game_id: str) -> bytes:
    """Return the commitment to a table's seed: SHA-256 over a label, the seed, and the game's id in UTF-8.

    The label is ``faristol.commitment.v1`` in ASCII. The seed cannot be computed from it, nor another seed for it.
    """
    return hashlib.sha256(_COMMITMENT_LABEL + seed + game_id.encode()).digest()


def _numbers(seed: bytes, counter: int) -> Iterator[int]:
    head = _LABEL + seed + counter.to_bytes(8, "big")
    block = 0
    while True:
        yield int.from_bytes(hashlib.sha256(head + block.to_bytes(8, "big")).digest()[:8], "big")
        block += 1


def _below(n: int, numbers: Iterator[int]) -> int:
    """Return a number from 0 to ``n - 1``, uniformly distributed; some numbers are skipped for that."""
    limit = _UINT64_LIMIT - _UINT64_LIMIT % n
    return next(number % n for number in numbers if number < limit)


class StartingTile(NamedTuple):
    """One tile drawn: its player, its face, and the number of the draw in its game."""

    player: str
    face: str
    counter: int


class StartingDraw(NamedTuple):
    """Every tile drawn, in order, and the first player."""

    tiles: tuple[StartingTile, ...]
    first: str

    @property
    def next_counter(self) -> int:
        """The number of the next draw in this game."""
        return self.tiles[-1].counter + 1


def starting_draw(ruleset: Ruleset, players: Sequence[str], seed: bytes, counter: int = 0) -> StartingDraw:
    """Draw until exactly one player has the best tile.

    ``seed`` and ``counter`` are those of ``bag.draw``; each tile takes one counter. Within a round of draws players
    draw different tiles. Between rounds all tiles go back into the bag, or none does, by ``start.tie``. Raises
    ``ValueError`` for fewer than two players, or for a repeated one.
    """
    if len(players) < 2 or len(set(players)) < len(players):
        raise ValueError(f"a starting draw is between two or more different players, not {', '.join(players)!r}")
    rank = dict(ruleset.tile_set.index)
    rank[BLANK] = -1 if ruleset.start.blank == "first" else len(rank)
    drawn: list[StartingTile] = []
    drawing = tuple(players)
    bag = whole = full_bag(ruleset.tile_set)
    while len(drawing) > 1:
        if ruleset.start.tie == "return-and-redraw":
            bag = whole
        this_round: list[StartingTile] = []
        for player in drawing:
            (face,) = draw(bag, 1, seed, counter)
            bag = without(bag, (face,))
            this_round.append(StartingTile(player, face, counter))
            counter += 1
        best = min(rank[tile.face] for tile in this_round)
        drawing = tuple(tile.player for tile in this_round if rank[tile.face] == best)
        drawn.extend(this_round)
    return StartingDraw(tuple(drawn), drawing[0])
