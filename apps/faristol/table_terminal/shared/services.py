"""Services for commands: their addresses, the caller, and their refusals."""

from __future__ import annotations

import os
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, TypeVar

import grpc

from faristol.access_control import keyring
from faristol.client.credentials import TOKEN, authorize, build_interceptors, is_at_console
from faristol.client.problems import every_reason, info_of, tls_problem
from faristol.client.services import A_co, RequestFor, build_call, call, service_of
from faristol.event_store import RecordError
from faristol.host import Addresses, Settings, StartError
from faristol.host.rpc.channels import check_name, open_channel
from faristol.host.rpc.metadata import ACTOR, ACTOR_NAME
from faristol.host.security.tls import Tls
from faristol.kernel.refusal import N_
from faristol.pb.access.v1 import access_pb2
from faristol.pb.access.v1.access_pb2_grpc import AccessServiceStub
from faristol.pb.game.v1.game_pb2_grpc import GameServiceStub
from faristol.pb.lexicon.v1.adjudication_pb2_grpc import AdjudicationServiceStub
from faristol.pb.pairing.v1.pairing_pb2_grpc import PairingServiceStub
from faristol.pb.rating.v1.rating_pb2_grpc import RatingServiceStub
from faristol.pb.results.v1.results_pb2_grpc import ResultsServiceStub
from faristol.table_terminal.shared.common import localize, run, settings_of, who_acts
from faristol.text.terminal import language_of_terminal

T = TypeVar("T")

Stub = Callable[[grpc.aio.Channel], Any]
"""Creates a stub of a service on a channel."""

STUBS: Mapping[str, Stub] = {
    "access": AccessServiceStub,
    "game": GameServiceStub,
    "lexicon": AdjudicationServiceStub,
    "pairing": PairingServiceStub,
    "rating": RatingServiceStub,
    "results": ResultsServiceStub,
}
"""The stub of each service; some serve more of the contract."""

SET_TOKEN = N_("set FARISTOL_CLIENT_TOKEN to your token or, at the console, FARISTOL_DATA to the data folder")
NO_NOTE = N_(
    "at this console {file} identifies the record of the keys, but cannot be read: the access service "
    "writes it at start into the data folder in FARISTOL_DATA"
)

_WITHOUT_CREDENTIAL = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.UNIMPLEMENTED)
"""Codes of the answer to a caller without a credential."""

_CREDENTIAL_REASONS = frozenset({"NO_CREDENTIAL", "CREDENTIAL_INVALID"})
"""Reasons that the settings of the terminal can fix."""


def sender() -> tuple[tuple[str, str | bytes], ...]:
    """Return the metadata of a call that names its actor; empty without an actor.

    Raises ``StartError`` for a name that the terminal passed in an encoding other than UTF-8.
    """
    name = who_acts()
    try:
        return ((ACTOR_NAME, name.encode()),) if name else ()
    except UnicodeEncodeError:
        text = N_("the name {name}, given by --as or FARISTOL_CLIENT_NAME, is not in UTF-8")
        raise StartError(localize(text, name=ascii(name))) from None


async def load_own_id(open_access: Callable[[], grpc.aio.Channel]) -> str:
    """Return the id of the caller by the access service; empty if the caller has none.

    A caller without a name and without a token has no id, and neither has a caller of services without credentials.
    Raises ``StartError`` if the service is unreachable.
    """
    if not (who_acts() or os.environ.get(TOKEN, "")):
        return ""
    try:
        channel = open_access()
    except StartError:  # the settings name no access service
        return ""
    try:
        answer = await call(AccessServiceStub(channel).GetCaller, access_pb2.GetCallerRequest())
    except grpc.aio.AioRpcError as error:
        if error.code() in _WITHOUT_CREDENTIAL:
            return ""
        raise StartError(every_reason(error)) from error
    return str(answer.credential.subject_id)


