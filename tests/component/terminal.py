"""A command of ``faristol`` at a separate terminal: the text that a person reads and types."""

from __future__ import annotations

import os
import pty
import re
import select
import termios
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.component import prepared
from tests.component.processes import environment

OUTPUT_TIMEOUT_SECONDS = 60.0
"""Seconds within which the expected text must be shown."""

CTRL_C, CTRL_D = "\x03", "\x04"
_CONTROLS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """A command that runs at a pseudo-terminal."""

    def __init__(self, *arguments: str, home: Path | None = None, **settings: object) -> None:
        """``settings`` are environment variables; the command stores personal files in ``home``."""
        own = {"TERM": "dumb", "COLUMNS": "200"} | ({"XDG_STATE_HOME": str(home)} if home else {})
        self._master, slave = pty.openpty()
        try:
            self._process = prepared.start_at_terminal(arguments, environment(**settings) | own, slave)
        finally:
            os.close(slave)
        self._shown = b""
        self._read = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        os.close(self._master)

    @property
    def shown(self) -> str:
        """All text on the terminal, including the typed one."""
        return _CONTROLS.sub("", self._shown.decode(errors="replace")).replace("\r\n", "\n")

    @property
    def echoes(self) -> bool:
        """Whether it echoes typed text, as at the start of the command."""
        return bool(termios.tcgetattr(self._master)[3] & termios.ECHO)

    def until(self, text: str) -> str:
        """Wait until ``text`` is shown after the text read before; return all text up to its end."""
        give_up = time.monotonic() + OUTPUT_TIMEOUT_SECONDS
        while (found := self.shown.find(text, self._read)) < 0:
            if not self._more(give_up):
                raise AssertionError(f"{text!r} was not shown after:\n{self.shown[self._read :]}")
        before, self._read = self._read, found + len(text)
        return self.shown[before : self._read]

    def type(self, line: str) -> None:
        """Type a line and Enter."""
        self.press(f"{line}\n")

    def press(self, keys: str) -> None:
        """Press keys."""
        os.write(self._master, keys.encode())

    def end(self) -> int:
        """Return the exit code, once the command has ended."""
        give_up = time.monotonic() + OUTPUT_TIMEOUT_SECONDS
        while self._more(give_up):
            pass
        return self._process.wait(OUTPUT_TIMEOUT_SECONDS)

    def _more(self, give_up: float) -> bool:
        """Return whether more was shown before ``give_up``; False at the end of the command, too."""
        ready, _, _ = select.select([self._master], [], [], max(0.0, give_up - time.monotonic()))
        try:
            read = os.read(self._master, 65_536) if ready else b""
        except OSError:  # Linux: the other end is closed
            read = b""
        self._shown += read
        return bool(read)
