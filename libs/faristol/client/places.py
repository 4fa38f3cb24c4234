"""The tables of a tournament and the format of their numbers."""

from __future__ import annotations

from collections.abc import Iterable

from faristol.pb.pairing.v1 import events_pb2 as events


def tables_of(halls: Iterable[events.Hall], players: int, seated: Iterable[int] = ()) -> frozenset[int]:
    """Return the tables of the halls, or else as many as ``players`` fill, together with the tables of earlier games.

    ``seated`` has the tables of earlier games.
    """
    of_halls = {table for hall in halls for table in range(hall.first_table, hall.last_table + 1)}
    return frozenset(of_halls or range(1, (players + 1) // 2 + 1)).union(seated)


def ranges(numbers: Iterable[int]) -> str:
    """Format numbers in ascending order, with consecutive ones as a range: ``1–5, 9``."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)
