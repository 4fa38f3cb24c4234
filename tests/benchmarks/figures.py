"""Measured figures, and their format."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping

Figures = list[tuple[str, float, str]]
"""Subject, value and unit."""

Speeds = Mapping[str, Iterable[float]]
"""The result of each round for each contestant. They alternate, so that a slow minute of the machine affects all."""


def compare_speeds(what: str, speeds: Speeds, ours: str, reach: Mapping[str, float]) -> Figures:
    """Return the median speed of each, and the speed of ``ours`` against those in ``reach``, with its goal."""
    medians = {name: statistics.median(rounds) for name, rounds in speeds.items()}
    figures = [(f"{what}: {name}", speed, "per second") for name, speed in medians.items()]
    return figures + [
        (f"{what}: {ours}, against {name}", medians[ours] / medians[name], f"times; to reach {times:g}")
        for name, times in reach.items()
    ]
