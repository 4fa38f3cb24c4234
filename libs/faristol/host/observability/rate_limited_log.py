"""Rate-limited log lines that any caller can cause: one of a kind per second, with a count of the others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

EVERY_SECONDS = 1.0

Write = Callable[[str, Mapping[str, Any]], None]
"""Writes a line: its message, and its fields for programs."""


@dataclass(slots=True)
class _Kind:
    last: float
    more: int = 0
    timer: asyncio.TimerHandle | None = None


def _time_of_loop() -> float:
    return asyncio.get_running_loop().time()


class RateLimitedLog:
    """Passes one line of each kind per second; a line one second later has the number of the others.

    The kinds must be few: a reason of the contract, but no text of a caller.
    """

    def __init__(
        self, write: Write, clock: Callable[[], float] = _time_of_loop, every_seconds: float = EVERY_SECONDS
    ) -> None:
        """``clock`` returns seconds, by default those of the running loop."""
        self._write = write
        self._clock = clock
        self._every_seconds = every_seconds
        self._kinds: dict[str, _Kind] = {}

    def tell(self, kind: str, message: str, fields: Mapping[str, Any] | None = None) -> None:
        """Write a line, or count it if the last second had one of its kind."""
        now = self._clock()
        known = self._kinds.get(kind)
        if known and now < known.last:  # the time is of a loop that has ended
            known = None
        if known and known.more and now - known.last >= 2 * self._every_seconds:  # the loop of its timer has ended
            self._tell_more(kind)
        if known is None or (now - known.last >= self._every_seconds and not known.more):
            self._kinds[kind] = _Kind(now)
            self._write(message, fields or {})
            return
        known = self._kinds[kind]
        known.more += 1
        if known.timer is None:
            left = max(0.0, known.last + self._every_seconds - now)
            known.timer = asyncio.get_running_loop().call_later(left, self._tell_more, kind)

    def _tell_more(self, kind: str) -> None:
        known = self._kinds[kind]
        more, self._kinds[kind] = known.more, _Kind(self._clock())
        self._write(f"{kind}: {more} more in {self._every_seconds:g} s", {"kind": kind, "count": more})
