"""The retention of archives: each of the last hours, then the last one of each day."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta

ARCHIVE_NAME_PATTERN = re.compile(r"record-(\d{8}T\d{6})Z\.archive")
"""File name of a periodic archive of the whole record, with its start time in UTC."""


def moment_of(name: str) -> datetime | None:
    """Parse the start time from the name of an archive; return None for another name."""
    found = ARCHIVE_NAME_PATTERN.fullmatch(name)
    if not found:
        return None
    try:
        return datetime.strptime(found[1], "%Y%m%dT%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None


def list_expired(names: Iterable[str], now: datetime, *, hours: int, days: int) -> list[str]:
    """List the archives to remove, the oldest first.

    Each of the last ``hours`` is retained, and the last one of each day (UTC) of the last ``days``. The newest is
    always retained, and so is every file of another name.
    """
    dated = sorted((at, name) for name in names if (at := moment_of(name)))
    last_of_day: dict[date, str] = {at.date(): name for at, name in dated}
    kept = {name for at, name in dated if at >= now - timedelta(hours=hours)}
    kept |= {name for day, name in last_of_day.items() if day >= (now - timedelta(days=days)).date()}
    kept |= {name for _, name in dated[-1:]}
    return [name for _, name in dated if name not in kept]
