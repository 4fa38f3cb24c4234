"""A whole round in browsers, with a director, two scorers at a table, a judge, and the public.

``FARISTOL_SCREENSHOTS`` names a folder for pictures of each page, for review.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from secrets import token_hex
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from playwright.async_api import Browser, Page, expect
from tests.browser.scorers import expect_stored_offline, finish_turn, lay, type_play
from tests.component.officials import do
from tests.support.access_cell import Cell, build_credential
from tests.support.access_cell import cell_with_small_lexicons as cell

from faristol.access_control.credential import Credential, Scope
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2 as game
from faristol.pb.lexicon.v1 import events_pb2 as lexicon
from faristol.text import day_and_time, translations

__all__ = ["cell"]

pytestmark = [pytest.mark.browser, pytest.mark.lexicon, pytest.mark.asyncio(loop_scope="module")]

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
DESK: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
HALL: dict[str, Any] = {"viewport": {"width": 1920, "height": 1080}}

NAMES = ("Anna Puig", "Blai Soler", "Carme Riera", "Dolors Vilanova", "Ελένη Παπαδοπούλου", "Iñaki Núñez")

ZONE = "Europe/Athens"
"""Of the halls, another than that of anybody's browser."""

NIGHTLY = [
    pytest.param(language, device, id=f"{language}-{device}", marks=pytest.mark.nightly)
    for language, device in [("es", "desk"), ("el", "phone"), ("en", "phone")]
]


@dataclass
class Place:
    """A tournament, the language of its people, and their devices."""

    browser: Browser
    cell: Cell
    stack: AsyncExitStack
    language: str
    tournament_id: str

    @property
    def said(self) -> Callable[[str], str]:
        """A text of the pages in the language."""
        return translations(self.language).gettext

    async def open(self, who: Credential | None, path: str, device: dict[str, Any]) -> Page:
        """Return a page in a separate browser, whose scripts do not fail and are finished."""
        address = self.cell.process.http_address
        context = await self.browser.new_context(base_url=address, locale=self.language, **device)
        if who:
            await context.add_cookies([{"name": "faristol", "value": self.cell.token(who), "url": address}])
        context.set_default_timeout(60_000)  # other tests run beside this one
        wrong: list[str] = []
        context.on("weberror", lambda error: wrong.append(str(error.error)))

        async def end() -> None:
            await context.close()
            assert wrong == []

        self.stack.push_async_callback(end)
        page = await context.new_page()
        await page.goto(path)
        return page

    async def take_picture(self, page: Page, name: str) -> None:
        """Take a picture of a page, if pictures are requested."""
        if folder := os.environ.get("FARISTOL_SCREENSHOTS"):
            path = Path(folder) / f"{self.tournament_id}-{name}.png"
            await page.screenshot(path=path, full_page="screen" not in name)

    async def table(self, number: int) -> game.GetGameResponse:
        """Return a table of the first round from its service."""
        request = game.GetGameRequest(game_id=f"{self.tournament_id}-r1-t{number}")
        found: game.GetGameResponse = await do(
            self.cell, request, build_credential(needs.ROLE_DIRECTOR, self.tournament_id)
        )
        return found

    async def until(self, number: int, turn: int) -> game.GetGameResponse:
        """Return the table once it is at a turn."""
        async with asyncio.timeout(30):
            while True:
                table = await self.table(number)
                if table.turn >= turn and not table.following:
                    return table
                await asyncio.sleep(0.1)


async def press(page: Page, name: str, said: str = "") -> None:
    """Press a button of a console, and check the result."""
    await page.get_by_role("button", name=name, exact=True).first.click()
    await expect(page.locator(".notice.good")).to_contain_text(said)
    await expect(page.locator(".notice.bad")).to_have_count(0)


