from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.support.stage import Stage
from tests.support.synthetic import Championship

from faristol.read_models.api.public_events import PUBLIC

pytestmark = pytest.mark.asyncio(loop_scope="module")

Event = dict[str, Any]


async def read(lines: AsyncIterator[str], count: int) -> list[Event]:
    """Return the next events of a stream."""
    found: list[Event] = []
    fields: Event = {}
    async with asyncio.timeout(60):
        while len(found) < count:
            line = await anext(lines)
            name, _, value = line.partition(": ")
            if line and name:
                fields[name] = value
            elif not line and "data" in fields:
                found.append(
                    {
                        "id": int(fields["id"].rpartition("-")[2]),
                        "event": fields["event"],
                        "data": json.loads(fields["data"]),
                    }
                )
                fields = {}
    return found


@asynccontextmanager
async def open_stream(stage: Stage, **options: Any) -> AsyncIterator[AsyncIterator[str]]:
    async with stage.http.stream("GET", "/api/v1/tournaments/lliga/stream", timeout=10, **options) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        yield response.aiter_lines()


async def public(stage: Stage, after: int = 0) -> list[int]:
    return [event.position for event in await stage.record.read(after, types=PUBLIC)]


async def test_a_stream_tells_everything_public_in_order_and_goes_on_live(stage: Stage) -> None:
    hall = Championship()
    await stage.add(*hall.create(), *hall.first_round())
    before = await public(stage)
    async with open_stream(stage) as lines:
        told = await read(lines, len(before))
        assert [each["id"] for each in told] == before
        await stage.add(*hall.second_round())
        later = await public(stage, before[-1])
        assert [each["id"] for each in await read(lines, len(later))] == later


async def test_a_stream_resumes_after_the_last_event_id_without_a_gap(finished_stage: Stage) -> None:
    everything = await public(finished_stage)
    for last in (everything[0], everything[len(everything) // 2]):
        async with open_stream(finished_stage, headers={"Last-Event-ID": str(last)}, params={"after": 0}) as lines:
            expected = [position for position in everything if position > last]
            assert [each["id"] for each in await read(lines, len(expected))] == expected


async def test_news_names_the_game_and_the_round(finished_stage: Stage) -> None:
    async with open_stream(finished_stage) as lines:
        told = await read(lines, len(await public(finished_stage)))
    play = next(each for each in told if each["event"] == "PlayPlaced")
    assert play["data"]["type"] == "PlayPlaced"
    assert (play["data"]["game_id"], play["data"]["round"]) == ("lliga-r1-t1", 1)
    recorded = [each for each in told if each["event"] == "ResultRecorded"]
    assert [(each["data"]["game_id"], each["data"]["round"]) for each in recorded] == [
        ("lliga-r1-t1", 1),
        ("lliga-r1-t2", 1),
        ("lliga-r2-t1", 2),
        ("lliga-r2-t2", 2),
    ]


async def test_frames_without_names_tell_the_same_with_content_or_without(finished_stage: Stage) -> None:
    path = "/api/v1/tournaments/lliga/stream"
    for query in ("", "include=content&"):
        told = {}
        for named in ("true", "false"):
            async with finished_stage.http.stream("GET", f"{path}?{query}named={named}", timeout=10) as answer:
                told[named] = await read_frames(answer.aiter_lines(), 12)
        assert all(list(frame) == ["id", "event", "data"] for frame in told["true"])
        assert [{**frame, "event": ""} for frame in told["true"]] == [{**frame, "event": ""} for frame in told["false"]]
        assert all(list(frame) == ["id", "data"] for frame in told["false"])


async def read_frames(lines: AsyncIterator[str], count: int) -> list[dict[str, str]]:
    """Return the next frames with data, as their fields."""
    found: list[dict[str, str]] = []
    fields: dict[str, str] = {}
    async with asyncio.timeout(60):
        while len(found) < count:
            name, _, value = (await anext(lines)).partition(": ")
            if name in ("id", "event", "data"):
                fields[name] = value
            elif not name:
                found += [fields] if "data" in fields else []
                fields = {}
    return found


async def test_draws_are_no_news(finished_stage: Stage) -> None:
    async with open_stream(finished_stage) as lines:
        told = {each["event"] for each in await read(lines, len(await public(finished_stage)))}
    assert told.isdisjoint({"TilesDrawn", "StartTileDrawn", "GameOpened", "SheetSigned"})


async def test_what_news_is_about_can_be_read_when_it_comes(stage: Stage) -> None:
    hall = Championship()
    await stage.add(*hall.create())
    async with open_stream(stage) as lines:
        await read(lines, 6)
        adding = asyncio.create_task(stage.add(*hall.first_round()))
        closed = False
        while not closed:
            (frame,) = await read(lines, 1)
            closed = frame["event"] == "RoundClosed"
            if frame["data"]["game_id"] and frame["event"] == "PlayPlaced":
                game = (await stage.http.get(f"/api/v1/games/{frame['data']['game_id']}")).json()
                assert game["position"] >= frame["id"]
                assert game["entries"]
        await adding


async def test_an_open_stream_ends_when_the_process_stops(stage: Stage) -> None:
    await stage.add(*Championship().create())
    async with open_stream(stage) as lines:
        await read(lines, 6)
        stopping = asyncio.create_task(stage.running.process.stop())
        async with asyncio.timeout(60):
            assert [line async for line in lines if line.startswith("data")] == []  # a clean end, no broken chunk
        await stopping
