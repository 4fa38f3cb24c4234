"""The sender: signs the events of the hall's tables and sends them in the order of the record, once each."""

from __future__ import annotations

from collections.abc import Sequence

import grpc
from sqlalchemy import func, select, update
from sqlalchemy.exc import SQLAlchemyError

from faristol.client.problems import reason_of
from faristol.event_store import Record, positions
from faristol.event_store.append.copies import Batch
from faristol.event_store.append.extracts import Extract, extract
from faristol.event_store.backends.tables import checkpoints, events
from faristol.event_store.stored import Stored
from faristol.hall.joining import CALL_TIMEOUT_SECONDS, Cell
from faristol.hall.line import EVENTS_MISSING, Attempts
from faristol.hall.own_events import TABLE_STREAM_KINDS, OwnEvents
from faristol.host.halls import wire
from faristol.host.halls.identity import Joined
from faristol.pb.hall.v1 import hall_pb2 as pb

SENT = "hall.sent"
"""Checkpoint: position of the hall's record up to which the championship has all events of the hall."""

SEND_POLL_SECONDS = 1.0
"""Seconds between polls for new events without a notification."""
MAX_PUSH_BYTES = 200_000
"""Payload bytes after which a batch ends: the championship accepts 512 KiB with everything beside them."""


class Sender:
    """Sends the events of the hall's record."""

    def __init__(self, record: Record, cell: Cell) -> None:
        self.position = 0
        """Position up to which everything was sent."""
        self._record = record
        self._cell = cell
        self._own = self._begin()
        self._epochs: dict[str, int] = {}
        """Epochs of the tables in the extract that is being read."""

    async def run(self) -> None:
        """Send until cancelled. Each failure is retried after a delay, with the same batch."""
        joined = await self._cell.wait_joined()
        attempts = Attempts(self._cell.line, "events of the hall")
        self.position = await self._record.checkpoint(SENT)
        await self._scan(self.position)
        pending: Extract | None = None
        while True:
            try:
                if pending is None:
                    self._epochs = {}
                    pending = await extract(self._record, self.position, self._is_own, most_bytes=MAX_PUSH_BYTES)
                if pending.batch.events:
                    await self._push(joined, pending.batch, self._epochs)
                await self._store(pending.position)
                end = await self._record.last_position()
            except (grpc.aio.AioRpcError, SQLAlchemyError) as problem:
                await attempts.wait(problem)
                if isinstance(problem, grpc.aio.AioRpcError) and reason_of(problem) == EVENTS_MISSING:
                    # The championship was restored from a backup: what it has already, it skips.
                    self._own, self.position, pending = self._begin(), 0, None
                continue
            attempts.reset()
            pending = None
            if self.position >= end:
                await self._record.news.wait(SEND_POLL_SECONDS, self.position)

    async def _scan(self, up_to: int) -> None:
        """Fold the events that were sent before."""
        position = 0
        while position < up_to:
            position = (await extract(self._record, position, self._is_own, up_to=up_to)).position

    def _begin(self) -> OwnEvents:
        return OwnEvents(self._cell.public_key, self._cell.lost)

    def _is_own(self, event: Stored) -> bool:
        own = self._own.take(event)
        if own is None:
            return False
        game_id, epoch = own
        self._epochs[game_id] = epoch
        return True

    async def _push(self, joined: Joined, batch: Batch, epochs: dict[str, int]) -> None:
        """Sign and send a batch. Tables that the championship keeps aside are lost."""
        content = pb.HallBatch(
            tournament_id=joined.tournament_id,
            hall=joined.hall,
            epochs=[pb.TableEpoch(game_id=game_id, epoch=epoch) for game_id, epoch in epochs.items()],
            events=wire.to_events(batch),
            answers=wire.to_answers(batch),
        ).SerializeToString()
        request = pb.PushEventsRequest(
            tournament_id=joined.tournament_id,
            hall=joined.hall,
            batch=content,
            signature=wire.sign(self._cell.key, content),
        )
        answer = await self._cell.line.sync.PushEvents(request, timeout=CALL_TIMEOUT_SECONDS)
        self._cell.line.hear()
        for table in answer.aside:
            self._own.lose(table.game_id)
            self._cell.lose(table.game_id)

    async def _store(self, position: int) -> None:
        if position != self.position:
            async with self._record.writing() as connection:
                await positions.start_checkpoint(connection, SENT)
                await connection.execute(
                    update(checkpoints).where(checkpoints.c.consumer == SENT).values(position=position)
                )
            self.position = position

    async def unsent(self) -> tuple[int, int]:
        """Return the number of events of tables that were not sent, and the time of the first, in microseconds."""
        kinds: Sequence[str] = sorted(TABLE_STREAM_KINDS)
        of_tables = [events.c.stream.startswith(f"{kind}-") for kind in kinds]
        wanted = select(func.count(), func.coalesce(func.min(events.c.recorded_at), 0)).where(
            events.c.position > self.position, of_tables[0] | of_tables[1] | of_tables[2]
        )
        async with self._record.reading() as connection:
            count, first = (await connection.execute(wanted)).one()
        return int(count), int(first)
