"""Accelerated pairings: virtual points that count for the pairing of the first rounds only (FIDE C.04.5.1)."""

from __future__ import annotations

from faristol.rules.trf.document import POINT_TENTHS_FACTOR, Fictitious


def accelerate_baku(players: int, rounds: int) -> tuple[Fictitious, ...]:
    """Return the virtual points of the Baku method (FIDE C.04.5.1).

    The upper half of the players, rounded up to an even number, has a point in the first half of the accelerated rounds
    and half a point in the others. The accelerated rounds are the first half of all rounds. Halves are rounded up.
    """
    upper = 2 * ((players + 3) // 4)
    accelerated = (rounds + 1) // 2
    whole = (accelerated + 1) // 2
    entries = [Fictitious(POINT_TENTHS_FACTOR, 1, whole, 1, upper)]
    if accelerated > whole:
        entries.append(Fictitious(POINT_TENTHS_FACTOR // 2, whole + 1, accelerated, 1, upper))
    return tuple(entries)