async def prepare(place: Place, page: Page) -> None:
    """Prepare a tournament from the rule book to an announced round, with a judge."""
    await page.locator("[name=name]").fill(f"Copa {place.language}")
    await page.locator("[name=tournament_id]").fill(place.tournament_id)
    await page.locator("[name=rounds]").fill("5")
    await page.locator("[name=time_zone]").fill(ZONE)
    await page.locator("[name=keeping]").select_option(str(events.KEEPING_RECORDED))
    await place.take_picture(page, "01-new")
    await page.get_by_role("button", name=place.said("Create the tournament")).first.click()
    await page.wait_for_url(re.compile(r"/console\?"))
    console = f"/tournaments/{place.tournament_id}/console"
    await page.goto(f"{console}/players/list")
    await page.locator("[name=text]").fill("\n".join(NAMES))
    await page.locator("[value=preview] ~ .acts button, [value=preview] ~ * button").last.click()
    await page.locator(".big").click()
    await expect(page.locator("#players > li")).to_have_count(len(NAMES))
    await place.take_picture(page, "02-players")
    await page.goto(f"{console}/judges")
    for number, judge in enumerate(("ada", "head"), 1):
        await page.locator("[name=judge_id]").last.fill(judge)
        await page.locator("[name=director]").set_checked(judge == "head")
        await press(page, place.said("Appoint"))
        await expect(page.locator("#judges > li")).to_have_count(number)
    await page.locator("[name=mode]").select_option(str(lexicon.MODE_JUDGE))
    await press(page, place.said("Save settings"))
    await place.take_picture(page, "03-judges")
    await page.goto(f"{console}/round/1")
    at = datetime.now(ZoneInfo(ZONE)) + timedelta(days=1)
    await page.locator("[name='times.1']").fill(at.strftime("%Y-%m-%dT%H:%M"))
    await press(page, place.said("Announce the times"), day_and_time(at, place.language))
    await place.take_picture(page, "04-announced")


async def expect_all_sent(page: Page) -> None:
    """Expect that the services have all entries of a table."""
    await expect(page.locator("#state.on")).to_be_attached()


async def play_out(place: Place, first: Page, other: Page, judge: Page) -> None:
    """Play the first table: a digraph, a blank, a challenge with a ruling, an exchange, and three plays offline."""
    await expect_stored_offline(first)
    steps = first.locator(".next .big")
    while (await place.table(1)).phase != game.PHASE_TURN:
        if await steps.count():  # the last step removes its own button before the service answers
            await steps.first.click()
        await expect_all_sent(first)
        await asyncio.sleep(0.2)
    await lay(first, 7, 4, "C", "A", "?NY", "A")
    await expect_all_sent(first)
    table = await place.table(1)
    challenger = next(side.player_id for side in table.sides if side.player_id != table.turn_player_id)
    await expect(other.locator(f".next [data-key^=Challenge-{challenger}]")).to_be_visible()
    await place.take_picture(other, "11-scorer-play")
    await other.locator(f".next [data-key^=Challenge-{challenger}]").click()
    await place.take_picture(other, "12-scorer-challenge")
    await other.locator("dialog [value=do]").click()
    await judge.locator("[data-case].panel").wait_for()
    await place.take_picture(judge, "13-judge-queue")
    await judge.get_by_role("button", name=place.said("Take the case")).first.click()
    await judge.locator("#rule").wait_for()
    await place.take_picture(judge, "14-judge-case")
    await judge.locator('[name="words.0.valid"][value="1"]').check()
    await judge.locator("#rule").click()
    await expect(judge.locator("#lease")).to_have_count(0)
    await finish_turn(first)
    table = await place.until(1, 2)
    await first.locator(f".next [data-key^=Exchange-{table.turn_player_id}]").click()
    await first.locator("dialog").get_by_text("3", exact=True).click()
    await place.take_picture(first, "15-scorer-exchange")
    await first.locator("dialog [value=do]").click()
    await finish_turn(first)
    await place.until(1, 3)
    await expect_all_sent(first)
    await first.context.set_offline(True)
    for line in ("6H ALA", "H9 S", "9H SAL"):
        await type_play(first, line)
        await finish_turn(first)
    await expect(first.locator(".waiting li")).to_have_count(12)
    await place.take_picture(first, "16-scorer-offline")
    await first.context.set_offline(False)
    await expect_all_sent(first)
    table = await place.until(1, 6)
    assert {tile.face for tile in table.board} == {"C", "A", "NY", "L", "S"}
    await place.take_picture(first, "17-scorer-online")


async def end_by_leaving(place: Place, page: Page) -> None:
    """Let a player leave the first table, and the other one sign."""
    first, second = (side.player_id for side in (await place.table(1)).sides)
    await page.locator(".more summary").first.click()
    await page.locator(f".more [data-key^=Abandon-{second}]").first.click()
    await page.locator("dialog [value=do]").click()
    for player in (second, first):
        await page.locator(f".next [data-key=SignSheet-{player}]").click()
        await place.take_picture(page, "18-scorer-sign")
        await page.locator("dialog [value=do]").click()
    await expect_all_sent(page)
    await expect(page.locator(".next")).to_contain_text(place.said("The result is final."))


