"""Tables of a hall, the most urgent first. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from faristol.kernel.refusal import N_
from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.game_view import ClockView, clocks


class Urgency(IntEnum):
    """Reason why a table needs an arbiter, the most urgent first."""

    CALLS = 0
    """An arbiter was called, or the rules require one."""
    INCIDENT = 1
    """An incident is open that the players settle first."""
    OVERTIME = 2
    ABSENT = 3
    CHALLENGE = 4
    """A judge must rule."""
    STOPPED = 5
    """The clocks are stopped for a reason outside the game."""
    QUIET = 6


_OF_WAITS: Mapping[int, Urgency] = {
    pb.WAIT_KIND_ARBITER: Urgency.CALLS,
    pb.WAIT_KIND_APPEAL: Urgency.CALLS,
    pb.WAIT_KIND_COUNT: Urgency.CALLS,
    pb.WAIT_KIND_UNDERDRAW: Urgency.CALLS,
    pb.WAIT_KIND_OVERDRAW: Urgency.INCIDENT,
    pb.WAIT_KIND_ILLEGAL_EXCHANGE: Urgency.INCIDENT,
    pb.WAIT_KIND_OFF_CENTRE: Urgency.INCIDENT,
    pb.WAIT_KIND_ABSENT: Urgency.ABSENT,
    pb.WAIT_KIND_AWAY: Urgency.ABSENT,
    pb.WAIT_KIND_CHALLENGE: Urgency.CHALLENGE,
}

_STOPPED = frozenset((clock.NEUTRALISATION_REASON_FORCE_MAJEURE, clock.NEUTRALISATION_REASON_CORRECTION))

_NEVER_MS = 1 << 62


@dataclass(frozen=True, slots=True)
class TableRow:
    """Table in the list."""

    table: pb.WatchedTable
    clocks: Mapping[str, ClockView]
    """Clocks by player."""
    reasons: frozenset[Urgency]
    """All reasons; ``QUIET`` only if there is no other."""
    since: int
    """Beginning of the most urgent reason in milliseconds since 1970; a late value if unknown."""
    names: Mapping[str, str]
    """Names by player."""

    @property
    def urgency(self) -> Urgency:
        """Most urgent reason."""
        return min(self.reasons)


def row(table: pb.WatchedTable, now_ms: int) -> TableRow:
    """Return a table at a time in milliseconds since 1970."""
    times = clocks(table)
    reasons = {_urgency(wait) for wait in table.waits}
    if any(_is_over(each, now_ms) for each in times.values()) and not table.end_condition and not table.final:
        reasons.add(Urgency.OVERTIME)
    if table.neutralised_for in _STOPPED:
        reasons.add(Urgency.STOPPED)
    found = frozenset(reasons) or frozenset({Urgency.QUIET})
    moments = [wait.since.ToMilliseconds() for wait in table.waits if _urgency(wait) == min(found)]
    names = {seat.player_id: seat.name for seat in table.seats}
    return TableRow(table, times, found, min(moments, default=_NEVER_MS), names)


def _urgency(wait: pb.Wait) -> Urgency:
    return Urgency.CALLS if wait.arbiter else _OF_WAITS[wait.kind]


def _is_over(of: ClockView, now_ms: int) -> bool:
    """Check whether a clock exceeds its allowance, including the time since its start if it runs."""
    running = max(0, now_ms - of.since) if of.running else 0
    believed = running <= 2 * of.allowance  # a longer time means a late entry or a simulation
    return 0 < of.allowance < of.used + (running if believed else 0)


def rows(tables: Iterable[pb.WatchedTable], now_ms: int) -> list[TableRow]:
    """Return the tables, the most urgent first, then the longest waiting, then by number."""
    found = [row(table, now_ms) for table in tables]
    return sorted(found, key=lambda each: (each.urgency, each.since, each.table.table))


FILTERS: Mapping[str, tuple[str, Callable[[TableRow], bool]]] = {
    "waiting": (N_("Pending"), lambda row: row.urgency < Urgency.QUIET),
    "calls": (N_("Calls"), lambda row: not row.reasons.isdisjoint({Urgency.CALLS, Urgency.INCIDENT})),
    "overtime": (N_("Overtime"), lambda row: Urgency.OVERTIME in row.reasons),
    "absent": (N_("Absent"), lambda row: Urgency.ABSENT in row.reasons),
    "challenges": (N_("Challenges"), lambda row: Urgency.CHALLENGE in row.reasons),
    "all": (N_("All tables"), lambda row: True),
}
"""Filters of the list: label and predicate."""


def count_by_filter(found: Sequence[TableRow]) -> Mapping[str, int]:
    """Return the number of tables for each filter."""
    return {name: sum(map(of, found)) for name, (_, of) in FILTERS.items()}
