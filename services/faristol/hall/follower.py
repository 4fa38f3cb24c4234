"""The follower: copies the events of the championship that the hall needs, and resumes after the last one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from typing import Any, Final

import grpc
from sqlalchemy import update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store import Conflict, Record, positions
from faristol.event_store.append.copies import Batch, Divergence, InvalidCopy
from faristol.event_store.backends.tables import checkpoints
from faristol.event_store.stored import Stored
from faristol.event_store.tasks import cancel_tasks
from faristol.event_store.upcasters import UnreadableEvent, upcasters
from faristol.hall.joining import MAX_UNSTORED_POSITIONS_COUNT, Cell
from faristol.hall.line import Attempts, LineLost, read_answer
from faristol.hall.own_events import game_of
from faristol.host.halls import wire
from faristol.host.halls.given_keys import store_keys
from faristol.host.halls.identity import TABLE_STREAM_PREFIXES
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.hall.v1 import hall_pb2 as pb

FOLLOWED = "hall.followed"
"""Checkpoint: position of the championship's record up to which the hall has all events."""

_log = logging.getLogger(__name__)

TOO_NEW = N_(
    "The hall has the events up to {position}, and the file begins after {after}: export a file from the start."
)
OF_OTHERS = N_("The file does not follow on the events of this hall: {problem}.")

LATER_VERSION = N_(
    "The championship runs a later version, with an event {type} that this laptop does not know: update the laptop. "
    "Until then its tables go on without news of the championship."
)

COPY_FAILURES = (Divergence, Conflict, InvalidCopy, ValueError)
"""Failures of a copy, without those of the line, the database and the disk."""

FOLLOW_TIMEOUT_SECONDS = 60.0
"""Longest time without an answer, after which the hall calls again: the championship sends one every 10 seconds."""

_END: Final = object()
"""Stands for the end of a call."""


class LaterVersion(Exception):
    """An event of the championship that this version cannot read."""

    def __init__(self, type_name: str) -> None:
        self.type_name = type_name
        super().__init__(LATER_VERSION.format(type=type_name))


def check_known(batch: Batch) -> None:
    """Check that this version can read the events of a batch, before they are copied. Raises ``LaterVersion``.

    A hall with an event that it cannot read could not load its tournament, and its tables would stop.
    """
    for event in batch.events:
        try:
            upcasters.message(event.type, event.schema_version, event.payload)
        except UnreadableEvent as error:
            raise LaterVersion(event.type.rpartition(".")[2][:128]) from error


def check_order(response: pb.FollowChampionshipResponse, after: int) -> None:
    """Check that a response is intact and that its events follow a position, without a gap. Raises ``ValueError``."""
    wire.check_response(response)
    if response.HasField("after_position") and response.after_position != after:
        raise ValueError(
            f"the championship sent the events after {response.after_position}, expected those after {after}"
        )


async def _read_next(responses: AsyncIterator[Any]) -> Any:
    """Return the next response of a call, or ``_END``. Raises ``LineLost`` if none comes: the call is stuck."""
    try:
        async with asyncio.timeout(FOLLOW_TIMEOUT_SECONDS):
            return await anext(responses, _END)
    except TimeoutError:
        raise LineLost from None


