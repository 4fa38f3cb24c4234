"""A duplicate game on a phone and on a projector: it fits, it can be read, and it follows the game by itself."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect
from tests.axe.checker import serious
from tests.browser.test_phone import FAINT, LANGUAGES, LEAST_TOUCHED, PHONES, SMALL, WIDE
from tests.integration.test_duplicate import CUP, FIRST, Stage, staged

from faristol.pb.clock.v1 import turns_pb2 as turns
from faristol.pb.game.v1 import duplicate_pb2 as pb

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

READ = (f"/duplicate/{FIRST}", f"/duplicate/{FIRST}/players/anna", f"/t/{CUP}/r/1")
SCREEN = f"/duplicate/{FIRST}/screen"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(shared_nats: str) -> AsyncIterator[Stage]:
    """A game of which one turn is scored."""
    async with staged(shared_nats, "gateway") as made:
        await made.slip("anna", "H4", "C A S E R N A")
        await made.slip("blai", "", "C A S E R N A")
        made.clock.wait(180)
        for hall in ("Nord", "Sud"):
            await made.ask(pb.CloseHallRequest(turn=1, hall=hall, collector_id="collector"))
        await made.ask(pb.ScoreTurnRequest(turn=1, arbiter_id="judge"))
        yield made


@asynccontextmanager
async def opened(browser: Browser, stage: Stage, width: int, height: int) -> AsyncIterator[Page]:
    context = await browser.new_context(
        base_url=stage.http_address, viewport={"width": width, "height": height}, locale="en"
    )
    yield await context.new_page()
    await context.close()


async def test_a_phone_shows_all_of_it_in_every_language(browser: Browser, stage: Stage) -> None:
    async with opened(browser, stage, 390, 780) as page:
        for path in READ:
            for language in LANGUAGES:
                await page.goto(f"{path}?lang={language}")
                for width in PHONES:
                    await page.set_viewport_size({"width": width, "height": 780})
                    assert await page.evaluate(WIDE) == "", (path, language, width)
            assert await page.evaluate(SMALL, LEAST_TOUCHED) == [], path
            assert await page.evaluate(FAINT) == [], path
            assert await serious(page) == [], path


async def test_a_projector_shows_the_next_round_by_itself_and_without_scrolling(browser: Browser, stage: Stage) -> None:
    async with opened(browser, stage, 1280, 720) as page:
        await page.goto(SCREEN)
        await expect(page.locator("#master")).to_contain_text("C A S E R N A")
        assert await page.evaluate("document.scrollingElement.scrollHeight <= innerHeight + 1")
        assert await page.evaluate(WIDE) == ""
        assert await serious(page) == []
        await stage.ask(pb.CallRackRequest(arbiter_id="judge", faces=["E", "S", "T", "I", "L", "O", "R"]))
        await expect(page.locator("#now-turn [data-say]")).to_have_text("Round 2", timeout=15_000)
        await expect(page.locator("#now-turn .left")).to_have_text("The time has not begun")
        await stage.ask(turns.StartTurnRequest(turn=2, arbiter_id="judge"))
        await expect(page.locator("#now-turn .until")).to_be_visible(timeout=15_000)
