"""The start of processes: one service, or all of them with their own NATS server."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import IO, TypeVar

from nats.errors import Error as NatsError
from sqlalchemy.exc import SQLAlchemyError

from faristol.access_control import keyring
from faristol.bus import Bus, BusError, NatsServer
from faristol.bus.stream import NewsLimits
from faristol.consumers.stopped import format_failure
from faristol.event_store import Record
from faristol.event_store.event import utc_now
from faristol.event_store.tasks import cancel_tasks
from faristol.host import SERVICES, Part, Runtime, Settings, StartError, roles
from faristol.host.first_restore import FirstRestore
from faristol.host.observability.telemetry import Telemetry
from faristol.host.process import Process
from faristol.host.rpc.channels import check_name
from faristol.host.security import authority
from faristol.host.security.tls import Tls
from faristol.host.services import ASKING, PACKAGES, RELAY, to_reachable_address
from faristol.host.startup import WaitingHealthServer, wait_until_available
from faristol.host.system import lock_file, raise_descriptor_limit
from faristol.kernel.addresses import endpoint, is_loopback
from faristol.launcher import hall_cell
from faristol.launcher.content import content_of
from faristol.launcher.pages import GATEWAY, PagesProcess

_log = logging.getLogger(__name__)

T = TypeVar("T")

NEEDS = {"gateway": ("results",), "pairing": ("lexicon",)}
"""The services that a service requires to start. Others that it calls may be unavailable or not configured."""


@dataclass(frozen=True)
class Running:
    """A process that serves."""

    runtime: Runtime
    process: Process
    grpc_address: str

    @property
    def http_address(self) -> str:
        """URL of the gateway's pages for this machine, if this process serves them."""
        settings = self.runtime.settings
        return f"http://{to_reachable_address(endpoint(settings.http_host, settings.http_port))}"


def builders(services: Sequence[str]) -> list[Callable[[Runtime], Part]]:
    """Return the functions that build the parts of these services. A process imports only these."""
    return [_builder(name) for name in services]


def _builder(service: str) -> Callable[[Runtime], Part]:
    if service == RELAY:
        return lambda runtime: Part(name=RELAY)  # the process runs the relay, whatever the settings are
    build: Callable[..., Part] = import_module(f"faristol.{PACKAGES.get(service, service)}.service_module").part
    return _with_content(build) if service == "results" else build


def _with_content(part: Callable[..., Part]) -> Callable[[Runtime], Part]:
    """Build the results service with webhooks that have the same content as the gateway's streams."""
    return lambda runtime: part(runtime, content_of(runtime))


@asynccontextmanager
async def running(
    settings: Settings,
    services: Sequence[str] = SERVICES,
    now: Callable[[], datetime] = utc_now,
    *,
    stop: asyncio.Event | None = None,
    tell: Callable[[str], None] = lambda _: None,
    longest: float = 60.0,
    first_restore: FirstRestore | None = None,
) -> AsyncIterator[Running]:
    """Serve these services until the block ends, with ``now`` as their clock.

    With all services and no NATS URL, the process starts its own NATS server in the data folder. It waits for an
    unavailable database or NATS server, for the time of the settings, or else for ``longest`` seconds; ``tell`` gets
    messages about it. Pages of this process offer ``first_restore``. Raises ``StartError``, ``RecordError``,
    ``BusError`` or ``LexiconError`` if the start fails, and ``Cancelled`` if ``stop`` is set before.
    """
    if settings.hall:
        services, now = hall_cell.services_of(settings, services), hall_cell.clock_of(settings, now)
    _check_needs(settings, services)
    _check_open(settings)
    asks = set(services) <= ASKING
    if settings.tls or not (asks or (settings.database_url and settings.nats_url)):
        await asyncio.to_thread(_prepare_folder, settings)
        if not settings.hall:
            hall_cell.check_no_hall(settings)
    raise_descriptor_limit(MAX_DESCRIPTORS_COUNT)
    async with AsyncExitStack() as stack:
        if not (asks or settings.nats_url):
            stack.enter_context(await asyncio.to_thread(_lock_folder, settings.data, services))
        tls = await asyncio.to_thread(_prepare_tls, settings, services)
        if settings.is_measured or settings.is_traced:
            telemetry = Telemetry(settings, services[0] if len(services) == 1 else "up")
            stack.callback(telemetry.close)
        apart = settings.pages_apart and len(services) > 1 and GATEWAY in services
        here = [name for name in services if name != GATEWAY] if apart else services
        build = builders(here)
        if settings.hall:
            build = [hall_cell.limit(each) for each in build]
        if (
            settings.tls_certificate == authority.files_of(settings) / authority.CERTIFICATE
            and not settings.tls_peers_own
        ):
            build.append(authority.part)
        if asks:
            yield await _start_process(stack, Process(Runtime(settings, None, now, tls), None, build))
            return
        seconds = settings.start_seconds if settings.start_seconds is not None else longest
        start_wait = _StartWait(seconds, stop or asyncio.Event(), tell)
        record, bus = await _connect(stack, settings, here, tls, start_wait, now if settings.hall else utc_now)
        build += _builders_for_record(settings, here)
        runtime = Runtime(settings, record, now, tls)
        if first_restore and not apart:
            first_restore.attach(record)
            runtime.first_restore = first_restore
        started = await _start_process(stack, Process(runtime, bus, build))
        if apart:
            pages = await PagesProcess.start(settings, started.grpc_address)
            stack.push_async_callback(pages.stop)
            settings.http_port = pages.http_port
        yield started


