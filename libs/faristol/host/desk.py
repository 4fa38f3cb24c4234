"""Where commands are handled: decide, append, answer; once, however often a command is sent."""

from __future__ import annotations

import asyncio
import hashlib
import uuid
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from time import perf_counter
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

import grpc
from google.protobuf.message import Message
from opentelemetry import metrics, trace
from opentelemetry.propagate import inject
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.host.access import caller, is_asked
from faristol.host.actor import Actor, actor_of, checked, said
from faristol.host.metadata import ACTOR, CORRELATION, ROLE
from faristol.host.telemetry import SECONDS
from faristol.kernel.errors import AlreadyExists, Invalid, NotFound
from faristol.kernel.refusal import N_, Refusal
from faristol.record import Appended, Command, Conflict, Decision, Metadata, Record

ATTEMPTS = 16
"""How often a decision is made anew when others were faster, before the caller is told."""

DONE, REPEATED, REFUSED, CONFLICT = "done", "repeated", "refused", "conflict"
"""How a command was answered: anew, as before, by a refusal, or not at all since others kept being first."""

_tracer = trace.get_tracer("faristol.host")
_meter = metrics.get_meter("faristol.host")
_commands = _meter.create_counter("faristol.commands", unit="{command}", description="commands answered")
_appends = _meter.create_counter("faristol.appends", unit="{event}", description="events appended by commands")
_append_seconds = _meter.create_histogram(
    "faristol.append.duration",
    unit="s",
    description="how long an append took until it was on disk",
    explicit_bucket_boundaries_advisory=SECONDS,
)
_conflicts = _meter.create_counter("faristol.conflicts", unit="{conflict}", description="decisions made anew")

M = TypeVar("M", bound=Message)


