"""The trace of a run, line by line, and its digest: the same seed has the same one."""

from __future__ import annotations

import hashlib
import logging
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.campaigns.simulation.loop import NODE


class Trace:
    """The course of one run."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.lines: list[str] = []
        self.counts: Counter[str] = Counter()
        """How often each kind of thing happened."""
        self._now = now
        self._digest = hashlib.sha256()

    def __call__(self, kind: str, what: str) -> None:
        line = f"{self._now():10.4f} {kind:<12} {what}"
        self.lines.append(line)
        self.counts[kind] += 1
        self._digest.update(line.encode() + b"\n")

    def note(self, kind: str, what: str) -> None:
        """Write a line with the process that it is about."""
        group = NODE.get()
        self(kind, f"{group.name if group else 'world'}: {what}")

    @property
    def digest(self) -> str:
        """SHA-256 of every line so far."""
        return self._digest.hexdigest()


class Log(logging.Handler):
    """the log of the platform is only part of the trace: its faults are intended"""

    def __init__(self, trace: Trace, place: Path) -> None:
        super().__init__(logging.WARNING)
        self._trace = trace
        self._place = str(place)
        """The folder of the record, whose name differs each time."""

    def emit(self, record: logging.LogRecord) -> None:
        """See ``logging.Handler``."""
        said = record.getMessage()
        if record.exc_info and record.exc_info[1]:
            said += f": {record.exc_info[1]!r}"
        self._trace.note("log", " ".join(said.replace(self._place, "").split()))

    @contextmanager
    def around(self) -> Iterator[None]:
        """Add the log to the trace."""
        log = logging.getLogger("faristol")
        propagate, log.propagate = log.propagate, False
        log.addHandler(self)
        try:
            yield
        finally:
            log.removeHandler(self)
            log.propagate = propagate
