"""Devices of a hall with a cell of its own are led to it: by papers, by pages and by refusals."""

from __future__ import annotations

import asyncio
import uuid
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from tests.component.processes import wait_until_serving
from tests.component.test_hall_cell import HALL, TOURNAMENT, Scene, Site, scene, until, words
from tests.component.test_hall_kept import get_page, let_players_report, phone, players_of, report
from tests.support.plain_http import PLAIN

from faristol.client.problems import info_of
from faristol.gateway.pages.qr import qr
from faristol.pb.game.v1 import game_pb2
from faristol.pb.pairing.v1 import pairing_pb2 as pb

__all__ = ["words"]

IS_PLAYED_THERE = f"This table is played at {HALL}"


async def get_json(site: Site, path: str) -> Any:
    async with httpx.AsyncClient(verify=PLAIN, base_url=site.address) as web:
        return (await web.get(path)).json()


async def names_its_cell(at: Scene, game_id: str) -> bool:
    """Check whether the championship shows that the cell of the hall decides on a game."""
    return bool((await get_json(at.championship, f"/api/v1/games/{game_id}"))["cell_hall"] == HALL)


async def test_papers_and_pages_of_a_table_lead_to_the_laptop_of_its_hall_and_those_of_others_do_not(
    tmp_path: Path, words: Path
) -> None:
    async with scene(tmp_path, words) as at:
        first, _ = at.games
        await until(partial(names_its_cell, at, first), "the page names the cell")
        (cell,) = (await get_json(at.championship, f"/api/v1/tournaments/{TOURNAMENT}"))["tournament"]["hall_cells"]
        assert cell == {"hall": HALL, "address": at.hall.address}
        page = await get_page(at.championship, f"/games/{first}")
        assert IS_PLAYED_THERE in page
        assert f'href="{at.hall.address}/games/{first}"' in page
        assert "is played at" not in await get_page(at.championship, f"/games/{TOURNAMENT}-r1-t1")
        assert "is played at" not in await get_page(at.hall, f"/games/{first}")

        papers = f"/tournaments/{TOURNAMENT}/print"
        cards = await get_page(at.championship, f"{papers}/tablecards")
        own = f"/tournaments/{TOURNAMENT}/my-table"
        assert str(qr(f"{at.hall.address}{own}")) in cards
        assert cards.count(str(qr(f"{at.championship.address}{own}"))) == 1  # the hall without a cell has one table
        posters = await get_page(at.championship, f"{papers}/checkin")
        for address in (at.championship.address, at.hall.address):
            assert f"{address}/tournaments/{TOURNAMENT}/here" in posters
        slips = await get_page(at.championship, f"{papers}/round/1/slips")
        result = f"/tournaments/{TOURNAMENT}/round/1/results"
        assert str(qr(f"{at.hall.address}{result}/2", at_once=True)) in slips
        assert str(qr(f"{at.championship.address}{result}/1", at_once=True)) in slips

        ana, _ = await players_of(at, first)
        async with phone(at.championship, ana) as web:
            day = (await web.get(own)).text
            assert f"{at.hall.address}{own}" in day


async def test_a_command_that_came_to_the_championship_is_refused_with_the_address_of_the_hall(
    tmp_path: Path, words: Path
) -> None:
    async with scene(tmp_path, words) as at:
        first, second = at.games
        await let_players_report(at)
        assign = game_pb2.AssignArbiterRequest(command_id=str(uuid.uuid4()), game_id=first, arbiter_id="arbiter")
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await at.championship.api.game.AssignArbiter(assign)
        assert info_of(refused.value).reason == "TABLE_HANDED_OVER"
        assert info_of(refused.value).metadata["address"] == at.hall.address
        assert at.hall.address in str(refused.value.details())

        ana, bel = players = await players_of(at, first)
        async with phone(at.championship, ana) as web:
            address = f"/tournaments/{TOURNAMENT}/round/1/results/2"
            shown = (await web.get(address)).text
            assert IS_PLAYED_THERE in shown
            assert "ReportResult" not in shown
            fields = {"act": "ReportResult", "command_id": str(uuid.uuid4()), "first": "400", "second": "350"}
            answer = await web.post(address, data=fields, headers={"Origin": at.championship.address})
            assert answer.status_code == 409
            assert at.hall.address in answer.text
        await at.hall.api.pairing.ReportResult(report(first, players, bel, (400, 350)))

        phoned = pb.EnterResultRequest(game_id=second, arbiter_id="arbiter")
        for player_id, score in zip(await players_of(at, second), (410, 340), strict=True):
            phoned.scores.add(player_id=player_id, score=score)
        await at.desk.direct(at.championship.api.pairing.EnterResult, phoned)
        await until(at.are_final, "both results are in the tournament")


async def test_a_laptop_with_a_new_address_is_known_by_it_after_its_next_start(tmp_path: Path, words: Path) -> None:
    async with scene(tmp_path, words) as at:
        child = at.hall.child
        child.terminate()
        child.settings = {**child.settings, "http_address": "http://192.168.8.7:8080"}
        child.start()
        await asyncio.to_thread(wait_until_serving, f"127.0.0.1:{at.hall.grpc_port}", child, "gateway")

        async def is_known() -> bool:
            (cell,) = (await get_json(at.championship, f"/api/v1/tournaments/{TOURNAMENT}"))["tournament"]["hall_cells"]
            return bool(cell["address"] == "http://192.168.8.7:8080")

        await until(is_known, "the championship knows the new address")


async def test_each_page_of_the_laptop_says_where_it_is_and_since_when_it_is_without_the_championship(
    tmp_path: Path, words: Path
) -> None:
    async with scene(tmp_path, words) as at:
        for path in ("/", f"/tournaments/{TOURNAMENT}", "/sign-in", "/status"):
            page = await get_page(at.hall, path)
            assert 'id="hall-bar"' in page
            assert f"<strong>{HALL}</strong>" in page
        assert 'id="hall-bar"' not in await get_page(at.championship, "/")
        state = await get_json(at.hall, "/hall-state")
        assert state == {
            "state": "connected",
            "line": "connected to the championship",
            "unsent": "",
            "championship": at.championship.address,
        }
        await at.line.cut()
        assign = game_pb2.AssignArbiterRequest(command_id=str(uuid.uuid4()), game_id=at.games[0], arbiter_id="arbiter")
        await at.hall.api.game.AssignArbiter(assign)

        async def is_behind() -> Any:
            found = await get_json(at.hall, "/hall-state")
            return found if found["state"] == "behind" else None

        found = await until(is_behind, "the laptop notices")
        assert "without the championship since" in found["line"]
        assert found["unsent"]
        async with httpx.AsyncClient(verify=PLAIN, base_url=at.championship.address) as web:
            assert (await web.get("/hall-state")).status_code == 404