async def correct(place: Place, page: Page, table: int, score: str) -> None:
    """Correct the score of the first player of a table."""
    await page.goto(f"/tournaments/{place.tournament_id}/console/round/1")
    row = page.locator(f'[data-key="table-{table}"]')
    await row.locator("summary").click()
    await row.locator('input[name^="scores."]:not([type=hidden])').first.fill(score)
    await place.take_picture(page, f"22-correct-{score}")
    await row.get_by_role("button", name=place.said("Correct"), exact=True).click()
    await expect(page.locator(".notice.good")).to_contain_text(score)


@pytest.mark.parametrize(("language", "device"), [pytest.param("ca", "desk", id="ca-desk"), *NIGHTLY])
async def test_a_whole_round_is_directed_kept_ruled_on_corrected_and_followed(
    browser: Browser, cell: Cell, language: str, device: str
) -> None:
    near, far = (DESK, PHONE) if device == "desk" else (PHONE, DESK)
    async with AsyncExitStack() as stack:
        place = Place(browser, cell, stack, language, f"copa-{language}-{token_hex(2)}")
        tournament = place.tournament_id
        console = f"/tournaments/{tournament}/console"
        head = replace(build_credential(needs.ROLE_DIRECTOR), subject="eva", scope=Scope())
        director = await place.open(head, "/new?ruleset=fisc-2023", near)
        await prepare(place, director)

        public = await place.open(None, f"/tournaments/{tournament}", far)
        screen = await place.open(None, f"/tournaments/{tournament}/screen", HALL)
        await expect(screen.locator(".screen-clock .until")).to_have_text(re.compile(r"^23:\d\d:\d\d$"))
        await expect(public.locator("#coming .until")).to_have_text(re.compile(r"^23:\d\d:\d\d$"))
        await place.take_picture(screen, "05-screen-announced")
        await place.take_picture(public, "06-public-announced")

        await director.goto(console)
        await place.take_picture(director, "07-console")
        await press(director, place.said("Pair round %(number)s") % {"number": 1})
        await expect(screen.locator('[data-key^="s-"]')).to_have_count(len(NAMES))
        await place.take_picture(screen, "08-screen-seats")
        found = await place.open(None, f"/tournaments/{tournament}/find", far)
        await place.take_picture(found, "09-find")
        await director.goto(console)
        await press(director, place.said("Start round %(number)s") % {"number": 1})
        await expect(screen.locator(".screen-clock")).to_have_count(0)  # it has begun, and these rules define no end

        scorer = build_credential(needs.ROLE_SCORER, tournament)
        keeping = f"/games/{tournament}-r1-t1/keep"
        first = await place.open(scorer, keeping, far)
        other = await place.open(replace(scorer, subject="second"), keeping, PHONE)
        judge = await place.open(build_credential(needs.ROLE_JUDGE, tournament, subject="ada"), "/judge", near)
        await play_out(place, first, other, judge)
        await end_by_leaving(place, first)
        await first.get_by_role("link", name=place.said("Your account")).first.click()
        await first.wait_for_url("**/account")
        await place.take_picture(first, "19-account")

        await director.goto(f"/tournaments/{tournament}/round/1/results")
        for table in (2, 3):
            for number in (table, 400 + table, 300 - table):
                await director.keyboard.type(str(number))
                await director.keyboard.press("Enter")
            await expect(director.locator(f'[data-key="r-{table}"].done')).to_be_attached()
        await place.take_picture(director, "20-results")
        best = (await place.table(3)).sides[0].player_id
        line = public.locator(f'#standings [data-key="{best}"]')
        await expect(line).to_contain_text("403")
        await expect(screen.locator('[data-key^="r-"]')).to_have_count(len(NAMES))
        await place.take_picture(public, "21-public-standings")

        for score in ("503", "403"):
            await correct(place, director, 3, score)
            await expect(line).to_contain_text(score)
        await director.goto(f"{console}/players")
        player = director.locator(f'[data-key="p-{best}"]')
        await player.locator("summary").click()
        await place.take_picture(director, "23-player")
        await player.get_by_role("button", name=place.said("Withdraw"), exact=True).click()
        await expect(line).to_contain_text(place.said("has withdrawn"))
        await director.goto(f"{console}/history")
        act = director.locator(".acts-list > li").first
        await act.locator("summary").click()
        await place.take_picture(director, "24-history")
        await act.get_by_role("button", name=place.said("Undo it")).click()
        await expect(line).not_to_contain_text(place.said("has withdrawn"))
        await place.take_picture(screen, "25-screen")
        await director.goto(console)
        await press(director, place.said("Close round %(number)s") % {"number": 1})
        await place.take_picture(director, "26-closed")
