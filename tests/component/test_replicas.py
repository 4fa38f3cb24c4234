"""Replicas of a consumer: one of them works, and another takes over when it ends."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import Message
from sqlalchemy.ext.asyncio import AsyncConnection
from tests.campaigns.viewers.crowd import Crowd
from tests.component.consumers import PROJECTION, append, line_of, note, positions
from tests.component.processes import Child, ReplicatedCell, faristol, standings

from faristol.bus import Bus, NatsServer, Relay
from faristol.consumers import Consumer, Progress, Projection, WorkShares
from faristol.consumers import leases as shares
from faristol.event_store import Record, Recorded
from faristol.event_store.tasks import cancel_tasks
from faristol.host import SERVICES
from faristol.host.rpc.channels import open_channel
from faristol.pb.lexicon.v1.lexicon_pb2 import ListLexiconsRequest
from faristol.pb.rating.v1.rating_pb2 import ListRatingSystemsRequest
from faristol.pb.results.v1.results_pb2 import ListTournamentsRequest
from faristol.read_models.api.public_events import PUBLIC

VIEWER_COUNT = 1_000
"""Who watch a championship, half of them at each gateway."""
CROWDED = {
    "http_connections_per_address": 0,
    "http_streams_per_address": 100_000,
    "http_requests_per_second": 0,
}
"""Settings for many viewers who all come from this machine."""


@dataclass
class Replica:
    """A process with its shares, its consumer, and the known position of that consumer."""

    shares: WorkShares
    progress: Progress
    batches: list[int] = field(default_factory=list)
    """The last position of every batch that it applied, and of those that were thrown away."""
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    @property
    def works(self) -> bool:
        return self.shares.of(PROJECTION.consumer).held

    async def stop(self) -> None:
        await cancel_tasks(self.tasks)
        await self.shares.release()

    async def die(self) -> None:
        """End without releasing anything."""
        await cancel_tasks(self.tasks)


@asynccontextmanager
async def replicas(record: Record, url: str, *names: str) -> AsyncIterator[list[Replica]]:
    """Yield replicas of one projection, and a relay."""
    bus = await Bus.connect(url)
    found: list[Replica] = []
    relay = asyncio.create_task(Relay(record, bus).run())
    try:
        found += [await start_replica(record, bus, name) for name in names]
        yield found
    finally:
        for replica in found:
            await replica.die()
        await cancel_tasks([relay])
        await bus.close()


async def start_replica(record: Record, bus: Bus, name: str) -> Replica:
    replica = Replica(
        WorkShares(record, shares.holder_of(name), [PROJECTION.consumer]), Progress(record, PROJECTION.consumer)
    )

    async def apply(connection: AsyncConnection, events: Sequence[Recorded]) -> None:
        replica.batches.append(events[-1].position)
        await note(connection, events)

    work = Projection(PROJECTION.name, PROJECTION.version, PROJECTION.types, PROJECTION.tables, apply)
    share = replica.shares.of(work.consumer)
    consumer = Consumer(record, bus, work, replica.progress, share=share)
    await consumer.prepare()
    await replica.shares.look()
    replica.tasks = [asyncio.create_task(consumer.run()), asyncio.create_task(replica.shares.keep())]
    return replica


@pytest.fixture
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use leases of a second that are renewed ten times in it."""
    monkeypatch.setattr(shares, "CONSUMER_LEASE_SECONDS", 1.0)
    monkeypatch.setattr(shares, "LEASE_RENEWAL_SECONDS", 0.1)


@pytest.mark.usefixtures("fast")
async def test_one_replica_works_the_others_follow_and_one_takes_over_when_it_stops_or_dies(
    record: Record, nats_server: NatsServer
) -> None:
    async with replicas(record, nats_server.url, "first", "second", "third") as (first, second, third):
        last = 0
        for version in range(40):
            last = await append(record, "game-a", version)
            await asyncio.sleep(0.005)
        for replica in (first, second, third):
            assert await replica.progress.wait_until_reached(last, 60), "who does not work follows"
        assert (await line_of(record, PROJECTION.consumer, lambda line: bool(line.holder))).holder.endswith("/first")
        assert first.batches
        assert not second.batches + third.batches, "nobody works beside the one that has the lease"

        await first.stop()
        last = await append(record, "game-a", 40)
        assert await third.progress.wait_until_reached(last, 60)
        working, waiting = (second, third) if second.works else (third, second)
        assert working.batches
        assert not waiting.batches

        await working.die()
        last = await append(record, "game-a", 41)
        assert await waiting.progress.wait_until_reached(last, 60)
        assert waiting.batches == [last]
        assert await positions(record) == list(range(1, last + 1)), "each event was applied once, in order"


@pytest.mark.usefixtures("fast")
async def test_a_replica_that_is_started_again_goes_on_at_once_with_what_it_held(
    record: Record, nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shares, "CONSUMER_LEASE_SECONDS", 600.0)
    async with replicas(record, nats_server.url, "first", "second") as running:
        await running[0].die()
        bus = await Bus.connect(nats_server.url)
        running.append(await start_replica(record, bus, "first"))
        last = await append(record, "game-a", 0)
        assert await running[2].progress.wait_until_reached(last, 60)
        assert running[2].batches == [last]
        await running[2].die()
        await bus.close()


