"""The page on which a player writes slips: a wrong clock, no network, a claim; without feedback, for a phone."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from datetime import UTC

import pytest
from playwright.async_api import Browser, BrowserContext, Page, expect
from tests.axe.checker import serious
from tests.browser.test_phone import FAINT, IN_LANGUAGES, MIN_TARGET_PX, SMALL, fits
from tests.component.officials import do
from tests.component.test_duplicate_consoles import CLOCK, GAME, cell
from tests.support.access_cell import Cell, build_credential

from faristol.access_control.credential import Credential
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.clock.v1 import turns_pb2 as turns
from faristol.pb.game.v1 import duplicate_pb2 as pb

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

__all__ = ["cell"]  # a fixture

SLIP = f"/duplicate/{GAME}/slip"
SEEN = """selector => {
  const seen = document.querySelector(selector), { x, y, width, height } = seen.getBoundingClientRect();
  return seen.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}"""
AN_HOUR_AHEAD = "const real = Date.now; Date.now = () => real() + 3600000;"


@asynccontextmanager
async def signed_in(
    browser: Browser, cell: Cell, credential: Credential | None, script: str = "", width: int = 390
) -> AsyncIterator[BrowserContext]:
    """Yield a separate browser with a signed-in user."""
    address = cell.process.http_address
    context = await browser.new_context(base_url=address, viewport={"width": width, "height": 780}, locale="en")
    if credential is not None:
        await context.add_cookies([{"name": "faristol", "value": cell.token(credential), "url": address}])
    if script:
        await context.add_init_script(script)
    yield context
    await context.close()


async def test_what_a_phone_with_a_wrong_clock_saves_without_a_network_is_sent_with_its_time_and_waits(
    browser: Browser, cell: Cell
) -> None:
    await do(cell, pb.CallRackRequest(game_id=GAME, faces=["C", "A", "S", "E", "R", "N", "A"]))
    await do(cell, turns.StartTurnRequest(game_id=GAME, turn=1))
    async with signed_in(browser, cell, build_credential(needs.ROLE_PLAYER, player="anna"), AN_HOUR_AHEAD) as phone:
        page = await phone.new_page()
        await page.goto(SLIP)
        await expect(page.locator("#state")).to_have_text("No slip is saved for this round.")
        await page.fill("#word", "xyz")
        await expect(page.locator("#state")).to_have_text("Written, not saved")
        await page.fill("#coordinates", "h8")
        saved = page.locator("#saved")  # automatically, after a moment without a key press
        await expect(saved).to_contain_text("H8 XYZ. The slip has arrived.")
        assert await page.locator(".tag, .refusal, [aria-invalid]").count() == 0, "what is no word looks like one"
        await expect(page.locator("#state")).to_have_text("All entries are saved")
        await phone.set_offline(True)
        await page.fill("#word", "casb")
        await expect(saved).to_contain_text("H8 CASB. The slip is stored on this phone")
        await page.fill("#coordinates", "8h")
        await page.fill("#word", "casa")
        assert await page.locator("[data-key=save]").evaluate("b => b.getBoundingClientRect().bottom <= innerHeight")
        await page.locator("[data-key=tile-3]").click()
        await expect(page.locator("#word")).to_have_value("CAS(A)")
        await page.locator("[data-key=save]").click()
        await expect(saved).to_contain_text("8H CAS(A). The slip is stored on this phone")
        before = CLOCK().timestamp()
        CLOCK.wait(300)
        await phone.set_offline(False)
        await expect(saved).to_contain_text("An arbiter decides")
        (waits,) = (await do(cell, pb.ListWaitingRequest(game_id=GAME, turn=1))).slips
        last = waits.arrived[-1]
        assert (waits.why, last.slip.coordinates, last.slip.word) == ("sent-later", "8H", "CAS(A)")
        assert abs(last.slip.written_at.ToDatetime(UTC).timestamp() - before) < 10
        assert last.arrived_at.seconds - last.slip.written_at.seconds > 290


@IN_LANGUAGES
async def test_the_page_of_a_slip_fits_a_phone(browser: Browser, cell: Cell, languages: Collection[str]) -> None:
    async with signed_in(browser, cell, build_credential(needs.ROLE_PLAYER, player="anna")) as context:
        await _looks(await context.new_page(), languages)


async def _looks(page: Page, languages: Collection[str]) -> None:
    """Check that the page fits a phone, and can be read and touched."""
    for language in languages:
        await page.goto(f"{SLIP}?lang={language}")
        await expect(page.locator("#left")).to_be_visible()
        await fits(page, language)
        await page.locator("[data-key=save]").evaluate("button => button.scrollIntoView()")
        assert await page.evaluate(SEEN, "#left"), f"who writes does not see the time: {language}"
        tops = await page.locator(".slip-fields input").evaluate_all(
            "inputs => inputs.map(each => each.getBoundingClientRect().top)"
        )
        assert max(tops) - min(tops) < 1, f"a label is broken: {language}"
    small = await page.evaluate(SMALL, MIN_TARGET_PX)
    assert [each for each in small if "cell" not in str(each)] == []
    assert await page.evaluate(FAINT) == []
    assert await serious(page) == []
