"""Two replicas of each service and of the relay, by TLS, behind a name and an entrance; stores of three servers."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import signal
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from tests.campaigns.faults.database import Database
from tests.campaigns.faults.entrance import Entrance
from tests.component import nats_cluster
from tests.component.processes import EAGER, FARISTOL, START_SECONDS, Child, faristol, free_port
from tests.support.certificates import Mount, Signed, sign_certificate

from faristol.event_store.integrity.keys import public_path
from faristol.host import SERVICES
from faristol.host.security.tls import Files, Tls
from faristol.host.services import RELAY

REPLICA_COUNT = 2
HOSTS = ("127.0.0.1", "[::1]")
"""Where the replicas listen, each on the same port: the name `localhost` leads to both, as one of DNS in a cluster."""
PROCESSES = (*SERVICES, RELAY)
DRAIN_SECONDS = 1.0
"""Seconds between the end of routing to a replica and the signal that ends it: `preStop`."""
POLL_SECONDS = 0.25
"""Seconds between two checks of readiness."""
AS_INSTALLED: tuple[str, ...] = ()


@dataclass
class Replica:
    """One process of a service."""

    service: str
    number: int
    settings: Mapping[str, object]
    log: Path
    by: Sequence[str] = AS_INSTALLED
    """A program with arguments that starts it, such as `faketime -f +5m`; empty for a direct start."""
    wanted: bool = False
    child: Child | None = None

    @property
    def name(self) -> str:
        """Its name in reports."""
        return f"{self.service}-{self.number}"

    def start(self) -> None:
        """Start it, also again."""
        command = ["serve", self.service]
        if self.by:
            program, *arguments = self.by
            path = shutil.which(program)
            assert path, program
            self.child = Child([*arguments, FARISTOL, *command], self.settings, self.log, path)
        else:
            self.child = Child(command, self.settings, self.log)
        self.wanted = True

    @property
    def runs(self) -> bool:
        """Whether the process exists."""
        return self.child is not None and self.child.process.poll() is None

    async def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal, and wait. Return the exit code."""
        self.wanted = False
        assert self.child
        if self.runs:
            self.child.process.send_signal(number)
        return await asyncio.to_thread(self.child.process.wait, START_SECONDS)

    async def ready(self) -> bool:
        """Return whether it reports that it is ready, and that its consumers work."""
        if not self.runs:
            return False
        address = f"{HOSTS[self.number]}:{self.settings['grpc_health_port']}"
        async with grpc.aio.insecure_channel(address, options=EAGER) as channel:
            stub = health_pb2_grpc.HealthStub(channel)
            for name in (self.service, f"{self.service}.consumers"):
                try:
                    answer = await stub.Check(health_pb2.HealthCheckRequest(service=name), timeout=2)
                except grpc.aio.AioRpcError as problem:
                    if problem.code() is grpc.StatusCode.NOT_FOUND:
                        continue  # it has none
                    return False
                if answer.status != health_pb2.HealthCheckResponse.SERVING:
                    return False
        return True


