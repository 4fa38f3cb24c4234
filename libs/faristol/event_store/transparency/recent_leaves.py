"""Leaves of the log from the appends of this process, which need not be read from the database again.

Problem. An append has each event in memory with its framed content. To read the event again costs several times the
hashes of its leaf.

Idea. The process that signs the log gets the groups that it has committed, and computes the leaves after the callers
have their answers. They wait in memory, 32 bytes each, until the log stores them in tiles.

Invariants:

- The leaves are of adjacent positions. After an event of another process, or a copy, only later ones are known.
- A run of leaves is used only if the record has the last of its events with the same hash. A database that lost its
  last commits, for example after a failover, gives the positions to other events, each with a random id.
- The leaves are a cache: without them, the log reads the record.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Sequence
from itertools import repeat
from typing import NamedTuple

from faristol.event_store.append.group import Group
from faristol.event_store.event import frame_value
from faristol.event_store.transparency.entry import compute_leaves

MAX_RECENT_LEAVES = 50_000
"""Leaves in memory. If the log stores none for so long, they are dropped."""

MAX_NOTED_EVENTS = 1_024
"""Events of a transaction whose leaves are computed at once. More are read from the record, which is done in parts."""

HASHED_EVENTS = 256
"""Events whose leaves are computed at a time, in about half a millisecond."""


class LeafRun(NamedTuple):
    """Leaves of adjacent events."""

    leaves: Sequence[bytes]
    position: int
    """Position of the last event."""
    hash: bytes
    """Hash of the last event in its stream."""


class RecentLeaves:
    """The leaves of the latest events, as far as this process appended them."""

    def __init__(self) -> None:
        self.begin = 0
        """Position before the first leaf."""
        self._end = 0
        """Position of the last event, which may have no leaf yet."""
        self._leaves: list[bytes] = []
        self._ends: list[tuple[int, bytes]] = []
        """Position and hash of the last event of each group with leaves."""
        self._waiting: list[Group] = []
        """Groups without leaves yet."""
        self._hashed_at = 0
        """Position of the last event at the last request to compute leaves."""

    def __len__(self) -> int:
        return self._end - self.begin

    def note(self, group: Group) -> None:
        """Add a committed group. Its leaves are computed later."""
        if len(group.events) > MAX_NOTED_EVENTS:
            self.clear(group.position)
            return
        if group.begin != self._end or len(self) >= MAX_RECENT_LEAVES:
            self.clear(group.begin)
        self._waiting.append(group)
        self._end = group.position
        if self._end - self._hashed_at >= HASHED_EVENTS:
            self._hashed_at = self._end
            asyncio.get_running_loop().call_soon(self._compute_waiting)

    def _compute_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        for group in waiting:
            hashes = [event[-1] for event in group.events]
            self._leaves += compute_leaves(hashes, group.contents, repeat(frame_value(group.recorded_at)))
            self._ends.append((group.position, hashes[-1]))

    def find_run(self, after: int, up_to: int) -> LeafRun | None:
        """Return the leaves after a position, at most up to another one; None without leaves.

        A run ends with the last event of a transaction.
        """
        self._compute_waiting()
        at = bisect_right(self._ends, up_to, key=lambda end: end[0]) - 1
        if after < self.begin or at < 0 or self._ends[at][0] <= after:
            return None
        position, last_hash = self._ends[at]
        return LeafRun(self._leaves[after - self.begin : position - self.begin], position, last_hash)

    def drop(self, up_to: int) -> None:
        """Forget the leaves up to a position, which are stored."""
        self._compute_waiting()
        if up_to >= self._end:
            self.clear(self._end)
        elif up_to > self.begin:
            del self._leaves[: up_to - self.begin]
            del self._ends[: bisect_right(self._ends, up_to, key=lambda end: end[0])]
            self.begin = up_to

    def clear(self, begin: int = 0) -> None:
        """Forget all leaves; the next one is of the event after ``begin``."""
        self.begin = self._end = self._hashed_at = begin
        self._leaves.clear()
        self._ends.clear()
        self._waiting.clear()
