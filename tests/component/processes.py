"""Faristol as an operator runs it: processes, ports, signals."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Self, cast

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from tests.component import prepared

from faristol.host import SERVICES
from faristol.host.rpc.channels import CHANNEL_OPTIONS

FARISTOL = str(Path(sys.executable).with_name("faristol"))
START_SECONDS = 60.0
EAGER = (*CHANNEL_OPTIONS[:2], ("grpc.max_reconnect_backoff_ms", 200))
"""Of connections: a process that is there, or back, is found at once, and not seconds after it listens."""


def free_port() -> int:
    """Return a free loopback port.

    It is below those that the system gives to outgoing connections, one of which could otherwise take it while the
    process that listened on it is being started again.
    """
    while True:
        port = random.SystemRandom().randrange(10_000, 32_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


def environment(**settings: object) -> dict[str, str]:
    """Return this process's environment without its own settings, and with these."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("FARISTOL_", "OTEL_"))}
    if lexicons := os.environ.get("FARISTOL_LEXICONS"):
        clean["FARISTOL_LEXICONS"] = lexicons
    if not {"open", "access"} & settings.keys():
        clean["FARISTOL_OPEN"] = "true"  # as in tests/conftest.py
    return clean | {f"FARISTOL_{key.upper()}": str(value) for key, value in settings.items()}


