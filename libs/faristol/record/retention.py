"""Which archives are kept: each of the last hours, then the last one of each day, and none that is older."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta

NAME = re.compile(r"record-(\d{8}T\d{6})Z\.archive")
"""Of an archive of the whole record that is written again and again, by the moment at which it was begun, in UTC."""


def moment_of(name: str) -> datetime | None:
    """The moment at which an archive was begun, by its name; None for a file of another name."""
    found = NAME.fullmatch(name)
    if not found:
        return None
    try:
        return datetime.strptime(found[1], "%Y%m%dT%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None


def expired(names: Iterable[str], now: datetime, *, hours: int, days: int) -> list[str]:
    """The archives of these files that are to be removed, the oldest first.

    Each of the last ``hours`` is kept, and of each day (UTC) of the last ``days`` the last one. The newest of all is
    kept however old it is, as is every file that is named otherwise.
    """
    dated = sorted((at, name) for name in names if (at := moment_of(name)))
    last_of_day: dict[date, str] = {at.date(): name for at, name in dated}
    kept = {name for at, name in dated if at >= now - timedelta(hours=hours)}
    kept |= {name for day, name in last_of_day.items() if day >= (now - timedelta(days=days)).date()}
    kept |= {name for _, name in dated[-1:]}
    return [name for _, name in dated if name not in kept]
