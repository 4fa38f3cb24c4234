"""Everybody against everybody, by Berger's tables (FIDE C.05, annex 1). Pure."""

from __future__ import annotations

from collections.abc import Sequence

from faristol.pairing.engines.swiss import Paired

ALGORITHM = "berger-1"
"""Name and version of this way of pairing, as ``RoundPaired.algorithm`` keeps it."""


def rounds_of(players: int, cycles: int) -> int:
    """How many rounds it takes until each has met each so many times."""
    return cycles * (players - 1 + players % 2)


def pair_berger(players: Sequence[str], number: int, cycles: int = 1) -> Paired:
    """Round ``number``, from 1, of the table in which ``players`` have the numbers from 1 on. Pairs have white first.

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
    nobody = len(players) + 1
    return Paired(
        pairs=tuple((players[white - 1], players[black - 1]) for white, black in pairs if nobody not in (white, black)),
        bye=next((players[min(pair) - 1] for pair in pairs if nobody in pair), None),
    )
