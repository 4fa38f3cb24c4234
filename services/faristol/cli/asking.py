"""Asking a person at the terminal while other work goes on, until the answer comes or the command is interrupted."""

from __future__ import annotations

import asyncio
import sys
import termios
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


async def answered(ask: Callable[[], T]) -> T:
    """What ``ask`` gives, which may wait for the keyboard; raises what it raises.

    When this task is cancelled, as by Ctrl-C, the question is dropped and the terminal is as before: the loop's own
    threads are waited for at the end, and would wait for the next line.
    """
    answer: Future[T] = Future()

    def wait() -> None:
        try:
            found = ask()
        except BaseException as problem:  # noqa: BLE001 # raised where the answer is awaited
            answer.set_exception(problem)
        else:
            answer.set_result(found)

    answer.set_running_or_notify_cancel()
    restore = _terminal_as_it_is()
    threading.Thread(target=wait, name="keyboard", daemon=True).start()
    try:
        return await asyncio.wrap_future(answer)
    except asyncio.CancelledError:
        restore()
        raise


def _terminal_as_it_is() -> Callable[[], None]:
    """Gives what puts the terminal back: an editor of lines changes it while it waits."""
    if not sys.stdin.isatty():
        return lambda: None
    device = sys.stdin.fileno()
    before = termios.tcgetattr(device)
    return lambda: termios.tcsetattr(device, termios.TCSADRAIN, before)
