"""A judge and an arbiter at their pages, in separate browsers, while a table waits for them."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, Route, expect
from tests.axe.checker import serious
from tests.browser.test_phone import FAINT, LANGUAGES, MIN_TARGET_PX, SMALL, WIDE
from tests.component.officials import appoint, arbiter, challenge, do, judge
from tests.support.access_cell import OWN, Cell, open_access_cell

from faristol.access_control.credential import Credential
from faristol.pb.clock.v1 import clock_pb2 as clock
from faristol.pb.game.v1 import game_pb2 as game
from faristol.pb.lexicon.v1 import adjudication_pb2 as adjudication
from faristol.pb.lexicon.v1 import lexicon_pb2 as lexicon

pytestmark = [pytest.mark.browser, pytest.mark.lexicon, pytest.mark.asyncio(loop_scope="module")]

PHONE, DESK = {"width": 390, "height": 780}, {"width": 1280, "height": 900}
FIRST, SECOND, THIRD = (f"{OWN}-r1-t{number}" for number in (1, 2, 3))

LEASE_SECONDS = 12
"""Seconds that a claim lasts here without a sign."""

HIDE = """(hidden) => {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
"""Put the page out of sight, or in sight again, as another tab does."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cell(tmp_path_factory: pytest.TempPathFactory, lexicons: Path, no_open: None) -> AsyncIterator[Cell]:
    async with open_access_cell(tmp_path_factory.mktemp("officials"), lexicons) as made:
        await appoint(made, "ada", "berta", "carles", lease_seconds=LEASE_SECONDS)
        yield made


@asynccontextmanager
async def signed_in(browser: Browser, cell: Cell, who: Credential, **more: Any) -> AsyncIterator[Page]:
    """Yield a browser with a signed-in user, whose console has no errors."""
    context = await browser.new_context(base_url=cell.process.http_address, **{"locale": "en", **more})
    await context.add_cookies([{"name": "faristol", "value": cell.token(who), "url": cell.process.http_address}])
    page = await context.new_page()
    said: list[str] = []
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("console", lambda line: said.append(line.text) if "Content Security Policy" in line.text else None)
    yield page
    await context.close()
    assert said == []


async def read_lease_seconds(page: Page) -> int:
    """Return the seconds of the lease that the page shows."""
    return int(await page.locator("#lease-left").inner_text())


@pytest.mark.nightly
async def test_a_challenge_comes_to_a_judge_and_a_call_to_an_arbiter_and_both_tables_go_on(
    browser: Browser, cell: Cell
) -> None:
    async with (
        signed_in(browser, cell, judge("ada"), viewport=DESK) as ada,
        signed_in(browser, cell, arbiter("eva"), viewport=PHONE) as eva,
    ):
        await ada.goto("/judge")
        await expect(ada.get_by_text("No case is waiting.")).to_be_visible()
        await eva.goto(f"/tournaments/{OWN}/arbiter")
        await expect(eva.get_by_text("No table has a pending call.")).to_be_visible()
        case_id = await challenge(cell, FIRST, "ada")
        await expect(ada.locator(f"[data-case='{case_id}']")).to_be_visible()
        await expect(ada.locator(".waited")).to_have_text(re.compile(r"^0:\d\d$"))
        await expect(ada).to_have_title("(1) Cases that wait · Faristol")
        await expect(eva.get_by_text("challenge", exact=True)).to_be_visible()

        # Keys for the previous page have no effect on that of a case whose words were not visible yet.
        await ada.wait_for_timeout(1_000)
        await ada.keyboard.press("c")
        for key in ("v", "Enter", "l", "Enter") * 5:
            await ada.keyboard.press(key)
        await ada.wait_for_url("**/judge/cases/*")
        await expect(ada.locator("#lease")).to_be_visible()
        for key in ("v", "Enter", "l", "Enter") * 3:
            await ada.keyboard.press(key)
        assert await ada.locator("input:checked").count() == 0
        assert not (await do(cell, lexicon.GetCaseRequest(case_id=case_id))).ruled

        # The page shows the remaining lease, and input of the judge renews it.
        await expect(ada.locator("#lease-left")).not_to_have_text(str(LEASE_SECONDS))
        await ada.wait_for_timeout(1_000 * LEASE_SECONDS)
        assert 0 < await read_lease_seconds(ada) <= LEASE_SECONDS
        assert (await do(cell, lexicon.GetCaseRequest(case_id=case_id))).held_by == ["ada"]

        await ada.keyboard.press("l")
        await ada.keyboard.press("Enter")
        await expect(ada.get_by_role("status").filter(has_text="Ruled.")).to_be_visible()
        await expect(eva.get_by_text("No table has a pending call.")).to_be_visible()
        assert (await do(cell, game.GetGameRequest(game_id=FIRST))).phase != game.PHASE_CHALLENGED

        caller = (await do(cell, game.GetGameRequest(game_id=SECOND))).sides[0].player_id
        await do(cell, game.CallArbiterRequest(game_id=SECOND, player_id=caller))
        await eva.get_by_role("button", name="I am coming").click()
        await expect(eva.locator("h1")).to_have_text("Table 2")
        await eva.get_by_role("button", name="Leave the table; the game goes on").click()
        await expect(eva.get_by_role("status").filter(has_text="You have left the table")).to_be_visible()
        assert not (await do(cell, clock.GetClockRequest(game_id=SECOND))).neutralised


@pytest.mark.nightly
async def test_a_judge_out_of_sight_loses_the_case_and_not_what_was_written(browser: Browser, cell: Cell) -> None:
    case_id = await challenge(cell, THIRD, "ada")
    async with (
        signed_in(browser, cell, judge("ada"), viewport=PHONE) as ada,
        signed_in(browser, cell, judge("berta"), viewport=PHONE) as berta,
    ):
        for page in (ada, berta):
            await page.goto("/judge")
            await expect(page.get_by_role("button", name="Take the case")).to_be_visible()
        await ada.get_by_role("button", name="Take the case").click()
        await ada.locator("#reason-0").fill("in the grammar")
        await berta.goto(f"/judge/cases/{case_id}")
        await berta.get_by_role("button", name="Take the case").click()
        await expect(berta.get_by_role("alert")).to_have_text(f"Case {case_id} is assigned to ada.")
        await ada.evaluate(HIDE, True)
        await expect(ada).to_have_title("0 s · A case · Faristol", timeout=1_000 * (LEASE_SECONDS + 5))
        await expect(berta.get_by_role("button", name="Take the case")).to_be_visible(timeout=10_000)
        await ada.wait_for_timeout(3_000)  # the service expires a claim a moment later
        await ada.evaluate(HIDE, False)
        await expect(ada.locator("#lost")).to_contain_text("The case is no longer yours")
        await expect(ada.locator("#rule")).to_be_hidden()
        await ada.get_by_role("button", name="Take the case").click()
        await expect(ada.locator("#lease")).to_be_visible()
        await expect(ada.locator("#reason-0")).to_have_value("in the grammar")
        await ada.get_by_role("button", name="Return the case").click()
        await expect(ada.get_by_role("status").filter(has_text="back in the queue")).to_be_visible()


@pytest.mark.nightly
async def test_a_judge_without_a_stream_still_hears_of_cases(browser: Browser, cell: Cell) -> None:
    async with signed_in(browser, cell, judge("carles"), viewport=PHONE) as page:
        await page.route("**/api/v1/judges/queue", lambda route: route.abort())
        await page.goto("/judge")
        before = await page.locator("[data-case].panel").count()
        await do(cell, game.PassRequest(game_id=SECOND, player_id=await on_turn(cell, SECOND)))
        await press_clock(cell, SECOND)
        await challenge(cell, SECOND, "carles")
        await expect(page.locator("[data-case].panel")).to_have_count(before + 1, timeout=10_000)
        asked: list[int] = []

        async def busy(route: Route) -> None:
            asked.append(len(asked))
            await (route.fulfill(status=503) if len(asked) <= 2 else route.continue_())

        await page.unroute("**/api/v1/judges/queue")
        await page.route("**/api/v1/judges/queue", busy)
        await page.reload()
        # A stream that was refused twice is requested again and accepted.
        await page.wait_for_event(
            "response", lambda answer: answer.url.endswith("/judges/queue") and answer.ok, timeout=15_000
        )
        sound = page.locator("#sound")
        await expect(sound).to_have_text("Sound is off")
        await sound.click()
        await expect(sound).to_have_attribute("aria-pressed", "true")
        await page.reload()
        await page.locator("h1").click()  # the first touch continues the requested action
        await expect(page.locator("#sound")).to_have_text("Sound is on")


async def on_turn(cell: Cell, game_id: str) -> str:
    return str((await do(cell, game.GetGameRequest(game_id=game_id))).turn_player_id)


async def press_clock(cell: Cell, game_id: str) -> None:
    await do(cell, clock.PressRequest(game_id=game_id, player_id=await on_turn(cell, game_id)))


@pytest.mark.nightly
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["phone", "desk"])
async def test_the_pages_fit_their_screen_stand_out_and_keep_nobody_out(
    browser: Browser, cell: Cell, scheme: str, viewport: dict[str, int]
) -> None:
    waiting = await do(cell, adjudication.WatchQueueRequest(judge_id="ada"), judge("ada"))
    case_id = waiting.cases[0].case_id if waiting.cases else await challenge(cell, THIRD, "ada")
    options = {"viewport": viewport, "color_scheme": scheme}
    async with (
        signed_in(browser, cell, judge("ada"), **options) as ada,
        signed_in(browser, cell, arbiter("eva"), **options) as eva,
    ):
        pages = [(ada, "/judge?"), (ada, f"/judge/cases/{case_id}?"), (eva, f"/tournaments/{OWN}/arbiter?show=all&")]
        for page, path in (*pages, (eva, f"/tournaments/{OWN}/arbiter/{FIRST}?")):
            for language in LANGUAGES:
                await page.goto(f"{path}lang={language}")
                assert await page.evaluate(WIDE) == "", (path, language)
                assert await page.evaluate(SMALL, MIN_TARGET_PX) == [], path
                assert await page.evaluate(FAINT) == [], (path, scheme)
            for summary in await page.locator("details > summary").all():
                await summary.click()
            assert await page.evaluate(WIDE) == "", path
            assert await serious(page) == [], path
