"""Questions at the terminal during other work, until the answer arrives or the command is interrupted."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import TypeVar

T = TypeVar("T")


async def wait_for_answer(ask: Callable[[], T]) -> T:
    """Return the result of ``ask``, which may wait for the keyboard; raise what it raises.

    If this task is cancelled, as by Ctrl-C, the question is dropped and the terminal is restored. A thread of the
    loop's own pool would be joined at the end, and block until the next line.
    """
    answer: Future[T] = Future()

    def wait() -> None:
        try:
            found = ask()
        except BaseException as error:  # noqa: BLE001 # raised where the answer is awaited
            answer.set_exception(error)
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


def enable_line_editing() -> None:
    """Give ``input`` line editing and a history. The console of Windows has its own, and Python no module for it."""
    with suppress(ModuleNotFoundError):
        import readline  # noqa: F401 # the import has the effect


def get_typed_text() -> str:
    """Return the text of the line that is being typed; empty on Windows, which does not tell it."""
    try:
        import readline
    except ModuleNotFoundError:
        return ""
    return readline.get_line_buffer()


def forget_typed() -> None:
    """Discard input typed before the question. Without a terminal it has no effect."""
    if not sys.stdin.isatty():
        return
    if sys.platform == "win32":
        import msvcrt

        while msvcrt.kbhit():
            msvcrt.getwch()
        return
    import termios

    termios.tcflush(sys.stdin, termios.TCIFLUSH)


@contextmanager
def watch_lines(line: Callable[[str], None]) -> Iterator[None]:
    """Call ``line`` with every line typed during the block, and with an empty one at the end of the input.

    No other code may read the terminal in the block. Without a terminal it has no effect, nor on Windows, where an
    event loop cannot wait for the keyboard.
    """
    if not sys.stdin.isatty() or sys.platform == "win32":
        yield
        return
    loop, device = asyncio.get_running_loop(), sys.stdin.fileno()

    def read() -> None:
        for typed in os.read(device, 4096).decode(errors="replace").splitlines(keepends=True) or [""]:
            line(typed)

    loop.add_reader(device, read)
    try:
        yield
    finally:
        loop.remove_reader(device)


def _terminal_as_it_is() -> Callable[[], None]:
    """Return a function that restores the terminal: a line editor changes it while it waits."""
    if not sys.stdin.isatty() or sys.platform == "win32":
        return lambda: None
    import termios

    device = sys.stdin.fileno()
    before = termios.tcgetattr(device)
    return lambda: termios.tcsetattr(device, termios.TCSADRAIN, before)
