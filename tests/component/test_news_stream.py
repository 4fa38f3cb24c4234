"""The stream of notifications on real NATS servers: ours, an operator's, and in a cluster that loses one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import nats
import pytest
from nats.js import JetStreamContext
from nats.js.api import RetentionPolicy, StreamConfig
from tests.component.consumers import PROJECTION, append, consuming, positions
from tests.component.nats_cluster import cluster, url_of

from faristol.bus import Bus, BusError, NatsServer
from faristol.bus.errors import BusUnavailable
from faristol.bus.permissions import NOTIFICATION_STREAM, STREAM_SUBJECTS
from faristol.bus.stream import NewsLimits
from faristol.event_store import Record


@asynccontextmanager
async def operating(server: NatsServer) -> AsyncIterator[JetStreamContext]:
    client = await nats.connect(server.url_of("operator"))
    try:
        yield client.jetstream()
    finally:
        await client.close()


async def read_config(server: NatsServer) -> StreamConfig:
    async with operating(server) as jetstream:
        return (await jetstream.stream_info(NOTIFICATION_STREAM)).config


async def test_a_stream_of_ours_follows_the_settings(nats_server: NatsServer) -> None:
    for limits in (NewsLimits(), NewsLimits(hours=2, most_bytes=1_000_000), NewsLimits(hours=48)):
        bus = await Bus.connect(nats_server.url, limits=limits)
        await bus.close()
        found = await read_config(nats_server)
        assert (found.max_age, found.max_bytes) == (limits.hours * 3600, limits.most_bytes or -1)


async def test_a_stream_of_the_operator_stays_as_it_is_and_the_news_goes_there(
    record: Record, nats_server: NatsServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with operating(nats_server) as jetstream:
        await jetstream.add_stream(
            name=NOTIFICATION_STREAM, subjects=[*STREAM_SUBJECTS], max_age=600, max_bytes=5_000_000
        )
    with caplog.at_level(logging.WARNING):
        async with consuming(record, nats_server.url, PROJECTION) as progress:
            assert await progress.wait_until_reached(await append(record, "game-a", 0, 5), 60)
    assert await positions(record) == [1, 2, 3, 4, 5]
    assert ((await read_config(nats_server)).max_age, (await read_config(nats_server)).max_bytes) == (600, 5_000_000)
    assert "seconds 600" in caplog.text, "the operator is told how it differs from the settings"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"subjects": ["other.>", STREAM_SUBJECTS[0]]}, f"has to add {STREAM_SUBJECTS[1]}"),
        ({"subjects": [*STREAM_SUBJECTS], "retention": RetentionPolicy.WORK_QUEUE}, "expected limits"),
    ],
)
async def test_a_stream_that_would_lose_news_is_refused_with_what_is_wrong_with_it(
    nats_server: NatsServer, given: dict[str, Any], told: str
) -> None:
    async with operating(nats_server) as jetstream:
        await jetstream.add_stream(name=NOTIFICATION_STREAM, **given)
    with pytest.raises(BusError, match=told.replace("*", "[*]")):
        await Bus.connect(nats_server.url)


async def test_too_few_servers_for_the_replicas_are_told(nats_server: NatsServer) -> None:
    with pytest.raises(BusError, match=r"on 3 servers .* FARISTOL_NATS_REPLICAS"):
        await Bus.connect(nats_server.url, limits=NewsLimits(replicas=3))


async def test_a_relay_waits_while_the_stream_would_lose_news_and_goes_on_when_it_does_not(
    record: Record, nats_server: NatsServer
) -> None:
    async with consuming(record, nats_server.url, PROJECTION) as progress, operating(nats_server) as jetstream:
        assert await progress.wait_until_reached(await append(record, "game-a", 0, 5), 60)
        await jetstream.delete_stream(NOTIFICATION_STREAM)
        await jetstream.add_stream(name=NOTIFICATION_STREAM, subjects=["other.>"])
        last = await append(record, "game-b", 0, 5)
        await asyncio.sleep(3)  # tried, and refused, more than once
        await jetstream.delete_stream(NOTIFICATION_STREAM)
        assert await progress.wait_until_reached(last, 60)
    assert await positions(record) == list(range(1, 11))


async def test_a_server_of_three_may_be_lost_and_no_news_is(record: Record, tmp_path: Path) -> None:
    async with cluster(tmp_path) as nodes:
        limits = NewsLimits(replicas=3)
        bus = await Bus.connect(url_of(nodes), limits=limits)
        await bus.close()
        async with consuming(record, url_of(nodes), PROJECTION, limits=limits) as progress:
            assert await progress.wait_until_reached(await append(record, "game-a", 0, 5), 60)
            await nodes[0].kill()
            assert await progress.wait_until_reached(await append(record, "game-b", 0, 5), 60)
            await nodes[0].start()
            assert await progress.wait_until_reached(await append(record, "game-c", 0, 5), 60)
    assert await positions(record) == list(range(1, 16))


@pytest.mark.nightly
async def test_jetstream_without_a_leader_is_waited_for_and_is_not_taken_for_one_that_is_off(tmp_path: Path) -> None:
    async with cluster(tmp_path) as nodes:
        for node in nodes[1:]:
            await node.kill()
        with pytest.raises(BusUnavailable, match="does not answer"):
            await Bus.connect(url_of(nodes[:1]))
        await nodes[1].start()
        async with asyncio.timeout(60):
            while True:
                try:
                    bus = await Bus.connect(url_of(nodes[:2]))
                    break
                except BusUnavailable:
                    await asyncio.sleep(0.5)
        await bus.close()