@pytest.mark.usefixtures("fast")
async def test_replicas_come_to_fair_shares_and_stay_there(record: Record) -> None:
    consumers = [f"consumer-{number}" for number in range(8)]
    all_shares = [WorkShares(record, f"replica-{number}", consumers) for number in range(4)]

    async def beat(members: Sequence[WorkShares], times: int = 4) -> list[int]:
        for _ in range(times):
            for member in members:
                await member.look()
        held = [[name for name in consumers if member.of(name).held] for member in members]
        assert sorted(name for names in held for name in names) == consumers, "each is somebody's, and one's alone"
        return [len(names) for names in held]

    assert await beat(all_shares[:1], 1) == [8], "who is alone has everything"
    assert await beat(all_shares[:2]) == [4, 4]
    assert await beat(all_shares[:3]) in ([3, 3, 2], [3, 2, 3], [2, 3, 3])
    assert await beat(all_shares) == [2, 2, 2, 2]
    before = [[member.of(name).held for name in consumers] for member in all_shares]
    await beat(all_shares)
    assert [[member.of(name).held for name in consumers] for member in all_shares] == before, (
        "nothing moves for nothing"
    )
    await all_shares[0].release()
    assert sorted(await beat(all_shares[1:], 1)) == [2, 3, 3], "what was given back is taken at the next look"


async def test_a_consumer_is_given_up_only_when_it_has_done_what_it_is_at(record: Record) -> None:
    first, second = (WorkShares(record, name, ["a", "b"]) for name in ("first", "second"))
    await first.look()
    with first.of("b").working():
        await second.look()
        await first.look()
        assert not first.of("b").held, "it is told to stop"
        await first.look()
        await second.look()
        assert not second.of("b").held, "it has not stopped yet"
    await first.look()
    await second.look()
    assert second.of("b").held
    assert first.of("a").held


@pytest.mark.nightly
@pytest.mark.lexicon
async def test_two_replicas_of_everything_are_restarted_one_by_one_and_no_call_fails_and_no_viewer_misses_anything(
    new_database: str, nats_server: NatsServer, tmp_path: Path, lexicons: Path
) -> None:
    plan = ("demo", "--players", "6", "--rounds", "5", "--seed", "3", "--json")
    undisturbed = faristol(*plan, "--data", str(tmp_path / "undisturbed"), timeout=300, lexicons=lexicons)
    assert undisturbed.returncode == 0, undisturbed.stderr
    cell = ReplicatedCell(tmp_path, new_database, nats_server.url, 2, lexicons=lexicons, **CROWDED)
    crowds = [
        Crowd(port, "/api/v1/stream", VIEWER_COUNT // 2, 0, number) for number, port in enumerate(cell.http_ports)
    ]
    try:
        await asyncio.to_thread(cell.wait)
        for crowd in crowds:
            crowd.come()
        demo = Child([*plan, "--connect"], cell.client_settings, tmp_path / "demo.log")
        answered = 0

        async def ask(service: str, method: str, request: Message) -> None:
            nonlocal answered
            async with open_channel(cell.targets[service]) as channel:
                say: Any = channel.unary_unary(method, type(request).SerializeToString, bytes)
                while demo.process.poll() is None:
                    await say(request, timeout=30)
                    answered += 1
                    await asyncio.sleep(0.02)

        async def restart() -> None:
            for number, service in product(range(2), SERVICES):
                assert await asyncio.to_thread(cell.restart, service, number) == 0

        async with asyncio.TaskGroup() as tasks:
            for service, method, request in (
                ("results", "/faristol.results.v1.ResultsService/ListTournaments", ListTournamentsRequest()),
                ("rating", "/faristol.rating.v1.RatingService/ListRatingSystems", ListRatingSystemsRequest()),
                ("lexicon", "/faristol.lexicon.v1.LexiconService/ListLexicons", ListLexiconsRequest()),
            ):
                tasks.create_task(ask(service, method, request))
            await restart()
        assert answered
        assert demo.process.wait() == 0, demo.output()
        printed = demo.output()
        assert standings(printed[printed.index("{") :]) == standings(undisturbed.stdout)
        assert "order and hashes are right" in faristol("record", "verify", "--database-url", new_database).stdout
        record = await Record.open(new_database)
        news = array("q", [event.position for event in await record.read(0, limit=1_000_000, types=PUBLIC)])
        await record.close()
        for crowd in crowds:
            assert await crowd.all_told(news[-1], 60)
            assert all(viewer.told == news for viewer in crowd.viewers), "each heard everything once, in order"
            assert all(viewer.connections > 1 for viewer in crowd.viewers), "and came back after the restart"
    finally:
        for crowd in crowds:
            crowd.end()
        await asyncio.to_thread(cell.stop)
