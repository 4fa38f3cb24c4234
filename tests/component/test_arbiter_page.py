"""The arbiter's pages over real services: pending matters, each command with its article, and its permissions."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio
from tests.component.officials import arbiter, browser, command_id, do, play, press, read_notice
from tests.component.test_sign_in import visiting
from tests.support.access_cell import FOREIGN, OWN, Cell, build_credential, cell, grant

from faristol.pb.access.v1 import events_pb2 as access
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.clock.v1 import clock_pb2 as clock
from faristol.pb.game.v1 import game_pb2 as game
from faristol.pb.results.v1 import results_pb2 as results

__all__ = ["cell"]

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.lexicon]

HALL = f"/tournaments/{OWN}/arbiter"
FIRST, SECOND, THIRD = (f"{OWN}-r1-t{number}" for number in (1, 2, 3))


@pytest_asyncio.fixture(loop_scope="module")
async def eva(cell: Cell) -> AsyncIterator[httpx.AsyncClient]:
    """Yield the browser of an arbiter of the tournament."""
    async with browser(cell, arbiter("eva")) as web:
        yield web


async def table(cell: Cell, game_id: str) -> Any:
    return await do(cell, game.GetGameRequest(game_id=game_id))


async def time(cell: Cell, game_id: str) -> Any:
    return await do(cell, clock.GetClockRequest(game_id=game_id))


async def call(cell: Cell, game_id: str) -> str:
    """Call an arbiter from a table; return the caller."""
    caller = (await table(cell, game_id)).sides[0].player_id
    await do(cell, game.CallArbiterRequest(game_id=game_id, player_id=caller))
    return str(caller)


async def waits(web: httpx.AsyncClient, text: str, show: str = "waiting") -> str:
    """Return the list, as soon as it has an entry."""
    async with asyncio.timeout(60):
        while True:
            page = (await web.get(f"{HALL}?show={show}&part=live")).text
            if text in page:
                return page
            await asyncio.sleep(0.1)


def offers(page: str) -> set[str]:
    """Return the commands for which the page of a table has a form."""
    return set(re.findall(r'name="act" value="(\w+)"', page))


async def test_a_call_is_answered_from_the_list_and_the_clocks_run_again_when_the_arbiter_leaves(
    cell: Cell, eva: httpx.AsyncClient
) -> None:
    await call(cell, SECOND)
    page = await waits(eva, "calls an arbiter")
    assert "I am coming" in page
    taken = await press(eva, f"{HALL}/{SECOND}", "AssignArbiter")
    assert taken.headers["location"] == f"{HALL}/{SECOND}"
    after = await eva.get(taken.headers["location"])
    assert read_notice(after) == "You have taken this table."
    assert "FISC I.11" in after.text
    assert "You have this table." in await waits(eva, "You have this table.")
    assert (await time(cell, SECOND)).neutralised
    code = (await grant(cell, access.FORM_LINK, needs.ROLE_ARBITER, name="Ona Mas")).code
    async with visiting(cell, follow_redirects=True) as ona:
        await ona.send_form("/sign-in", code=code)
        await ona.send_form(f"{HALL}/{SECOND}", act="AssignArbiter", command_id=command_id())
        page = (await ona.get(f"{HALL}/{SECOND}")).text
        assert "<dt>Arbiter of the table</dt><dd>Ona Mas</dd>" in page  # a name, and not an id
    await press(eva, f"{HALL}/{SECOND}", "DismissArbiter")
    assert not (await time(cell, SECOND)).neutralised
    assert "calls an arbiter" not in await waits(eva, "No table has a pending call.")


async def test_who_is_not_there_loses_by_the_book_at_a_time_that_is_told_unless_they_come(
    cell: Cell, eva: httpx.AsyncClient
) -> None:
    player = (await table(cell, THIRD)).sides[1].player_id
    await press(eva, f"{HALL}/{THIRD}", "ReportAbsence", player_id=player)
    page = await waits(eva, "absent at the starting signal", "absent")
    assert "the absent player loses at" in page
    await press(eva, f"{HALL}/{THIRD}", "RecordArrival", player_id=player)
    assert not (await time(cell, THIRD)).absent_player_ids


async def test_an_arbiter_stops_the_clocks_corrects_one_and_lets_the_time_go_on(
    cell: Cell, eva: httpx.AsyncClient
) -> None:
    address = f"{HALL}/{THIRD}"
    await press(eva, address, "Neutralise", reason="4")
    assert (await time(cell, THIRD)).neutralised
    assert "force majeure" in await waits(eva, "force majeure")
    player = (await table(cell, THIRD)).sides[0].player_id
    wrong = await press(eva, address, "CorrectClock", player_id=player, used_ms="half an hour", reason="1")
    assert wrong.status_code == 400
    assert read_notice(wrong).startswith("Time used: expected minutes and seconds")
    assert 'value="half an hour"' in wrong.text
    await press(eva, address, "CorrectClock", player_id=player, used_ms="12:30", reason="1")
    used = {each.player_id: each.used_ms for each in (await time(cell, THIRD)).times}
    assert used[player] == 750_000
    await press(eva, address, "Resume")
    assert not (await time(cell, THIRD)).neutralised


async def test_a_sanction_takes_points_off_once_however_often_its_form_is_sent(
    cell: Cell, eva: httpx.AsyncClient
) -> None:
    address, player = f"{HALL}/{THIRD}", (await table(cell, THIRD)).sides[0].player_id
    form = {"command_id": command_id(), "player_id": player, "kind": "2", "points": "30", "note": "shouted"}
    sent = [await press(eva, address, "ImposeSanction", **form) for _ in range(2)]
    assert [answer.status_code for answer in sent] == [303, 303]
    assert next(side.score for side in (await table(cell, THIRD)).sides if side.player_id == player) == -30
    assert "shouted" not in (await eva.get(f"/games/{THIRD}")).text
    async with browser(cell, build_credential(needs.ROLE_DIRECTOR)) as director, asyncio.timeout(60):
        for page in ("discipline", "history"):
            while True:  # until the sanction is noted
                shown = (await director.get(f"/tournaments/{OWN}/console/{page}")).text
                if "At the table: 30 points deducted" in shown:
                    break
                await asyncio.sleep(0.05)
            assert "shouted" in shown
            assert "Arbiter: eva" in shown or "Arbiter: Eva" in shown
    refused = await press(eva, address, "ImposeSanction", player_id=player, kind="1", points="5")
    assert refused.status_code == 400
    assert read_notice(refused).startswith("No change was made. Points deducted: are 5")
    warned = await press(eva, address, "WarnPlayer", player_id=player, note="again")
    assert warned.status_code == 303
    name = next(
        seat.name for seat in (await do(cell, results.GetGameRequest(game_id=THIRD))).seats if seat.player_id == player
    )
    assert read_notice(await eva.get(warned.headers["location"])) == f"{name} is warned for conduct."


async def test_a_disputed_count_is_settled_and_a_form_made_before_another_dispute_settles_nothing(
    cell: Cell, eva: httpx.AsyncClient
) -> None:
    address = f"{HALL}/{FIRST}"
    opponent, _ = await play(cell, FIRST)
    await do(cell, game.DisputeCountRequest(game_id=FIRST, player_id=opponent))
    assert "count disputed" in await waits(eva, "count disputed", "calls")
    page = await eva.get(address)
    assert "SettleCount" in offers(page.text)
    seen = re.search(r'name="seen" value="([^"]*)"', page.text)
    assert seen
    then = seen[1].replace("&amp;", "&").replace("incident=count+1", "incident=count+9")
    stale = await press(eva, address, "SettleCount", score="44", seen=then)
    assert stale.status_code == 409
    assert "The table has changed since you opened this page, so the command was not carried out" in read_notice(stale)
    assert "count disputed (9) → <strong>count disputed (1)</strong>" in stale.text
    assert 'value="44"' in stale.text
    form = {"command_id": command_id(), "score": "44", "seen": seen[1].replace("&amp;", "&")}
    settled = [await press(eva, address, "SettleCount", **form) for _ in range(2)]
    assert [answer.status_code for answer in settled] == [303, 303]
    assert not (await table(cell, FIRST)).HasField("interruption")
    async with asyncio.timeout(60):
        while True:  # until the read model has followed
            if (await do(cell, results.GetGameRequest(game_id=FIRST))).entries[-1].score == 44:
                break
            await asyncio.sleep(0.05)
    gone = await press(eva, address, "SettleCount", score="44", seen=form["seen"])
    assert gone.status_code == 409
    assert read_notice(gone).startswith("No change was made.")
    assert "Points of the play: <strong>44</strong>" in gone.text
    assert "the incident to settle: count disputed (1) → <strong>–</strong>" in gone.text


async def test_nobody_is_arbiter_at_a_table_where_they_play(cell: Cell) -> None:
    player = (await table(cell, SECOND)).sides[0].player_id
    async with browser(cell, arbiter("eva", player=player)) as web:
        assert "You play at this table: another arbiter must come." in (await web.get(f"{HALL}?show=all")).text
        page = await web.get(f"{HALL}/{SECOND}")
        assert f"a player cannot be the arbiter or judge of their own game: {SECOND}" in page.text
        assert offers(page.text) == set()
        refused = await press(web, f"{HALL}/{SECOND}", "AssignArbiter")
        assert refused.status_code == 403
        assert "a player cannot be the arbiter or judge of their own game" in read_notice(refused)


async def test_the_pages_are_for_arbiters_and_directors_of_the_tournament(cell: Cell) -> None:
    addresses = (HALL, f"{HALL}/{FIRST}")
    for role, tournament, status in (
        (needs.ROLE_DIRECTOR, OWN, 200),
        (needs.ROLE_ARBITER, OWN, 200),
        (needs.ROLE_ARBITER, FOREIGN, 404),
        (needs.ROLE_SCORER, OWN, 404),
        (needs.ROLE_JUDGE, OWN, 404),
        (needs.ROLE_PLAYER, OWN, 404),
    ):
        async with browser(cell, build_credential(role, tournament)) as web:
            for address in addresses:
                answer = await web.get(address)
                assert answer.status_code == status, (role, address)
                assert status == 404 or "no-store" in answer.headers["cache-control"]
            if status == 404:
                assert (await press(web, addresses[1], "AssignArbiter")).status_code == 404
    async with browser(cell, None) as web:
        assert (await web.get(HALL)).headers["location"].startswith("/sign-in")
    async with browser(cell, arbiter()) as web:
        assert (await web.get(f"{HALL}/{FOREIGN}-r1-t1")).status_code == 404
        assert (await web.get(f"{HALL}?table=99")).status_code == 200
        assert (await web.get(f"{HALL}?table=2")).headers["location"] == f"{HALL}/{SECOND}"
        web.headers["Sec-Fetch-Site"] = "cross-site"
        assert (await press(web, f"{HALL}/{FIRST}", "AssignArbiter")).status_code == 403


async def test_officials_alone_are_told_what_waits_at_each_table(cell: Cell) -> None:
    asked = results.ListTablesRequest(tournament_id=OWN)
    found = await do(cell, asked, build_credential(needs.ROLE_SCORER))
    assert [each.game_id for each in found.tables] == [FIRST, SECOND, THIRD]
    assert all(each.open and each.clocks for each in found.tables)
    token = cell.token(build_credential(needs.ROLE_PLAYER))
    with pytest.raises(Exception, match="PERMISSION_DENIED"):
        await cell.call("/faristol.results.v1.ResultsService/ListTables", asked, token)


async def test_missing_tiles_are_drawn_where_the_book_leaves_it_to_the_arbiter(
    cell: Cell, eva: httpx.AsyncClient
) -> None:
    stands = await table(cell, SECOND)
    mover = stands.turn_player_id
    opponent, _ = await play(cell, SECOND)
    await do(cell, game.DrawTilesRequest(game_id=SECOND, player_id=mover, count=1))
    await do(cell, game.ClaimUnderdrawRequest(game_id=SECOND, player_id=opponent, drawer_id=mover, racked=True))
    page = await waits(eva, "too few tiles drawn", "calls")
    assert "the arbiter decides" in page
    assert "FISC I.7.3" in page
    assert "ResolveUnderdraw" in offers((await eva.get(f"{HALL}/{SECOND}")).text)
    await press(eva, f"{HALL}/{SECOND}", "ResolveUnderdraw", show="1")
    after = await table(cell, SECOND)
    assert not after.HasField("interruption")
    assert next(side.rack_size for side in after.sides if side.player_id == mover) == 7
