"""The command handler: it decides, appends and answers, once for each command id.

Problem. A client without an answer cannot know whether its command was executed, and sends it again. Between the read
of a state and the append of a decision, another command may write to the same streams.

Idea. The caller chooses a UUID for each command, as for the HTTP header ``Idempotency-Key``. The record stores the
answer in the transaction of the events, and returns it to a repetition. A decision locks no stream: it names the
versions that it has read, and the append checks them. This is optimistic concurrency control (Kung and Robinson, 1981).
After a ``Conflict`` the handler decides again on the new state.

Of many parallel commands on one stream, only one succeeds in each attempt. So commands queue for a lock of this process
(``_QueuePlace``). A caller can name the ``queue`` in advance. A command after a conflict joins the queue of that
stream. So does a command whose first decision writes to a stream with such a queue.

Invariants:

- A command id takes effect once, also with several replicas. The record enforces it; the locks only avoid conflicts.
- A command holds one lock at most, so commands cannot deadlock.
- A stored answer begins with a digest of its request. Another request with the same id is ``Invalid``.
- A refusal is answered only if the record has no answer: the first execution may be its cause.

Cost. Without a conflict: one decision, one append and one SHA-256. Each conflict costs another decision and append, up
to ``MAX_COMMAND_ATTEMPTS``. A refusal costs a query by the command id. An unused lock is removed.

Alternatives that are not used:

- A lock for each stream before the decision. The decision states its streams only afterwards, and holders of several
  locks can deadlock.
- A pause before the next attempt. A slow decision could lose to faster ones each time; a queue has the order of
  arrival.
- Answers in the memory of the process. They would be lost at a restart, and other replicas would not have them.
"""

from __future__ import annotations

import asyncio
import hashlib
import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any, Generic, Self, TypeAlias, TypeVar
from weakref import WeakValueDictionary

import grpc
from google.protobuf.message import Message
from opentelemetry import metrics, trace
from opentelemetry.propagate import inject
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.assertions import Sometimes
from faristol.event_store import AppendCommand, Appended, Conflict, Decision, Metadata, Record
from faristol.host.observability.telemetry import DURATION_BUCKETS
from faristol.host.rpc.metadata import ACTOR, CORRELATION, ROLE
from faristol.host.security.actor import Actor, actor_of, check_id, read_metadata
from faristol.host.security.authorization import caller, is_asked
from faristol.kernel.errors import AlreadyExists, Invalid, NotFound
from faristol.kernel.refusal import N_, Refusal

MAX_COMMAND_ATTEMPTS = 16
"""Attempts at a decision with conflicts before the caller gets an error."""

DONE, REPEATED, REFUSED, CONFLICT = "done", "repeated", "refused", "conflict"
"""Outcomes of a command: executed, repeated, refused, or given up after conflicts."""

DECIDED_AGAIN = Sometimes("a command is decided again after a conflict")
ANSWERED_AGAIN = Sometimes("a repeated command gets its first answer")
REFUSED_AGAIN = Sometimes("a command that was executed is refused when it is repeated, and gets its first answer")

_tracer = trace.get_tracer("faristol.host")
_meter = metrics.get_meter("faristol.host")
_commands = _meter.create_counter("faristol.commands", unit="{command}", description="commands answered")
_appends = _meter.create_counter("faristol.appends", unit="{event}", description="events appended by commands")
_append_seconds = _meter.create_histogram(
    "faristol.append.duration",
    unit="s",
    description="duration of an append until it is on disk",
    explicit_bucket_boundaries_advisory=DURATION_BUCKETS,
)
_conflicts = _meter.create_counter("faristol.conflicts", unit="{conflict}", description="decisions that were repeated")

M = TypeVar("M", bound=Message)

Decide: TypeAlias = Callable[[], Awaitable[tuple[Decision, Callable[[int], M]]]]
"""Loads the input of a command, and returns the decision and a function from its last position to its answer."""

_REFUSAL_EXCEPTIONS = (Refusal, AlreadyExists, NotFound, Invalid)


