"""A process that runs services: start, supervision, and orderly shutdown."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from datetime import timedelta
from typing import Any

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from faristol.access_control.keyring import Keyring
from faristol.access_control.needs import needs_of_all
from faristol.bus import Bus, Relay
from faristol.consumers import Consumer, Projection, Reaction, WorkShares, holder_of
from faristol.consumers.consumer import HINDERED_STATES
from faristol.consumers.progress import Lag
from faristol.consumers.progress import begin_lag as begin_lag
from faristol.consumers.progress import end_lag as end_lag
from faristol.event_store import RecordError
from faristol.event_store.tasks import cancel_tasks
from faristol.host.observability.call_metrics import MeasureInterceptor
from faristol.host.observability.telemetry import TraceInterceptor
from faristol.host.readiness import Readiness
from faristol.host.rpc.interceptor import ErrorInterceptor
from faristol.host.rpc.servers import create_server
from faristol.host.runtime import Runtime
from faristol.host.security.authorization import AccessInterceptor, Admission
from faristol.host.service_module import Part
from faristol.host.services import RELAY, StartError
from faristol.host.startup import OPTIONS, listen, options
from faristol.host.system import call_on_signals
from faristol.kernel.addresses import endpoint

_log = logging.getLogger(__name__)

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING

BACKENDLESS_SERVICES: Sequence[str] = (
    health_pb2.DESCRIPTOR.services_by_name["Health"].full_name,
    reflection.SERVICE_NAME,
)
"""Services of gRPC itself: they serve without the record and the bus."""

THREAD_SWITCH_SECONDS = 0.001
"""Longest time for which a thread of the database waits for that of the event loop: each statement changes threads."""

SERVER_WATCH_SECONDS = 3_600.0
"""Length of one wait for the end of the gRPC server, which is repeated."""


class Process:
    """A gRPC server with services, their consumers, and a relay."""

    def __init__(self, runtime: Runtime, bus: Bus | None, build: Sequence[Callable[[Runtime], Part]]) -> None:
        """``bus`` is None in a process without a record, which calls other services for all data."""
        self.runtime = runtime
        self._bus = bus
        self._build = build
        self._readiness = runtime.readiness = Readiness(runtime.record, bus) if bus else None
        self._shares: WorkShares | None = None
        self._lag: Lag | None = None
        self._hindered: set[str] = set()
        """Parts with a consumer that has stopped or parked a key."""
        self._tasks: list[asyncio.Task[None]] = []
        self._served: list[asyncio.Task[None]] = []
        self._failed = asyncio.Event()
        self._stopping = asyncio.Event()
        self._health: Any = health.aio.HealthServicer()  # type: ignore[attr-defined] # missing in grpc-stubs
        self._server: grpc.aio.Server | None = None
        self._health_server: grpc.aio.Server | None = None
        self.problem = ""
        """Why the process ended by itself; empty for a requested shutdown."""

    async def start(self) -> str:
        """Start the server and every consumer. Return the address of the gRPC server.

        Raises ``StartError`` if the port is taken or the keys to verify credentials are missing. Raises ``TypeError``
        for a method without access requirements in the contract.
        """
        sys.setswitchinterval(THREAD_SWITCH_SECONDS)
        settings = self.runtime.settings
        interceptors: list[Any] = [TraceInterceptor(), ErrorInterceptor(self._stopping)]
        if settings.is_measured:
            interceptors.insert(0, MeasureInterceptor())
        admission = await self._admission()
        if admission:
            interceptors.append(AccessInterceptor(admission))
        self._server = server = create_server(interceptors, options(settings))
        wanted = endpoint(settings.grpc_host, settings.grpc_port)
        port = listen(server, wanted, "--grpc", self.runtime.tls)
        parts = [build(self.runtime) for build in self._build]
        self.runtime.channels.serve(endpoint(settings.grpc_host, port), {part.name for part in parts})
        needs = needs_of_all(servicer.descriptor for part in parts for servicer in part.servicers)
        if admission:
            admission.serve(needs)
            self._watch("access", admission.keep_reading())
        self._add_servicers(server, parts)
        if self._bus is not None:
            await self._start_consumers(parts, self._bus)
        await server.start()
        self._watch("gRPC", self._watch_server(server))
        if settings.grpc_health_port is not None:
            await self._serve_health(endpoint(settings.grpc_host, settings.grpc_health_port))
        for part in parts:
            for task in part.tasks:
                self._served.append(self._watch(f"{part.name}.{task.__name__}", task()))
        await self._report_health(parts)
        return self.runtime.channels.own_address

    def _add_servicers(self, server: grpc.aio.Server, parts: Sequence[Part]) -> None:
        """Add the services of the parts to the server, with health checks and reflection."""
        names = [*BACKENDLESS_SERVICES]
        for part in parts:
            for servicer in part.servicers:
                servicer.add_to(server)
                names.append(servicer.descriptor.full_name)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        reflection.enable_server_reflection(names, server)

    async def _report_health(self, parts: Sequence[Part]) -> None:
        """Report that the process serves, and from now on whether each part is ready."""
        for name in ("", *BACKENDLESS_SERVICES):  # the empty name is the liveness of the process
            await self._health.set(name, SERVING)
        if self._readiness:
            await self._readiness.look(parts, self._tell)
            self._watch("readiness", self._readiness.keep(parts, self._tell))
        else:
            for part in parts:
                await self._health.set(part.name, SERVING)

    async def _watch_server(self, server: grpc.aio.Server) -> None:
        """Wait until the server ends. Raises ``RuntimeError`` unless the process is stopping."""
        while await server.wait_for_termination(SERVER_WATCH_SECONDS):
            pass  # a wait without a limit would, when cancelled, cancel the server's own future
        if not self._stopping.is_set():
            raise RuntimeError("the gRPC server has ended")

    async def _serve_health(self, wanted: str) -> None:
        """Serve health checks without TLS. Raises ``StartError``."""
        self._health_server = create_server(options=OPTIONS)
        port = listen(self._health_server, wanted, "FARISTOL_GRPC_HEALTH_PORT")
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._health_server)
        await self._health_server.start()
        _log.info("health checks are answered on port %d", port)

    async def _admission(self) -> Admission | None:
        """Return the admission of callers; None if no credentials are required. Raises ``StartError``."""
        settings = self.runtime.settings
        if settings.open or self._bus is None:
            return None
        try:
            limit = timedelta(minutes=settings.access_sign_in_minutes)
            admission = Admission(self.runtime.record, Keyring(settings.access_folder()), self.runtime.now, limit)
        except RecordError as error:
            raise StartError(str(error)) from error
        await admission.read()
        self.runtime.admission = admission
        return admission

    async def _tell(self, name: str, serves: bool) -> None:  # noqa: FBT001 # the signature of the health service
        await self._health.set(name, SERVING if serves else NOT_SERVING)

    async def _start_consumers(self, parts: Sequence[Part], bus: Bus) -> None:
        record = self.runtime.record
        by_part: list[list[Reaction | Projection]] = [[*part.reactions, *part.projections] for part in parts]
        names = [work.consumer for works in by_part for work in works]
        shares = WorkShares(record, holder_of(self.runtime.place), names)
        every: list[Consumer] = []
        for part, works in zip(parts, by_part, strict=True):
            consumers: list[Consumer] = []
            changed = self._health_of(part, consumers)
            for work in works:
                progress = self.runtime.progress(work.consumer)
                cell, share = self.runtime.settings.nats_cell, shares.of(work.consumer)
                consumer = Consumer(record, bus, work, progress, changed, cell=cell, share=share)
                await consumer.prepare()
                consumers.append(consumer)
            if consumers:
                await changed(consumers[0])
            for consumer in consumers:
                self._watch(consumer.name, consumer.run())
            every += consumers
        if every and self.runtime.settings.is_measured:
            self._lag = Lag(record, every)
            begin_lag(self._lag)
        if names:
            self._shares = shares
            await shares.look()
            self._watch("shares", shares.keep())
        if self.runtime.settings.nats_relay or any(part.name == RELAY for part in parts):
            self._watch(RELAY, Relay(record, bus).run())

    def _health_of(self, part: Part, consumers: Sequence[Consumer]) -> Callable[[Consumer], Awaitable[None]]:
        """Return a callback that updates the health of a part's consumers, ``<part>.consumers``.

        It is not serving while a consumer has stopped or parked a key. The part itself stays serving: its commands and
        queries do not depend on the consumers, and a probe on its name would make it unavailable to all callers.
        """

        async def update_health(_: Consumer) -> None:
            hindered = any(consumer.state in HINDERED_STATES for consumer in consumers)
            await self._health.set(f"{part.name}.consumers", NOT_SERVING if hindered else SERVING)
            self._hindered = self._hindered - {part.name} | ({part.name} if hindered else set())
            if self._readiness:
                self._readiness.is_parked = bool(self._hindered)

        return update_health

    def _watch(self, name: str, work: Coroutine[Any, Any, None] | Any) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.ensure_future(work)
        task.set_name(name)
        task.add_done_callback(self._note_task_end)
        self._tasks.append(task)
        return task

    def _note_task_end(self, task: asyncio.Task[None]) -> None:
        if task.cancelled():
            return
        problem = task.exception()
        if isinstance(problem, StartError):
            self.problem = self.problem or str(problem)
        elif problem:
            _log.error("%s stopped", task.get_name(), exc_info=problem)
            self.problem = self.problem or f"{task.get_name()} stopped: {problem}"
        self._failed.set()

    async def wait_for_failure(self) -> None:
        """Wait until a part of this process fails; ``problem`` has the reason."""
        await self._failed.wait()

    async def serve(self, *stops: asyncio.Event) -> None:
        """Serve until one of ``stops`` is set, or until a part of this process has failed."""
        waiting = {asyncio.create_task(event.wait()) for event in (*stops, self._failed)}
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for waiter in waiting:
            waiter.cancel()
        await self.stop()

    async def stop(self) -> None:
        """Shut down: update health checks, end streams, drain running calls, then stop consumers and relay."""
        self._stopping.set()
        if self._lag:
            end_lag(self._lag)
        await self._health.enter_graceful_shutdown()
        await self._end(self._served)
        if self._server:
            await self._server.stop(self.runtime.settings.grace_seconds)
        await self._end(self._tasks)
        if self._shares:
            await self._shares.release()
        if self._health_server:
            await self._health_server.stop(None)
        await self.runtime.channels.close()

    async def _end(self, tasks: Sequence[asyncio.Task[None]]) -> None:
        for task in tasks:
            task.remove_done_callback(self._note_task_end)
        await cancel_tasks(tasks)


def stop_on_signals() -> asyncio.Event:
    """Return an event that SIGTERM and SIGINT set."""
    stop = asyncio.Event()
    call_on_signals(stop.set)
    return stop
