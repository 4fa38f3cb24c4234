"""The sender: signs the events of the hall's tables and sends them in the order of the record, once each."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass

import grpc
from sqlalchemy import func, or_, select, update
from sqlalchemy.exc import SQLAlchemyError

from faristol.client.problems import reason_of
from faristol.event_store import Record, positions
from faristol.event_store.append.copies import Batch
from faristol.event_store.append.extracts import extract
from faristol.event_store.backends.tables import checkpoints, events
from faristol.event_store.stored import Stored
from faristol.hall.joining import MAX_UNSTORED_POSITIONS_COUNT, Cell
from faristol.hall.line import EVENTS_MISSING, Attempts, read_answer
from faristol.hall.own_events import OF_NO_TABLE, OwnEvents
from faristol.host.halls import wire
from faristol.host.halls.identity import TABLE_STREAM_PREFIXES
from faristol.host.halls.kept import kept_stream
from faristol.pb.hall.v1 import hall_pb2 as pb

SENT = "hall.sent"
"""Checkpoint: position of the hall's record up to which the championship has all events of the hall."""

SEND_POLL_SECONDS = 1.0
"""Seconds between polls for new events without a notification."""
SEND_PAUSE_SECONDS = 0.2
"""Seconds from a batch to the next one: events of this time come in one batch."""
MAX_PUSH_BYTES = wire.MAX_BATCH_BYTES // 4
"""Bytes of a batch, unless one command has more events."""
MIN_PUSH_BYTES = 4_000
"""Bytes of a batch if the championship did not take larger ones in time."""
PUSH_TIMEOUT_SECONDS = 60.0
"""Timeout of a batch: many halls may come back at once, and the championship takes one batch at a time.

It goes on while a busy championship answers no heartbeat in time. If the machine is gone, pings end it earlier.
"""


@dataclass(frozen=True, slots=True)
class OwnBatch:
    """Events of the hall, and the position of its record up to which they were read."""

    batch: Batch
    epochs: Mapping[str, int]
    """Epochs of their tables, by game."""
    position: int


class OwnReader:
    """Reads the events that the hall wrote, from the first position of its record on."""

    def __init__(self, record: Record, cell: Cell) -> None:
        self._record = record
        self._own = OwnEvents(cell.public_key)
        self._epochs: dict[str, int] = {}
        self._position = 0
        self._parts: deque[OwnBatch] = deque()
        """Batches that were read and not returned yet."""

    async def skip(self, position: int) -> None:
        """Read the events up to a position without returning them."""
        while self._position < position:
            self._position = (await extract(self._record, self._position, self._is_own, up_to=position)).position

    async def read(self, most_bytes: int = MAX_PUSH_BYTES) -> OwnBatch:
        """Return the next events, with about this number of bytes at most.

        After an exception of the database, only a new reader can continue.
        """
        if not self._parts:
            self._epochs = {}
            found = await extract(self._record, self._position, self._is_own)
            self._position = found.position
            *before, last = [*wire.divide(found.batch, most_bytes)] or [found.batch]
            self._parts.extend(OwnBatch(part, self._epochs, part.events[-1].position) for part in before)
            self._parts.append(OwnBatch(last, self._epochs, found.position))
        return self._parts.popleft()

    def _is_own(self, event: Stored) -> bool:
        own = self._own.take(event)
        if own is None:
            return False
        game_id, epoch = own
        if own != OF_NO_TABLE:
            self._epochs[game_id] = epoch
        return True


