"""The tables of a tournament and the format of their numbers."""

from __future__ import annotations

from collections.abc import Iterable

from faristol.pb.pairing.v1 import events_pb2 as events


def tables_of(halls: Iterable[events.Hall], players: int, seated: Iterable[int] = ()) -> frozenset[int]:
    """Return the tables of the halls, or else as many as ``players`` fill, together with the tables of earlier games.

    ``seated`` has the tables of earlier games.
    """
    return frozenset(_tables_of_halls(halls) or range(1, (players + 1) // 2 + 1)).union(seated)


def count_tables(players: int, players_max: int, teams: int = 0, boards: int = 0) -> int:
    """Count the tables of a round: of ``players`` at tables of at most ``players_max``, or of ``teams`` that meet.

    An odd player or team rests where two meet. ``boards`` are those of a match of teams; 0 where players are paired.
    """
    if boards:
        return teams // 2 * boards
    return players // 2 if players_max == 2 else -(-players // players_max)


def playing_tables(halls: Iterable[events.Hall], needed: int) -> list[int]:
    """Return as many tables as are ``needed`` in a round, in their order: of the halls, or from 1 without halls.

    Fewer if the halls have fewer.
    """
    of_halls = sorted(_tables_of_halls(halls))
    return of_halls[:needed] if of_halls else list(range(1, needed + 1))


def _tables_of_halls(halls: Iterable[events.Hall]) -> set[int]:
    return {table for hall in halls for table in range(hall.first_table, hall.last_table + 1)}


def ranges(numbers: Iterable[int]) -> str:
    """Format numbers in ascending order, with consecutive ones as a range: ``1–5, 9``."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)
