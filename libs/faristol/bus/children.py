"""Child processes that end with this process, or when it stops them."""

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
"""On Linux, asks for SIGTERM on the death of the parent with the given pid, then executes the given program.

A program of its own, not a ``preexec_fn``: that makes Python fork, and gRPC's threads then start in the child as well,
where they sometimes crash it (github.com/grpc/grpc/issues/43055).
"""


def build_parent_death_prefix() -> list[str]:
    """Return the prefix of a command that makes it end if this process is killed; empty if unsupported."""
    if sys.platform != "linux" or not sys.executable:
        return []
    return [sys.executable, "-I", "-S", "-c", _END_WITH_PARENT, str(os.getpid())]


async def stop_process(process: Process, seconds: float) -> None:
    """Terminate a child and wait until it has ended; kill it after ``seconds``."""
    if process.returncode is None:
        process.terminate()
        try:
            async with asyncio.timeout(seconds):
                await process.wait()
        except TimeoutError:
            await _kill(process)


@asynccontextmanager
async def kill_on_failure(process: Process) -> AsyncIterator[None]:
    """Kill a child if the block raises, for example if it does not start up."""
    try:
        yield
    except BaseException:
        if process.returncode is None:
            await _kill(process)
        raise


async def _kill(process: Process) -> None:
    process.kill()
    await process.wait()
