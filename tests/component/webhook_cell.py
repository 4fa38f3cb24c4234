"""Results in operation, with webhooks whose limits a test chooses, on a record that it writes to."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from tests.support.synthetic import Championship, Step, append

from faristol.consumers import Progress, generations
from faristol.event_store import Record
from faristol.event_store.append.decision import Checkpoint
from faristol.event_store.event import utc_now
from faristol.event_store.positions import move_checkpoint, start_checkpoint
from faristol.event_store.tasks import cancel_tasks
from faristol.kernel.topics import Topic
from faristol.pb.results.v1 import webhooks_pb2 as pb
from faristol.read_models.api.public_events import PUBLIC, to_notification
from faristol.read_models.projections.model import PROJECTED_TYPES
from faristol.read_models.projections.projection import projection
from faristol.read_models.storage.models import ReadModels
from faristol.read_models.webhooks.delivery import Delivery
from faristol.read_models.webhooks.sequencer import WorkerContext
from faristol.read_models.webhooks.service import service
from faristol.webhooks.retry_policy import Limits
from faristol.webhooks.target import networks_of

TOURNAMENT = "lliga"
LOOPBACK = networks_of("127.0.0.0/8")
QUICK = Limits(first=0.01, longest=0.05, longest_asked=0.3, tries=3, dead_letters=4)


@dataclass
class Clock:
    """The time of day, which a test can advance."""

    ahead: timedelta = timedelta()

    def __call__(self) -> datetime:
        return utc_now() + self.ahead


@dataclass
class Replica:
    """A process that could deliver, within this one."""

    record: Record
    clock: Clock
    means: WorkerContext
    delivery: Delivery
    models: ReadModels
    desk: Any
    task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self.task = asyncio.create_task(self.delivery.run())

    async def stop(self) -> None:
        """End like a process that is terminated."""
        if self.task:
            await cancel_tasks([self.task])

    async def ask(self, name: str, **fields: Any) -> Any:
        request = getattr(pb, f"{name}Request")(tournament_id=TOURNAMENT, **fields)
        if "command_id" in request.DESCRIPTOR.fields_by_name and not request.command_id:
            request.command_id = str(uuid.uuid4())
        return await getattr(self.desk, name)(request, None)

    async def add(self, port: int, path: str = "/hook", **fields: Any) -> Any:
        fields = {"url": f"http://127.0.0.1:{port}{path}", "after_position": 0, **fields}
        return await self.ask("AddWebhook", **fields)

    async def read_webhook(self, webhook_id: str) -> Any:
        """Return the webhook as it is listed."""
        return (await self.ask("ListWebhooks", webhook_id=webhook_id)).webhooks[0]

    async def until(self, webhook_id: str, **wanted: Any) -> Any:
        """Return the webhook as it is listed, once its fields have these values."""
        give_up = time.monotonic() + 60
        while True:
            found = await self.read_webhook(webhook_id)
            if all(getattr(found, name) == value for name, value in wanted.items()):
                return found
            assert time.monotonic() < give_up, found
            await asyncio.sleep(0.02)

    async def until_letters(self, webhook_id: str, *wanted: tuple[int, int, int]) -> None:
        """Wait until these are the dead letters."""
        give_up = time.monotonic() + 60
        while (found := await self.letters(webhook_id)) != list(wanted):
            assert time.monotonic() < give_up, found
            await asyncio.sleep(0.02)

    async def letters(self, webhook_id: str) -> list[tuple[int, int, int]]:
        """Return the position, tries and status of each dead letter."""
        found = await self.ask("ListWebhooks", webhook_id=webhook_id)
        return [(each.position, each.tries, each.status) for each in found.dead_letters]


@dataclass
class WebhookCell:
    """A record with read models, and replicas that deliver."""

    record: Record
    steps: list[Step] = field(default_factory=lambda: list(Championship().steps()))
    replicas: list[Replica] = field(default_factory=list)
    progress: list[Progress] = field(default_factory=list)

    async def begin(self) -> None:
        async with self.record.writing() as connection:
            await generations.create_first_generation(connection, projection())

    def replica(self, *, start: bool = True, limits: Limits = QUICK, **more: Any) -> Replica:
        progress = Progress(self.record, projection().consumer)
        self.progress.append(progress)
        models, clock = ReadModels(self.record, progress), Clock()
        timing = {name: more.pop(name) for name in ("beat", "lease", "margin") if name in more}
        means = WorkerContext(self.record, models.tail, clock, LOOPBACK, limits=limits, **more)
        holder = str(uuid.uuid4())
        delivery = Delivery(means, lambda: holder, **{"beat": 0.1, **timing})
        made = Replica(self.record, clock, means, delivery, models, service(models, clock, LOOPBACK, delivery.tell))
        self.replicas.append(made)
        if start:
            made.start()
        return made

    async def add(self, count: int = 1_000) -> None:
        """Append the next steps, and have the read models follow."""
        for step in self.steps[:count]:
            before = await self.record.checkpoint(projection().consumer)
            await append(self.record, step)
            events = await self.record.read(before, types=PROJECTED_TYPES)
            last = await self.record.last_position()
            async with self.record.writing() as connection:
                await start_checkpoint(connection, projection().consumer)
                await projection().apply(connection, events)
                await move_checkpoint(connection, Checkpoint(projection().consumer, before, last))
            for progress in self.progress:
                progress.tell(last)
        del self.steps[:count]

    async def positions(self, topic: Topic | None = None, after: int = 0) -> list[int]:
        """Return those of the public news of the tournament, or of a topic of it."""
        topic = topic or Topic.of({TOURNAMENT: ""})
        news = map(to_notification, await self.record.read(after, types=PUBLIC))
        return [each.position for each in news if topic.has(each)]


OPENING_COUNT = 12
"""Steps with which a tournament has begun."""


@asynccontextmanager
async def open_webhook_cell(record: Record, *, begun: bool = False) -> AsyncIterator[WebhookCell]:
    """Yield a cell whose tournament has begun; ``begun`` if it had begun when the record was opened before."""
    cell = WebhookCell(record)
    await cell.begin()
    try:
        if begun:
            del cell.steps[:OPENING_COUNT]
        else:
            await cell.add(OPENING_COUNT)
        yield cell
    finally:
        for replica in cell.replicas:
            await replica.stop()
