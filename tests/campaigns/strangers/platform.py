"""A platform that requires credentials, with tables in play and private data."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import grpc
import httpx
from google.protobuf.message import Message
from tests.campaigns.strangers.outcome import Pair, measure_commands
from tests.component.method_requests import call_method
from tests.component.processes import START_SECONDS, Child, free_port, wait_until_serving
from tests.support.access_cell import wait_for_seats
from tests.support.plain_http import PLAIN

from faristol.access_control.credential import Credential, Scope
from faristol.access_control.keyring import RECORD, Keyring
from faristol.access_control.roles import DIRECTOR, PLAYER, ROLE_NAMES, Role
from faristol.access_control.tokens import issue
from faristol.client.credentials import authorize, build_interceptors
from faristol.host.rpc.channels import CHANNEL_OPTIONS
from faristol.pb.game.v1 import game_pb2_grpc
from faristol.pb.pairing.v1 import pairing_pb2, pairing_pb2_grpc

PLAYED, OTHER, HALL = "played", "other", "hall"
"""The attacked tournament, another one, and that of the officials who work in parallel."""

NOTE = "arrived drunk at the table"
"""A note of an arbiter for officials only."""

SEAT_COUNT = 6
COMMAND_PAUSE_SECONDS = 0.05
"""Seconds between two commands of the officials."""


def command(kind: Any, **fields: Any) -> Any:
    """Return a command with a new id."""
    return kind(command_id=str(uuid.uuid4()), **fields)


@dataclass
class Platform:
    """The services of `faristol up`, in a separate process."""

    child: Child
    data: Path
    grpc_port: int
    http_port: int
    channel: grpc.aio.Channel
    player: str = ""
    """Players at the first table of the attacked tournament: the system deals their tiles."""

    @property
    def grpc_address(self) -> str:
        """The address of its services."""
        return f"127.0.0.1:{self.grpc_port}"

    @property
    def keyring(self) -> Keyring:
        """The keys that it trusts."""
        return Keyring(self.data / "access")

    @property
    def record_id(self) -> str:
        """The record that its tokens are for."""
        return (self.data / "access" / RECORD).read_text(encoding="utf-8")

    def token(self, credential: Credential) -> str:
        """Return a token that it accepts."""
        return issue(credential, self.keyring.signer(), self.record_id)

    async def call(self, path: str, request: Message, token: str = "", **metadata: str) -> Any:
        """Return the response of a method; the first one of a stream. Raises ``grpc.aio.AioRpcError``."""
        return await call_method(self.channel, path, request, token, **metadata)


def credential_of(role: Role, tournament: str, *tables: int, player: str = "") -> Credential:
    """Return a credential for an hour."""
    now = datetime.now(UTC).replace(microsecond=0)
    scope = Scope(frozenset({tournament} if tournament else ()), frozenset(), frozenset(tables))
    subject = player if role == PLAYER else f"{tournament}-{ROLE_NAMES[role]}"
    return Credential(str(uuid.uuid4()), subject, role, scope, now, now + timedelta(hours=1), player=player)


@asynccontextmanager
async def platform(folder: Path, **settings: object) -> AsyncIterator[Platform]:
    """Start it and prepare its tournaments; end it as an operator would. Raises ``AssertionError`` if it breaks."""
    grpc_port, http_port = free_port(), free_port()
    data = folder / "data"
    own = {"data": data, "grpc_port": grpc_port, "http_port": http_port, "open": False, **settings}
    child = Child(["up"], own, folder / "up.log")
    try:
        address = f"127.0.0.1:{grpc_port}"
        await asyncio.to_thread(wait_until_serving, address, child)
        async with grpc.aio.insecure_channel(address, options=CHANNEL_OPTIONS) as channel:
            started = Platform(child, data, grpc_port, http_port, channel)
            await _prepare(started)
            await _shows_pages(started)
            yield started
        assert child.terminate() == 0, child.output()
    finally:
        if child.process.poll() is None:
            child.kill()


async def _shows_pages(cell: Platform) -> None:
    give_up = time.monotonic() + START_SECONDS
    async with httpx.AsyncClient(verify=PLAIN, base_url=f"http://127.0.0.1:{cell.http_port}") as web:
        while True:
            try:
                await web.get("/healthz")
            except httpx.ConnectError:
                if time.monotonic() > give_up:
                    raise
                await asyncio.sleep(0.1)
            else:
                return


async def _prepare(cell: Platform) -> None:
    interceptors = build_interceptors(authorize(cell.grpc_address, cell.data / "access", "Console"))
    async with grpc.aio.insecure_channel(cell.grpc_address, interceptors=interceptors) as console:
        pairing: Any = pairing_pb2_grpc.PairingServiceStub(console)
        game: Any = game_pb2_grpc.GameServiceStub(console)
        for name in (PLAYED, OTHER, HALL):
            await pairing.CreateTournament(
                command(pairing_pb2.CreateTournamentRequest, tournament_id=name, name=name, rounds=5)
            )
            for number in range(1, SEAT_COUNT + 1):
                player = {"player_id": f"{name}-{number}", "name": f"{name} {number}"}
                await pairing.RegisterPlayer(command(pairing_pb2.RegisterPlayerRequest, tournament_id=name, **player))
        for name in (PLAYED, OTHER):
            which = {"tournament_id": name, "round": 1}
            await pairing.PairRound(command(pairing_pb2.PairRoundRequest, **which))
            await pairing.StartRound(command(pairing_pb2.StartRoundRequest, **which))
        warning = {"tournament_id": PLAYED, "player_id": f"{PLAYED}-1", "arbiter_id": "", "note": NOTE}
        await pairing.WarnPlayer(command(pairing_pb2.WarnPlayerRequest, **warning))
        cell.player = (await wait_for_seats(game, PLAYED))[0]


@dataclass
class Officials:
    """The director of another tournament, who checks players in and out all the time, on the platform and on its twin.

    Each command goes to both platforms, one directly after the other, in alternating order. Only one of them is
    attacked: the work of other programs on the machine delays both, the attack only one.
    """

    cell: Platform
    twin: Platform
    took: dict[str, list[Pair]] = field(default_factory=dict)
    """The durations of each command, by the running attack."""
    failed: list[str] = field(default_factory=list)
    credential_id: str = ""
    _during: str = "quiet"

    def during(self, what: str) -> None:
        """Count from here on for this attack."""
        self._during = what
        self.took.setdefault(what, [])

    async def work(self) -> None:
        """Send commands until cancelled."""
        credential = credential_of(DIRECTOR, HALL)
        self.credential_id = credential.credential_id
        kinds = (pairing_pb2.CheckInPlayerRequest, pairing_pb2.CheckOutPlayerRequest)
        number = 0
        while True:
            kind = kinds[number // SEAT_COUNT % 2]
            path = f"/faristol.pairing.v1.PairingService/{kind.__name__.removesuffix('Request')}"
            during = self._during
            milliseconds: dict[bool, float] = {}
            for platform in (self.cell, self.twin) if number % 2 else (self.twin, self.cell):
                request = command(kind, tournament_id=HALL, player_id=f"{HALL}-{number % SEAT_COUNT + 1}")
                token = platform.token(credential)
                began = time.perf_counter()
                try:
                    await platform.call(path, request, token)
                except grpc.aio.AioRpcError as problem:
                    self.failed.append(f"{during}: {problem.code().name} {problem.details()}")
                milliseconds[platform is self.cell] = 1_000 * (time.perf_counter() - began)
            self.took.setdefault(during, []).append(Pair(milliseconds[True], milliseconds[False]))
            number += 1
            await asyncio.sleep(COMMAND_PAUSE_SECONDS)

    def figures(self) -> dict[str, dict[str, float]]:
        """Get the figures of each period that had commands."""
        return {what: measure_commands(pairs) for what, pairs in self.took.items() if pairs}
