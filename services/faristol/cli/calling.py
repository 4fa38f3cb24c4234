"""Calling services that run, from a command."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Annotated, Any, TypeVar

import grpc
import typer
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from faristol.cli.common import AsJson as AsJson
from faristol.cli.common import run, who_acts
from faristol.client.problems import every_reason
from faristol.host import Addresses, StartError
from faristol.host.actor import ACTOR, ACTOR_NAME
from faristol.host.channels import CHANNEL_OPTIONS
from faristol.kernel.refusal import N_
from faristol.pb.lexicon.v1 import adjudication_pb2_grpc as pb_grpc
from faristol.text import LANGUAGES, say
from faristol.text.terminal import language_of_terminal

T = TypeVar("T")

Address = Annotated[
    str | None, typer.Option("--address", help="HOST:PORT of the lexicon service; else FARISTOL_ADDRESS.")
]
Cell = Annotated[str | None, typer.Option("--address", help="HOST:PORT of services that run; else FARISTOL_ADDRESS.")]


def in_language(language: str) -> str:
    """What ``--language`` asks for. Raises ``BadParameter`` for a language that is not offered."""
    if language not in LANGUAGES:
        raise typer.BadParameter(f"there is no language {language!r}; there are: {', '.join(LANGUAGES)}")
    return language


def in_languages(languages: list[str] | None) -> list[str] | None:
    """What a ``--language`` that may be repeated asks for. Raises ``BadParameter`` as ``in_language`` does."""
    return None if languages is None else [in_language(one) for one in languages]


def in_any_language(language: str) -> str:
    """What ``--language`` asks for where it may be left out. Raises ``BadParameter`` as ``in_language`` does."""
    return in_language(language) if language else ""


def in_language_or_the_terminals(language: str) -> str:
    """What ``--language`` asks for, else that of the terminal. Raises ``BadParameter`` as ``in_language`` does."""
    return in_language(language) if language else language_of_terminal()


Language = Annotated[
    str,
    typer.Option(
        help=f"Of what is told: {', '.join(LANGUAGES)}; that of the terminal when left out.",
        callback=in_language_or_the_terminals,
        show_default=False,
    ),
]


def sender() -> tuple[tuple[str, str | bytes], ...]:
    """Metadata of a call that says who sends it; nothing where nobody has said so.

    Raises ``StartError`` for a name that the terminal gave in another encoding than UTF-8.
    """
    name = who_acts()
    try:
        return ((ACTOR_NAME, name.encode()),) if name else ()
    except UnicodeEncodeError:
        text = N_("the name {name}, given by --as or FARISTOL_AS, is not in UTF-8")
        raise StartError(say(text, {"name": ascii(name)}, language_of_terminal())) from None


class _Sender(grpc.aio.UnaryUnaryClientInterceptor):  # type: ignore[type-arg] # generic in the stubs alone
    """Says of every call who sends it, unless the call does."""

    def __init__(self, who: tuple[tuple[str, str | bytes], ...]) -> None:
        self._who = who

    async def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        """See ``grpc.aio.UnaryUnaryClientInterceptor``."""
        said = grpc.aio.Metadata(*(client_call_details.metadata or ()))
        if ACTOR not in said:
            for key, value in self._who:
                said.add(key, value)
        return await continuation(client_call_details._replace(metadata=said), request)


class _Reader(grpc.aio.UnaryUnaryClientInterceptor):  # type: ignore[type-arg] # generic in the stubs alone
    """Says of every call which language the person at the terminal reads, unless the call does."""

    async def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        """See ``grpc.aio.UnaryUnaryClientInterceptor``."""
        said = grpc.aio.Metadata(*(client_call_details.metadata or ()))
        if "accept-language" not in said:
            said.add("accept-language", language_of_terminal())
        return await continuation(client_call_details._replace(metadata=said), request)


@asynccontextmanager
async def service_at(service: str, address: str | None) -> AsyncIterator[grpc.aio.Channel]:
    """The way to a service, at ``address`` or where the settings say.

    Raises ``StartError`` when nobody said where, as ``sender`` does, and for what the service refuses in the block.
    """
    wanted = address or Addresses().of(service)
    if not wanted:
        text = N_("say where the {service} service is: give --address or {setting}")
        where = {"service": service, "setting": "FARISTOL_ADDRESS"}
        raise StartError(say(text, where, language_of_terminal()))
    senders: Any = [_Sender(sender()), _Reader()]  # the stubs want another class
    async with grpc.aio.insecure_channel(wanted, options=CHANNEL_OPTIONS, interceptors=senders) as channel:
        try:
            yield channel
        except grpc.aio.AioRpcError as problem:
            if problem.code() is grpc.StatusCode.UNAVAILABLE:
                text = N_("the {service} service at {address} cannot be reached")
                where = {"service": service, "address": wanted}
                raise StartError(say(text, where, language_of_terminal())) from problem
            raise StartError(every_reason(problem)) from problem


@asynccontextmanager
async def lexicon_at(address: str | None) -> AsyncIterator[grpc.aio.Channel]:
    """The way to the lexicon service. Raises ``StartError`` as ``service_at`` does."""
    async with service_at("lexicon", address) as channel:
        yield channel


def asked(address: str | None, work: Callable[[pb_grpc.AdjudicationServiceAsyncStub], Awaitable[T]]) -> T:
    """What one call of the adjudication service answers. Raises ``StartError`` as ``lexicon_at`` does."""

    async def ask() -> T:
        async with lexicon_at(address) as channel:
            return await work(pb_grpc.AdjudicationServiceStub(channel))

    answer: T = run(ask())
    return answer


def as_json(message: Message) -> dict[str, object]:
    """A message as JSON, with the names of the contract and every field."""
    return MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
