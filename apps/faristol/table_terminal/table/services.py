"""A table behind remote services, for the commands of steps."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import grpc
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from faristol.casebook.case import ARBITER
from faristol.casebook.commands import verbs_of
from faristol.casebook.hosts.services import CLOCK, GAME
from faristol.client.rulesets import fetch
from faristol.client.services import A_co, RequestFor, build_call, call, service_of
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import game_pb2
from faristol.pb.results.v1 import results_pb2, results_pb2_grpc
from faristol.presentation.names import Named, candidates
from faristol.table_terminal.table.journal import Journal

T = TypeVar("T")

NOTICE_AFTER_SECONDS = 3.0
"""Seconds of waiting before the user is informed."""

POLL_INTERVAL_SECONDS = 0.1
"""Seconds between two polls."""

_COMMAND_FIELDS = frozenset({"command_id", "game_id"})

VERBS = verbs_of((GAME, CLOCK))
"""Every command of the services of a table."""


class LiveTable:
    """The services of a table behind channels. Calls to an unavailable one are retried until it answers."""

    def __init__(
        self,
        channel: Callable[[str], grpc.aio.Channel],
        game_id: str,
        caller: tuple[tuple[str, str | bytes], ...],
        journal: Journal,
        waiting: Callable[[], None],
    ) -> None:
        """Connect to the services.

        ``caller`` is the metadata of every call; ``waiting`` is called if an answer takes long.
        """
        self._journal = journal
        self.verbs = VERBS
        self.game_id = game_id
        self.ids: Mapping[str, str] = {}
        """Ids by the names that may be written for them."""
        self.known: Sequence[Named] = ()
        """The players, also found by prefixes of their names, without accents."""
        self._channels = {service: channel(service) for service in ("game", "clock", "results")}
        self._caller = caller
        self._waiting = waiting

    async def call(self, request: Any) -> Message:
        """Execute a command, with ids instead of names. Raises ``grpc.aio.AioRpcError`` if it is refused."""
        self._name(request)
        sent = type(request).FromString(self._journal.as_sent(request.command_id, request.SerializeToString()))
        return await self._ask(sent)

    async def table(self, player: str = "") -> game_pb2.GetGameResponse:
        """Return the table as its service shows it to a player."""
        return await self._ask(game_pb2.GetGameRequest(game_id=self.game_id, player_id=player))

    async def offers(self) -> Sequence[game_pb2.Offer]:
        """Return the commands that the table accepts, those of an arbiter only if the caller may act as one."""
        request = game_pb2.ListOffersRequest(game_id=self.game_id, arbiter_id=ARBITER)
        try:
            return (await self._ask(request)).offers
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.PERMISSION_DENIED:
                raise
            return (await self._ask(game_pb2.ListOffersRequest(game_id=self.game_id))).offers

    async def clock(self) -> clock_pb2.GetClockResponse:
        """Return the clock as its service shows it; an empty one before the game has started."""
        request = clock_pb2.GetClockRequest(game_id=self.game_id)
        try:
            return await self._ask(request)
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.NOT_FOUND:
                raise
            return clock_pb2.GetClockResponse(game_id=self.game_id)

    async def wait_until_idle(self) -> tuple[game_pb2.GetGameResponse, clock_pb2.GetClockResponse]:
        """Return table and clock after all automatic events, or the last state after a timeout."""

        async def look() -> tuple[int, game_pb2.GetGameResponse, clock_pb2.GetClockResponse]:
            before, clock = await self.table(), await self.clock()
            return before.version, await self.table(), clock

        def rests(seen: tuple[int, game_pb2.GetGameResponse, clock_pb2.GetClockResponse]) -> bool:
            before, table, clock = seen
            return table.version == before and not table.following | clock.following

        _, table, clock = await _poll(look, rests)
        return table, clock

    async def public(self, min_position: int = 0) -> results_pb2.GetGameResponse:
        """Return the public game, with names and the scoresheet."""
        request = results_pb2.GetGameRequest(game_id=self.game_id, min_position=min_position)
        game = await self._ask(request)
        await fetch(results_pb2_grpc.ResultsServiceStub(self._channels["results"]), game.ruleset)
        return game

    async def final(self) -> results_pb2.GetGameResponse:
        """Return the public game after its result is final, or the last state after a timeout."""
        return await _poll(self.public, lambda game: game.final)

    def id_of(self, name: str) -> str:
        """Return the id for a name; the name itself if it matches no player, or several."""
        if name in self.ids:
            return self.ids[name]
        found = candidates(name, self.known)
        return found[0].id if len(found) == 1 else name

    async def _ask(self, request: RequestFor[A_co]) -> A_co:
        message: Any = request
        method = build_call(self._channels[service_of(message.DESCRIPTOR)], type(message))
        asked = asyncio.create_task(call(partial(method, metadata=self._caller), message))
        done, _ = await asyncio.wait({asked}, timeout=NOTICE_AFTER_SECONDS)
        if not done:
            self._waiting()
        answer: A_co = await asked
        return answer

    def _name(self, request: Any) -> None:
        """Replace names by ids."""
        for field in request.DESCRIPTOR.fields:
            if field.type != FieldDescriptor.TYPE_STRING or field.name in _COMMAND_FIELDS:
                continue
            if field.name.endswith("_id"):
                name = getattr(request, field.name)
                setattr(request, field.name, self.id_of(name))
            elif field.name.endswith("_ids"):
                named = getattr(request, field.name)
                named[:] = [self.id_of(name) for name in named]


async def _poll(look: Callable[[], Awaitable[T]], done: Callable[[T], bool]) -> T:
    """Poll until the value is ``done``; return the last value after ``NOTICE_AFTER_SECONDS`` seconds."""
    loop = asyncio.get_running_loop()
    give_up = loop.time() + NOTICE_AFTER_SECONDS
    while True:
        seen = await look()
        if done(seen) or loop.time() > give_up:
            return seen
        await asyncio.sleep(POLL_INTERVAL_SECONDS)
