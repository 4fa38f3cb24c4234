"""Everybody against everybody, by Berger's tables (FIDE C.05, annex 1). Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

ALGORITHM = "berger-1"
"""Name and version of this way of pairing, as ``RoundPaired.algorithm`` keeps it."""


@dataclass(frozen=True, slots=True)
class Paired:
    """A round: pairs in the order of the table, white first, and who has the bye."""

    pairs: tuple[tuple[str, str], ...]
    bye: str | None


def rounds_of(players: int, cycles: int) -> int:
    """How many rounds it takes until each has met each so many times."""
    return cycles * (players - 1 + players % 2)


def pair_berger(players: Sequence[str], number: int, cycles: int = 1) -> Paired:
    """Round ``number``, from 1, of the table in which ``players`` have the numbers from 1 on.

    With an odd number of players whoever meets the number after the last has the bye. In a second cycle white and
    black change places; in the first of two the last two rounds do, so that nobody has a colour three times in a row.
    """
    size = len(players) + len(players) % 2
    cycle, place = divmod(number - 1, size - 1)
    if cycles > 1 and cycle == 0 and size > 2 and place >= size - 3:
        place = 2 * size - 5 - place
    pairs: list[tuple[int, int]] = []
    for player in range(1, size):
        other = (place + 2 - player - 1) % (size - 1) + 1
        if other < player:
            continue
        if player == other:
            pairs.insert(0, (player, size) if 2 * player <= size else (size, player))
        else:
            pairs.append((player, other) if (player + other) % 2 else (other, player))
    if cycle % 2:
        pairs = [(black, white) for white, black in pairs]
    resting = next(
        (player for pair in pairs for player in pair if len(players) + 1 in pair and player <= len(players)), None
    )
    return Paired(
        pairs=tuple(
            (players[white - 1], players[black - 1]) for white, black in pairs if max(white, black) <= len(players)
        ),
        bye=players[resting - 1] if resting is not None and len(players) % 2 else None,
    )
