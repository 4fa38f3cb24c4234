"""A command of ``faristol`` at a terminal of its own: what a person reads there, and types."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import termios
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.component.processes import FARISTOL, environment

PATIENCE = 60.0
"""Seconds within which what is waited for has to be shown."""

OWN_TERMINAL = """\
import fcntl, os, signal, sys, termios
os.setsid()
signal.signal(signal.SIGINT, signal.SIG_DFL)
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Makes the pseudo-terminal the controlling one, so that keys such as Ctrl-C reach the command.

A shell that starts the tests in the background has them, and so the command, ignore Ctrl-C unless it is set again.
"""

CTRL_C, CTRL_D = "\x03", "\x04"
_CONTROLS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """A command that runs at a pseudo-terminal."""

    def __init__(self, *arguments: str, home: Path | None = None, **settings: object) -> None:
        """``settings`` are those of the environment; what the command keeps of a person goes to ``home``."""
        own = {"TERM": "dumb", "COLUMNS": "200"} | ({"XDG_STATE_HOME": str(home)} if home else {})
        self._master, slave = pty.openpty()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-c", OWN_TERMINAL, FARISTOL, *arguments],
                env=environment(**settings) | own,
                stdin=slave,
                stdout=slave,
                stderr=slave,
            )
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
        """Everything that the terminal has shown, what was typed among it."""
        return _CONTROLS.sub("", self._shown.decode(errors="replace")).replace("\r\n", "\n")

    @property
    def echoes(self) -> bool:
        """Whether it shows what is typed, as it did when the command began."""
        return bool(termios.tcgetattr(self._master)[3] & termios.ECHO)

    def until(self, text: str) -> str:
        """Wait until ``text`` is shown after what was read before; gives all up to its end."""
        give_up = time.monotonic() + PATIENCE
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
        """The exit code, once the command has ended."""
        give_up = time.monotonic() + PATIENCE
        while self._more(give_up):
            pass
        return self._process.wait(PATIENCE)

    def _more(self, give_up: float) -> bool:
        """Whether more was shown before ``give_up``; False at the end of the command, too."""
        ready, _, _ = select.select([self._master], [], [], max(0.0, give_up - time.monotonic()))
        try:
            read = os.read(self._master, 65_536) if ready else b""
        except OSError:  # Linux: nobody holds the other end any more
            read = b""
        self._shown += read
        return bool(read)