class Sender:
    """Sends the events of the hall's record."""

    def __init__(self, record: Record, cell: Cell) -> None:
        self.position = 0
        """Position up to which everything was sent."""
        self._stored = 0
        """The position in the checkpoint."""
        self._record = record
        self._cell = cell

    async def run(self) -> None:
        """Send until cancelled. Each failure is retried after a delay, with the same batch.

        A batch that the championship does not take in time is divided: the same one could fail each time.
        """
        await self._cell.wait_joined()
        attempts = Attempts(self._cell.line, "events of the hall")
        self.position = self._stored = await self._record.checkpoint(SENT)
        reader: OwnReader | None = None
        pending: OwnBatch | None = None
        most_bytes = MAX_PUSH_BYTES
        while True:
            try:
                if reader is None:
                    reader = OwnReader(self._record, self._cell)
                    await reader.skip(self.position)
                pending = pending or await reader.read(most_bytes)
                if pending.batch.events:
                    await self._push(pending)
                await self._store(pending.position, has_events=bool(pending.batch.events))
                end = await self._record.last_position()
            except SQLAlchemyError as problem:
                await attempts.wait(problem)
                reader = pending = None
                continue
            except ValueError as problem:
                await attempts.wait(problem)
                continue
            except grpc.aio.AioRpcError as problem:
                await attempts.wait(problem)
                if reason_of(problem) == EVENTS_MISSING:
                    # The championship was restored from a backup: what it has already, it skips.
                    self.position, reader, pending = 0, None, None
                elif problem.code() is grpc.StatusCode.DEADLINE_EXCEEDED:
                    most_bytes = max(MIN_PUSH_BYTES, most_bytes // 4)
                    reader = pending = None
                continue
            attempts.reset()
            most_bytes = min(MAX_PUSH_BYTES, most_bytes * 2)
            pending = None
            if self.position >= end:
                await asyncio.sleep(SEND_PAUSE_SECONDS)
                await self._record.news.wait(SEND_POLL_SECONDS, self.position)

    async def export(self) -> AsyncIterator[pb.PushEventsRequest]:
        """Yield the calls that send the events which were not sent yet, signed."""
        reader, position = OwnReader(self._record, self._cell), self.position
        await reader.skip(position)
        end = await self._record.last_position()
        while position < end:
            found = await reader.read()
            position = found.position
            if found.batch.events:
                yield await self._sign(found)

    async def _push(self, own: OwnBatch) -> None:
        """Sign and send a batch. The tables of which the championship keeps events aside are lost.

        Their later events are sent all the same: an arbiter decides on them too.
        """
        request = await self._sign(own)
        answer = read_answer(await self._cell.line.sync.PushEvents(request, timeout=PUSH_TIMEOUT_SECONDS))
        self._cell.line.hear()
        for game_id in {table.game_id for table in answer.aside} - self._cell.lost:
            self._cell.lose(game_id)

    async def _sign(self, own: OwnBatch) -> pb.PushEventsRequest:
        joined = await self._cell.wait_joined()
        content = pb.HallBatch(
            tournament_id=joined.tournament_id,
            hall=joined.hall,
            epochs=[pb.TableEpoch(game_id=game_id, epoch=epoch) for game_id, epoch in own.epochs.items()],
            events=wire.to_events(own.batch),
            answers=wire.to_answers(own.batch),
        ).SerializeToString()
        return pb.PushEventsRequest(
            tournament_id=joined.tournament_id,
            hall=joined.hall,
            batch=content,
            signature=wire.sign(self._cell.key, content),
        )

    async def _store(self, position: int, *, has_events: bool) -> None:
        """Note the position up to which all is sent, and store it after events of the hall, or after many others."""
        if has_events or position - self._stored >= MAX_UNSTORED_POSITIONS_COUNT:
            async with self._record.writing() as connection:
                await positions.start_checkpoint(connection, SENT)
                await connection.execute(
                    update(checkpoints).where(checkpoints.c.consumer == SENT).values(position=position)
                )
            self._stored = position
        self.position = position

    async def unsent(self) -> tuple[int, int]:
        """Return the number of events of the hall that were not sent, and the time of the first, in microseconds."""
        of_hall = [events.c.stream.startswith(prefix) for prefix in TABLE_STREAM_PREFIXES]
        if self._cell.known:
            of_hall.append(events.c.stream == kept_stream(self._cell.known.tournament_id, self._cell.public_key))
        wanted = select(func.count(), func.coalesce(func.min(events.c.recorded_at), 0)).where(
            events.c.position > self.position, or_(*of_hall)
        )
        async with self._record.reading() as connection:
            count, first = (await connection.execute(wanted)).one()
        return int(count), int(first)