def faristol(
    *arguments: str, timeout: float = 60, given: str = "", **settings: Any
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, with ``given`` as its standard input."""
    with tempfile.TemporaryFile() as typed, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        typed.write(given.encode())
        typed.seek(0)
        process = prepared.start(arguments, environment(**settings), out, errors, typed)
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        return subprocess.CompletedProcess([FARISTOL, *arguments], code, _text(out), _text(errors))


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


@dataclass
class Child:
    """A running command of ``faristol``, or of another program, whose output goes to a file."""

    arguments: Sequence[str]
    settings: Mapping[str, object]
    log: Path
    program: str = FARISTOL
    packages: Path | None = None
    """A folder whose packages have precedence over installed ones."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Further variables of its environment. Those of the dynamic linker need a process that is not forked."""
    process: subprocess.Popen[bytes] | prepared.Process = field(init=False)

    def __post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        """Start it, also again."""
        with self.log.open("ab") as log:
            settings = {**environment(**self.settings), **self.variables}
            if self.program == FARISTOL and self.packages is None and not self.variables:
                self.process = prepared.start(self.arguments, settings, log, log)
                return
            if self.packages is not None:
                settings["PYTHONPATH"] = str(self.packages)
            self.process = subprocess.Popen([self.program, *self.arguments], env=settings, stdout=log, stderr=log)

    def kill(self) -> None:
        """Send SIGKILL."""
        self.process.kill()
        self.process.wait()

    def terminate(self) -> int:
        """Send SIGTERM and return the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)

    def output(self) -> str:
        """Return the output so far."""
        return self.log.read_text(errors="replace")


def wait_until_serving(address: str, child: Child, service: str = "", ca: Path | None = None) -> None:
    """Wait for the health check of a gRPC server. ``ca`` is the file that it makes of its authority, with TLS."""
    give_up = time.monotonic() + START_SECONDS
    while ca is not None and not ca.exists():
        assert child.process.poll() is None, child.output()
        assert time.monotonic() < give_up, f"{address} has no certificate:\n{child.output()}"
        time.sleep(0.05)
    with _open_channel(address, ca) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        while time.monotonic() < give_up:
            assert child.process.poll() is None, child.output()
            try:
                answer = stub.Check(health_pb2.HealthCheckRequest(service=service), timeout=1)
            except grpc.RpcError:
                time.sleep(0.05)
                continue
            if answer.status == health_pb2.HealthCheckResponse.SERVING:
                return
    raise AssertionError(f"{address} does not serve:\n{child.output()}")


def _open_channel(address: str, ca: Path | None) -> grpc.Channel:
    if ca is None:
        return grpc.insecure_channel(address, options=EAGER)
    return grpc.secure_channel(address, grpc.ssl_channel_credentials(ca.read_bytes()), options=EAGER)


class Cell:
    """The eight services as eight processes."""

    def __init__(self, folder: Path, database_url: str, nats_url: str, **settings: object) -> None:
        """``settings`` of all; those of a single service are under its name."""
        alone = {service: settings.pop(service, {}) for service in SERVICES}
        ports = {service: free_port() for service in SERVICES}
        self.http_port = free_port()
        self.addresses = {service: f"127.0.0.1:{port}" for service, port in ports.items()}
        peers = {f"peer_{service}": address for service, address in self.addresses.items()}
        shared = peers | {"data": folder, "database_url": database_url, "nats_url": nats_url, **settings}
        self.services: dict[str, Child] = {}
        for service, port in ports.items():
            own: dict[str, object] = {"grpc_port": port}
            if service == "gateway":  # it requests all data from the others
                own |= {"http_port": self.http_port, "database_url": "", "nats_url": ""}
            every: dict[str, object] = shared | own | dict(cast("Mapping[str, object]", alone[service]))
            self.services[service] = Child(["serve", service], every, folder / f"{service}.log")

    def wait(self, *services: str) -> Self:
        """Wait until these, or all, serve."""
        for service in services or SERVICES:
            wait_until_serving(self.addresses[service], self.services[service])
        return self

    @property
    def client_settings(self) -> dict[str, Any]:
        """The settings that give a client the addresses of services."""
        return {f"client_{service}_address": address for service, address in self.addresses.items()}

    def stop(self) -> dict[str, int]:
        """Send SIGTERM to all and return the exit codes."""
        for child in self.services.values():
            if child.process.poll() is None:
                child.process.send_signal(signal.SIGTERM)
        return {service: child.process.wait(30) for service, child in self.services.items()}


class ReplicatedCell:
    """A cell with several processes of each service, and targets that list all of them."""

    def __init__(self, folder: Path, database_url: str, nats_url: str, replicas: int, **settings: object) -> None:
        ports = {service: [free_port() for _ in range(replicas)] for service in SERVICES}
        targets = {name: "ipv4:" + ",".join(f"127.0.0.1:{port}" for port in of) for name, of in ports.items()}
        peers: dict[str, object] = {f"peer_{service}": target for service, target in targets.items()}
        shared = peers | {"data": folder, "database_url": database_url, "nats_url": nats_url, **settings}
        self.client_settings: dict[str, Any] = {
            f"client_{service}_address": target for service, target in targets.items()
        }
        self.targets = targets
        self.ports = ports
        self.http_ports = [free_port() for _ in range(replicas)]
        self.services: dict[str, list[Child]] = {}
        for service in SERVICES:
            self.services[service] = [
                self._start(service, number, shared | {"grpc_port": port}, folder)
                for number, port in enumerate(ports[service])
            ]
            if service == SERVICES[0]:
                self._wait(service)  # the first creates the record, and the others open it

    def _start(self, service: str, number: int, settings: dict[str, object], folder: Path) -> Child:
        if service == "gateway":  # it requests all data from the others
            settings = settings | {"http_port": self.http_ports[number], "database_url": "", "nats_url": ""}
        return Child(["serve", service], settings, folder / f"{service}-{number}.log")

    def restart(self, service: str, number: int) -> int:
        """End a replica as an orchestrator does, and restart it; return its exit code."""
        child = self.services[service][number]
        code = child.terminate()
        child.start()
        wait_until_serving(f"127.0.0.1:{self.ports[service][number]}", child, service)
        return code

    def _wait(self, service: str) -> None:
        for port, child in zip(self.ports[service], self.services[service], strict=True):
            wait_until_serving(f"127.0.0.1:{port}", child, service)

    def wait(self) -> None:
        """Wait until every replica of every service serves."""
        for service in SERVICES:
            self._wait(service)

    def stop(self) -> None:
        """End all."""
        for of in self.services.values():
            for child in of:
                child.process.terminate()
        for of in self.services.values():
            for child in of:
                child.process.wait(60)


def standings(output: str) -> list[dict[str, Any]]:
    """Return the standings that `faristol demo --json` printed."""
    found: list[dict[str, Any]] = json.loads(output)["standings"]
    return found
