"""What is measured, and how it is put."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping

Figures = list[tuple[str, float, str]]
"""What, how much, of what unit."""

Speeds = Mapping[str, Iterable[float]]
"""For each contestant, what each round came to. They take turns, so that a slow minute of the machine is everyone's."""


def compared(what: str, speeds: Speeds, ours: str, reach: Mapping[str, float]) -> Figures:
    """The median speed of each, and by how much ``ours`` is faster than those that it is to reach so many times."""
    medians = {name: statistics.median(rounds) for name, rounds in speeds.items()}
    figures = [(f"{what}: {name}", speed, "per second") for name, speed in medians.items()]
    return figures + [
        (f"{what}: {ours}, against {name}", medians[ours] / medians[name], f"times; to reach {times:g}")
        for name, times in reach.items()
    ]
