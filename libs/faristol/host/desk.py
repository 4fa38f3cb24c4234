"""Where commands are handled: decide, append, answer; once, however often a command is sent."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import grpc
from google.protobuf.message import Message
from opentelemetry import metrics, trace
from opentelemetry.propagate import inject

from faristol.host.errors import Invalid
from faristol.record import Command, Conflict, Decision, Metadata, Record
from faristol.rules.refusal import N_

ATTEMPTS = 8
"""How often a decision is made anew when others were faster, before the caller is told."""

_log = logging.getLogger(__name__)
_tracer = trace.get_tracer("faristol.host")
_meter = metrics.get_meter("faristol.host")
_commands = _meter.create_counter("faristol.commands", unit="{command}", description="commands answered")
_appends = _meter.create_counter("faristol.appends", unit="{event}", description="events appended by commands")
_conflicts = _meter.create_counter("faristol.conflicts", unit="{conflict}", description="decisions made anew")

M = TypeVar("M", bound=Message)


class Desk:
    """Handles the commands of a service."""

    def __init__(self, record: Record) -> None:
        self._record = record

    async def handle(
        self,
        context: grpc.aio.ServicerContext[Any, Any],
        command_id: str,
        decide: Callable[[], Awaitable[tuple[Decision, Callable[[int], M]]]],
        *,
        response: type[M],
    ) -> M:
        """Carry out a command and answer it; a command known already gets its first answer.

        ``decide`` loads what it needs and returns the decision with what makes the answer from the position of
        the last event. It is called again when others wrote to those streams first. Raises ``Invalid`` for an
        id that is no UUID, ``Conflict`` when others kept being first, and whatever ``decide`` raises.
        """
        command_id = canonical(command_id)
        kind = response.DESCRIPTOR.full_name.removesuffix("Response")
        if before := await self._record.answered(command_id):
            _commands.add(1, {"command": kind, "repeated": True})
            return response.FromString(before.answer)
        attempt = 1
        while True:
            decision, answer = await decide()
            command = Command(command_id, _serialised(answer))
            with _tracer.start_as_current_span("append") as span:
                try:
                    appended = await self._record.append(decision, _metadata(context, command_id), command=command)
                except Conflict as conflict:
                    _conflicts.add(1, {"command": kind})
                    span.set_attribute("faristol.conflict", str(conflict))
                    if attempt == ATTEMPTS:
                        raise
                    attempt += 1
                    continue
                span.set_attribute("faristol.position", appended.position)
            _commands.add(1, {"command": kind, "repeated": appended.repeated})
            _appends.add(sum(len(write.events) for write in decision.writes))
            return response.FromString(appended.answer)


def _serialised(answer: Callable[[int], Message]) -> Callable[[int], bytes]:
    return lambda position: answer(position).SerializeToString()


def canonical(command_id: str) -> str:
    """The id as it is stored. Raises ``Invalid`` when it is no UUID."""
    try:
        return str(uuid.UUID(command_id))
    except ValueError:
        raise Invalid(
            "command_id", N_("expected a UUID of the caller's choice, got {given}"), {"given": repr(command_id)}
        ) from None


def _metadata(context: grpc.aio.ServicerContext[Any, Any], command_id: str) -> Metadata:
    given = {key: str(value) for key, value in context.invocation_metadata() or ()}
    carrier: dict[str, str] = {}
    inject(carrier)
    return Metadata(
        actor=given.get("faristol-actor", ""),
        role=given.get("faristol-role", ""),
        command_id=command_id,
        correlation_id=given.get("faristol-correlation", "") or command_id,
        traceparent=carrier.get("traceparent", ""),
    )
