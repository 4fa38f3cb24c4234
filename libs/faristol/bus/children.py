"""Child processes: they end with this process, and when it wants them to."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

_END_WITH_PARENT = """
import ctypes, os, signal, sys
PR_SET_PDEATHSIG = 1
ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
if os.getppid() == int(sys.argv[1]):
    os.execv(sys.argv[2], sys.argv[2:])
"""
"""Has Linux end this process when its parent, whose id comes first, is killed, and becomes the program that follows.

A program of its own rather than a ``preexec_fn``: with one Python really forks, and gRPC's threads then start in the
child as well, where they crash it now and then (github.com/grpc/grpc/issues/43055).
"""


def ending_with_us() -> list[str]:
    """What goes before a command so that it ends when we are killed, where the system can do that."""
    if sys.platform != "linux" or not sys.executable:
        return []
    return [sys.executable, "-I", "-S", "-c", _END_WITH_PARENT, str(os.getpid())]


async def stopped(process: Process, seconds: float) -> None:
    """Ask a child to end and wait until it has; after so many ``seconds`` it is killed."""
    if process.returncode is None:
        process.terminate()
        try:
            async with asyncio.timeout(seconds):
                await process.wait()
        except TimeoutError:
            await _killed(process)


@asynccontextmanager
async def killed_on_failure(process: Process) -> AsyncIterator[None]:
    """Kill a child where the block raises, as where it does not come up."""
    try:
        yield
    except BaseException:
        if process.returncode is None:
            await _killed(process)
        raise


async def _killed(process: Process) -> None:
    process.kill()
    await process.wait()
