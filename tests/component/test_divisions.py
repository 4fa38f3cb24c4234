"""Divisions of a championship while several processes register players at once, on both databases."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable
from contextlib import AsyncExitStack
from pathlib import Path

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from tests.component.processes import Child, faristol, free_port, wait_until_serving
from tests.component.tournament.test_service import command, create, register
from tests.support.pairing_service import PairingService, serving

from faristol.event_store import Record, load
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.tournament.state import TournamentState, evolve, stream

DIVISIONS = ("open", "second", "third")


@pytest.fixture
async def services(database_url: str) -> AsyncIterator[list[PairingService]]:
    """Yield a pairing service for each of three divisions, on one database."""
    async with AsyncExitStack() as stack:
        records = [await Record.open(database_url) for _ in DIVISIONS]
        for record in records:
            stack.push_async_callback(record.close)
        made = [await stack.enter_async_context(serving(record)) for record in records]
        await create(made[0], division="A")
        await create(made[0], tournament_id="second", division="B", division_of="open")
        await create(made[0], tournament_id="third", division="C", division_of="open")
        yield made


async def reason_of(call: Awaitable[object]) -> str:
    """Return why a call was refused; empty if it was not."""
    try:
        await call
    except grpc.aio.AioRpcError as problem:
        status = rpc_status.from_call(problem)  # type: ignore[arg-type]
        info = error_details_pb2.ErrorInfo()
        if status is None:
            raise
        status.details[0].Unpack(info)
        return str(info.reason)
    return ""


async def in_divisions(record: Record, player_id: str) -> int:
    """Return the number of divisions in which a player takes part."""
    found = 0
    for tournament_id in DIVISIONS:
        loaded = await load(record, stream(tournament_id), TournamentState(), evolve)
        player = loaded.state.player(player_id)
        found += player is not None and not player.never_came
    return found


async def test_a_player_whom_three_desks_register_at_once_is_in_one_division(services: list[PairingService]) -> None:
    for number in range(15):
        player_id = f"p{number}"
        reasons = await asyncio.gather(
            *(
                reason_of(register(service, tournament_id=division, player_id=player_id, name=f"Player {number}"))
                for service, division in zip(services, DIVISIONS, strict=True)
            )
        )
        assert sorted(reasons) == ["", "ALREADY_IN_DIVISION", "ALREADY_IN_DIVISION"]
        assert await in_divisions(services[0].record, player_id) == 1


async def test_a_player_whom_desks_move_and_bring_back_at_once_is_in_one_division(
    services: list[PairingService],
) -> None:
    for number in range(8):
        player_id = f"p{number}"
        await register(services[0], player_id=player_id, name=f"Player {number}")
        moves = [
            reason_of(
                service.stub.MovePlayer(
                    pairing.MovePlayerRequest(
                        command_id=command(), tournament_id="open", player_id=player_id, to_tournament_id=division
                    )
                )
            )
            for service, division in zip(services[1:], DIVISIONS[1:], strict=True)
        ]
        back = pairing.ReinstatePlayerRequest(command_id=command(), tournament_id="open", player_id=player_id)
        reasons = await asyncio.gather(*moves, reason_of(services[0].stub.ReinstatePlayer(back)))
        won, lost = sorted(reasons[:2])
        assert (won, lost in {"WITHDRAWN", "ALREADY_IN_DIVISION"}) == ("", True)
        assert reasons[2] in {"NOT_WITHDRAWN", "ALREADY_IN_DIVISION"}
        assert await in_divisions(services[0].record, player_id) == 1


async def test_a_player_who_enters_a_division_while_it_is_created_is_in_one(services: list[PairingService]) -> None:
    for number in range(5):
        player_id, added = f"p{number}", f"added-{number}"

        async def create_and_register(added: str = added, player_id: str = player_id, number: int = number) -> None:
            await create(services[1], tournament_id=added, division=f"D{number}", division_of="open")
            await register(services[1], tournament_id=added, player_id=player_id, name=f"Player {number}")

        reasons = await asyncio.gather(
            reason_of(create_and_register()),
            reason_of(register(services[0], tournament_id="third", player_id=player_id, name=f"Player {number}")),
        )
        assert sorted(reasons) == ["", "ALREADY_IN_DIVISION"]


async def test_forty_desks_register_side_by_side_in_three_divisions(services: list[PairingService]) -> None:
    service, *_ = services
    reasons = await asyncio.gather(
        *(
            reason_of(
                register(service, tournament_id=division, player_id=f"{division}-{number}", name=f"{division} {number}")
            )
            for number in range(15)
            for division in DIVISIONS
        )
    )
    assert set(reasons) == {""}


@pytest.mark.nightly
@pytest.mark.lexicon
@pytest.mark.usefixtures("lexicons")
def test_a_director_divides_a_championship_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    port = free_port()
    at = f"127.0.0.1:{port}"
    up = Child(["up", "--data", str(tmp_path / "data"), "--http", "0", "--grpc", str(port)], {}, tmp_path / "log")

    def run_command(*words: str, code: int = 0) -> str:
        done = faristol(*words, "--address", at)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    try:
        wait_until_serving(at, up)
        run_command("tournament", "create", "copa", "--name", "Copa", "--rounds", "5")
        names = ("--division", "B", "--division-of", "copa", "--first-division", "A")
        run_command("tournament", "create", "copa-b", "--name", "Copa", "--rounds", "5", *names)
        players = tmp_path / "players.csv"

        players.write_text("name,id,division\nBiel,biel,C\n", encoding="utf-8")
        told = run_command("player", "import", "copa", str(players), code=2)
        assert told == f"{players}:2: the division is 'C'; expected A, B, or an empty field: Biel,biel,C\n"
        assert "is registered" not in run_command("tournament", "history", "copa")

        players.write_text("name,id,team\nAnna,anna,\nBiel,biel,Torres\n", encoding="utf-8")
        told = run_command("player", "import", "copa", str(players), code=2)
        expected = "the team is 'Torres'; expected an empty field: players play individually in copa"
        assert told == f"{players}:3: {expected}\n"
        assert "is registered" not in run_command("tournament", "history", "copa")

        monkeypatch.setenv("LC_ALL", "ca_ES.UTF-8")
        assert "faristol: no hi ha cap torneig 'lliga'" in run_command("standings", "export", "lliga", code=2)
        monkeypatch.delenv("LC_ALL")

        rows = "name,id,division,rating\nAnna,anna,,\nBiel,biel,b,0\nCesca,cesca,A,\nDora,dora,C,\n"
        players.write_text(rows, encoding="utf-8")
        asked = run_command("player", "import", "copa", str(players), code=2)
        assert "Players with the rating 0: 1. Are they unrated? No player was registered: specify --zero." in asked
        told = run_command("player", "import", "copa", str(players), "--zero", "unrated", code=1)
        assert f"{players}:5: the division is 'C'" in told
        assert "3 players registered" in told
        again = run_command("player", "add", "copa", "Biel", "--id", "biel", code=2)
        assert "biel is in division B (copa-b)" in again

        run_command("player", "move", "copa", "cesca", "--to", "copa-b", "--note", "too strong")
        told = run_command("tournament", "history", "copa")
        assert re.search(r"Cesca has withdrawn, from round 1 on\. (.*) Note: too strong\n", told), told
        assert run_command("tournament", "history", "copa-b").count("is registered, from") == 2
    finally:
        assert up.terminate() == 0, up.output()
