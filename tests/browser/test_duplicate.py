"""A duplicate game on a phone and on a projector: it fits, is readable, and updates automatically."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect
from tests.axe.checker import serious
from tests.browser.frames import EMBEDS, check_framed, open_frame
from tests.browser.test_phone import FAINT, IN_LANGUAGES, LANGUAGES, MIN_TARGET_PX, SMALL, WIDE, WIDEST, fits
from tests.component.officials import arbiter, do
from tests.component.test_duplicate import CUP, FIRST, Stage, open_stage
from tests.component.test_duplicate_consoles import GAME, JUDGE, SLIPS, cell, collector
from tests.support.access_cell import Cell

from faristol.pb.clock.v1 import turns_pb2 as turns
from faristol.pb.game.v1 import duplicate_pb2 as pb

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

__all__ = ["cell"]  # a fixture

READ = (f"/duplicate/{FIRST}", f"/duplicate/{FIRST}/players/anna", f"/tournaments/{CUP}/round/1")
LATER_MS = 800
"""After it Enter is read as the answer to a question."""
CUT = (
    "[...document.querySelectorAll('main button')].filter(b => b.scrollWidth > b.clientWidth + 1).map(b => b.innerText)"
)
SCREEN = f"/duplicate/{FIRST}/screen"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(shared_nats: str) -> AsyncIterator[Stage]:
    """Yield a game with one scored turn."""
    async with open_stage(shared_nats, "gateway") as made:
        await made.slip("anna", "H4", "C A S E R N A")
        await made.slip("blai", "", "C A S E R N A")
        made.clock.wait(180)
        for hall in ("Nord", "Sud"):
            await made.ask(pb.CloseHallRequest(turn=1, hall=hall, collector_id="collector"))
        await made.ask(pb.ScoreTurnRequest(turn=1, arbiter_id="judge"))
        yield made


@asynccontextmanager
async def open_page(browser: Browser, stage: Stage, width: int, height: int) -> AsyncIterator[Page]:
    context = await browser.new_context(
        base_url=stage.http_address, viewport={"width": width, "height": height}, locale="en"
    )
    yield await context.new_page()
    await context.close()


@IN_LANGUAGES
async def test_a_phone_shows_all_of_it(browser: Browser, stage: Stage, languages: Collection[str]) -> None:
    async with open_page(browser, stage, 390, 780) as page:
        for path in READ:
            for language in languages:
                await page.goto(f"{path}?lang={language}")
                await fits(page, (path, language))
            assert await page.evaluate(SMALL, MIN_TARGET_PX) == [], path
            assert await page.evaluate(FAINT) == [], path
            assert await serious(page) == [], path


async def test_standings_and_screen_of_duplicate_games_stand_in_frames_of_another_site(
    browser: Browser, stage: Stage
) -> None:
    for name in EMBEDS:
        await check_framed(browser, f"{stage.http_address}/tournaments/{CUP}/embed/{name}")
    async with open_frame(browser, f"{stage.http_address}/tournaments/{CUP}/embed/standings") as frame:
        await expect(frame.locator("#live")).to_contain_text("Anna")


async def test_a_projector_shows_the_next_round_by_itself_and_without_scrolling(browser: Browser, stage: Stage) -> None:
    async with open_page(browser, stage, 1280, 720) as page:
        await page.goto(SCREEN)
        await expect(page.locator("#master")).to_contain_text("C A S E R N A")
        assert await page.evaluate("document.scrollingElement.scrollHeight <= innerHeight + 1")
        assert await page.evaluate(WIDE) == ""
        assert await serious(page) == []
        await stage.ask(pb.CallRackRequest(arbiter_id="judge", faces=["E", "S", "T", "I", "L", "O", "R"]))
        await expect(page.locator("#now-turn [data-say]")).to_have_text("Round 2")
        await expect(page.locator("#now-turn .left")).to_have_text("The time has not started")
        await stage.ask(turns.StartTurnRequest(turn=2, arbiter_id="judge"))
        await expect(page.locator("#now-turn .until")).to_be_visible()


async def test_a_collector_types_by_the_keyboard_alone_and_both_consoles_fit_a_phone(
    browser: Browser, cell: Cell
) -> None:
    game = pb.CallRackRequest(game_id=GAME, faces=["C", "A", "S", "E", "R", "N", "A"])
    await do(cell, game)
    await do(cell, turns.StartTurnRequest(game_id=GAME, turn=1))
    for credential, path in ((collector("ona", "Nord"), SLIPS), (arbiter("eva"), JUDGE)):
        context = await browser.new_context(
            base_url=cell.process.http_address, viewport={"width": 390, "height": 780}, locale="en"
        )
        cookie = {"name": "faristol", "value": cell.token(credential), "url": cell.process.http_address}
        await context.add_cookies([cookie])  # type: ignore[list-item] # a cookie by its address
        page = await context.new_page()
        await page.goto(path)
        if path == SLIPS:
            for key in ("1", "Enter", "H4", "Enter", "CASERNA", "Enter", "2", "Enter", "Enter"):
                await (page.keyboard.press(key) if key == "Enter" else page.keyboard.type(key))
            await page.keyboard.type("CASA")
            await page.keyboard.press("Enter")
            await expect(page.locator("#tables [data-table='1'] .typed")).to_have_text("H4 CASERNA")
            await expect(page.locator("#open .why")).to_contain_text("The slip has no coordinates.")
            await page.wait_for_timeout(LATER_MS)
            await page.keyboard.press("Enter")
            await expect(page.locator("#tables [data-table='2'] .typed")).to_have_text("CASA")
            await expect(page.locator("#entry-table")).to_be_focused()
        await _fits(page, path, {WIDEST})
        await page.set_viewport_size({"width": 390, "height": 780})
        assert await page.evaluate(FAINT) == [], path
        assert await serious(page) == [], path
        await context.close()


@pytest.mark.nightly
async def test_both_consoles_fit_a_phone_in_the_other_languages(browser: Browser, cell: Cell) -> None:
    for credential, path in ((collector("ona", "Nord"), SLIPS), (arbiter("eva"), JUDGE)):
        context = await browser.new_context(base_url=cell.process.http_address, locale="en")
        cookie = {"name": "faristol", "value": cell.token(credential), "url": cell.process.http_address}
        await context.add_cookies([cookie])  # type: ignore[list-item] # a cookie by its address
        await _fits(await context.new_page(), path, LANGUAGES - {WIDEST})
        await context.close()


async def _fits(page: Page, path: str, languages: Collection[str]) -> None:
    """Check that a console fits a phone, and that nothing is cut off on a wide screen."""
    for language in languages:
        await page.goto(f"{path}?lang={language}")
        await fits(page, (path, language))
        await page.set_viewport_size({"width": 1200, "height": 780})
        assert await page.evaluate(CUT) == [], (path, language)
