"""A hall that has lost tables: its laptop refuses further entries there, and each of its pages says so."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from tests.component.processes import wait_until_serving
from tests.component.table_play import next_to
from tests.component.test_hall_cell import TOURNAMENT, Scene, carry, play_with_challenge, scene, until, words
from tests.component.test_hall_kept import get_page, let_players_report, phone, players_of, report, sign_in
from tests.component.test_hall_pages import get_json
from tests.support.access_cell import build_credential
from tests.support.plain_http import PLAIN

from faristol.access_control.roles import DIRECTOR
from faristol.client.problems import reason_of
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import game_pb2
from faristol.pb.hall.v1 import hall_pb2
from faristol.pb.hall.v1.hall_pb2_grpc import HallCellServiceStub
from faristol.pb.pairing.v1 import pairing_pb2 as pb

__all__ = ["words"]

IS_LOST = "The championship decides on this table"
IS_KEPT = "kept here, not yet at the championship"


async def take_back(at: Scene, *games: str) -> None:
    await at.championship.sync.TakeBackTables(
        hall_pb2.TakeBackTablesRequest(
            command_id=str(uuid.uuid4()), tournament_id=TOURNAMENT, hall="Sala Gran", game_ids=games, note="no line"
        )
    )


async def get_cell(at: Scene) -> hall_pb2.GetHallCellResponse:
    found: hall_pb2.GetHallCellResponse = await HallCellServiceStub(at.hall.channel).GetHallCell(
        hall_pb2.GetHallCellRequest()
    )
    return found


async def refusals(at: Scene, game_id: str, players: Sequence[str]) -> set[str]:
    """Return the reasons for which the hall refuses a play, a press, a call of an arbiter and a result at a table."""
    game = await at.hall.api.game.GetGame(game_pb2.GetGameRequest(game_id=game_id))
    mover = game.turn_player_id or players[0]
    rack = await at.hall.api.game.GetGame(game_pb2.GetGameRequest(game_id=game_id, player_id=mover))
    api = at.hall.api
    entry = pb.EnterResultsRequest(command_id=str(uuid.uuid4()), tournament_id=TOURNAMENT, arbiter_id="arbiter")
    entry.results.add(game_id=game_id, scores=report(game_id, players, players[0], (400, 350)).scores)
    calls: Sequence[tuple[Any, Any]] = (
        (api.game.PlacePlay, game_pb2.PlacePlayRequest(player_id=mover, placements=next_to(rack))),
        (api.game.CallArbiter, game_pb2.CallArbiterRequest(player_id=mover)),
        (api.clock.Press, clock_pb2.PressRequest(player_id=mover)),
        (api.pairing.ReportResult, report(game_id, players, players[0], (400, 350))),
        (api.pairing.EnterResults, entry),
    )
    reasons = set()
    for call, request in calls:
        if "game_id" in request.DESCRIPTOR.fields_by_name:
            request.game_id = game_id
        request.command_id = str(uuid.uuid4())
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await call(request)
        reasons.add(reason_of(refused.value))
    return reasons


async def test_a_laptop_refuses_each_entry_at_a_table_that_was_taken_back_and_its_pages_say_so(
    tmp_path: Path, words: Path
) -> None:
    async with scene(tmp_path, words) as at:
        first, second = at.games
        await let_players_report(at)
        ana, _ = players = await players_of(at, first)
        await at.line.cut()
        await at.hall.api.game.AssignArbiter(
            game_pb2.AssignArbiterRequest(command_id=str(uuid.uuid4()), game_id=first, arbiter_id="arbiter")
        )
        unknown = hall_pb2.TakeBackTablesRequest(
            command_id=str(uuid.uuid4()), tournament_id=TOURNAMENT, hall="Sala Grn"
        )
        with pytest.raises(grpc.aio.AioRpcError, match="there is no hall 'Sala Grn'"):
            await at.championship.sync.TakeBackTables(unknown)
        await take_back(at, first)
        at.line.mend()

        async def knows() -> bool:
            return first in (await get_cell(at)).lost_game_ids

        await until(knows, "the hall knows that the table is lost")
        for _ in range(2):
            assert await refusals(at, first, players) == {"TABLE_TAKEN_BACK"}
            at.hall.child.kill()
            at.hall.child.start()
            await asyncio.to_thread(wait_until_serving, f"127.0.0.1:{at.hall.grpc_port}", at.hall.child, "gateway")
        assert (await get_json(at.hall, "/hall-state"))["lost"] == "tables decided in the championship: 2"
        told = await asyncio.to_thread(carry, at.championship, "aside", TOURNAMENT)
        assert "(round 1, table 2)" in told
        assert "The championship takes the table back." in told
        assert f"faristol hall decide {TOURNAMENT} 1 disregarded --arbiter ID" in told
        async with sign_in(at.championship, build_credential(DIRECTOR, TOURNAMENT)) as web:
            page = (await web.get(f"/tournaments/{TOURNAMENT}/console/halls")).text
        assert "The championship takes the table back." in page
        assert "Further events of tiles, scores and clocks: 1." in page
        assert IS_LOST in await get_page(at.hall, f"/games/{first}")
        assert IS_LOST not in await get_page(at.hall, f"/games/{second}")
        async with phone(at.hall, ana) as web:
            for path in ("my-table", "round/1/results/2"):
                assert IS_LOST in (await web.get(f"/tournaments/{TOURNAMENT}/{path}")).text
        await replace(at.desk, api=at.hall.api)._game(second, [])
        at.games.remove(first)
        await until(at.are_final, "the hall plays on at its other table")


@pytest.mark.nightly
async def test_a_laptop_whose_hall_was_released_decides_at_no_table(tmp_path: Path, words: Path) -> None:
    async with scene(tmp_path, words) as at:
        first, _ = at.games
        await let_players_report(at)
        players = await players_of(at, first)
        await at.championship.sync.ReleaseHall(
            hall_pb2.ReleaseHallRequest(
                command_id=str(uuid.uuid4()), tournament_id=TOURNAMENT, hall="Sala Gran", note="another laptop"
            )
        )

        async def knows() -> bool:
            return (await get_cell(at)).released

        await until(knows, "the hall knows that it is released")
        await at.line.cut()
        for _ in range(2):
            assert await refusals(at, first, players) == {"HALL_RELEASED"}
            assert (await get_json(at.hall, "/hall-state"))["state"] == "released"
            at.hall.child.kill()
            at.hall.child.start()
            await asyncio.to_thread(wait_until_serving, f"127.0.0.1:{at.hall.grpc_port}", at.hall.child, "gateway")


@pytest.mark.nightly
async def test_a_table_that_ended_in_a_hall_without_a_line_is_final_on_its_pages_and_kept(
    tmp_path: Path, words: Path
) -> None:
    async with scene(tmp_path, words) as at:
        first, second = at.games
        await at.line.cut()
        await play_with_challenge(replace(at.desk, api=at.hall.api), first)
        players = await players_of(at, second)
        entry = pb.EnterResultsRequest(command_id=str(uuid.uuid4()), tournament_id=TOURNAMENT, arbiter_id="arbiter")
        entry.results.add(game_id=second, scores=report(second, players, players[0], (412, 377)).scores)
        await at.hall.api.pairing.EnterResults(entry)

        async def get_tables() -> dict[str, Any]:
            listed = await get_json(at.hall, f"/api/v1/tournaments/{TOURNAMENT}/rounds/1/pairings")
            return {each["game_id"]: each for each in listed["tables"]}

        async def are_shown() -> bool:
            tables = await get_tables()
            return all(tables[game_id]["final"] and tables[game_id]["kept"] for game_id in at.games)

        await until(are_shown, "both results are shown")
        tables = await get_tables()
        assert [seat["score"] for seat in tables[second]["seats"]] == [412, 377]
        assert tables[second]["winner_id"] == players[0]
        assert not tables[f"{TOURNAMENT}-r1-t1"]["final"]
        page = await get_page(at.hall, f"/tournaments/{TOURNAMENT}/round/1")
        assert page.count(IS_KEPT) >= 2
        assert "2 of 3 tables finished" in page
        assert IS_KEPT in await get_page(at.hall, f"/games/{first}")
        at.line.mend()
        await until(at.are_final, "the results arrive")

        async def are_kept() -> bool:
            return any(each["kept"] for each in (await get_tables()).values())

        async def are_of_tournament() -> bool:
            return not await are_kept() and IS_KEPT not in await get_page(at.hall, f"/games/{first}")

        await until(are_of_tournament, "the hall shows the results as those of the tournament")
        async with httpx.AsyncClient(verify=PLAIN, base_url=f"http://127.0.0.1:{at.hall.http_port}") as web:
            assert (await web.get("/help")).status_code == 200
