"""The tables that a tournament has, and how their numbers are told."""

from __future__ import annotations

from collections.abc import Iterable

from faristol.pb.pairing.v1 import events_pb2 as events


def tables_of(halls: Iterable[events.Hall], players: int, seated: Iterable[int] = ()) -> frozenset[int]:
    """The tables of halls, or else as many as ``players`` fill, and those at which it was played already (``seated``).

    Nothing where there are none of these: then nobody knows yet.
    """
    of_halls = {table for hall in halls for table in range(hall.first_table, hall.last_table + 1)}
    return frozenset(of_halls or range(1, (players + 1) // 2 + 1)).union(seated)


def ranges(numbers: Iterable[int]) -> str:
    """Numbers in ascending order, neighbours together: ``1–5, 9``."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)
