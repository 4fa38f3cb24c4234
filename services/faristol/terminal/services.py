"""The services that commands ask: where they are, who asks them, and what they refuse."""

from __future__ import annotations

import os
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, TypeVar

import grpc

from faristol.client.credentials import authorize, authorized, is_at_console
from faristol.client.problems import every_reason, info_of, tls_problem
from faristol.credentials import keyring
from faristol.host import Addresses, Settings, StartError
from faristol.host.channels import check_name, open_channel
from faristol.host.metadata import ACTOR, ACTOR_NAME
from faristol.host.tls import Tls
from faristol.kernel.refusal import N_
from faristol.pb.access.v1.access_pb2_grpc import AccessServiceStub
from faristol.pb.game.v1.game_pb2_grpc import GameServiceStub
from faristol.pb.lexicon.v1.adjudication_pb2_grpc import AdjudicationServiceStub
from faristol.pb.pairing.v1.pairing_pb2_grpc import PairingServiceStub
from faristol.pb.rating.v1.rating_pb2_grpc import RatingServiceStub
from faristol.pb.results.v1.results_pb2_grpc import ResultsServiceStub
from faristol.record import RecordError
from faristol.terminal.common import run, said, who_acts
from faristol.terminal.settings import settings_of
from faristol.text.terminal import language_of_terminal

T = TypeVar("T")

Stub = Callable[[grpc.aio.Channel], Any]
"""How a service of the contract is called over a channel."""

STUBS: Mapping[str, Stub] = {
    "access": AccessServiceStub,
    "game": GameServiceStub,
    "lexicon": AdjudicationServiceStub,
    "pairing": PairingServiceStub,
    "rating": RatingServiceStub,
    "results": ResultsServiceStub,
}
"""How each service is called; some serve more of the contract."""

LET_IN_BY = N_("set FARISTOL_TOKEN to your token, or at the console FARISTOL_DATA to the data folder")
NO_NOTE = N_(
    "at this console {file} is to say which record the keys are for, and cannot be read: the access service writes it "
    "when it starts, into the data folder that FARISTOL_DATA names"
)

_NOT_LET_IN = frozenset({"NO_CREDENTIAL", "CREDENTIAL_INVALID"})
"""Reasons that a person mends by the settings of their terminal."""


def sender() -> tuple[tuple[str, str | bytes], ...]:
    """Metadata of a call that says who sends it; nothing where nobody has said so.

    Raises ``StartError`` for a name that the terminal gave in another encoding than UTF-8.
    """
    name = who_acts()
    try:
        return ((ACTOR_NAME, name.encode()),) if name else ()
    except UnicodeEncodeError:
        text = N_("the name {name}, given by --as or FARISTOL_AS, is not in UTF-8")
        raise StartError(said(text, name=ascii(name))) from None


class _Caller(grpc.aio.UnaryUnaryClientInterceptor):  # type: ignore[type-arg] # generic in the stubs alone
    """Says of every call who sends it and which language they read, unless the call does."""

    def __init__(self, who: tuple[tuple[str, str | bytes], ...]) -> None:
        self._who = who

    async def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        """See ``grpc.aio.UnaryUnaryClientInterceptor``."""
        metadata = grpc.aio.Metadata(*(client_call_details.metadata or ()))
        for key, value in () if ACTOR in metadata else self._who:
            metadata.add(key, value)
        if "accept-language" not in metadata:
            metadata.add("accept-language", language_of_terminal())
        return await continuation(client_call_details._replace(metadata=metadata), request)


def way_to(address: str, interceptors: Sequence[Any]) -> grpc.aio.Channel:
    """A channel to an address, by TLS where the settings name authorities. Raises ``StartError``."""
    settings = settings_of()
    if settings.ca:
        check_name(address, "the address")
    return open_channel(address, interceptors, Tls.of(settings) if settings.ca else None)


def let_in(address: str) -> list[Any]:
    """The interceptors of a channel that say by which credential its calls are let in. Raises ``StartError``."""
    try:
        settings = Settings()
        return authorized(authorize(address, settings.access_folder(), who_acts(), settings.access_record()))
    except RecordError as problem:
        raise StartError(str(problem)) from problem


def address_of(service: str, address: str | None) -> str:
    """Where a service is: at ``address`` or where the settings say. Raises ``StartError`` where nobody said it."""
    if wanted := address or Addresses().of(service):
        return wanted
    text = N_("say where the {service} service is: give --address or {setting}")
    raise StartError(said(text, service=service, setting="FARISTOL_ADDRESS"))


@asynccontextmanager
async def service_at(service: str, address: str | None) -> AsyncIterator[grpc.aio.Channel]:
    """The channel to a service.

    Raises ``StartError`` as ``address_of`` and ``sender`` do, and for what the service refuses in the block.
    """
    wanted = address_of(service, address)
    callers: Any = [_Caller(sender()), *let_in(wanted)]  # the stubs want another class
    async with way_to(wanted, callers) as channel:
        try:
            yield channel
        except grpc.aio.AioRpcError as problem:
            if problem.code() is grpc.StatusCode.UNAVAILABLE:
                text = tls_problem(problem) or N_("the {service} service at {address} cannot be reached")
                raise StartError(said(text, service=service, address=wanted)) from problem
            told = every_reason(problem)
            if info_of(problem).reason in _NOT_LET_IN:
                told = f"{told.rstrip('.')}; {_way_in(wanted)}"
            raise StartError(told) from problem


def _way_in(address: str) -> str:
    """Say by which settings calls to an address are let in from this terminal."""
    settings = Settings()
    note = settings.access_record()
    has_keys = os.access(settings.access_folder() / keyring.SECRET, os.R_OK)
    if is_at_console(address) and has_keys and not os.access(note, os.R_OK):
        return said(NO_NOTE, file=str(note))
    return said(LET_IN_BY)


@asynccontextmanager
async def stub_at(service: str, address: str | None, stub: Stub | None = None) -> AsyncIterator[Any]:
    """A stub of a service: that of ``STUBS``, or another one. Raises ``StartError`` as ``service_at`` does."""
    async with service_at(service, address) as channel:
        yield (stub or STUBS[service])(channel)


def asked(service: str, address: str | None, work: Callable[[Any], Awaitable[T]], stub: Stub | None = None) -> T:
    """What ``work`` gets from a stub of a service. Raises ``StartError`` as ``service_at`` does."""

    async def ask() -> T:
        async with stub_at(service, address, stub) as made:
            return await work(made)

    return run(ask())


async def send(stub: Any, request: Any) -> Any:
    """What a service answers to a request; a command without an id gets one."""
    if "command_id" in request.DESCRIPTOR.fields_by_name and not request.command_id:
        request.command_id = str(uuid.uuid4())
    return await getattr(stub, request.DESCRIPTOR.name.removesuffix("Request"))(request)


def answer_to(request: Any, service: str, address: str | None, stub: Stub | None = None) -> Any:
    """What a service answers to a request; see ``send``. Raises ``StartError`` as ``service_at`` does."""
    return asked(service, address, partial(send, request=request), stub)
