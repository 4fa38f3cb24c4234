"""An event loop without real time: the next step is drawn from a seed, and waiting takes no time."""

from __future__ import annotations

import asyncio
import heapq
from collections import deque
from collections.abc import Callable, Coroutine
from contextvars import Context, ContextVar, copy_context
from itertools import count
from random import Random
from typing import Any

NODE: ContextVar[WorkGroup | None] = ContextVar("node", default=None)
"""The owner of the work; None for the world."""


class Stuck(Exception):
    """No step remains, and a task still waits."""


class WorkGroup:
    """Work that starts, freezes and ends together, like a process of an operating system."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.alive = True
        self.frozen = False
        self.kept: list[asyncio.Handle] = []
        """Work that arrived during the freeze."""
        self.left: list[asyncio.Handle] = []
        """Work that arrived after the end."""
        self._tasks: list[asyncio.Task[Any]] = []
        self._most = 256

    def keep(self, task: asyncio.Task[Any]) -> None:
        """Hold a task: if it were collected with its process, its ``finally`` would run after the crash."""
        self._tasks.append(task)
        if len(self._tasks) > self._most:
            self._tasks = [kept for kept in self._tasks if not kept.done()]
            self._most = 2 * len(self._tasks) + 256


class _Serial:
    """An order for objects that Python would order by address in memory."""

    serial: int

    def __hash__(self) -> int:
        return self.serial


class _Future(_Serial, asyncio.Future[Any]):
    def __init__(self, *, loop: Loop) -> None:
        self.serial = loop.serial()
        super().__init__(loop=loop)


class _Task(_Serial, asyncio.Task[Any]):
    def __init__(self, work: Coroutine[Any, Any, Any], *, loop: Loop, **given: Any) -> None:
        self.serial = loop.serial()
        super().__init__(work, loop=loop, **given)
        self._log_destroy_pending = False  # the tasks of a crashed process are never ended
        if group := (given.get("context") or copy_context()).get(NODE):
            group.keep(self)


class Loop(asyncio.BaseEventLoop):
    """One handle at a time: any of those that are ready, or else the next timer.

    ``execute`` is what ``run_in_executor`` does: there are no threads.
    """

    _ready: deque[asyncio.Handle]
    _scheduled: list[asyncio.TimerHandle]
    _timer_cancelled_count: int

    def __init__(self, luck: Random) -> None:
        super().__init__()
        self.execute: Callable[..., asyncio.Future[Any]]
        self.steps = 0
        """Handles that ran."""
        self._luck = luck
        self._now = 0.0
        self._count = count(1)
        self.set_task_factory(lambda loop, work, **given: _Task(work, loop=self, **given))

    def serial(self) -> int:
        """Return a number that was not given before."""
        return next(self._count)

    def time(self) -> float:
        """Return the seconds since the beginning of this world."""
        return self._now

    def create_future(self) -> asyncio.Future[Any]:
        """See ``asyncio``."""
        return _Future(loop=self)

    def run_in_executor(  # type: ignore[override] # more than its types can say
        self, executor: Any, func: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        """See ``asyncio``; the function runs as a step of this loop."""
        return self.execute(func, *args)

    def thaw(self, group: WorkGroup) -> None:
        """Resume a frozen group."""
        group.frozen = False
        self._ready.extend(group.kept)
        group.kept.clear()

    def _write_to_self(self) -> None:
        """Do nothing: no thread waits in a selector."""

    def _process_events(self, event_list: Any) -> None:
        """Do nothing: there is no selector."""

    def _run_once(self) -> None:
        while self._scheduled and (self._scheduled[0].cancelled() or not self._ready):
            self._take_timer()
            if self._ready:
                self._now = max(self._now, self._due)
        if not self._ready:
            raise Stuck(f"nothing is left to happen after {self._now:.3f} s")
        while self._scheduled and self._scheduled[0].when() <= self._now:
            self._take_timer()
        chosen = self._luck.randrange(len(self._ready)) if len(self._ready) > 1 else 0
        handle = self._ready[chosen]
        del self._ready[chosen]
        self._run(handle)

    def _take_timer(self) -> None:
        timer = heapq.heappop(self._scheduled)
        timer._scheduled = False  # type: ignore[attr-defined] # as the loop of the standard library does
        if timer.cancelled():
            self._timer_cancelled_count -= 1
            return
        self._due = timer.when()
        self._ready.append(timer)

    def _run(self, handle: asyncio.Handle) -> None:
        if handle.cancelled():
            return
        context: Context = handle._context  # type: ignore[attr-defined] # kept by every handle, shown by none
        group = context.get(NODE)
        if group is None or (group.alive and not group.frozen):
            self.steps += 1
            handle._run()
        elif group.alive:
            group.kept.append(handle)
        else:
            group.left.append(handle)
