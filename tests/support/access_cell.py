"""A platform that requires credentials, and the credentials of its users."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio
from google.protobuf.message import Message
from tests.component.method_requests import call_method

from faristol.access_control import keyring
from faristol.access_control.credential import Credential, Scope
from faristol.access_control.roles import PLAYER, ROLE_NAMES, Role
from faristol.access_control.tokens import issue
from faristol.client.credentials import authorize, build_interceptors
from faristol.event_store.integrity import keys
from faristol.host import Settings
from faristol.launcher.processes import Running, running
from faristol.pb.access.v1 import access_pb2 as access
from faristol.pb.access.v1 import events_pb2 as access_events
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.game.v1 import game_pb2, game_pb2_grpc
from faristol.pb.pairing.v1 import pairing_pb2, pairing_pb2_grpc
from faristol.rules import load_tile_set
from faristol.words import About, Library

OWN, FOREIGN = "own", "foreign"

PACK_KEY = "pack.key"
"""Name of the key of packs in the folder of a cell."""


@dataclass
class Cell:
    """A platform that requires credentials, with a round of two tournaments in progress."""

    process: Running
    channel: grpc.aio.Channel
    folder: Path
    players: Mapping[str, tuple[str, ...]]
    """The players of the first table of each tournament."""

    def token(self, credential: Credential) -> str:
        ring = keyring.Keyring(self.folder / "access")
        return issue(credential, ring.signer(), self.process.runtime.record.record_id)

    async def call(self, path: str, request: Message, token: str = "") -> Any:
        """Return the response of a method; the first one of a stream."""
        return await call_method(self.channel, path, request, token)


def build_credential(role: Role, tournament: str = OWN, **more: Any) -> Credential:
    now = datetime.now(UTC).replace(microsecond=0)
    scope = Scope(frozenset({tournament} if tournament else ()))
    player = f"{tournament}-1" if role == PLAYER else ""
    fields = {"subject": f"the-{ROLE_NAMES[role]}", "player": player, **more}
    until = now + timedelta(hours=1)
    return Credential(str(uuid.uuid4()), role=role, scope=scope, issued_at=now, expires_at=until, **fields)


async def grant(
    cell: Cell, form: access_events.Form.ValueType, role: Role = needs.ROLE_SCORER, *, token: str = "", **fields: Any
) -> Any:
    """Grant a credential, by a director or the holder of ``token``."""
    scope = access_events.Scope(tournament_ids=[OWN], tables=fields.pop("tables", ()))
    wanted = {"name": "Ona Mas", "lifetime_seconds": 1_800, "scope": scope, **fields}
    request = access.GrantCredentialRequest(command_id=str(uuid.uuid4()), role=role, form=form, **wanted)
    token = token or cell.token(build_credential(needs.ROLE_DIRECTOR))
    return await cell.call("/faristol.access.v1.AccessService/GrantCredential", request, token)


@asynccontextmanager
async def open_access_cell(folder: Path, lexicons: Path, **more: Any) -> AsyncIterator[Cell]:
    wanted = {"data": folder, "lexicons": lexicons, "open": False, "http_port": 0, "grpc_port": 0, **more}
    settings = Settings.model_validate(wanted)
    async with running(settings) as process:
        address = process.grpc_address
        async with grpc.aio.insecure_channel(
            address, interceptors=build_interceptors(authorize(address, folder / "access", "Console"))
        ) as console:
            pairing = pairing_pb2_grpc.PairingServiceStub(console)
            for tournament in (OWN, FOREIGN):
                await _start_round(pairing, tournament)
            game = game_pb2_grpc.GameServiceStub(console)
            players = {tournament: await wait_for_seats(game, tournament) for tournament in (OWN, FOREIGN)}
        async with grpc.aio.insecure_channel(address) as channel:
            yield Cell(process, channel, folder, players)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cell(tmp_path_factory: pytest.TempPathFactory, lexicons: Path, no_open: None) -> AsyncIterator[Cell]:
    """Yield a cell that requires credentials, with the Catalan lexicon of the set-up."""
    async with open_access_cell(tmp_path_factory.mktemp("cell"), lexicons) as made:
        yield made


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cell_with_small_lexicons(
    tmp_path_factory: pytest.TempPathFactory, lexicons: Path, no_open: None
) -> AsyncIterator[Cell]:
    """Yield a cell that requires credentials, with small lexicons of the other languages, and a key of packs."""
    words, folder = with_small_lexicons(lexicons, tmp_path_factory.mktemp("words")), tmp_path_factory.mktemp("cell")
    keys.make(folder / PACK_KEY)
    async with open_access_cell(folder, words, pack_key=str(folder / PACK_KEY)) as made:
        yield made


async def _start_round(pairing: Any, tournament: str) -> None:
    def command(kind: Any, **fields: Any) -> Any:
        return kind(command_id=str(uuid.uuid4()), tournament_id=tournament, **fields)

    await pairing.CreateTournament(command(pairing_pb2.CreateTournamentRequest, name=tournament, rounds=5))
    for number in range(1, 7):
        player = {"player_id": f"{tournament}-{number}", "name": f"{tournament} {number}"}
        await pairing.RegisterPlayer(command(pairing_pb2.RegisterPlayerRequest, **player))
    await pairing.PairRound(command(pairing_pb2.PairRoundRequest, round=1))
    await pairing.StartRound(command(pairing_pb2.StartRoundRequest, round=1))


async def wait_for_seats(game: Any, tournament: str) -> tuple[str, ...]:
    """Return the players at the first table of the first round, once there is one."""
    give_up = time.monotonic() + 60
    while True:
        try:
            found = await game.GetGame(game_pb2.GetGameRequest(game_id=f"{tournament}-r1-t1"))
        except grpc.aio.AioRpcError as problem:
            if problem.code() is not grpc.StatusCode.NOT_FOUND or time.monotonic() > give_up:
                raise
            await asyncio.sleep(0.1)
        else:
            return tuple(side.player_id for side in found.sides)


def with_small_lexicons(lexicons: Path, folder: Path) -> Path:
    """Return a folder with the Catalan lexicon and two of a word each, for the books of other languages."""
    for file in lexicons.iterdir():
        (folder / file.name).symlink_to(file)
    for name, tiles, word in (("spanish", "es-100", ("Z", "U", "LL", "A")), ("greek", "el-104", tuple("ΛΟΓΟΣ"))):
        about = About(name, "first", "CC0-1.0", "written for the tests", date(2024, 2, 29))
        Library(folder).install(name, {word}, tile_set=load_tile_set(tiles), about=about)
    return folder