class CommandHandler:
    """Handles the commands of a service."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._queues: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def handle(
        self,
        context: grpc.aio.ServicerContext[Any, Any],
        request: Message,
        decide: Decide[M],
        *,
        response: type[M],
        queue: str = "",
        decide_on_cache: Decide[M] | None = None,
    ) -> M:
        """Execute a command and return its answer; a repeated command gets its first answer.

        ``decide`` loads its input and returns the decision, and a function that builds the answer from the last
        position. It is called again after a conflict. Commands of one ``queue`` are decided one after the other: they
        write to one stream, so all but one of a parallel group would fail. ``decide_on_cache`` makes the first decision
        on a state that may be outdated. If it is a refusal or has no events, ``decide`` is called: only the append of
        events checks their state.

        Raises ``Invalid`` for a ``command_id`` that is not a UUID or belongs to another command. Raises ``Conflict``
        after too many conflicts, and the exceptions of ``decide``.
        """
        metadata = _metadata(context, request)
        call = _Call(request, metadata, await actor_of(self._record, context, metadata.command_id), response)
        try:
            return await self._carry_out(call, decide, queue, decide_on_cache)
        except _REFUSAL_EXCEPTIONS:
            # The command may have been executed before, or during this repetition, and its own effect may cause the
            # refusal. Then the record has the first answer.
            if before := await self._record.find_answer(call.command_id):
                REFUSED_AGAIN.note()
                return call.repeat_answer(before.answer)
            call.count(REFUSED)
            raise
        except Conflict:
            call.count(CONFLICT)
            raise

    async def _carry_out(self, call: _Call[M], decide: Decide[M], queue: str, decide_on_cache: Decide[M] | None) -> M:
        async with _QueuePlace(self._queues) as place:
            if queue:
                await place.move(queue)
            first = await _decide_on_cache(decide_on_cache) if decide_on_cache else None
            decision, answer = first or await decide()
            if busy := self._find_queue(decision):
                # Join the queue, or this command would always precede those that wait in it.
                await place.move(busy)
                decision, answer = await decide()
            for attempt in range(1, MAX_COMMAND_ATTEMPTS + 1):
                with _tracer.start_as_current_span("append") as span:
                    try:
                        appended = await self._append(call, decision, answer)
                    except Conflict as conflict:
                        DECIDED_AGAIN.note()
                        _conflicts.add(1, {"command": call.kind})
                        span.set_attribute("faristol.conflict", str(conflict))
                        if attempt == MAX_COMMAND_ATTEMPTS:
                            raise
                        met_at = conflict.stream
                    else:
                        span.set_attribute("faristol.position", appended.position)
                        return self._finish(call, decision, appended)
                await place.move(met_at)  # commands in conflict at a stream continue one after the other
                decision, answer = await decide()
        raise AssertionError("the last attempt returns or raises")

    async def _append(self, call: _Call[M], decision: Decision, answer: Callable[[int], M]) -> Appended:
        """Append a decision with its command and answer, and measure the duration. Raises ``Conflict``."""
        named = call.with_name(decision)
        began = perf_counter()
        metadata = replace(call.metadata(), causation_id=decision.causation_id)
        appended = await self._record.append(named, metadata, command=call.command(answer))
        _append_seconds.record(perf_counter() - began)
        return appended

    def _find_queue(self, decision: Decision) -> str:
        """Return the first stream of a decision with waiting commands; empty if there is no such stream."""
        waiting = ((write.stream, self._queues.get(write.stream)) for write in decision.writes)
        return next((stream for stream, lock in waiting if lock and lock.locked()), "")

    def _finish(self, call: _Call[M], decision: Decision, appended: Appended) -> M:
        ANSWERED_AGAIN.note(appended.repeated)
        if appended.repeated:
            return call.repeat_answer(appended.answer)
        call.count(DONE)
        _appends.add(sum(len(write.events) for write in decision.writes))
        return call.parse_answer(appended.answer)


async def _decide_on_cache(decide: Decide[M]) -> tuple[Decision, Callable[[int], M]] | None:
    """Return a decision with events on a state that may be outdated; None for a refusal or without events."""
    try:
        decision, answer = await decide()
    except _REFUSAL_EXCEPTIONS:
        return None
    return (decision, answer) if any(write.events for write in decision.writes) else None


class _QueuePlace:
    """The place of a command in at most one of several queues: it holds one lock, until the block ends."""

    def __init__(self, queues: WeakValueDictionary[str, asyncio.Lock]) -> None:
        self._queues = queues
        self._name = ""
        self._lock: asyncio.Lock | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *problem: object) -> None:
        self._leave()

    async def move(self, name: str) -> None:
        """Leave the queue, join another one at its end, and wait for its lock. No effect for the same queue."""
        if name == self._name:
            return
        self._leave()
        lock = self._queues.setdefault(name, asyncio.Lock())
        await lock.acquire()
        self._name, self._lock = name, lock

    def _leave(self) -> None:
        if self._lock is not None:
            self._lock.release()
        self._name, self._lock = "", None


class _Call(Generic[M]):
    """A command, and the stored form of its answer: a digest of the request, then the answer."""

    def __init__(self, request: Message, metadata: Metadata, who: Actor, response: type[M]) -> None:
        self._metadata = replace(metadata, actor=who.actor_id)
        self._who = who
        self._response = response
        self.command_id = metadata.command_id
        self.kind = response.DESCRIPTOR.full_name.removesuffix("Response")
        self._digest = digest(request, metadata.command_id)

    def with_name(self, decision: Decision) -> Decision:
        """Return the decision, extended to store the actor's name if necessary."""
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
        """Return the metadata with the trace context of the append."""
        carrier: dict[str, str] = {}
        inject(carrier)
        return replace(self._metadata, traceparent=carrier.get("traceparent", ""))

    def command(self, answer: Callable[[int], M]) -> AppendCommand:
        """Return the command for the record."""
        return AppendCommand(self.command_id, lambda position: self._digest + answer(position).SerializeToString())

    def parse_answer(self, kept: bytes) -> M:
        """Parse a stored answer. Raises ``Invalid`` if it belongs to another command."""
        if not kept.startswith(self._digest):
            raise Invalid(
                "command_id",
                N_("{command_id} was already used for another command: expected a new UUID for each command"),
                {"command_id": self.command_id},
            )
        return self._response.FromString(kept[len(self._digest) :])

    def count(self, outcome: str) -> None:
        """Count the outcome of the command."""
        _commands.add(1, {"command": self.kind, "outcome": outcome})

    def repeat_answer(self, kept: bytes) -> M:
        """Return the first answer to a repeated command."""
        answer = self.parse_answer(kept)
        self.count(REPEATED)
        return answer