@dataclass
class Cell:
    """All of it. ``database_folder`` is where the first primary keeps its data."""

    folder: Path
    database_folder: Path | None = None
    lexicons: Path | None = None
    replicas: list[Replica] = field(default_factory=list)
    nodes: list[nats_cluster.Node] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.database = Database(self.folder / "pg", self.database_folder)
        self.pages = Entrance()
        self.authority = sign_certificate("authority")
        self.mount = Mount(self.folder / "tls")
        self.certify(self.authority)
        authorities = self.mount / "ca.crt"
        self.tls = Tls(Files(self.mount / "tls.crt", self.mount / "tls.key", authorities, authorities))
        """The TLS files of a client."""
        self.targets = {service: f"localhost:{free_port()}" for service in SERVICES}
        self.keys, self.of_record = self.folder / "access", self.folder / "access-record"
        """The keys of credentials, and the file that says which record they are for."""
        made = faristol("access", "keys", "rotate", access=self.keys)
        assert made.returncode == 0, made.stderr
        key = self.folder / "seal.key"
        made = faristol("record", "key", str(key))
        assert made.returncode == 0, made.stderr
        self._seal: dict[str, object] = {"seal_key": key, "seal_events": 200, "seal_seconds": 1}
        self.public_key = public_path(key)
        self._stack = contextlib.AsyncExitStack()
        self._tasks: list[asyncio.Task[None]] = []
        self._leaving: set[Replica | str] = set()

    def certify(self, by: Signed, *authorities: Signed) -> None:
        """Issue new certificates ``by`` an authority to all processes, which then trust ``authorities``."""
        self.mount.put(sign_certificate("cell", by, *("127.0.0.1", "localhost", "::1")), *(authorities or (by,)))

    def of(self, *services: str) -> list[Replica]:
        """Return the replicas of some services, or all."""
        return [replica for replica in self.replicas if not services or replica.service in services]

    async def start(self, by: Callable[[str, int], Sequence[str]] = lambda *_: AS_INSTALLED) -> None:
        """Start all processes; ``by`` is the start of a service's replica. Raises ``AssertionError`` if one does not
        serve.

        Raises ``AssertionError`` if a process does not become ready.
        """
        (self.folder / "nats").mkdir()
        tls = self.folder / "tls"
        self.nodes = await self._stack.enter_async_context(nats_cluster.cluster(self.folder / "nats", tls))
        await self.database.start()
        await self.pages.start()
        peers = {f"peer_{name}": target for name, target in self.targets.items() if name != "gateway"}
        shared: dict[str, object] = {
            **peers,
            **self.mount.settings(),
            "database_url": self.database.url,
            "database_connections": 6,
            "nats_url": nats_cluster.url_of(self.nodes, tls),
            "nats_replicas": 3,
            "nats_relay": "false",
            "data": self.folder,
            "access": self.keys,
            "http_requests_per_second": 0,
        }
        if self.lexicons:
            shared["lexicons"] = self.lexicons
        for service in PROCESSES:
            for number in range(REPLICA_COUNT):
                self.replicas.append(self._replica(service, number, shared, by(service, number)))
                self.replicas[-1].start()
                if len(self.replicas) == 1:  # the first creates the record, and the others open it
                    await self._until(self.replicas)
        await self._until(self.replicas)
        self._tasks = [asyncio.create_task(self.database.keep()), asyncio.create_task(self._keep())]
        assert await until(self.ready, START_SECONDS), "people are sent to both gateways"

    def _replica(self, service: str, number: int, shared: Mapping[str, object], by: Sequence[str]) -> Replica:
        port = self.targets[service].rpartition(":")[2] if service in self.targets else free_port()
        settings = {**shared, "grpc_host": HOSTS[number], "grpc_port": port, "grpc_health_port": free_port()}
        if service == "gateway":
            settings |= {"http_port": free_port(), "database_url": "", "nats_url": ""}
        if service == RELAY:
            settings |= {"nats_relay": "true", **self._seal}
        return Replica(service, number, settings, self.folder / f"{service}-{number}.log", by)

    async def _until(self, replicas: Collection[Replica]) -> None:
        async def is_ready(replica: Replica) -> bool:
            assert replica.child
            assert replica.runs, replica.child.output()
            return await replica.ready()

        for replica in replicas:
            assert await until(partial(is_ready, replica), 2 * START_SECONDS), f"{replica.name} is not ready"

    async def _keep(self) -> None:
        """Act as a cluster: restart processes that ended by themselves, and route people to gateways that are ready."""
        while True:
            for replica in self.replicas:
                if replica.wanted and not replica.runs:
                    replica.start()
            gateways = self.of("gateway")
            # the probe of the manifests: ``/readyz`` of a gateway reports results, which may be about to be replaced
            readiness = await asyncio.gather(*(replica.ready() for replica in gateways))
            self.pages.behind = [
                int(str(each.settings["http_port"]))
                for each, is_ready in zip(gateways, readiness, strict=True)
                if is_ready and each.name not in self._leaving
            ]
            await asyncio.sleep(POLL_SECONDS)

    async def restart(self, replica: Replica, *, drain: bool = True, by: Sequence[str] | None = None) -> int:
        """End a replica as a rollout does, and restart it; return its exit code.

        Without ``drain`` its end is not announced, and it has no time to finish running work.
        """
        self._leaving.add(replica.name)
        if drain:
            port = replica.settings.get("http_port")
            self.pages.behind = [each for each in self.pages.behind if str(each) != str(port)]
            await asyncio.sleep(DRAIN_SECONDS)
            code = await replica.end()
        else:
            assert replica.child
            replica.wanted = False
            replica.child.process.send_signal(signal.SIGTERM)
            await asyncio.sleep(0.1)
            code = await replica.end(signal.SIGKILL)
        if by is not None:
            replica.by = by
        replica.start()
        self._leaving.discard(replica.name)
        await self._until([replica])
        return code

    async def ready(self) -> bool:
        """Return whether every replica is ready, and visitors are routed to both gateways."""
        return len(self.pages.behind) == REPLICA_COUNT and all(
            await asyncio.gather(*(replica.ready() for replica in self.replicas))
        )

    async def stop(self) -> list[str]:
        """End all processes. Return the processes that did not end cleanly."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        running_replicas = [replica for replica in self.replicas if replica.runs]
        codes = await asyncio.gather(*(replica.end() for replica in running_replicas), return_exceptions=True)
        await self.pages.stop()
        await self._stack.aclose()
        await self.database.stop()
        return [
            f"{replica.name} ended with {code!r}"
            for replica, code in zip(running_replicas, codes, strict=True)
            if code != 0
        ]


async def until(true: Callable[[], Awaitable[bool]], seconds: float) -> bool:
    """Wait until a condition is true, for a limited time; return whether it became true."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while True:
                if await true():
                    return True
                await asyncio.sleep(POLL_SECONDS)
    return False
