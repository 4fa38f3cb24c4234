"""A day without a scorer's desk: check-in without a network, requests from a phone, the ceremony of prizes."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect
from tests.axe.checker import serious
from tests.browser.test_director import DESK, PHONE, sign_in_director
from tests.browser.test_phone import WIDE
from tests.component.officials import do
from tests.support.access_cell import Cell, build_credential
from tests.support.access_cell import cell_with_small_lexicons as cell

from faristol.access_control.credential import Scope
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results

__all__ = ["cell"]

pytestmark = [pytest.mark.browser, pytest.mark.lexicon, pytest.mark.asyncio(loop_scope="module")]

CUP = "cup"
NAMES = ("Anna Puig", "Biel Soler", "Carla Roca", "Dani Mas", "Eva Font", "Ferran Gil", "Gemma Pons")
WAIT_MS = 60_000


async def command(cell: Cell, request: Any, tournament_id: str = CUP) -> Any:
    """Return the answer to a command on a tournament, by its director."""
    request.tournament_id = tournament_id
    return await do(cell, request, replace(build_credential(needs.ROLE_DIRECTOR), scope=Scope()))


async def prepare(cell: Cell) -> None:
    """Create a tournament of seven players in one hall, with prizes."""
    await command(cell, pairing.CreateTournamentRequest(name="Cup", ruleset="fisc-2023", rounds=5))
    for number, name in enumerate(NAMES, start=1):
        register = pairing.RegisterPlayerRequest(player_id=f"p{number}", name=name, club="Valls", rating=2000 - number)
        await command(cell, register)
    hall = events.Hall(
        name="Gran",
        first_table=1,
        last_table=6,
        row_tables=[3],
        entrance=events.HALL_SIDE_LEFT,
        stage=events.HALL_SIDE_FIRST_ROW,
    )
    await command(cell, pairing.SetHallsRequest(halls=[hall]))
    rules = pairing.SetPrizeRulesRequest(
        sharing=events.PRIZE_SHARING_NONE, limit=events.PRIZE_LIMIT_FIRST_LIST, currency="EUR"
    )
    await command(cell, rules)


@asynccontextmanager
async def sign_in_player(browser: Browser, cell: Cell, player_id: str, tournament_id: str = CUP) -> AsyncIterator[Page]:
    """Yield the phone of a player of a tournament."""
    context = await browser.new_context(base_url=cell.process.http_address, locale="en", **PHONE)
    token = cell.token(build_credential(needs.ROLE_PLAYER, tournament_id, player=player_id))
    await context.add_cookies([{"name": "faristol", "value": token, "url": cell.process.http_address}])
    page = await context.new_page()
    page.set_default_timeout(WAIT_MS)
    yield page
    await context.close()


async def check(page: Page) -> None:
    """Check that a page is accessible and no wider than the screen."""
    assert await serious(page) == []
    assert await page.evaluate(WIDE) == ""


async def test_a_day_from_the_check_in_to_the_ceremony(browser: Browser, cell: Cell) -> None:
    await prepare(cell)
    async with (
        sign_in_director(browser, cell, "dora", **DESK) as desk,
        sign_in_player(browser, cell, "p1") as phone,
    ):
        await desk.goto(f"/tournaments/{CUP}/console/presence")
        await desk.get_by_label("Players check in themselves").check()
        await desk.get_by_role("button", name="Save settings").click()
        await expect(desk.get_by_text("are set.")).to_be_visible()
        await check(desk)

        # The phone has opened the page before: it loses the network, and keeps the check-in.
        await phone.goto(f"/tournaments/{CUP}/here")
        await check(phone)
        await phone.context.set_offline(True)
        await phone.get_by_role("button", name="I am here").click()
        await expect(phone.get_by_text("is stored on this phone")).to_be_visible()
        await phone.context.set_offline(False)
        await expect(phone.get_by_text("You are checked in.")).to_be_visible()

        # A request is granted by one button, and the phone shows the answer by itself.
        await phone.goto("/me")
        await expect(phone).to_have_url(re.compile(f"/tournaments/{CUP}/my-table"))
        await phone.get_by_label("I need a bye in round").select_option("3")
        await phone.get_by_role("button", name="Ask for the bye").click()
        await expect(phone.get_by_text("a bye (Round 3) · pending")).to_be_visible()
        await check(phone)
        await desk.reload()
        await desk.get_by_role("button", name=re.compile("Grant.*Anna Puig")).click()
        await expect(phone.get_by_text("You sit out: 3.")).to_be_visible()

        # The desk has checked in all but one: she is marked, and is left out by one button.
        await command(cell, pairing.CheckInPlayersRequest(player_ids=[f"p{number}" for number in range(2, 7)]))
        await desk.reload()
        await expect(desk.get_by_label("Gemma Pons")).to_be_checked()
        await desk.get_by_role("button", name="Apply to the marked players").first.click()
        await expect(desk.get_by_text("All players are there.")).to_be_visible()

        await command(cell, pairing.PairRoundRequest(round=1))
        await command(cell, pairing.StartRoundRequest(round=1))
        await phone.reload()
        await expect(phone.get_by_text("Gran").first).to_be_visible()
        plan = phone.get_by_role("img", name="Row 1, place 1 from the entrance. Entrance: on the left.")
        await expect(plan.locator(".own")).to_have_text("1")
        await expect(phone.get_by_text("Row 1, place 1 from the entrance.")).to_be_visible()
        await check(phone)
        shown = await command(cell, pairing.GetTournamentRequest())
        for place, table in enumerate(shown.played[0].pairings):
            seated = list(table.player_ids) or [table.first_player_id, table.second_player_id]
            scores = [
                game.FinalScore(player_id=player_id, score=score)
                for player_id, score in zip(seated, (400 + 7 * place, 300), strict=True)
            ]
            entered = pairing.EnterResultRequest(game_id=table.game_id, scores=scores, arbiter_id="dora")
            await command(cell, entered)

        # A list with money and things, and its ceremony: no step has the name of a later one.
        await desk.goto(f"/tournaments/{CUP}/console/prizes")
        form = desk.locator("section", has=desk.get_by_role("heading", name="A new prize list"))
        await form.get_by_label("Name").fill("Final standings")
        await form.get_by_label("Money of each place").fill("300\n150.50")
        await form.get_by_label("Prizes in kind").fill("A cup")
        await form.get_by_role("button", name="Add the list").click()
        await expect(desk.get_by_role("heading", name="1. Final standings")).to_be_visible()
        await expect(desk.get_by_text("€150.50")).to_be_visible()
        await check(desk)
        await desk.get_by_role("link", name="Ceremony").click()
        awards = await command(cell, results.GetAwardsRequest(provisional=True))
        winner, second = (won.name for won in awards.lists[0].awards)
        opening = await desk.content()
        assert winner not in opening
        assert second not in opening
        await desk.keyboard.press("ArrowRight")
        await expect(desk.get_by_text(second)).to_be_visible()
        assert winner not in await desk.content()
        await desk.keyboard.press("PageDown")
        await expect(desk.get_by_text(winner)).to_be_visible()
        await expect(desk.get_by_text("A cup")).to_be_visible()
        await check(desk)
        await desk.keyboard.press("PageUp")
        await expect(desk.get_by_text(second)).to_be_visible()
