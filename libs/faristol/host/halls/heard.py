"""Time of the last message of the championship to the cell of a hall, in a file that all services of the cell read."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

HEARD = "heard"
"""File with the time at which the championship last answered."""

MAX_SILENT_SECONDS = 30.0
"""Seconds after which a championship that was not heard counts as unreachable."""


def load_heard(folder: Path) -> datetime | None:
    """Return the time of the last answer; None without one, or if it cannot be read as after a loss of power."""
    try:
        stored = datetime.fromisoformat((folder / HEARD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return stored if stored.tzinfo else None


def is_silent(heard_at: datetime | None, now: datetime) -> bool:
    """Check whether a championship that answered at a time, or never, counts as unreachable."""
    return heard_at is None or (now - heard_at).total_seconds() > MAX_SILENT_SECONDS
