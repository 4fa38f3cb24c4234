"""SQLite without threads: statements run as steps of the loop, and processes crash around their commits."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, partial
from typing import Any
from unittest.mock import patch

import aiosqlite.core
import sqlalchemy
from sqlalchemy import Engine
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from tests.campaigns.simulation.loop import NODE
from tests.campaigns.simulation.nodes import Node
from tests.campaigns.simulation.world import World

from faristol.event_store.append.group import Group
from faristol.event_store.backends import sqlite
from faristol.event_store.backends.sqlite_driver import Connection

MAX_STATEMENT_SECONDS = 0.002
"""Seconds that a statement takes at most."""
MAX_SLOW_STATEMENT_SECONDS = 0.1
"""The same for a slow one: others decide on the same state meanwhile."""
LOCK_RETRY_SECONDS = 0.005
"""Seconds until a statement that found the database locked is tried again."""

AT_ONCE = ("cursor", "fetchall", "fetchone", "fetchmany", "close")
"""methods of cursors that affect no other connection take no time, which halves the work of the loop"""

Step = Callable[[], Any]


@cache
def _first_engine() -> Engine:
    """Return an engine that never connects. The others use its dialect and its compiled statements.

    Each process that starts would compile them again, which takes a sixth of a run.
    """
    return sqlalchemy.create_engine("sqlite+aiosqlite://")


def _create_engine(*args: Any, **kwargs: Any) -> AsyncEngine:
    """Create an engine that shares compiled statements with the others."""
    engine = create_async_engine(*args, **kwargs)
    engine.sync_engine.dialect = _first_engine().dialect
    engine.sync_engine._compiled_cache = _first_engine()._compiled_cache
    return engine


class Disk:
    """Runs every statement of every process, one at a time."""

    def __init__(self, world: World, committed: Step) -> None:
        """``committed`` is called after each commit."""
        self.world = world
        self._committed = committed
        self.patience = sqlite.LOCK_TIMEOUT_SECONDS
        self._luck = world.luck("disk")

    @contextmanager
    def around(self) -> Iterator[None]:
        """Route both ways to SQLite here. A caller that finds the database locked waits in the loop, not in SQLite."""
        with ExitStack() as stack:
            stack.enter_context(patch.object(aiosqlite.core, "SimpleQueue", partial(_Steps, self)))
            stack.enter_context(patch.object(aiosqlite.core, "Thread", _NoThread))
            stack.enter_context(patch.object(sqlite, "LOCK_TIMEOUT_SECONDS", 0))
            stack.enter_context(patch.object(sqlite, "create_async_engine", _create_engine))
            stack.enter_context(patch.object(self.world.loop, "execute", self._execute, create=True))
            yield

    def _execute(self, function: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:
        future = self.world.loop.create_future()
        whole = any(isinstance(work, partial) and work.func is sqlite._write for work in args)
        self.soon(partial(self.run, partial(function, *args), future, lambda: None, commits=whole, whole=whole))
        return future

    def soon(self, step: Step) -> None:
        """Run a step at the turn of the disk."""
        is_slow = self.world.happens(self.world.faults.disk_slow)
        most = MAX_SLOW_STATEMENT_SECONDS if is_slow else MAX_STATEMENT_SECONDS
        self.world.loop.call_later(self._luck.random() * most, step)

    def run(
        self,
        function: Step,
        future: asyncio.Future[Any] | None,
        done: Step,
        *,
        commits: bool,
        whole: bool = False,
        until: float | None = None,
    ) -> None:
        """Run a statement, or a ``whole`` transaction; ``done`` is called after it, and not while it is locked out."""
        node = NODE.get()
        faults = self.world.faults
        if commits and isinstance(node, Node):
            if self.world.happens(faults.crash_before_commit):
                node.crash("before a commit")
                return
            if self.world.happens(faults.crash_in_commit):
                if whole:
                    _write_half(function)  # otherwise its rows were written by the statements before
                node.crash("in a commit")
                return
            if self.world.happens(faults.disk_refuses):
                self._refuse(future)
                done()
                return
        try:
            result = function()
        except sqlite3.Error as problem:
            until = self.world.loop.time() + self.patience if until is None else until
            if _is_locked(problem) and self.world.loop.time() < until:
                again = partial(self.run, function, future, done, commits=commits, whole=whole, until=until)
                self.world.loop.call_later(LOCK_RETRY_SECONDS * (0.5 + self._luck.random()), again)
                return
            _tell(future, problem=problem)
        except Exception as problem:  # noqa: BLE001 # it is the caller's
            _tell(future, problem=problem)
        else:
            if isinstance(result, sqlite3.Connection) and isinstance(node, Node):
                node.connections.append(result)
            if commits:
                self.world.trace.note("commit", "")
                self._committed()
                if isinstance(node, Node) and self.world.happens(faults.crash_after_commit):
                    node.crash("after a commit")
                    return
            _tell(future, result=result)
        done()

    def _refuse(self, future: asyncio.Future[Any] | None) -> None:
        self.world.trace.note("fault", "the disk is full")
        problem = sqlite3.OperationalError("database or disk is full")
        _tell(future, problem=problem)


def _write_half(transaction: Step) -> None:
    """Write the rows of a transaction that is never committed."""
    insert = sqlite._insert

    def insert_and_crash(connection: sqlite3.Connection, group: Group) -> bool:
        insert(connection, group)
        raise sqlite3.OperationalError("the process ends here")

    with patch.object(sqlite, "_insert", insert_and_crash), suppress(sqlite3.Error):
        transaction()


def _is_locked(problem: sqlite3.Error) -> bool:
    return getattr(problem, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY


def _tell(future: asyncio.Future[Any] | None, *, result: Any = None, problem: BaseException | None = None) -> None:
    if future is None or future.done():
        return
    if problem:
        future.set_exception(problem)
    else:
        future.set_result(result)


class _Steps:
    """The pending work of a connection, in order: the queue of its thread."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._waiting: deque[tuple[asyncio.Future[Any] | None, Step]] = deque()
        self._busy = False

    def put_nowait(self, item: tuple[asyncio.Future[Any] | None, Step]) -> None:
        if not self._busy and _name(item[1]) in AT_ONCE:
            self._disk.run(item[1], item[0], lambda: None, commits=False)
            return
        self._waiting.append(item)
        if not self._busy:
            self._busy = True
            self._disk.soon(self._next)

    def _next(self) -> None:
        future, function = self._waiting.popleft()
        self._disk.run(function, future, self._finish_step, commits=_commits(function))

    def _finish_step(self) -> None:
        self._busy = bool(self._waiting)
        if self._busy:
            self._disk.soon(self._next)


def _unwrap(function: Step) -> Any:
    """Return the call of SQLite in a step of the product's driver, which counts its calls."""
    if isinstance(function, partial) and function.func.__name__ == Connection._finish.__name__:
        return function.args[0]
    return function


def _name(function: Step) -> str:
    function = _unwrap(function)
    called = function.func if isinstance(function, partial) else function
    return str(getattr(called, "__name__", ""))


def _commits(function: Step) -> bool:
    connection = getattr(getattr(_unwrap(function), "func", None), "__self__", None)
    return _name(function) == "commit" and isinstance(connection, sqlite3.Connection) and connection.in_transaction


class _NoThread:
    """Replaces the thread of a connection."""

    daemon = False

    def __init__(self, target: Any, args: Any) -> None:
        """``_Steps`` runs the work instead."""

    def start(self) -> None:
        """Do nothing: there is no thread to start."""
