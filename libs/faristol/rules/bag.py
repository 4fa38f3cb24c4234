"""The bag: random draws that anyone can make again.

Tiles come out of the bag by a rule that needs nothing but a secret of 32 bytes and a counter, so that after the
game everybody can check every draw with any SHA-256 at hand:

1. The tiles in the bag are put in order by code point (``?`` first, then ``A``, ``B``, … ``Ç``).
2. Block ``i`` (0, 1, 2 …) is ``SHA-256(b"faristol.draw.v1" + seed + counter + i)``, with ``counter`` and ``i``
   as 8 bytes, the highest first. The first 8 bytes of a block, the highest first, are one number below 2⁶⁴.
3. For a choice among ``n`` tiles a number is used if it lies below the greatest multiple of ``n`` not above
   2⁶⁴, and skipped otherwise; its remainder by ``n`` is the place of the tile drawn, from 0.
4. That tile leaves the row, those behind it move up, and the next one is chosen from what is left.

Python's ``random`` is not used: its algorithm is not promised from one version to the next.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from faristol.rules.tiles import TileSet

SEED_BYTES = 32
_LABEL = b"faristol.draw.v1"
_COMMITMENT_LABEL = b"faristol.commitment.v1"
_RANGE = 1 << 64


class Exchanged(NamedTuple):
    """What an exchange comes to: the tiles drawn, in order, and the bag afterwards."""

    drawn: tuple[str, ...]
    bag: tuple[str, ...]


def full_bag(tile_set: TileSet) -> tuple[str, ...]:
    """Every tile of the set, ``?`` for a blank, in the order of the set."""
    return tuple(kind.face for kind in tile_set.kinds for _ in range(kind.count))


def draw(bag: Iterable[str], n: int, seed: bytes, counter: int) -> tuple[str, ...]:
    """``n`` tiles out of ``bag``, in the order in which they come out.

    ``seed`` is 32 bytes, ``counter`` the number of the draw in its game, from 0. The order in which ``bag``
    lists its tiles does not matter. Raises ``ValueError`` when the bag holds fewer than ``n`` tiles, or when
    ``seed`` or ``counter`` is not what it must be.
    """
    if len(seed) != SEED_BYTES:
        raise ValueError(f"a seed has {SEED_BYTES} bytes, not {len(seed)}")
    if not 0 <= counter < _RANGE:
        raise ValueError(f"a draw is numbered from 0 to 2**64 - 1, not {counter}")
    rest = sorted(bag)
    if not 0 <= n <= len(rest):
        raise ValueError(f"{n} tiles cannot be drawn from a bag of {len(rest)}")
    numbers = _numbers(seed, counter)
    return tuple(rest.pop(_below(len(rest), numbers)) for _ in range(n))


def exchange(
    bag: Iterable[str], aside: Iterable[str], seed: bytes, counter: int, *, count: int | None = None
) -> Exchanged:
    """Draw as many tiles as were set ``aside``, and only then put those into the bag (FISC I.7.1).

    So no tile that was set aside can come back in the same exchange. ``count`` is how many are drawn where that were
    more or fewer. Raises ``ValueError`` as ``draw`` does.
    """
    before, returned = tuple(bag), tuple(aside)
    drawn = draw(before, len(returned) if count is None else count, seed, counter)
    return Exchanged(drawn, tuple(sorted((*without(before, drawn), *returned))))


def free_exchange(bag: Iterable[str], aside: Iterable[str], seed: bytes, counter: int) -> Exchanged:
    """Put the tiles ``aside`` into the bag, and only then draw as many (UF 14.2, FM 6).

    So a tile can come back at once: the order is the other way round than in ``exchange``. Raises ``ValueError`` as
    ``draw`` does.
    """
    returned = tuple(aside)
    whole = (*bag, *returned)
    drawn = draw(whole, len(returned), seed, counter)
    return Exchanged(drawn, tuple(sorted(without(whole, drawn))))


def without(tiles: Iterable[str], taken: Iterable[str]) -> tuple[str, ...]:
    """``tiles`` without those ``taken``, the rest in its order. Raises ``ValueError`` when one is not there."""
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
    """A seed of 32 bytes for one use of a greater one: HMAC-SHA-256 keyed by ``seed`` over ``label`` in UTF-8."""
    return hmac.digest(seed, label.encode(), "sha256")


def commitment(seed: bytes, game_id: str) -> bytes:
    """What a table's seed is held to before it is shown: SHA-256 over a label, the seed, and the game's id in UTF-8.

    The label is ``faristol.commitment.v1`` in ASCII. Nobody can find the seed from it, nor another seed for it.
    """
    return hashlib.sha256(_COMMITMENT_LABEL + seed + game_id.encode()).digest()


def _numbers(seed: bytes, counter: int) -> Iterator[int]:
    head = _LABEL + seed + counter.to_bytes(8, "big")
    block = 0
    while True:
        yield int.from_bytes(hashlib.sha256(head + block.to_bytes(8, "big")).digest()[:8], "big")
        block += 1


def _below(n: int, numbers: Iterator[int]) -> int:
    """A number from 0 to ``n - 1``, each as likely as the others: hence the numbers skipped."""
    limit = _RANGE - _RANGE % n
    return next(number % n for number in numbers if number < limit)