class _Caller(grpc.aio.UnaryUnaryClientInterceptor):  # type: ignore[type-arg] # generic only in the stubs
    """Adds actor and language to the metadata of every call that lacks them."""

    def __init__(self, who: tuple[tuple[str, str | bytes], ...]) -> None:
        self._who = who

    async def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        """Add the metadata and continue the call."""
        metadata = grpc.aio.Metadata(*(client_call_details.metadata or ()))
        for key, value in () if ACTOR in metadata else self._who:
            metadata.add(key, value)
        if "accept-language" not in metadata:
            metadata.add("accept-language", language_of_terminal())
        return await continuation(client_call_details._replace(metadata=metadata), request)


def open_channel_to(address: str, interceptors: Sequence[Any]) -> grpc.aio.Channel:
    """Open a channel to an address, over TLS if the settings name authorities. Raises ``StartError``."""
    settings = settings_of()
    if settings.tls_ca:
        check_name(address, "the address")
    return open_channel(address, interceptors, Tls.of(settings) if settings.tls_ca else None)


def build_access_interceptors(address: str) -> list[Any]:
    """Return the interceptors that add a credential to the calls of a channel. Raises ``StartError``."""
    try:
        settings = Settings()
        return build_interceptors(authorize(address, settings.access_folder(), who_acts(), settings.access_record()))
    except RecordError as error:
        raise StartError(str(error)) from error


def address_of(service: str, address: str | None) -> str:
    """Return ``address`` or the service's address in the settings. Raises ``StartError`` without either."""
    if wanted := address or Addresses().of(service):
        return wanted
    text = N_("specify the address of the {service} service: use --address or {setting}")
    raise StartError(localize(text, service=service, setting="FARISTOL_CLIENT_ADDRESS"))


@asynccontextmanager
async def service_at(service: str, address: str | None) -> AsyncIterator[grpc.aio.Channel]:
    """Open the channel to a service.

    Raises ``StartError`` as ``address_of`` and ``sender`` do, and for refusals of the service in the block.
    """
    wanted = address_of(service, address)
    callers: Any = [_Caller(sender()), *build_access_interceptors(wanted)]  # the stubs expect another class
    async with open_channel_to(wanted, callers) as channel:
        try:
            yield channel
        except grpc.aio.AioRpcError as error:
            if error.code() is grpc.StatusCode.UNAVAILABLE:
                text = tls_problem(error) or N_("the {service} service at {address} cannot be reached")
                raise StartError(localize(text, service=service, address=wanted)) from error
            message = every_reason(error, language_of_terminal())
            if info_of(error).reason in _CREDENTIAL_REASONS:
                message = f"{message.rstrip('.')}; {_describe_access(wanted)}"
            raise StartError(message) from error


def _describe_access(address: str) -> str:
    """Return a sentence about the settings that authorize calls to an address from this terminal."""
    settings = Settings()
    note = settings.access_record()
    has_keys = os.access(settings.access_folder() / keyring.SECRET, os.R_OK)
    if is_at_console(address) and has_keys and not os.access(note, os.R_OK):
        return localize(NO_NOTE, file=str(note))
    return localize(SET_TOKEN)


@asynccontextmanager
async def stub_at(service: str, address: str | None, stub: Stub | None = None) -> AsyncIterator[Any]:
    """Open a stub of a service: that of ``STUBS``, or another one. Raises ``StartError`` as ``service_at`` does."""
    async with service_at(service, address) as channel:
        yield (stub or STUBS[service])(channel)


def ask_service(service: str, address: str | None, work: Callable[[Any], Awaitable[T]], stub: Stub | None = None) -> T:
    """Return the result of ``work`` with a stub of a service. Raises ``StartError`` as ``service_at`` does."""

    async def ask() -> T:
        async with stub_at(service, address, stub) as made:
            return await work(made)

    return run(ask())


async def send(channel: grpc.aio.Channel, request: Any) -> Any:
    """Return the answer of a service to a request; a command without an id gets one."""
    if "command_id" in request.DESCRIPTOR.fields_by_name and not request.command_id:
        request.command_id = str(uuid.uuid4())
    return await build_call(channel, type(request))(request)


def answer_to(request: RequestFor[A_co], address: str | None) -> A_co:
    """Return the answer of its service to a request. Raises ``StartError`` as ``service_at`` does."""
    message: Any = request
    work = partial(send, request=message)
    answer: A_co = ask_service(service_of(message.DESCRIPTOR), address, work, lambda channel: channel)
    return answer
