"""The load: championships played at the same time, by clients that send a command until they have an answer to it."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any, cast

import grpc
from tests.campaigns.torture.ledger import Ledger
from tests.component.processes import EAGER

from faristol.client.services import ATTEMPT_TIMEOUT_SECONDS, MAX_RETRY_SECONDS, Api
from faristol.demo.championship import Championship
from faristol.demo.plan import Plan
from faristol.words import DEFAULT_NAME, WordGraph

PLAYERS, ROUNDS, RULESET = 6, 5, "fisc-2023"
DUPLICATE_RATIO = 0.04
"""Of all attempts at a command, how many are made by two connections at the same moment."""
MAX_PAUSE_SECONDS = 0.04
"""Seconds that a client waits at most before a call, so that the load stays bounded on a fast machine."""
RETRY_SECONDS = 0.1
"""Seconds between two attempts: few are waiting when the next kill comes."""
LOSING = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.ABORTED,
)
"""Codes after which a client does not know whether its command was carried out, or knows that it should try again."""


class Gate:
    """The gate at which calls wait during the checks of the cell."""

    def __init__(self) -> None:
        self._open = asyncio.Event()
        self._open.set()
        self._left = asyncio.Event()
        self._inside = 0

    @asynccontextmanager
    async def inside(self) -> AsyncIterator[None]:
        """Wait until the gate is open, and be counted."""
        while not self._open.is_set():
            await self._open.wait()
        self._inside += 1
        try:
            yield
        finally:
            self._inside -= 1
            self._left.set()

    @asynccontextmanager
    async def close(self) -> AsyncIterator[None]:
        """Admit no call, and wait until none is running, for a call's deadline at most."""
        self._open.clear()
        try:
            while self._inside:
                self._left.clear()
                await self._left.wait()
            yield
        finally:
            self._open.set()


class Network:
    """Every address of the cell, and a connection to each."""

    def __init__(self, replicas: Mapping[str, Sequence[str]]) -> None:
        self.replicas = replicas
        """The addresses at which each service answers."""
        addresses = sorted({address for all_of_one in replicas.values() for address in all_of_one})
        self._channels = {address: grpc.aio.insecure_channel(address, options=EAGER) for address in addresses}

    def channel(self, address: str) -> grpc.aio.Channel:
        """Return the connection to an address."""
        return self._channels[address]

    async def close(self) -> None:
        """Close every connection."""
        for channel in self._channels.values():
            await channel.close(None)


class Client:
    """Calls replicas of a service in turn, and records answers in the ledger."""

    def __init__(self, network: Network, ledger: Ledger, gate: Gate, chance: random.Random) -> None:
        self._network = network
        self._ledger = ledger
        self._gate = gate
        self._chance = chance

    def api(self) -> Api:
        """Return the public interfaces, through this client."""
        return Api(lambda service: cast("grpc.aio.Channel", _Line(self, self._network.replicas[service])))

    async def call(
        self, methods: Sequence[Callable[..., Awaitable[Any]]], path: str, request: Any, timeout: float
    ) -> Any:
        """Call until there is an answer. Raises the refusal of a service, and the error after ``MAX_RETRY_SECONDS``."""
        give_up = time.monotonic() + MAX_RETRY_SECONDS
        while True:
            try:
                return await self._once(methods, path, request, timeout)
            except grpc.aio.AioRpcError as problem:
                if not _is_lost(problem) or time.monotonic() > give_up:
                    raise
            await asyncio.sleep(RETRY_SECONDS)

    async def _once(
        self, methods: Sequence[Callable[..., Awaitable[Any]]], path: str, request: Any, timeout: float
    ) -> Any:
        """Return one attempt, or two at once. Raises the error of the first one."""
        await asyncio.sleep(self._chance.random() * MAX_PAUSE_SECONDS)
        is_command = "command_id" in request.DESCRIPTOR.fields_by_name
        twice = is_command and self._chance.random() < DUPLICATE_RATIO
        chosen = [self._chance.choice(methods) for _ in range(2 if twice else 1)]
        async with self._gate.inside():
            if is_command:
                self._ledger.sent.add(request.command_id)
            outcomes = await asyncio.gather(
                *(self._attempt(method, path, request, timeout, is_command=is_command) for method in chosen),
                return_exceptions=True,
            )
        answers = [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]
        problems = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
        for problem in problems:
            if answers and not _is_lost(problem):
                self._ledger.wrong.append(
                    f"command {request.command_id} was sent twice, acknowledged and refused: {problem}"
                )
        if answers:
            return answers[0]
        raise problems[0]

    async def _attempt(
        self, method: Callable[..., Awaitable[Any]], path: str, request: Any, timeout: float, *, is_command: bool
    ) -> Any:
        began = time.monotonic()
        try:
            answer = await method(request, timeout=timeout)
        except grpc.aio.AioRpcError as problem:
            if is_command and _is_lost(problem):
                self._ledger.lost[problem.code().name] += 1
            raise
        if is_command:
            self._ledger.acknowledge(path, request, answer, began)
        return answer


class _Line:
    """The channel of a stub: each of its methods goes to any of several addresses."""

    def __init__(self, client: Client, addresses: Sequence[str]) -> None:
        self._client = client
        self._channels = [client._network.channel(address) for address in addresses]

    def unary_unary(self, path: str, **kept: Any) -> Callable[..., Awaitable[Any]]:
        """See ``grpc.aio.Channel``."""
        methods: list[Any] = [channel.unary_unary(path, **kept) for channel in self._channels]

        async def call(request: Any, timeout: float = ATTEMPT_TIMEOUT_SECONDS) -> Any:
            return await self._client.call(methods, path, request, timeout)

        return call

    def unary_stream(self, path: str, **kept: Any) -> Any:
        """See ``grpc.aio.Channel``."""
        return self._channels[0].unary_stream(path, **kept)


def _is_lost(problem: BaseException) -> bool:
    return isinstance(problem, grpc.aio.AioRpcError) and problem.code() in LOSING


class Load:
    """Endless championships, several at the same time."""

    def __init__(self, network: Network, ledger: Ledger, gate: Gate, graph: WordGraph, seed: int, tables: int) -> None:
        self._network = network
        self._ledger = ledger
        self._gate = gate
        self._graph = graph
        self._seed = seed
        self._number = 0
        self.finished: list[str] = []
        """Tournaments played to their final standings."""
        self._tasks = [asyncio.create_task(self._play_on()) for _ in range(tables)]

    async def _play_on(self) -> None:
        while True:
            self._number += 1
            number = self._number
            client = Client(self._network, self._ledger, self._gate, random.Random(f"{self._seed}/{number}"))
            plan = Plan(players=PLAYERS, rounds=ROUNDS, seed=self._seed * 10_000 + number, ruleset=RULESET)
            now = datetime.now(UTC)
            outcome = await Championship(client.api(), plan, self._graph, DEFAULT_NAME, now).play()
            if sum(line.half_points for line in outcome.standings) != PLAYERS * ROUNDS:
                self._ledger.wrong.append(f"the points of tournament {plan.tournament_id} do not add up: {outcome}")
            self.finished.append(plan.tournament_id)

    def problems(self) -> list[str]:
        """Return the reasons why championships cannot continue; empty while all of them do."""
        return [
            f"a championship cannot go on: {' '.join(str(task.exception()).split())}"
            for task in self._tasks
            if task.done()
        ]

    async def stop(self) -> None:
        """Abandon all championships."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
