"""Conditions that always hold, and rare situations that tests must reach.

Problem. A simulation only tests the situations that its workload and its faults reach, and does not show which these
are. A condition that a test checks at the end of a run is not checked in production.

Idea. Both are named in the code, where they occur, as in Antithesis' ``always`` and ``sometimes``. A ``Sometimes``
counts how often it was reached: campaigns list those that were never reached. An ``Always`` counts and logs
violations: the simulation fails at the first one, and a process exports their number as a metric and goes on.

Cost. An addition, or the evaluation of a condition. Neither does I/O, except for the log of a violation.
"""

from __future__ import annotations

import logging

_log = logging.getLogger(__name__)

SITUATIONS: list[Sometimes] = []
"""Every situation of the imported modules."""
INVARIANTS: list[Always] = []
"""Every invariant of the imported modules."""


class Sometimes:
    """A rare situation, in a few words: ``a command is decided again after a conflict``."""

    __slots__ = ("count", "description")

    def __init__(self, description: str) -> None:
        self.description = description
        self.count = 0
        """Number of times that it was reached since the start or the last reset."""
        SITUATIONS.append(self)

    def note(self, condition: object = True) -> None:
        """Count the situation if the condition is true."""
        if condition:
            self.count += 1


class Always:
    """A condition that always holds, in a few words: ``positions have no gap``."""

    __slots__ = ("count", "description")

    def __init__(self, description: str) -> None:
        self.description = description
        self.count = 0
        """Number of violations since the start or the last reset."""
        INVARIANTS.append(self)

    def check(self, condition: object, details: str = "") -> None:
        """Count and log a violation if the condition is false. ``details`` names ids and positions, no person."""
        if not condition:
            self.count += 1
            _log.error("violated: %s%s", self.description, f" ({details})" if details else "")


def reset_counts() -> None:
    """Reset every count: another run begins."""
    for situation in SITUATIONS:
        situation.count = 0
    for invariant in INVARIANTS:
        invariant.count = 0
