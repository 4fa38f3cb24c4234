"""Putting processes together: one service, or all of them with a bus of their own."""

from __future__ import annotations

import asyncio
import fcntl
import ipaddress
import os
import resource
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import IO

from nats.errors import Error as NatsError
from sqlalchemy.exc import SQLAlchemyError

from faristol.bus import Bus, BusError, NatsServer
from faristol.bus.stopped import told
from faristol.credentials import keyring
from faristol.host import SERVICES, Part, Runtime, Settings, StartError
from faristol.host.process import Process
from faristol.host.runtime import utc_now
from faristol.host.startup import when_there
from faristol.host.telemetry import Telemetry
from faristol.record import Record

NEEDS = {"gateway": ("results",), "pairing": ("lexicon",)}
"""The services without which a service does not start. Others that it calls may be away or nowhere."""


@dataclass(frozen=True)
class Running:
    """A process that serves."""

    runtime: Runtime
    process: Process
    grpc_address: str

    @property
    def http_address(self) -> str:
        """URL of the gateway's pages, when this process serves them."""
        settings = self.runtime.settings
        return f"http://{settings.http_host}:{settings.http_port}"


def builders(services: Sequence[str]) -> list[Callable[[Runtime], Part]]:
    """What builds the parts of these services. A process imports what it serves and nothing else."""
    return [import_module(f"faristol.{name}.part").part for name in services]


@asynccontextmanager
async def running(
    settings: Settings,
    services: Sequence[str] = SERVICES,
    now: Callable[[], datetime] = utc_now,
    *,
    stop: asyncio.Event | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> AsyncIterator[Running]:
    """Serve these services until the block ends, by the time of ``now``.

    With all of them and no NATS URL, a NATS server of its own is started in the data folder. A database or a NATS
    server that is away is waited for, for as long as the settings say; ``tell`` is given a sentence about it. Raises
    ``StartError``, ``RecordError``, ``BusError`` or ``LexiconError`` when that cannot be, and ``Cancelled`` when
    ``stop`` is set meanwhile.
    """
    stop = stop or asyncio.Event()
    for service in services:
        for needed in NEEDS.get(service, ()):
            if needed not in services and not settings.peer(needed):
                setting = f"FARISTOL_PEER_{needed.upper()}"
                raise StartError(f"the {service} service needs the {needed} service: say where it is with {setting}")
    _check_open(settings)
    _raise_descriptors()
    async with AsyncExitStack() as stack:
        if settings.otlp_endpoint:
            telemetry = Telemetry(settings.otlp_endpoint, services[0] if len(services) == 1 else "up")
            stack.callback(telemetry.close)
        if not settings.database_url or not settings.nats_url:
            await asyncio.to_thread(_prepare_folder, settings)
        nats_url = settings.nats_url
        if not nats_url:
            if len(services) == 1:
                raise BusError("a service on its own needs a NATS server: give --nats-url or FARISTOL_NATS_URL")
            stack.enter_context(await asyncio.to_thread(_hold, settings.data))
            server = await NatsServer.start(settings.data.absolute() / "nats")  # a path, no file
            stack.push_async_callback(server.stop)
            nats_url = server.url
        patience = settings.start_seconds
        record = await when_there(lambda: Record.open(settings.record_url()), patience, stop, tell)
        stack.push_async_callback(record.close)
        if "access" in services:
            await asyncio.to_thread(_prepare_keys, settings, record.record_id)
        bus = await when_there(lambda: Bus.connect(nats_url), patience, stop, tell)
        stack.push_async_callback(bus.close)
        runtime = Runtime(settings, record, now)
        build = builders(services)
        if settings.seal_key:
            build.append(import_module("faristol.host.sealer").part)
        process = Process(runtime, bus, build)
        stack.push_async_callback(process.stop)
        try:
            address = await process.start()
        except (SQLAlchemyError, NatsError, OSError) as problem:
            raise StartError(f"the process could not start: {told(problem)}") from problem
        yield Running(runtime, process, address)


async def serve_until(running: Running, stop: asyncio.Event) -> None:
    """Serve until ``stop``. Raises ``StartError`` when a part of the process failed before."""
    await running.process.serve(stop)
    if running.process.problem:
        raise StartError(running.process.problem)


@contextmanager
def _held(lock: IO[str]) -> Iterator[None]:
    with lock:
        yield


def _hold(folder: Path) -> AbstractContextManager[None]:
    """Lock the folder, so that no other process serves it."""
    lock = (folder / "lock").open("a+")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as problem:
        lock.seek(0)
        holder = lock.read().strip() or "unknown"
        lock.close()
        raise StartError(
            f"the data folder {folder} is in use by process {holder}: stop that one, or give another with --data"
        ) from problem
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()
    return _held(lock)


MOST_DESCRIPTORS = 65_536


def _raise_descriptors() -> None:
    """Let this process open as many files as it may: a login shell gives 1,024, and a crowd is more connections."""
    soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_DESCRIPTORS if most == resource.RLIM_INFINITY else min(most, MOST_DESCRIPTORS)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def _check_open(settings: Settings) -> None:
    """Check that nobody else reaches a process that asks nobody for a credential. Raises ``StartError``."""
    for host in (settings.grpc_host, settings.http_host) if settings.open else ():
        if not _is_loopback(host):
            raise StartError(f"--open asks nobody for a credential, and {host} can be reached from elsewhere")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _prepare_keys(settings: Settings, record_id: str) -> None:
    """Make the keys of credentials where there are none. Raises ``RecordError`` where that cannot be."""
    keyring.prepare(settings.access_folder())
    if not settings.access:
        keyring.name_record(settings.access_folder(), record_id)


def _prepare_folder(settings: Settings) -> None:
    folder = settings.data
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        reason = problem.strerror or problem
        raise StartError(f"the data folder {folder} cannot be made ({reason}): give another with --data") from problem
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise StartError(f"the data folder {folder} cannot be written: give another with --data, or rights to this one")
