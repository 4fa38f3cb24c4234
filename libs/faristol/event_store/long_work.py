"""Long work in the event loop, in slices, so that calls are answered in between.

Problem. A process answers calls in the event loop in which it also handles thousands of events at once, such as those
of halls that come back. A call has dozens of steps, and each step waits for one pass of the loop over all tasks that
are ready. If ten of these tasks work for 50 ms each, a call of 20 steps takes ten seconds.

Idea. Long work ends a slice after ``SLICE_SECONDS``. One task of a loop begins a slice in a pass, however many have
long work: so a pass takes about one slice. While calls are in progress, the next slice begins only after a pause that
is as long as a slice: the calls then have half of the processor at least.

Work for which calls may wait is urgent, such as in a transaction that has the lock of the record. It ends its slices
too, but does not wait for its turn. A call that waits for a projection needs long work, so it is not in progress.

Rejected: threads. Python executes one at a time, and each switch of threads can take as long as a whole step of a call.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakKeyDictionary

SLICE_SECONDS = 0.005
"""Seconds of long work after which other tasks go on, and the pause between two slices while calls are in progress."""


class LongWork:
    """The slices of one task with long work."""

    def __init__(self, *, is_urgent: bool = False) -> None:
        """Work that ``is_urgent`` lets others go on, but does not wait for its turn."""
        self._loop = asyncio.get_running_loop()
        self._is_urgent = is_urgent
        self._began = self._loop.time()

    async def let_others(self) -> None:
        """Let other tasks go on if the slice is over. Call it after each step that is short itself."""
        if self._loop.time() - self._began < SLICE_SECONDS:
            return
        if self._is_urgent:
            await asyncio.sleep(0)
        else:
            await _turns_of(self._loop).wait()
        self._began = self._loop.time()


@contextmanager
def call_in_progress() -> Iterator[None]:
    """Count a call in this task, whose caller waits for its answer."""
    calls, task = _turns_of(asyncio.get_running_loop()).calls, asyncio.current_task()
    calls.add(task)
    try:
        yield
    finally:
        calls.discard(task)


@contextmanager
def long_call() -> Iterator[None]:
    """Stop counting the call in this task for a time: it is long work itself, or waits for some.

    No effect in a task without a call in progress.
    """
    calls, task = _turns_of(asyncio.get_running_loop()).calls, asyncio.current_task()
    is_counted = task in calls
    calls.discard(task)
    try:
        yield
    finally:
        if is_counted:
            calls.add(task)


class _Turns:
    """The tasks of a loop that wait for their next slice, in order."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.calls: set[asyncio.Task[object] | None] = set()
        """Tasks with a call in progress."""
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._is_scheduled = False
        self._loop = loop

    async def wait(self) -> None:
        """Wait until no other task has the turn."""
        given = self._loop.create_future()
        self._waiting.append(given)
        if not self._is_scheduled:
            self._schedule()
        await given

    def _schedule(self) -> None:
        self._is_scheduled = bool(self._waiting)
        if not self._is_scheduled:
            return
        if self.calls:
            self._loop.call_later(SLICE_SECONDS, self._give)
        else:
            self._loop.call_soon(self._give)

    def _give(self) -> None:
        """Give the turn to the first task that still waits, and schedule the next one after its slice."""
        while self._waiting:
            given = self._waiting.popleft()
            if not given.done():
                given.set_result(None)
                break
        self._loop.call_soon(self._schedule)


_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, _Turns] = WeakKeyDictionary()


def _turns_of(loop: asyncio.AbstractEventLoop) -> _Turns:
    found = _turns.get(loop)
    if found is None:
        found = _turns[loop] = _Turns(loop)
    return found
