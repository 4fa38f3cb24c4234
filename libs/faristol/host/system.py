"""The operating system: locks of files, the limit of open files, signals. The same functions on POSIX and on Windows.

Modules of one system are imported where they are used, so that every module can be imported on every system.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

LOCKED_BYTE_POSITION = 1 << 30
"""The byte that is locked on Windows. Other processes cannot read a locked byte, so it is beyond the content."""

WINDOWS_DESCRIPTOR_LIMIT = 8_192
"""Open files of a process on Windows, which has no limit to query."""


def lock_file(file: IO[str], *, waits: bool = False) -> None:
    """Lock an open file against other processes until it is closed. Raise ``OSError`` if it is locked.

    With ``waits``, wait until it is free; on Windows at most for ten seconds.
    """
    if sys.platform == "win32":
        import msvcrt

        position = file.tell()
        file.seek(LOCKED_BYTE_POSITION)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK if waits else msvcrt.LK_NBLCK, 1)
        finally:
            file.seek(position)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def hold_lock(path: Path) -> Iterator[None]:
    """Hold the lock of a file within the block. Raise ``OSError`` if the file cannot be opened.

    A missing file is created, with permissions for its owner only.
    """
    with open(path, "a+", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        lock_file(file, waits=True)
        yield


def get_descriptor_limit() -> int:
    """Return the limit of open files of this process."""
    if sys.platform == "win32":
        return WINDOWS_DESCRIPTOR_LIMIT
    import resource

    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def raise_descriptor_limit(wanted: int) -> None:
    """Raise the limit of open files to ``wanted``, or to the most that the system allows."""
    if sys.platform == "win32":
        return
    import resource

    soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = wanted if most == resource.RLIM_INFINITY else min(most, wanted)
    if soft < limit:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, most))


def call_on_signals(callback: Callable[[], object]) -> None:
    """Call ``callback`` in the running loop at SIGTERM, SIGINT and, on Windows, Ctrl-Break."""
    loop = asyncio.get_running_loop()
    names = ("SIGTERM", "SIGINT", "SIGBREAK")
    for number in [getattr(signal, name) for name in names if hasattr(signal, name)]:
        try:
            loop.add_signal_handler(number, callback)
        except NotImplementedError:  # the event loop of Windows
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(callback))