class Follower:
    """Copies events into the record of the hall."""

    def __init__(self, record: Record, cell: Cell, wanted: Callable[[Sequence[Stored]], Awaitable[None]]) -> None:
        """``wanted`` is called with each copied batch before it is copied, such as to fetch its lexicon."""
        self.position = 0
        """Position of the championship's record up to which the hall has all events."""
        self._record = record
        self._cell = cell
        self._wanted = wanted
        self._copying = asyncio.Lock()

    async def run(self) -> None:
        """Follow the championship until cancelled. Each failure is retried after a delay."""
        await self._cell.wait_joined()
        attempts = Attempts(self._cell.line, "events of the championship")
        while True:
            try:
                await self._follow(attempts)
            except (grpc.aio.AioRpcError, SQLAlchemyError, OSError, LaterVersion, LineLost, *COPY_FAILURES) as problem:
                await attempts.wait(problem)

    async def _follow(self, attempts: Attempts) -> None:
        """Follow until the call ends or another call finds that the line is lost."""
        joined = await self._cell.wait_joined()
        await self._cell.line.wait_for_return()
        self.position = await self._record.checkpoint(FOLLOWED)
        request = pb.FollowChampionshipRequest(
            tournament_id=joined.tournament_id,
            hall=joined.hall,
            after_position=self.position,
            key=self._cell.public_key,
        )
        call = self._cell.line.sync.FollowChampionship(request)
        reading = asyncio.ensure_future(self._read(call, self.position, attempts))
        loss = asyncio.ensure_future(self._cell.line.wait_for_loss())
        try:
            await asyncio.wait((reading, loss), return_when=asyncio.FIRST_COMPLETED)
            if reading.done():
                reading.result()
        finally:
            call.cancel()
            await cancel_tasks([reading, loss])

    async def _read(
        self,
        call: grpc.aio.UnaryStreamCall,  # type: ignore[type-arg] # stubs
        after: int,
        attempts: Attempts,
    ) -> None:
        responses = aiter(call)
        while (response := await _read_next(responses)) is not _END:
            self._cell.line.hear()
            async with self._copying:
                check_order(read_answer(response), after)
                after = response.position
                if response.checksum and response.last_position < self.position:
                    await self._restart(response.last_position)
                    return
                await self._copy(response)
            attempts.reset()

    async def _restart(self, last: int) -> None:
        """Follow from the first event again: the championship was restored from a backup. What is here, is skipped."""
        _log.warning("the championship has events up to %d only, and the hall had followed more", last)
        async with self._record.writing() as connection:
            await connection.execute(update(checkpoints).where(checkpoints.c.consumer == FOLLOWED).values(position=0))
        self.position = 0

    async def take(self, after: int, response: pb.FollowChampionshipResponse) -> int:
        """Copy events of a file, and return the position of the championship up to which the hall has all events.

        Raises ``Refusal`` for events of a later version, for events that do not follow on those of the hall, or that
        cannot be those of the championship. Raises ``grpc.aio.AioRpcError`` if their lexicon is missing and cannot be
        fetched.
        """
        async with self._copying:
            here = max(self.position, await self._record.checkpoint(FOLLOWED))
            if after > here:
                raise Refusal("FILE_TOO_NEW", TOO_NEW, {"position": here, "after": after})
            try:
                await self._copy(response)
            except LaterVersion as problem:
                raise Refusal("EVENT_UNKNOWN", LATER_VERSION, {"type": problem.type_name}) from problem
            except COPY_FAILURES as problem:
                raise Refusal("FILE_OF_OTHERS", OF_OTHERS, {"problem": str(problem)}) from problem
            return self.position

    async def _copy(self, response: pb.FollowChampionshipResponse) -> None:
        """Copy the events of a response, its persons and the position in one transaction."""
        wire.check_response(response)
        batch = wire.to_batch(response.events, response.answers)
        check_known(batch)
        lost = self._cell.lost
        if lost:
            batch = Batch([event for event in batch.events if not _is_of(event, lost)], batch.notes, batch.answers)
        if not batch.events and not response.people:
            unstored = response.position - await self._record.checkpoint(FOLLOWED)
            if unstored < MAX_UNSTORED_POSITIONS_COUNT:
                self.position = max(self.position, response.position)
                return
        store_keys(self._cell.folder, {key.game_id: key.key for key in response.keys})
        await self._wanted(batch.events)
        write_people = wire.people_writer(response.people)

        async def also(connection: AsyncConnection, events: Sequence[Stored]) -> None:
            await write_people(connection, events)
            await positions.start_checkpoint(connection, FOLLOWED)
            before = checkpoints.c.position < response.position
            moved = update(checkpoints).where(checkpoints.c.consumer == FOLLOWED, before)
            await connection.execute(moved.values(position=response.position))

        try:
            # A command that was sent to both cells was answered here: the events of the championship come all the same.
            await self._record.copy(batch, also=also, known=batch.answers)
        except Divergence as divergence:
            if not divergence.stream.startswith(TABLE_STREAM_PREFIXES):
                raise
            # The table was taken back while the hall played on. Its own events stay in this record as they are.
            self._cell.lose(game_of(divergence.stream) or divergence.stream)
            await self._copy(response)
            return
        self.position = max(self.position, response.position)


def _is_of(event: Stored, lost: Collection[str]) -> bool:
    return event.stream in lost or game_of(event.stream) in lost
