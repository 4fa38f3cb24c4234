"""The public: a subscriber to the tournament's notifications, and a reader of the pages' JSON."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from random import Random
from typing import Any

import grpc
import grpc.aio
from tests.campaigns.simulation.clients import Told
from tests.campaigns.simulation.nodes import Node
from tests.campaigns.simulation.world import World

from faristol.client.services import Api
from faristol.pb.results.v1 import results_pb2

PAGE_TIMEOUT_SECONDS = 3.0
"""Seconds that a visitor waits for a page."""


class Follower:
    """Subscribes to the notifications, and resumes after the last one when its connection is lost."""

    def __init__(self, api: Api, told: Told, tournament_id: str, luck: Random) -> None:
        self.heard: list[int] = []
        """Positions, as they came."""
        self._api = api
        self._told = told
        self._tournament_id = tournament_id
        self._luck = luck

    async def follow(self) -> None:
        """Follow until cancelled."""
        while True:
            after = self.heard[-1] if self.heard else 0
            request = results_pb2.FollowRequest(tournament_id=self._tournament_id, after_position=after)
            stream: Any = self._api.results.Follow(request)
            try:
                async for piece in stream:
                    self.heard.append(piece.position)
            except grpc.aio.AioRpcError as problem:
                if problem.code() not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.NOT_FOUND):
                    self._told.problems.append(f"a follower was told {problem.code().name}: {problem.details()}")
            finally:
                stream.cancel()
            await asyncio.sleep(0.3 * self._luck.random())


class Visitor:
    """Reads standings from any available gateway."""

    def __init__(self, world: World, told: Told, pages: Callable[[], dict[Node, Any]], tournament_id: str) -> None:
        self._world = world
        self._told = told
        self._pages = pages
        self._path = f"/api/v1/tournaments/{tournament_id}/standings"
        self._luck = world.luck("visitor")

    async def visit(self) -> None:
        """Visit until cancelled."""
        while True:
            await asyncio.sleep(self._luck.random())
            if pages := list(self._pages().items()):
                node, web = self._luck.choice(pages)
                status, body = await self._get(node, web)
                if status not in (0, 200, 404, 503, 504):
                    self._told.problems.append(f"{self._path} was answered with {status}: {body!r:.300}")
                self._world.trace("visit", f"{node.name}: {status}")

    async def standings(self) -> list[tuple[str, int]]:
        """Return the place of each player, once a gateway has the standings."""
        while True:
            for node, web in list(self._pages().items()):
                status, body = await self._get(node, web)
                if status == 200:
                    return [(line["player_id"], line["rank"]) for line in json.loads(body)["standings"]]
            await asyncio.sleep(0.2)

    async def _get(self, node: Node, web: Any) -> tuple[int, bytes]:
        """Return the status and body; 0 when the process ended, or when it took too long."""
        done: asyncio.Queue[tuple[int, bytes]] = asyncio.Queue()
        node.run(_answer(web, self._path, done))
        try:
            async with asyncio.timeout(PAGE_TIMEOUT_SECONDS):
                return await done.get()
        except TimeoutError:
            return 0, b""


async def _answer(web: Any, path: str, done: asyncio.Queue[tuple[int, bytes]]) -> None:
    """Call the application as an HTTP server does, by ASGI."""
    status, body = 0, b""
    asked = asyncio.Event()

    async def receive() -> dict[str, Any]:
        if asked.is_set():
            await asyncio.get_running_loop().create_future()
        asked.set()
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        nonlocal status, body
        status = message.get("status", status)
        body += message.get("body", b"")

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(b"host", b"localhost")],
        "client": ("simulated", 1),
        "server": ("simulated", 80),
    }
    await web(scope, receive, send)
    done.put_nowait((status, body))