class Desk:
    """Handles the commands of a service."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._queues: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def handle(
        self,
        context: grpc.aio.ServicerContext[Any, Any],
        request: Message,
        decide: Callable[[], Awaitable[tuple[Decision, Callable[[int], M]]]],
        *,
        response: type[M],
        lane: str = "",
    ) -> M:
        """Carry out a command and answer it; a command sent again gets its first answer.

        ``decide`` loads what it needs and returns the decision with what makes the answer from the position of
        the last event. It is called again when others wrote to those streams first. Commands of one ``lane`` are
        decided one after the other: all write to one stream, and of those at once all but one would do so in vain.
        Raises ``Invalid`` for a ``command_id`` that is no UUID or was that of another command, ``Conflict`` when
        others kept being first, and whatever ``decide`` raises.
        """
        metadata = _metadata(context, request)
        call = _Call(request, metadata, await actor_of(self._record, context, metadata.command_id), response)
        try:
            return await self._carry_out(call, decide, lane)
        except (Refusal, AlreadyExists, NotFound, Invalid):
            # The command may have been carried out before, or while this repetition of it was being decided, and then
            # it is its own effect that speaks against it. Where nothing does, the record answers it as it did then.
            if before := await self._record.answered(call.command_id):
                return call.repeated(before.answer)
            call.count(REFUSED)
            raise
        except Conflict:
            call.count(CONFLICT)
            raise

    async def _carry_out(
        self, call: _Call[M], decide: Callable[[], Awaitable[tuple[Decision, Callable[[int], M]]]], lane: str
    ) -> M:
        queued_at = ""
        async with AsyncExitStack() as queue:
            if lane:
                await queue.enter_async_context(self._queues.setdefault(lane, asyncio.Lock()))
            for attempt in range(1, ATTEMPTS + 1):
                decision, answer = await decide()
                if attempt == 1 and (busy := self._queue_at(decision)):
                    # Whoever comes later waits behind those who met there, or would always be before them.
                    queued_at, lock = busy, self._queues[busy]
                    await queue.aclose()
                    await queue.enter_async_context(lock)
                    decision, answer = await decide()
                with _tracer.start_as_current_span("append") as span:
                    try:
                        kept = call.with_name(decision)
                        began = perf_counter()
                        appended = await self._record.append(kept, call.metadata(), command=call.command(answer))
                        _append_seconds.record(perf_counter() - began)
                    except Conflict as conflict:
                        _conflicts.add(1, {"command": call.kind})
                        span.set_attribute("faristol.conflict", str(conflict))
                        if attempt == ATTEMPTS:
                            raise
                        met_at = conflict.stream
                    else:
                        span.set_attribute("faristol.position", appended.position)
                        return self._done(call, decision, appended)
                if met_at != queued_at:
                    # Those who met at one stream go on one after the other, and not all against each other; nobody
                    # keeps others waiting at a second stream meanwhile.
                    await queue.aclose()
                    await queue.enter_async_context(self._queues.setdefault(met_at, asyncio.Lock()))
                    queued_at = met_at
        raise AssertionError("the last attempt returns or raises")

    def _queue_at(self, decision: Decision) -> str:
        """The first stream that a decision writes to at which others wait for each other; empty where none do."""
        waiting = ((write.stream, self._queues.get(write.stream)) for write in decision.writes)
        return next((stream for stream, lock in waiting if lock and lock.locked()), "")

    def _done(self, call: _Call[M], decision: Decision, appended: Appended) -> M:
        if appended.repeated:
            return call.repeated(appended.answer)
        call.count(DONE)
        _appends.add(sum(len(write.events) for write in decision.writes))
        return call.opened(appended.answer)


class _Call(Generic[M]):
    """A command as it was sent, and how its answer is kept: behind a digest of what was asked."""

    def __init__(self, request: Message, metadata: Metadata, who: Actor, response: type[M]) -> None:
        self._metadata = replace(metadata, actor=who.actor_id)
        self._who = who
        self._response = response
        self.command_id = metadata.command_id
        self.kind = response.DESCRIPTOR.full_name.removesuffix("Response")
        self._digest = digest(request, metadata.command_id)

    def with_name(self, decision: Decision) -> Decision:
        """The decision, with the name of who sends the command where that has to be kept."""
        if not self._who.name or not any(write.events for write in decision.writes):
            return decision
        also = decision.also

        async def remember(connection: AsyncConnection) -> str | Sequence[str]:
            own = await self._who.remember(connection)
            others = await also(connection) if also is not None else None
            if others is None or isinstance(others, str):
                return " ".join(filter(None, (own, others)))
            return [" ".join(filter(None, (own, each))) for each in others]

        return replace(decision, also=remember)

    def metadata(self) -> Metadata:
        """The metadata, in the trace of the append."""
        carrier: dict[str, str] = {}
        inject(carrier)
        return replace(self._metadata, traceparent=carrier.get("traceparent", ""))

    def command(self, answer: Callable[[int], M]) -> Command:
        """The command as the record keeps it."""
        return Command(self.command_id, lambda position: self._digest + answer(position).SerializeToString())

    def opened(self, kept: bytes) -> M:
        """The answer that was kept. Raises ``Invalid`` when it is that of another command."""
        if not kept.startswith(self._digest):
            raise Invalid(
                "command_id",
                N_("{command_id} was the id of another command: expected a new UUID for each"),
                {"command_id": self.command_id},
            )
        return self._response.FromString(kept[len(self._digest) :])

    def count(self, outcome: str) -> None:
        """Note how the command was answered."""
        _commands.add(1, {"command": self.kind, "outcome": outcome})

    def repeated(self, kept: bytes) -> M:
        """The first answer, to a command that came again."""
        answer = self.opened(kept)
        self.count(REPEATED)
        return answer


def digest(request: Message, command_id: str = "") -> bytes:
    """SHA-256 of what a command asks, 32 bytes, which stay as long as its answer.

    ``command_id`` is the command's id as it is stored: a caller may write one UUID in several ways.

    Fields that the contract marks with ``debug_redact`` are left out, of its parts as well: from the digest of a name,
    whoever has a list of names finds the name, and it has to be possible to forget a person.
    """
    asked = type(request)()
    asked.CopyFrom(request)
    if command_id:
        asked.command_id = command_id  # type: ignore[attr-defined] # every command has one
    _redact(asked)
    content = asked.SerializeToString(deterministic=True)
    return hashlib.sha256(asked.DESCRIPTOR.full_name.encode() + b"\0" + content).digest()


def _redact(message: Message) -> None:
    """Clear the fields that the contract marks, in a message and its parts."""
    for field, value in message.ListFields():
        if field.GetOptions().debug_redact:
            message.ClearField(field.name)
        elif field.message_type is not None:
            for part in value if field.is_repeated else (value,):
                _redact(part)


def canonical(command_id: str) -> str:
    """The id as it is stored. Raises ``Invalid`` when it is no UUID."""
    try:
        return str(uuid.UUID(command_id))
    except ValueError:
        raise Invalid(
            "command_id", N_("expected a UUID of the caller's choice, got {given}"), {"given": repr(command_id)}
        ) from None


def _metadata(context: grpc.aio.ServicerContext[Any, Any], request: Any) -> Metadata:
    given = said(context)
    command_id = canonical(request.command_id)
    correlation = checked(CORRELATION, given.get(CORRELATION, "")) or command_id
    if is_asked():
        credential = caller()
        if credential is None:
            return Metadata(role="public", command_id=command_id, correlation_id=correlation)
        return Metadata(
            actor=credential.subject,
            role=credential.role_name,
            credential=credential.credential_id,
            command_id=command_id,
            correlation_id=correlation,
        )
    actor, role = (checked(key, given.get(key, "")) for key in (ACTOR, ROLE))
    return Metadata(actor=actor, role=role, command_id=command_id, correlation_id=correlation)
