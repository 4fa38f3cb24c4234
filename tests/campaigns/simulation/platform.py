"""The platform: its processes with the services that each runs, kept alive as an orchestrator keeps them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.campaigns.simulation.invariants import check_projection
from tests.campaigns.simulation.jetstream import JetStream
from tests.campaigns.simulation.loop import NODE
from tests.campaigns.simulation.network import Network
from tests.campaigns.simulation.nodes import Node
from tests.campaigns.simulation.world import World

from faristol.access_control import keyring
from faristol.bus import Bus, BusError
from faristol.consumers.generations import ProjectionError
from faristol.consumers.handlers import Reactor
from faristol.consumers.rebuild import REBUILD_LEASE_SECONDS, Rebuild
from faristol.consumers.stopped import CannotTake, is_transient
from faristol.event_store import Record, Recorded, RecordError, long_work
from faristol.host import SERVICES, Runtime, Settings
from faristol.host.process import Process
from faristol.launcher.processes import builders
from faristol.read_models.projections.projection import projection

LAYOUTS: Sequence[Sequence[Sequence[str]]] = (
    (SERVICES,),
    (SERVICES,),
    (SERVICES, SERVICES),
    (SERVICES, SERVICES),
    (("access", "lexicon", "game", "clock"), ("pairing", "rating", "results", "gateway")),
    (("game", "clock"), ("access", "lexicon", "pairing", "rating"), ("game", "clock", "results", "gateway")),
)
"""Which processes run which services: all in one, replicas, and apart."""

REBUILD_BATCH_EVENTS = 20
"""Events of a rebuild in memory at a time: small, so that a record of a few hundred has many batches."""
MAX_REBUILD_PAUSE_SECONDS = 1.0


class Platform:
    """All processes, restarted whenever they end, and their faults."""

    def __init__(self, world: World, network: Network, bus: JetStream, folder: Path, lexicons: Path) -> None:
        self.world = world
        self.problems: list[str] = []
        """Processes that ended without a fault."""
        self.nodes: list[Node] = []
        """All that there ever were."""
        self.pages: dict[Node, Any] = {}
        """The web application of every process that has one."""
        self._network = network
        self._bus = bus
        self._folder = folder
        keyring.prepare(folder / "access")
        self._lexicons = lexicons
        self._luck = world.luck("platform")
        self._layout = self._luck.choice(LAYOUTS)
        self._stopping = False
        self._rebuilds: list[Node] = []
        """Processes of rebuilds."""
        self._pauses: dict[Node, float] = {}
        """Seconds for which a rebuild freezes when it renews its lease."""
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def url(self) -> str:
        """Of the record."""
        return f"sqlite:///{self._folder}/record.db"

    @contextmanager
    def around(self) -> Iterator[None]:
        """Serve the gateway without a socket, and take turns at long work in each process by itself."""
        turns: dict[Any, long_work._Turns] = {}

        def turns_of(loop: asyncio.AbstractEventLoop) -> long_work._Turns:
            return turns.setdefault(NODE.get(None), long_work._Turns(loop))

        with ExitStack() as stack:
            stack.enter_context(patch.object(long_work, "_turns_of", turns_of))
            stack.enter_context(patch("faristol.gateway.service_module.listen", lambda host, port: _Socket()))
            stack.enter_context(patch("faristol.gateway.service_module.serve", self._serve_pages))
            stack.enter_context(patch.object(Reactor, "_react", self._failing(Reactor._react)))
            for step in ("_keep_lease", "_drop"):
                stack.enter_context(patch.object(Rebuild, step, self._pausing(getattr(Rebuild, step))))
            yield

    def _failing(self, react: Any) -> Any:
        """Return ``react`` with the fault that an event fails in it."""

        async def react_or_fail(handler: Any, event: Recorded, append: Any, attempts: int) -> bool:
            if self.world.happens(self.world.faults.reaction_fails):
                self.world.trace.note("fault", f"{handler.name} fails at {event.position}")
                raise CannotTake(event, RuntimeError("a simulated defect"))
            return bool(await react(handler, event, append, attempts))

        return react_or_fail

    def _pausing(self, step: Any) -> Any:
        """Return a step of a rebuild, with the fault that its process freezes before."""

        async def pause_and_go_on(rebuild: Rebuild, *given: Any) -> None:
            node = NODE.get()
            if isinstance(node, Node):
                seconds = self._pauses.pop(node, 0.0)
                if self.world.happens(self.world.faults.rebuild_pauses):
                    seconds = seconds or MAX_REBUILD_PAUSE_SECONDS * self.world.chance.random()
                if seconds:
                    node.freeze(seconds)
                    await asyncio.sleep(0)
            await step(rebuild, *given)

        return pause_and_go_on

    async def _serve_pages(self, web: Any, sock: object, grace: float) -> None:
        node = NODE.get()
        assert isinstance(node, Node), "pages are somebody's"
        self.pages[node] = web
        node.on_end.append(lambda: self.pages.pop(node, None))
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self.pages.pop(node, None)

    def start(self) -> None:
        """Start all processes."""
        for number, services in enumerate(self._layout):
            self._tasks.append(asyncio.create_task(self._keep(f"node{number}", services, 7000 + number)))
        self._tasks.append(asyncio.create_task(self._befall()))

    async def stop(self) -> None:
        """Stop every process cleanly, after the last rebuild has ended."""
        for node in self._rebuilds:
            await node.ended.wait()
        self._stopping = True
        for task in self._tasks:
            task.cancel()
        alive = [node for node in self.nodes if node.alive]
        await asyncio.gather(*(self._stop(node) for node in alive))

    async def _stop(self, node: Node) -> None:
        node.stop.set()
        await node.ended.wait()

    async def _keep(self, name: str, services: Sequence[str], port: int) -> None:
        """Run a process, and another one in its place when it has ended."""
        for number in range(1, 1_000_000):
            skew = timedelta(seconds=self.world.faults.skew * (self._luck.random() - 0.5))
            node = Node(self.world, f"{name}.{number}", skew)
            self.nodes.append(node)
            self.world.trace("start", f"{node.name} {' '.join(services)}")
            node.run(self._live(node, services, port))
            await node.ended.wait()
            await asyncio.sleep(self._luck.random() * 1.5)

    async def _live(self, node: Node, services: Sequence[str], port: int) -> None:
        """Run the life of a process, as ``faristol serve`` does."""
        elsewhere: dict[str, Any] = {f"peer_{name}": name for name in SERVICES if name not in services}
        settings = Settings(
            database_url=self.url,
            nats_url="nats://simulated",
            lexicons=self._lexicons,
            grpc_host=node.name.partition(".")[0],
            grpc_port=port,
            grace_seconds=0.5,
            open=True,
            access=self._folder / "access",
            **elsewhere,
        )
        try:
            record = await Record.open(self.url, node.now)
        except RecordError as problem:
            self._not_started(node, problem)
            return
        try:
            bus = await Bus.connect(settings.nats_url)
            process = Process(Runtime(settings, record, node.now), bus, builders(services))
            await process.start()
        except Exception as problem:  # noqa: BLE001 # it is told, or looked into
            if not isinstance(problem, BusError) and not is_transient(problem):
                self.problems.append(f"{node.name} did not start: {problem!r}")
            self._not_started(node, problem)
            return
        await process.serve(node.stop)
        if process.problem:
            self.problems.append(f"{node.name} ended: {process.problem}")
        await bus.close()
        await record.close()
        node.exit()

    def _not_started(self, node: Node, problem: Exception) -> None:
        self.world.trace.note("fault", f"did not start: {problem!r}")
        node.exit()

    async def _befall(self) -> None:
        """Disturb processes, NATS and projections from time to time."""
        world, chance, faults = self.world, self.world.chance, self.world.faults
        every, contending = 0.1, False
        while True:
            await asyncio.sleep(every * (0.5 + chance.random()))
            for node in [node for node in self.nodes if node.alive]:
                if world.happens(faults.crash_anywhere * every):
                    node.crash("somewhere")
                elif world.happens(faults.stop * every):
                    world.trace("stop", node.name)
                    node.stop.set()
                elif world.happens(faults.freeze * every):
                    node.freeze(0.5 + 6 * chance.random())
            if world.happens(faults.rebuild * every):
                self._start_rebuild()
            if not contending and world.happens(faults.rebuilds_contend * every):
                contending = True
                self._tasks.append(asyncio.create_task(self._contend()))
            if world.happens(faults.stream_wiped * every):
                self._bus.wipe()
            if world.happens(faults.tail_lost * every):
                self._bus.lose_tail()
            if self._bus.up and world.happens(faults.bus_down * every):
                self._bus.go_down(4 * chance.random())

    async def _contend(self) -> None:
        """Run two rebuilds: the first freezes past its lease, the second has it when the first continues."""
        self._start_rebuild(REBUILD_LEASE_SECONDS + 1.5)
        await asyncio.sleep(0.5)
        self._start_rebuild(3.0)

    def _start_rebuild(self, pause: float = 0.0) -> None:
        """Rebuild in a process of its own, which freezes for a while when it renews its lease first."""
        node = Node(self.world, f"rebuild{len(self._rebuilds)}", timedelta())
        self._rebuilds.append(node)
        if pause:
            self._pauses[node] = pause
        node.run(self._rebuild(node))

    async def _rebuild(self, node: Node) -> None:
        """Rebuild as ``faristol projection rebuild`` does, as long as the process lives."""
        self.world.trace.note("rebuild", "begins")
        try:
            record = await Record.open(self.url, node.now)
        except RecordError as problem:
            self.world.trace.note("rebuild", f"not begun: {problem!r}")
            node.exit()
            return
        try:
            rebuilt = await Rebuild(record, projection(), batch=REBUILD_BATCH_EVENTS).run()
            self.world.trace.note("rebuild", f"generation {rebuilt.generation} at {rebuilt.position}")
            self.problems += await check_projection(record, projection())
        except Exception as problem:  # noqa: BLE001 # it is told, or looked into
            self.world.trace.note("rebuild", f"given up: {problem!r}")
            if not isinstance(problem, ProjectionError) and not is_transient(problem):
                self.problems.append(f"a rebuild failed: {problem!r}")
        await record.close()
        node.exit()


class _Socket:
    """A port without a server."""

    def getsockname(self) -> tuple[str, int]:
        return "simulated", 80
