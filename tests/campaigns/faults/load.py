"""The load: championships played at the same time by clients of the product, and people who read pages."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import grpc
import httpx
from google.protobuf.json_format import MessageToDict
from tests.campaigns.torture.ledger import Ledger

from faristol.client.credentials import authorize, build_interceptors
from faristol.client.services import ATTEMPT_TIMEOUT_SECONDS, Api, is_retryable
from faristol.demo.championship import Championship
from faristol.demo.plan import Plan
from faristol.host.rpc.channels import open_channel
from faristol.host.security.tls import Tls
from faristol.pb.access.v1 import access_pb2
from faristol.words import DEFAULT_NAME, WordGraph

PLAYERS, ROUNDS, RULESET = 6, 5, "fisc-2023"
SERIES_COUNT = 1
"""Championships at the same time, of three tables each; more processors allow more."""
MAX_SERIES_CHAMPIONSHIPS = 2
"""Limit of championships of a series."""
MAX_PAUSE_SECONDS = 0.1
"""Seconds that a client waits at most before a call."""
PAGE_PAUSE_SECONDS = 0.1
"""Seconds between two pages that are asked for."""

EXPECTED = (grpc.StatusCode.NOT_FOUND,)
"""queries for a consequence are repeated until it is there"""

Standings = list[dict[str, Any]]


@dataclass
class Counts:
    """The outcomes of calls."""

    calls: int = 0
    """Calls that clients made, each until it was answered."""
    again: Counter[str] = field(default_factory=Counter)
    """Attempts without an answer, which clients sent again, by status code."""
    failed: list[str] = field(default_factory=list)
    """Calls without an answer, or with an unexpected one."""
    slowest: float = 0.0
    """Seconds from the first attempt of a call to its answer, of the slowest."""
    pages: int = 0
    pages_failed: Counter[str] = field(default_factory=Counter)
    acknowledged_at: list[float] = field(default_factory=list)
    """When commands were acknowledged, by the monotonic clock."""


class Line:
    """The channel of a stub: it counts calls, and enters commands in the ledger."""

    def __init__(self, channel: grpc.aio.Channel, counts: Counts, ledger: Ledger, chance: random.Random) -> None:
        self._channel = channel
        self._counts = counts
        self._ledger = ledger
        self._chance = chance
        self._began: dict[int, tuple[Any, float]] = {}
        """Times of the first attempts of calls without an answer, with their requests."""

    def unary_unary(self, path: str, **kept: Any) -> Callable[..., Awaitable[Any]]:
        """See ``grpc.aio.Channel``."""
        method: Any = self._channel.unary_unary(path, **kept)

        async def call(request: Any, timeout: float = ATTEMPT_TIMEOUT_SECONDS) -> Any:
            await asyncio.sleep(self._chance.random() * MAX_PAUSE_SECONDS)
            began = time.monotonic()
            is_command = "command_id" in request.DESCRIPTOR.fields_by_name
            if is_command:
                self._ledger.sent.add(request.command_id)
            _, first = self._began.setdefault(id(request), (request, began))
            try:
                answer = await method(request, timeout=timeout)
            except grpc.aio.AioRpcError as problem:
                if is_retryable(problem):
                    self._counts.again[problem.code().name] += 1
                    raise
                del self._began[id(request)]
                if problem.code() not in EXPECTED:
                    self._counts.failed.append(f"{path.rpartition('/')[2]}: {problem.code().name}, {problem.details()}")
                raise
            del self._began[id(request)]
            self._counts.calls += 1
            self._counts.slowest = max(self._counts.slowest, time.monotonic() - first)
            if is_command:
                self._ledger.acknowledge(path, request, as_kept(answer), began)
                self._counts.acknowledged_at.append(time.monotonic())
            return answer

        return call

    def unary_stream(self, path: str, **kept: Any) -> Any:
        """See ``grpc.aio.Channel``."""
        return self._channel.unary_stream(path, **kept)


def as_kept(answer: Any) -> Any:
    """Return the answer as the record stores it: without secrets that only the caller gets."""
    if isinstance(answer, access_pb2.SignInResponse):
        return access_pb2.SignInResponse(position=answer.position)
    kept = type(answer)()
    kept.CopyFrom(answer)
    if isinstance(answer, access_pb2.GrantCredentialResponse):
        for secret in ("token", "code", "pin"):
            kept.ClearField(secret)
    return kept


class Load:
    """Championships, one after another in each series, until ``enough``; and a reader of pages."""

    def __init__(
        self,
        targets: Mapping[str, str],
        tls: Tls,
        ledger: Ledger,
        graph: WordGraph,
        port: int,
        keys: Path,
        record: Path,
    ) -> None:
        """``port`` is that of the pages. With ``keys`` for the record ``record``, the director is signed in."""
        self.counts = Counts()
        self.finished: dict[int, Standings] = {}
        """The final standings of the championships, by their seed."""
        self.enough = False
        """No other championship is to begin."""
        self._channels: dict[str, grpc.aio.Channel] = {}
        self._targets, self._tls, self._keys, self._record = targets, tls, keys, record
        self._ledger = ledger
        self._graph = graph
        self._address = f"http://127.0.0.1:{port}"
        self._series: list[asyncio.Task[None]] = []
        self._reading: asyncio.Task[None] | None = None

    def channel(self, service: str) -> grpc.aio.Channel:
        """Return the channel to all replicas of a service."""
        return self._channels[service]

    def begin(self) -> None:
        """Begin to play and to read, once the cell has reported the record of its keys."""
        for service, target in self._targets.items():
            by = build_interceptors(authorize(target, self._keys, "Campaign", self._record))
            self._channels[service] = open_channel(target, by, self._tls)
        self._series = [asyncio.create_task(self._play_on(series)) for series in range(SERIES_COUNT)]
        self._reading = asyncio.create_task(self._read())

    @property
    def is_over(self) -> bool:
        """Whether all championships have ended."""
        return all(series.done() for series in self._series)

    async def end(self) -> None:
        """Let the championships that have begun come to their end. Stores the reason if one could not."""
        self.enough = True
        for problem in await asyncio.gather(*self._series, return_exceptions=True):
            if problem:
                self.counts.failed.append(f"a championship could not go on: {' '.join(str(problem).split())}")

    async def close(self) -> None:
        """Stop reading, and close every connection."""
        tasks = [*self._series, *([self._reading] if self._reading else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for channel in self._channels.values():
            await channel.close(None)

    async def _play_on(self, series: int) -> None:
        for number in range(MAX_SERIES_CHAMPIONSHIPS):
            seed = 1 + series + SERIES_COUNT * number
            chance = random.Random(seed)
            lines = {name: Line(each, self.counts, self._ledger, chance) for name, each in self._channels.items()}
            api = Api(lambda service, lines=lines: cast("grpc.aio.Channel", lines[service]))  # type: ignore[misc]
            plan, now = Plan(PLAYERS, ROUNDS, seed, RULESET), datetime.now(UTC)
            championship = Championship(api, plan, self._graph, DEFAULT_NAME, now)
            self.finished[seed] = to_standings((await championship.play()).standings)
            if self.enough:
                return

    async def _read(self) -> None:
        """Request the list of tournaments, each time over a new connection, as a new visitor does."""
        while True:
            await asyncio.sleep(PAGE_PAUSE_SECONDS)
            self.counts.pages += 1
            with suppress(asyncio.TimeoutError):
                async with httpx.AsyncClient(timeout=ATTEMPT_TIMEOUT_SECONDS) as client:
                    try:
                        answer = await client.get(f"{self._address}/api/v1/tournaments")
                    except httpx.HTTPError as problem:
                        self.counts.pages_failed[f"{type(problem).__name__}: {problem}"] += 1
                    else:
                        if answer.status_code != 200:
                            self.counts.pages_failed[str(answer.status_code)] += 1


Place = tuple[int, str, int, int, int, int]
"""The rank, player, wins, losses, spread and total of a line of the standings."""


def to_places(standings: Standings) -> list[Place]:
    """Return the parts of standings that every version has."""
    return [
        (
            line["rank"],
            line["playerId"],
            line.get("wins", 0),
            line.get("losses", 0),
            line.get("spread", 0),
            line.get("total", 0),
        )
        for line in standings
    ]


def to_standings(standings: Sequence[Any]) -> Standings:
    """Return the standings as they are compared."""
    return [MessageToDict(line) for line in standings]
