"""The clock of a hall's cell: that of its machine, corrected to that of the championship.

A table opens at the time of the championship, and its clock starts then. On a machine that is an hour ahead, the flag
of the first player would fall at once. So a cell corrects its time when it hears of the championship, but never while
it has a table in play: the times of a table must not go back.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from faristol.files import OWNER_ONLY_BITS, replace_file

OFFSET = "clock.json"
"""File in the folder of the cell with its last correction, for a start without a connection."""

MIN_CORRECTION_SECONDS = 1.0
"""Difference above which the clock is corrected: calls take less than that."""


class HallClock:
    """The time of a hall's cell."""

    def __init__(self, machine: Callable[[], datetime], folder: Path) -> None:
        """``machine`` returns the time of this machine. Raises ``ValueError`` for a malformed file in ``folder``."""
        self._machine = machine
        self._path = folder / OFFSET
        self._offset = timedelta(seconds=_read(self._path))

    def __call__(self) -> datetime:
        """Return the corrected time."""
        return self._machine() + self._offset

    def correct(self, difference: timedelta) -> bool:
        """Add the difference to the championship's time, and store it. Return False if it is too small to correct.

        Raises ``OSError`` if it cannot be stored.
        """
        if abs(difference.total_seconds()) < MIN_CORRECTION_SECONDS:
            return False
        self._offset += difference
        replace_file(self._path, json.dumps(self._offset.total_seconds()).encode(), OWNER_ONLY_BITS)
        return True


def _read(path: Path) -> float:
    if not path.exists():
        return 0.0
    found = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(found, int | float):
        raise ValueError(f"{path} does not have the correction of a clock")
    return float(found)
