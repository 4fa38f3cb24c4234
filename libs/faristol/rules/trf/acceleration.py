"""Accelerated pairings: virtual points that count for the pairing of the first rounds only (FIDE C.04.5.1)."""

from __future__ import annotations

from collections.abc import Sequence

from faristol.rules.trf.document import POINT_TENTHS_FACTOR, Fictitious


def accelerate_baku(entered: Sequence[int], rounds: int) -> tuple[Fictitious, ...]:
    """Return the virtual points of the Baku method (FIDE C.04.5.1).

    ``entered`` are the starting numbers of the players that entered for the first round, in ascending order. The upper
    half of them, rounded up to an even number, has a point in the first half of the accelerated rounds and half a point
    in the others. The accelerated rounds are the first half of all rounds. Halves are rounded up. A late entry belongs
    to the upper half if its number is before that of the half's last player, which stays the same. Without players
    there are no virtual points.
    """
    if not entered:
        return ()
    upper = min(2 * ((len(entered) + 3) // 4), len(entered))
    last = entered[upper - 1]
    accelerated = (rounds + 1) // 2
    whole = (accelerated + 1) // 2
    entries = [Fictitious(POINT_TENTHS_FACTOR, 1, whole, 1, last)]
    if accelerated > whole:
        entries.append(Fictitious(POINT_TENTHS_FACTOR // 2, whole + 1, accelerated, 1, last))
    return tuple(entries)
