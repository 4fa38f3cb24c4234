"""An address may send requests up to its limit, learns the remaining number, and does not affect other addresses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from faristol.gateway.http.rate_limit import BURST_SECONDS, MAX_WAITS, STREAM_WEIGHT_COUNT, Rates, Waits

REQUEST_RATE_COUNT = 10


class Client:
    """Sends requests to an application behind the limit, with a simulated time."""

    def __init__(self, rate: int = REQUEST_RATE_COUNT, streams: int = 2) -> None:
        self.now = 0.0
        self.running: list[asyncio.Event] = []
        self.rates = Rates(self._answer, rate, streams, lambda: self.now)

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["path"].endswith("/stream"):
            self.running.append(asyncio.Event())
            await self.running[-1].wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def ask(self, address: str = "a", path: str = "/") -> tuple[int, dict[str, str]]:
        told: list[Any] = []

        async def send(message: Any) -> None:
            told.append(message)

        scope = {"type": "http", "client": (address, 1), "path": path, "headers": [], "query_string": b""}
        unheard: Callable[[], Any] = asyncio.Event().wait
        await self.rates(scope, unheard, send)
        headers = {key.decode(): value.decode() for key, value in told[0]["headers"]}
        return told[0]["status"], headers


async def test_an_address_asks_ten_seconds_worth_at_once_and_then_as_often_as_it_may() -> None:
    client = Client()
    statuses = [(await client.ask())[0] for _ in range(REQUEST_RATE_COUNT * BURST_SECONDS + 5)]
    assert statuses == [200] * REQUEST_RATE_COUNT * BURST_SECONDS + [429] * 5
    client.now = 1.0
    assert [(await client.ask())[0] for _ in range(REQUEST_RATE_COUNT + 1)] == [200] * REQUEST_RATE_COUNT + [429]


async def test_what_is_left_is_told_and_when_to_come_again() -> None:
    client = Client()
    _, headers = await client.ask()
    most = REQUEST_RATE_COUNT * BURST_SECONDS
    assert headers == {"ratelimit-policy": f'"address";q={most};w=10', "ratelimit": f'"address";r={most - 1};t=10'}
    for _ in range(most):
        status, headers = await client.ask()
    assert (status, headers["retry-after"], headers["content-type"]) == (429, "1", "application/problem+json")


async def test_so_many_of_an_address_wait_for_what_has_not_come_and_no_more() -> None:
    running: list[asyncio.Event] = []

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        if scope["wait"]:
            running.append(asyncio.Event())
            await running[-1].wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})

    waits = Waits(answer, SimpleNamespace(position=50))  # type: ignore[arg-type] # all that is asked of the news

    async def ask(address: str, position: str, *, wait: bool = False) -> int:
        told: list[Any] = []

        async def send(message: Any) -> None:
            told.append(message)

        query = f"page=1&min_position={position}".encode()
        scope = {
            "type": "http",
            "client": (address, 1),
            "path": "/",
            "headers": [],
            "query_string": query,
            "wait": wait,
        }
        unheard: Callable[[], Any] = asyncio.Event().wait
        await waits(scope, unheard, send)
        return int(told[0]["status"])

    waiting = [asyncio.create_task(ask("a", "51", wait=True)) for _ in range(MAX_WAITS)]
    while len(running) < MAX_WAITS:  # noqa: ASYNC110 # nothing tells
        await asyncio.sleep(0)
    assert await ask("a", "51") == 429
    assert await ask("a", "50") == 200  # events that this gateway has received
    assert await ask("a", "x") == 200  # to be refused by all readers
    assert await ask("b", "51") == 200
    for event in running:
        event.set()
    assert set(await asyncio.gather(*waiting)) == {200}
    assert await ask("a", "51") == 200


async def test_who_has_a_network_of_ipv6_is_counted_as_one_address() -> None:
    client = Client()
    statuses = [(await client.ask(f"2001:db8:0:1::{n:x}"))[0] for n in range(REQUEST_RATE_COUNT * BURST_SECONDS + 1)]
    assert statuses == [200] * REQUEST_RATE_COUNT * BURST_SECONDS + [429]
    assert (await client.ask("2001:db8:0:2::1"))[0] == 200
    statuses = [
        (await client.ask(each))[0] for each in ("192.0.2.1", "::ffff:192.0.2.1") * REQUEST_RATE_COUNT * BURST_SECONDS
    ]
    assert statuses == [200] * REQUEST_RATE_COUNT * BURST_SECONDS + [429] * REQUEST_RATE_COUNT * BURST_SECONDS
    assert (await client.ask("192.0.2.2"))[0] == 200


async def test_one_address_costs_another_nothing() -> None:
    client = Client()
    for _ in range(REQUEST_RATE_COUNT * BURST_SECONDS + 1):
        await client.ask("a")
    assert (await client.ask("a"))[0] == 429
    assert (await client.ask("b"))[0] == 200


async def test_an_address_follows_so_many_streams_and_another_when_one_has_ended() -> None:
    client = Client()
    following = [asyncio.create_task(client.ask(path="/tournaments/x/stream")) for _ in range(2)]
    await asyncio.sleep(0)
    assert (await client.ask(path="/tournaments/x/stream"))[0] == 429
    assert (await client.ask(path="/tournaments/x"))[0] == 200
    client.running[0].set()
    assert (await following[0])[0] == 200
    third = asyncio.create_task(client.ask(path="/tournaments/x/stream"))
    await asyncio.sleep(0)
    assert not third.done()
    for task in (*following, third):
        task.cancel()


async def test_the_opening_of_a_stream_counts_as_several_requests() -> None:
    client = Client(streams=REQUEST_RATE_COUNT * BURST_SECONDS)
    most = REQUEST_RATE_COUNT * BURST_SECONDS // STREAM_WEIGHT_COUNT
    following = [asyncio.create_task(client.ask(path="/stream")) for _ in range(most)]
    await asyncio.sleep(0)
    assert len(client.running) == most
    refused = asyncio.create_task(client.ask(path="/stream"))
    await asyncio.sleep(0)
    assert (await client.ask())[0] == 429
    assert not refused.done()  # its client would return at once
    assert (await refused)[0] == 429
    for event in client.running:
        event.set()
    assert {status for status, _ in await asyncio.gather(*following)} == {200}


async def test_without_a_rate_anybody_asks_anything() -> None:
    client = Client(rate=0)
    assert {(await client.ask())[0] for _ in range(5_000)} == {200}
