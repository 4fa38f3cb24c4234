"""Processes of ``faristol`` that start at once: forked from one that has imported all modules.

A start costs a second or two of imports, and the tests start hundreds. The fork is a process like any other, with
separate memory, environment and signals. Only its modules are already imported. Tests of the start itself run the
installed command.
"""

from __future__ import annotations

import array
import atexit
import contextlib
import ctypes
import fcntl
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import threading
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO, Any, NoReturn

DEATH_SIGNAL_NUMBER = 1
MAX_REQUEST_BYTES = 1 << 20
"""Bytes that arguments and environment take at most."""


class Process:
    """A forked process, with the used part of ``subprocess.Popen``."""

    def __init__(self, connection: socket.socket, pid: int) -> None:
        self._connection = connection
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit code; negative for a signal; None while it runs."""
        return self._read_code(0.0)

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code, when it has ended. Raises ``subprocess.TimeoutExpired``."""
        if (code := self._read_code(timeout)) is None:
            raise subprocess.TimeoutExpired("faristol", timeout or 0.0)
        return code

    def _read_code(self, timeout: float | None) -> int | None:
        if self.returncode is None:
            self._connection.settimeout(timeout)
            try:
                said = self._connection.recv(16)
            except (TimeoutError, BlockingIOError):
                return None
            self._connection.close()
            self.returncode = int(said) if said else -signal.SIGKILL
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Send SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL."""
        self.send_signal(signal.SIGKILL)


def start(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    out: IO[bytes],
    errors: IO[bytes],
    given: IO[bytes] | None = None,
) -> Process:
    """Start ``faristol`` with these arguments in the folder of this process; its standard input is ``given``."""
    with Path(os.devnull).open("rb") as nothing:
        files = [(given or nothing).fileno(), out.fileno(), errors.fileno()]
        return _start(arguments, environment, files, at_terminal=False)


def start_at_terminal(arguments: Sequence[str], environment: Mapping[str, str], terminal: int) -> Process:
    """Start ``faristol`` in a separate session, whose controlling terminal is that of the file descriptor ``terminal``.

    Keys such as Ctrl-C reach it.
    """
    return _start(arguments, environment, [terminal] * 3, at_terminal=True)


def _start(
    arguments: Sequence[str], environment: Mapping[str, str], files: Sequence[int], *, at_terminal: bool
) -> Process:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.connect(_server())
    request = {
        "arguments": [*arguments],
        "environment": {**environment},
        "folder": str(Path.cwd()),
        "at_terminal": at_terminal,
    }
    socket.send_fds(connection, [json.dumps(request).encode()], files)
    return Process(connection, int(connection.recv(16)))


@cache
def _server() -> str:
    """Return the address of the process that all are forked from, one for each process of the tests."""
    folder = tempfile.mkdtemp(prefix="faristol-")
    address = f"{folder}/prepared"
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("FARISTOL_", "OTEL_"))}
    server = subprocess.Popen([sys.executable, __file__, address], env=clean, stdin=subprocess.PIPE)
    atexit.register(server.terminate)
    until = time.monotonic() + 600  # a busy machine takes minutes to import all modules
    while not Path(address).exists():
        assert server.poll() is None, "the process to fork from has ended"
        assert time.monotonic() < until, "the process to fork from takes too long"
        time.sleep(0.02)
    return address


# --- in the process that all are forked from --------------------------------------------------------------------------


class _Forked(Exception):
    """this is the child now: close the files of the server"""

    def __init__(self, request: dict[str, Any]) -> None:
        self.request = request


class _Server:
    """Forks a process for each connection, and sends its exit code to it."""

    def __init__(self, address: str) -> None:
        self._running: dict[int, socket.socket] = {}
        self._selector = selectors.DefaultSelector()
        self._woken, waking = socket.socketpair()
        self._waking = waking
        for end in (self._woken, waking):
            end.setblocking(False)
        signal.set_wakeup_fd(waking.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._listening.bind(f"{address}~")
        self._listening.listen(64)
        Path(f"{address}~").rename(address)
        self._selector.register(self._listening, selectors.EVENT_READ)
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._selector.register(sys.stdin, selectors.EVENT_READ)

    def serve(self) -> None:
        """Serve until standard input ends. Raises ``_Forked`` in each child."""
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is self._listening:
                    self._fork()
                elif key.fileobj is self._woken:
                    self._woken.recv(4096)
                    self._reap()
                else:
                    return

    def _fork(self) -> None:
        connection, _ = self._listening.accept()
        said, ancillary, _, _ = connection.recvmsg(MAX_REQUEST_BYTES, socket.CMSG_SPACE(3 * array.array("i").itemsize))
        files = array.array("i")
        for _level, _kind, data in ancillary:
            files.frombytes(data)
        pid = os.fork()
        if pid:
            for file in files:
                os.close(file)
            self._running[pid] = connection
            connection.send(str(pid).encode())
            return
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)
        self._selector.close()
        for each in (connection, self._listening, self._woken, self._waking, *self._running.values()):
            each.close()
        raise _Forked(json.loads(said))

    def _reap(self) -> None:
        while self._running:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            with self._running.pop(pid) as connection:
                try:
                    connection.send(str(os.waitstatus_to_exitcode(status)).encode())
                except BrokenPipeError:
                    continue  # the client has gone


def _be(arguments: list[str], environment: dict[str, str], folder: str, *, at_terminal: bool) -> None:
    """Run the command, which is killed if the process that it was forked from ends, as in an aborted test run."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(DEATH_SIGNAL_NUMBER, signal.SIGKILL)
    if at_terminal:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        # A shell that starts the tests in the background has them, and so the command, ignore Ctrl-C.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    time.tzset()
    sys.argv = ["faristol", *arguments]
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w", errors="backslashreplace")  # noqa: SIM115
    from faristol.cli.main import main

    try:
        main()
    except SystemExit as ended:
        if not isinstance(ended.code, int):
            raise
        _end(ended.code)
    _end(0)


def _end(code: int) -> NoReturn:
    """End this process as the interpreter does, but leave its memory to the system.

    The interpreter would release each object, and so copy all pages that the fork shares.
    """
    threading._shutdown()  # type: ignore[attr-defined]  # it joins the threads that are not daemons
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
    os._exit(code)


def _prepare() -> None:
    """Import the modules of commands and services."""
    import gc
    import pkgutil

    import faristol.cli
    import faristol.cli.main
    from faristol.host import SERVICES
    from faristol.launcher.processes import builders

    builders(SERVICES)
    for module in pkgutil.iter_modules(faristol.cli.__path__, "faristol.cli."):
        __import__(module.name)
    gc.freeze()


if __name__ == "__main__":
    _prepare()
    asked: dict[str, Any] = {}
    try:
        _Server(sys.argv[1]).serve()
    except _Forked as child:
        asked = child.request  # and out of here: no exception is being handled when a command begins
    if asked:
        _be(**asked)
