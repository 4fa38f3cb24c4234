"""One subscription of the gateway to all notifications: none is left out and none comes twice."""

from __future__ import annotations

import asyncio

import pytest
from tests.support.stage import Stage
from tests.support.synthetic import Championship

from faristol.event_store.tasks import cancel_tasks
from faristol.gateway.live.feed import NewsSubscription
from faristol.pb.results.v1 import results_pb2_grpc
from faristol.read_models.api.public_events import PUBLIC

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_the_tail_tells_everything_public_once_and_goes_on_where_its_call_broke_off(stage: Stage) -> None:
    hall = Championship()
    await stage.add(*hall.create())
    channel = stage.running.runtime.channel("results")
    tail = NewsSubscription(results_pb2_grpc.ResultsServiceStub(channel))
    told: list[int] = []
    begun: list[int] = []
    moved = asyncio.Event()
    tail.on_news(lambda pieces: told.extend(news.position for news in pieces))
    tail.on_news(lambda pieces: moved.set())
    tail.on_gap(lambda: begun.append(tail.position))
    following = asyncio.create_task(tail.run())
    for steps in (hall.first_round(), hall.second_round(), hall.finish()):
        for step in steps:
            await stage.add(step)
        following.cancel()  # as often as a results service ends
        await cancel_tasks([following])
        following = asyncio.create_task(tail.run())
    await stage.add(*hall.pair(3, [("anna", "biel")], "eloi"))
    expected = [event.position for event in await stage.record.read(begun[0], types=PUBLIC)]
    last = await stage.record.last_position()
    async with asyncio.timeout(60):
        while tail.position < last:
            moved.clear()
            await moved.wait()
    assert told == expected
    assert len(begun) == 1
    await cancel_tasks([following])
