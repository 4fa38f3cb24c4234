"""The services of a cell: gRPC, NATS and a record."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import grpc
from google.protobuf.message import Message

from faristol.bus import Bus
from faristol.casebook.case import Case
from faristol.casebook.hosts.judges import appoint_judges
from faristol.casebook.hosts.lexicons import install
from faristol.casebook.hosts.services import Services, services_of
from faristol.client.problems import info_of
from faristol.client.services import build_call
from faristol.consumers import Reaction
from faristol.consumers.work import is_wanted
from faristol.event_store import Record
from faristol.host import Settings
from faristol.host.services import ASKING
from faristol.kernel.errors import AlreadyExists, Invalid, NotFound
from faristol.kernel.pins import Pin
from faristol.kernel.refusal import Refusal
from faristol.launcher.processes import builders, running
from faristol.words import Library

IDLE_TIMEOUT_SECONDS = 30.0
"""Seconds within which the services must become idle."""
IDLE_POLL_SECONDS = 0.01
"""Seconds between two checks for that."""


class CellServices(Services):
    """Services that are called over gRPC and notify each other over NATS."""

    position_field = "min_position"

    def __init__(self, cell: RunningCell) -> None:
        super().__init__(cell.record, cell.lexicon)
        self._channel = cell.channel
        self._reactions = cell.reactions
        """The reactions of the services, used only to check whether any of them is pending."""
        self._heard = 0
        """The position up to which no reaction is pending."""

    async def ask(self, request: Message) -> Any:
        """Call the method of the request over gRPC. Raises as ``Services.ask`` does."""
        return await await_answer(build_call(self._channel, type(request))(request))

    async def settle(self) -> None:
        """Wait until no reaction is pending. Raises ``ValueError`` after ``IDLE_TIMEOUT_SECONDS`` seconds."""
        try:
            async with asyncio.timeout(IDLE_TIMEOUT_SECONDS):
                while (here := await self.record.last_position()) > self._heard:
                    if await self._at_rest():
                        self._heard = here
                    else:
                        await asyncio.sleep(IDLE_POLL_SECONDS)
        except TimeoutError as error:
            raise ValueError(f"the services do not come to rest within {IDLE_TIMEOUT_SECONDS:.0f} s") from error

    async def _at_rest(self) -> bool:
        for event in await self.record.read(self._heard):
            for reaction in self._reactions:
                if is_wanted(reaction, event) and (decision := await reaction.react(event)) and decision.writes:
                    return False
        return True


async def await_answer(call: Awaitable[Any]) -> Any:
    """Await the answer of a service. Raises its ``Refusal``, ``Invalid``, ``NotFound`` or ``AlreadyExists``."""
    try:
        return await call
    except grpc.aio.AioRpcError as error:
        info, text = info_of(error), error.details() or ""
        about = dict(info.metadata)
        match error.code():
            case grpc.StatusCode.FAILED_PRECONDITION:
                raise Refusal(
                    info.reason, text.replace("{", "{{").replace("}", "}}"), article=about.pop("article", "")
                ) from error
            case grpc.StatusCode.INVALID_ARGUMENT:
                raise Invalid(about.get("field", ""), text) from error
            case grpc.StatusCode.NOT_FOUND:
                raise NotFound(about["kind"], about["id"]) from error
            case grpc.StatusCode.ALREADY_EXISTS:
                raise AlreadyExists(about["kind"], about["id"]) from error
            case _:
                raise


class RunningCell(NamedTuple):
    """A running cell."""

    record: Record
    channel: grpc.aio.Channel
    reactions: Sequence[Reaction]
    lexicon: Pin
    address: str
    """``HOST:PORT`` of its services."""
    http_address: str = ""
    """The address of its pages; empty without pages."""


@asynccontextmanager
async def serving(
    nats_url: str,
    services: Sequence[str],
    now: Callable[[], datetime.datetime],
    installed: Callable[[Library], Pin],
) -> AsyncIterator[RunningCell]:
    """Run a cell of these services with its own record, and with ``installed`` applied to its library.

    It uses the NATS server that runs at ``nats_url``.
    """
    with TemporaryDirectory() as folder:
        lexicon = installed(Library(Path(folder) / "lexicons"))
        given = {"data": Path(folder), "lexicons": Path(folder) / "lexicons", "nats_url": nats_url}
        settings = Settings.model_validate({**given, "grace_seconds": 0.1, "open": True, "http_port": 0})
        async with (
            _consumers_removed(nats_url) as record_ids,
            running(settings, services, now) as cell,
            grpc.aio.insecure_channel(cell.grpc_address) as channel,
        ):
            record_ids.append(cell.runtime.record.record_id)
            react = [service for service in services if service not in ASKING]
            reactions = [reaction for build in builders(react) for reaction in build(cell.runtime).reactions]
            pages = cell.http_address if "gateway" in services else ""
            yield RunningCell(cell.runtime.record, channel, reactions, lexicon, cell.grpc_address, pages)


@asynccontextmanager
async def _consumers_removed(nats_url: str) -> AsyncIterator[list[str]]:
    """Remove the consumers of these cells from the NATS server, which supports a limited number."""
    record_ids: list[str] = []
    try:
        yield record_ids
    finally:
        bus = await Bus.connect(nats_url)
        try:
            for record_id in record_ids:
                await bus.remove_consumers(record_id[:8])
        finally:
            await bus.close()


@asynccontextmanager
async def on_cell(nats_url: str, case: Case, now: Callable[[], datetime.datetime]) -> AsyncIterator[Services]:
    """Run a cell for a case, with a lexicon of its words, on a running NATS server."""
    words = partial(install, tile_set=case.ruleset.tile_set, words=case.words, layers=case.layers)
    async with serving(nats_url, services_of(case), now, words) as cell:
        services = CellServices(cell)
        await services.write(appoint_judges(case.ruleset.tile_set.language))
        yield services