@dataclass(frozen=True)
class _StartWait:
    """The wait for a database or NATS server that is unavailable at the start."""

    seconds: float
    stop: asyncio.Event
    """Ends the wait when it is set."""
    tell: Callable[[str], None]
    """Gets messages about the wait."""


async def _connect(
    stack: AsyncExitStack,
    settings: Settings,
    services: Sequence[str],
    tls: Tls | None,
    start_wait: _StartWait,
    now: Callable[[], datetime],
) -> tuple[Record, Bus]:
    """Open the record with a clock, and connect to NATS, until the stack is closed.

    Without a NATS URL, starts a server first. Serves health checks while it waits. Checks that the record belongs to
    the data folder, and creates missing keys of credentials. Raises ``StartError``, ``RecordError``, ``BusError`` or
    ``Cancelled``.
    """
    await asyncio.to_thread(_check_own_file, settings)
    server = None if settings.nats_url else await _own_nats(stack, settings)
    waiting = WaitingHealthServer(settings, services)
    stack.push_async_callback(waiting.end)

    async def wait_for(connect: Callable[[], Awaitable[T]]) -> T:
        return await wait_until_available(connect, start_wait.seconds, start_wait.stop, start_wait.tell, waiting.begin)

    record = await wait_for(lambda: Record.open(settings.record_url(), now))
    stack.push_async_callback(record.close)
    _check_own_record(settings, record.record_id)
    if settings.hall:
        await hall_cell.check_no_championship(settings, record)
        await asyncio.to_thread(hall_cell.prepare, settings, record)
    await roles.check(record, services)
    if "access" in services:
        await asyncio.to_thread(_prepare_keys, settings, record.record_id)
    bus = await wait_for(lambda: _connect_bus(settings, services, tls, server))
    stack.push_async_callback(bus.close)
    if server:
        minding = asyncio.create_task(server.mind(lambda: bus.refuses_since), name="nats-server.mind")
        stack.push_async_callback(cancel_tasks, [minding])
    await waiting.end()
    return record, bus


async def _connect_bus(settings: Settings, services: Sequence[str], tls: Tls | None, server: NatsServer | None) -> Bus:
    """Connect to this process's own NATS server, else to that of the settings. Raises ``BusError``."""
    return await Bus.connect(
        server.url if server else settings.nats_url,
        None if server else settings.nats_credentials,
        tls.nats_context if tls and not server else None,
        name=services[0] if len(services) == 1 else "cell",
        publishes=_relays(settings, services),
        limits=NewsLimits(settings.nats_replicas, settings.nats_hours, settings.nats_bytes),
    )


def _relays(settings: Settings, services: Sequence[str]) -> bool:
    """Check whether the process publishes the notifications of the record."""
    return RELAY in services or settings.nats_relay


def _builders_for_record(settings: Settings, services: Sequence[str]) -> list[Callable[[Runtime], Part]]:
    """Return the functions that build the parts that measure, seal and witness the record, as the settings require."""
    wanted = (
        ("observability.gauges", "part", settings.is_measured and _relays(settings, services)),
        ("record_parts", "build_sealer", bool(settings.seal_key)),
        ("record_parts", "build_log", bool(settings.seal_key)),
        ("record_parts", "build_delivery", bool(settings.seal_key or settings.seal_witnesses)),
    )
    return [
        getattr(import_module(f"faristol.host.{module}"), build) for module, build, is_wanted in wanted if is_wanted
    ]


def _check_needs(settings: Settings, services: Sequence[str]) -> None:
    """Raise ``StartError`` if a required service has no address."""
    for service in services:
        for needed in NEEDS.get(service, ()):
            if needed not in services and not settings.peer(needed):
                setting = f"FARISTOL_PEER_{needed.upper()}"
                raise StartError(f"the {service} service needs the {needed} service: set its address with {setting}")


async def _own_nats(stack: AsyncExitStack, settings: Settings) -> NatsServer:
    """Start a NATS server in the locked data folder. Raises ``BusError``."""
    server = await NatsServer.start(settings.data.absolute() / "nats")  # a path, no file
    stack.push_async_callback(server.stop)
    return server


async def _start_process(stack: AsyncExitStack, process: Process) -> Running:
    """Start a process that serves until the stack is closed. Raises ``StartError``."""
    stack.push_async_callback(process.stop)
    try:
        address = await process.start()
    except (SQLAlchemyError, NatsError, OSError) as error:
        raise StartError(f"the process could not start: {format_failure(error)}") from error
    return Running(process.runtime, process, address)


