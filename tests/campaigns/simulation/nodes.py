"""The operating system's processes: they are started, crash, freeze, and are started again."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine
from contextlib import suppress
from contextvars import Context, copy_context
from datetime import datetime, timedelta
from typing import Any, TypeVar

from tests.campaigns.simulation.loop import NODE, WorkGroup
from tests.campaigns.simulation.world import World

T = TypeVar("T")


class Node(WorkGroup):
    """A process, from its start to its end. A restarted process is a different one."""

    def __init__(self, world: World, name: str, skew: timedelta) -> None:
        super().__init__(name)
        self.world = world
        self.connections: list[sqlite3.Connection] = []
        """Its open files, as far as they matter."""
        self.ended = asyncio.Event()
        """Set when the process has ended."""
        self.stop = asyncio.Event()
        """Whether a clean end was requested."""
        self.on_end: list[Callable[[], object]] = []
        """The effects of its end on others."""
        self._skew = skew
        self._context = copy_context()
        self._context.run(NODE.set, self)

    def now(self) -> datetime:
        """Return the time by its clock."""
        return self.world.now() + self._skew

    @property
    def context(self) -> Context:
        """Run a callback as part of this process."""
        return self._context.copy()

    def run(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run an action in this process."""
        return self.world.loop.create_task(work, context=self.context)

    def crash(self, when: str) -> None:
        """End at this moment: no work is finished, no answer is sent, and open transactions have no owner."""
        if not self.alive:
            return
        self.world.trace("crash", f"{self.name}: {when}")
        self._end()

    def exit(self) -> None:
        """End cleanly: all work has been stopped."""
        if self.alive:
            self.world.trace("exit", self.name)
            self._end()

    def _end(self) -> None:
        self.alive = False
        self.left.extend(self.kept)
        self.kept.clear()
        for connection in self.connections:
            with suppress(sqlite3.ProgrammingError):  # it may have been closed cleanly
                connection.rollback()  # otherwise its locks stay as long as a cursor exists
                connection.close()
        self.connections.clear()
        for notice in self.on_end:
            notice()
        self.ended.set()

    def freeze(self, seconds: float) -> None:
        """Freeze for a while, unnoticed by the process."""
        if self.alive and not self.frozen:
            self.world.trace("freeze", f"{self.name}: for {seconds:.1f} s")
            self.frozen = True
            # Not in the context of this process, which would freeze the end of its freeze.
            self.world.loop.call_later(seconds, self.world.loop.thaw, self, context=Context())
