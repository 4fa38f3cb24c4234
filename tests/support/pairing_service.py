"""The pairing service over gRPC, beside a lexicon service without a lookup."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import grpc
import pytest

from faristol.event_store import Record
from faristol.event_store.event import utc_now
from faristol.event_store.tasks import cancel_tasks
from faristol.host import Part, Runtime, Settings
from faristol.host.rpc.interceptor import ErrorInterceptor
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import lexicon_pb2 as lexicon
from faristol.pb.lexicon.v1 import lexicon_pb2_grpc as lexicon_grpc
from faristol.pb.pairing.v1 import pairing_pb2_grpc as pairing_grpc
from faristol.tournament.service_module import part

CATALAN = lexicon.Lexicon(pin=game_events.Pin(name="catalan", digest="c" * 64), tile_set="ca-100", words=3)
SPANISH = lexicon.Lexicon(pin=game_events.Pin(name="spanish", digest="e" * 64), tile_set="es-100", words=3)


class Lexicons(lexicon_grpc.LexiconServiceServicer):
    """A lexicon service with two lexicons, without look-ups."""

    async def ListLexicons(  # noqa: N802
        self, request: lexicon.ListLexiconsRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> lexicon.ListLexiconsResponse:
        return lexicon.ListLexiconsResponse(lexicons=[CATALAN, SPANISH])

    async def LookUp(  # noqa: N802
        self, request: lexicon.LookUpRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> lexicon.LookUpResponse:
        raise NotImplementedError

    async def GetCase(  # noqa: N802
        self, request: lexicon.GetCaseRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> lexicon.GetCaseResponse:
        raise NotImplementedError

    async def InstallLexicon(  # noqa: N802
        self, request: lexicon.InstallLexiconRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> lexicon.InstallLexiconResponse:
        raise NotImplementedError

    async def AddLexicon(  # noqa: N802
        self, request: lexicon.AddLexiconRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> lexicon.AddLexiconResponse:
        raise NotImplementedError

    async def GetInstallation(  # noqa: N802
        self, request: lexicon.GetInstallationRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> lexicon.GetInstallationResponse:
        raise NotImplementedError


@dataclass(frozen=True)
class PairingService:
    """The pairing service over gRPC, and the record behind it."""

    stub: pairing_grpc.PairingServiceAsyncStub
    record: Record
    runtime: Runtime
    part: Part


@asynccontextmanager
async def serving(
    record: Record, *, now: Callable[[], datetime] = utc_now, with_tasks: bool = False, **settings: Any
) -> AsyncIterator[PairingService]:
    """Yield the pairing service on a record, as a separate process would serve it; by default without its tasks."""
    runtime = Runtime(Settings.model_validate(settings), record, now)
    server = grpc.aio.server(interceptors=(ErrorInterceptor(),))
    made = part(runtime)
    for servicer in made.servicers:
        servicer.add_to(server)
    tasks = [asyncio.ensure_future(task()) for task in made.tasks] if with_tasks else []
    lexicon_grpc.add_LexiconServiceServicer_to_server(Lexicons(), server)
    runtime.channels.own_address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    yield PairingService(pairing_grpc.PairingServiceStub(runtime.channel("pairing")), record, runtime, made)
    await cancel_tasks(tasks)
    await runtime.channels.close()
    await server.stop(None)


@pytest.fixture
async def service(record: Record) -> AsyncIterator[PairingService]:
    async with serving(record) as made:
        yield made
