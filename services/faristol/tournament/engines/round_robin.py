"""Round robins by Berger's tables (FIDE C.05, annex 1). Pure."""

from __future__ import annotations

from collections.abc import Sequence

from faristol.tournament.engines.swiss import Paired

ALGORITHM = "berger-1"
"""Name and version of the algorithm, as in ``RoundPaired.algorithm``."""


def rounds_of(players: int, cycles: int) -> int:
    """Return the number of rounds in which each pair meets ``cycles`` times."""
    return cycles * (players - 1 + players % 2)


def pair_berger(players: Sequence[str], number: int, cycles: int = 1) -> Paired:
    """Pair round ``number``, from 1, of the table of ``players``, numbered from 1. Pairs have white first.

    With an odd number of players, the opponent of the number after the last has the bye. In a second cycle white and
    black are swapped. The first of two cycles swaps its last two rounds: no player has a colour three times in a row.
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