async def serve_until(running: Running, *stops: asyncio.Event) -> None:
    """Serve until one of ``stops`` is set. Raises ``StartError`` if a part of the process has failed."""
    await running.process.serve(*stops)
    if running.process.problem:
        raise StartError(running.process.problem)


@contextmanager
def hold_folder(settings: Settings) -> Iterator[None]:
    """Lock the data folder, which is created, against other processes within the block. Raises ``StartError``."""
    _prepare_folder(settings)
    with _lock_folder(settings.data, SERVICES):
        yield


def _lock_folder(folder: Path, services: Sequence[str]) -> IO[str]:
    """Lock the folder against other processes. Raises ``StartError``; ``BusError`` for a single service."""
    if len(services) == 1:
        raise BusError("a separate service needs a NATS server: use --nats-url or FARISTOL_NATS_URL")
    lock = (folder / "lock").open("a+")
    try:
        lock_file(lock)
    except OSError as error:
        lock.seek(0)
        holder = lock.read().strip() or "unknown"
        lock.close()
        raise StartError(
            f"the data folder {folder} is in use by process {holder}: stop it, or use another folder with --data"
        ) from error
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()
    return lock


MAX_DESCRIPTORS_COUNT = 65_536
"""Wanted limit of open files: a login shell allows 1,024, which many connections exceed."""


def _check_open(settings: Settings) -> None:
    """Check that a process without credentials is reachable only locally. Raises ``StartError``."""
    for host in (settings.grpc_host, settings.http_host) if settings.open else ():
        if not is_loopback(host):
            raise StartError(f"--open requires no credentials, but {host} is reachable from other machines")


def _prepare_tls(settings: Settings, services: Sequence[str]) -> Tls | None:
    """Return the certificates of the settings, or new ones in the data folder. Raises ``StartError``."""
    if settings.tls and not settings.tls_certificate:
        folder = authority.files_of(settings)
        authority.prepare(folder, authority.names_of(settings))
        settings.tls_certificate, settings.tls_key = folder / authority.CERTIFICATE, folder / authority.KEY
        settings.tls_ca = settings.tls_ca or folder / authority.CA
    tls = Tls.of(settings)
    elsewhere = [name for name in SERVICES if name not in services and name != "gateway" and settings.peer(name)]
    if tls and tls.serves and elsewhere and not (settings.tls_ca or settings.tls_peers_own):
        called = ", ".join(elsewhere)
        raise StartError(f"FARISTOL_TLS_CA is required to verify the certificates of: {called}")
    for name in elsewhere if settings.tls_ca and not settings.tls_peers_own else ():
        check_name(settings.peer(name), f"FARISTOL_PEER_{name.upper()}")
    return tls


def _known_record(settings: Settings) -> str:
    """Return the record id in the data folder; empty for a new folder or a remote record."""
    if settings.database_url:
        return ""
    try:
        return settings.access_record().read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise StartError(
            f"{settings.access_record()}, which identifies the record of the keys, cannot be read"
        ) from error


def _check_own_file(settings: Settings) -> None:
    """Check that the record of a known folder exists. Raises ``StartError`` instead of creating a new one."""
    known, file = _known_record(settings), settings.record_file
    if known and not (file.exists() and file.stat().st_size):
        state = "is empty" if file.exists() else "is missing"
        raise StartError(
            f"{file} {state}, and {settings.data} is the data folder of the record {known}: put the file back from a "
            f"backup, or run `faristol record restore ARCHIVE --data {settings.data}`; to begin a new record, give "
            "another folder with --data"
        )


def _check_own_record(settings: Settings, record_id: str) -> None:
    """Check that the record in a data folder belongs to its keys. Raises ``StartError``."""
    known = _known_record(settings)
    if known and known != record_id:
        raise StartError(
            f"{settings.record_file} is the record {record_id}, and {settings.data} is the data folder of the "
            f"record {known}, with its keys: put the right file back; to serve this one, move it into a folder of its "
            "own, and give that with --data"
        )


def _prepare_keys(settings: Settings, record_id: str) -> None:
    """Create the keys of credentials unless they exist. Raises ``RecordError``."""
    keyring.prepare(settings.access_folder())
    note = settings.access_record()
    try:
        note.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        keyring.name_record(note, record_id)
    except OSError as error:
        # Tokens work without this file. A restored archive may be served from a read-only folder.
        _log.warning(
            "%s cannot be written (%s): commands at this console need FARISTOL_CLIENT_TOKEN, or a FARISTOL_DATA that "
            "the access service can write",
            note,
            error.strerror,
        )


def _prepare_folder(settings: Settings) -> None:
    folder = settings.data
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)  # readers of the record see racks
    except OSError as error:
        reason = error.strerror or error
        raise StartError(f"the data folder {folder} cannot be made ({reason}): use another one with --data") from error
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise StartError(
            f"the data folder {folder} cannot be written: use another one with --data, "
            "or set the permissions of this one"
        )