def digest(request: Message, command_id: str = "") -> bytes:
    """Compute SHA-256 of a request, 32 bytes, which are stored with its answer.

    ``command_id`` is the stored form of the id, since a UUID has several spellings. Fields marked with ``debug_redact``
    are omitted at every depth: the digest of a name would let the owner of a list of names find it, despite its
    erasure.
    """
    asked = type(request)()
    asked.CopyFrom(request)
    if command_id:
        asked.command_id = command_id  # type: ignore[attr-defined] # every command has one
    _redact(asked)
    content = asked.SerializeToString(deterministic=True)
    return hashlib.sha256(asked.DESCRIPTOR.full_name.encode() + b"\0" + content).digest()


def _redact(message: Message) -> None:
    """Clear the fields marked with ``debug_redact``, in a message and its parts."""
    for field, value in message.ListFields():
        if field.GetOptions().debug_redact:
            message.ClearField(field.name)
        elif field.message_type is not None:
            for part in value if field.is_repeated else (value,):
                _redact(part)


def canonical(command_id: str) -> str:
    """Return the stored form of a command id. Raises ``Invalid`` if it is not a UUID."""
    try:
        return str(uuid.UUID(command_id))
    except ValueError:
        raise Invalid(
            "command_id", N_("expected a UUID of the caller's choice, got {given}"), {"given": repr(command_id)}
        ) from None


def _metadata(context: grpc.aio.ServicerContext[Any, Any], request: Any) -> Metadata:
    given = read_metadata(context)
    command_id = canonical(request.command_id)
    correlation = check_id(CORRELATION, given.get(CORRELATION, "")) or command_id
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
    actor, role = (check_id(key, given.get(key, "")) for key in (ACTOR, ROLE))
    return Metadata(actor=actor, role=role, command_id=command_id, correlation_id=correlation)
