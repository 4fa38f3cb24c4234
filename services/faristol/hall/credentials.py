"""The credentials of the championship for the tables of the hall: fetched while there is a line, and granted here."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime

import grpc
from google.protobuf.message import Message
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.access_control.hall_codes import HallCredential, follow
from faristol.access_control.state import ACCESS_STREAM, Access, fold, of_message
from faristol.event_store import Conflict, Decision, Metadata, Record, Write, load_at_once
from faristol.hall.joining import CALL_TIMEOUT_SECONDS, Cell
from faristol.hall.line import Attempts, read_answer
from faristol.host.security.actor import Actor
from faristol.kernel.event_types import OF_THE_CELL
from faristol.pb.access.v1 import access_pb2 as pb
from faristol.pb.access.v1 import events_pb2 as events

CREDENTIALS_POLL_SECONDS = 2.0
"""Seconds between two calls for the credentials: a revoked one is accepted in the hall for as long, with a line."""

ABSENT_POLL_SECONDS = 15.0
"""Seconds until the next call after an answer that the championship has no credentials for this cell."""

_NONE_CODES = frozenset((grpc.StatusCode.NOT_FOUND, grpc.StatusCode.UNIMPLEMENTED))
"""Statuses of a hall that was released, which the heartbeat reports, and of a championship of an earlier version."""

MAX_WRITTEN_EVENTS = 500
"""Events in one append."""


class CredentialFollower:
    """Grants the credentials of the championship in the record of the hall, and revokes those that have ended."""

    def __init__(self, record: Record, cell: Cell, now: Callable[[], datetime]) -> None:
        self._record = record
        self._cell = cell
        self._now = now
        self._digest = b""
        """That of the last answer whose credentials the record has."""

    async def run(self) -> None:
        """Follow until cancelled. Each failure is retried after a delay."""
        joined = await self._cell.wait_joined()
        attempts = Attempts(self._cell.line, "credentials of the championship")
        while True:
            request = pb.ListHallCredentialsRequest(
                tournament_id=joined.tournament_id,
                hall=joined.hall,
                key=self._cell.public_key,
                known_digest=self._digest,
            )
            try:
                answer = await self._cell.line.access.ListHallCredentials(request, timeout=CALL_TIMEOUT_SECONDS)
                self._cell.line.hear()
                if read_answer(answer).digest != self._digest:
                    await self._take(joined.tournament_id, answer)
            except (grpc.aio.AioRpcError, SQLAlchemyError, Conflict, ValueError) as problem:
                if isinstance(problem, grpc.aio.AioRpcError) and problem.code() in _NONE_CODES:
                    await asyncio.sleep(ABSENT_POLL_SECONDS)
                else:
                    await attempts.wait(problem)
                continue
            attempts.reset()
            await asyncio.sleep(CREDENTIALS_POLL_SECONDS)

    async def take(self, tournament_id: str, answer: pb.ListHallCredentialsResponse) -> None:
        """Write what has changed by a file from the championship. Raises ``ValueError`` for impossible values."""
        while True:
            try:
                await self._take(tournament_id, answer)
            except Conflict:
                continue  # a device signed in, or the line is back
            return

    async def _take(self, tournament_id: str, answer: pb.ListHallCredentialsResponse) -> None:
        """Write what has changed.

        Raises ``Conflict`` if a device signs in at the same time, and ``ValueError`` for an answer that was changed.
        """
        known = [
            HallCredential(of_message(each.credential), each.form, each.code_digest) for each in answer.credentials
        ]
        names = {each.credential.subject_id: each.name for each in answer.credentials if each.name}
        loaded = await load_at_once(self._record, ACCESS_STREAM, Access(), fold)
        new_events = follow(loaded.state, tournament_id, known, answer.ended_ids, self._now())
        version = loaded.version
        for start in range(0, len(new_events), MAX_WRITTEN_EVENTS):
            part = new_events[start : start + MAX_WRITTEN_EVENTS]
            decision = Decision([Write(ACCESS_STREAM, version, part, OF_THE_CELL)], also=_remember(part, names))
            await self._record.append(decision, Metadata(actor="hall.credentials", role="service"))
            version += len(part)
        self._digest = answer.digest


def _remember(
    new_events: Sequence[Message], names: Mapping[str, str]
) -> Callable[[AsyncConnection], Awaitable[Sequence[str] | None]]:
    """Return a function that stores the names of officials whose credentials are granted.

    No event binds them: those of the championship do, and their salt follows with the first such event.
    """
    subjects = {each.credential.subject_id for each in new_events if isinstance(each, events.CredentialGranted)}
    persons = [Actor(subject, names[subject]) for subject in sorted(subjects & names.keys())]

    async def write(connection: AsyncConnection) -> Sequence[str] | None:
        for person in persons:
            await person.remember(connection)
        return None

    return write
