"""The scorer's page and the clock page with phones: touched, without a network, killed, and with wrong clocks."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Page, expect
from tests.browser.scorers import PAPER, Hall, all_sent, finish_turn, played_on_paper, sit_down, type_play

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "locale": "en"}
QUEUED = "document.querySelectorAll('.waiting li').length"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hall(tmp_path_factory: pytest.TempPathFactory, lexicons: Path, no_open: None) -> AsyncIterator[Hall]:
    async with played_on_paper(tmp_path_factory.mktemp("keep"), lexicons) as made:
        yield made


@asynccontextmanager
async def phone(browser: Browser, **more: Any) -> AsyncIterator[BrowserContext]:
    """A phone whose pages raise nothing."""
    context = await browser.new_context(**{**PHONE, **more})
    said: list[str] = []
    context.on("weberror", lambda error: said.append(str(error.error)))
    yield context
    await context.close()
    assert said == []


def game(table: int) -> str:
    return f"{PAPER}-r1-t{table}"


async def begin(page: Page, hall: Hall, table: int) -> None:
    await page.locator("[data-key^=start-]").first.click()
    await hall.until(game(table), 1)


async def test_three_plays_without_a_network_are_sent_once_and_in_order_though_the_tab_was_killed(
    browser: Browser, hall: Hall
) -> None:
    async with phone(browser) as context:
        page = await sit_down(context, hall, 1)
        await begin(page, hall, 1)
        await expect(page.locator("html[data-kept=yes]")).to_be_attached()
        await context.set_offline(True)
        for line in ("H5 CANYA", "6H ALA", "H9 S"):
            await type_play(page, line)
            await finish_turn(page)
        await expect(page.locator(".waiting li")).to_have_count(12)
        assert (await hall.table(game(1))).turn == 1
        await page.close()  # nothing is asked: the page does not hear of it
        page = await context.new_page()
        await page.goto(f"{hall.cell.process.http_address}/games/{game(1)}/keep")
        await expect(page.locator(".waiting li")).to_have_count(12)
        await expect(page.locator(".player").first).to_contain_text("43")
        await context.set_offline(False)
        await all_sent(page)
        table = await hall.until(game(1), 4)
        assert (table.turn, [side.score for side in table.sides]) == (4, [43, 5])
        assert len(table.board) == 7
