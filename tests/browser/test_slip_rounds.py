"""Three rounds of a duplicate game: a judge, two collectors, a hall screen, and two phones, one without a network."""

from __future__ import annotations

from contextlib import AsyncExitStack

import pytest
from playwright.async_api import Browser, Page, expect
from tests.browser.test_slips import AN_HOUR_AHEAD, SLIP, signed_in
from tests.component.officials import arbiter, do
from tests.component.test_duplicate_consoles import CLOCK, GAME, JUDGE, SLIPS, cell, collector
from tests.support.access_cell import Cell, build_credential

from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.game.v1 import duplicate_pb2 as pb

pytestmark = [pytest.mark.browser, pytest.mark.nightly, pytest.mark.asyncio(loop_scope="module")]

__all__ = ["cell"]  # a fixture


class Play:
    """All participants, each at their page."""

    def __init__(self, cell: Cell, judge: Page, ona: Page, pau: Page, screen: Page, anna: Page, cesca: Page) -> None:
        self.cell = cell
        self.judge, self.ona, self.pau, self.screen, self.anna, self.cesca = judge, ona, pau, screen, anna, cesca

    async def press(self, name: str, **fields: str) -> None:
        """Press a button of the judge's page."""
        for field, value in fields.items():
            await self.judge.fill(f"#{field}", value)
        async with self.judge.expect_navigation():
            await self.judge.get_by_role("button", name=name, exact=True).first.click()
        await expect(self.judge.locator(".notice.good")).to_be_visible()

    async def begins(self, number: int, faces: str) -> None:
        """Call a rack and begin its time."""
        await self.judge.goto(JUDGE)
        await self.press("Call the rack", **{"call-faces": faces})
        await expect(self.screen.locator("#now-turn [data-say]")).to_have_text(f"Round {number}")
        await self.press("Start the time")
        for page in (self.anna, self.cesca):
            await expect(page.locator("#left")).to_contain_text("2:5")

    async def write(self, page: Page, coordinates: str, word: str) -> None:
        """Write on a phone and save."""
        await page.fill("#coordinates", coordinates)
        await page.fill("#word", word)
        await page.locator("[data-key=save]").click()

    async def type(self, page: Page, number: str, coordinates: str, word: str) -> None:
        """Type a slip of paper."""
        await page.fill("#entry-table", number)
        await page.fill("[name=coordinates]", coordinates)
        await page.fill("[name=word]", word)
        await page.get_by_role("button", name="Enter", exact=True).click()
        await expect(page.locator(f"#tables [data-table='{number}'] .typed").first).to_contain_text(word)

    async def close(self) -> None:
        """Close both halls."""
        for hall in ("Nord", "Sud"):
            await self.judge.goto(f"{SLIPS}?hall={hall}")
            await self.judge.get_by_role("button", name="Close the hall").click()
        await self.judge.goto(JUDGE)

    async def score_round(self, number: int) -> None:
        """Score the round, and expect the result on every page."""
        await self.press("Score the round")
        await expect(self.screen.locator("#now-turn .left")).to_have_text("scored")
        for page in (self.anna, self.cesca):
            await expect(page.locator(f"[data-key=turn-{number}]")).to_be_visible()


async def test_three_rounds_with_two_collectors_and_two_phones_one_of_them_offline_over_the_end(
    browser: Browser, cell: Cell
) -> None:
    async with AsyncExitStack() as stack:
        pages, wrong = [], list[str]()
        for credential, path, script in (
            (arbiter("eva"), JUDGE, ""),
            (collector("ona", "Nord"), SLIPS, ""),
            (collector("pau", "Nord"), SLIPS, ""),
            (None, f"/duplicate/{GAME}/screen", ""),
            (build_credential(needs.ROLE_PLAYER, player="anna"), SLIP, ""),
            (build_credential(needs.ROLE_PLAYER, player="cesca"), SLIP, AN_HOUR_AHEAD),
        ):
            context = await stack.enter_async_context(signed_in(browser, cell, credential, script))
            page = await context.new_page()
            page.on("pageerror", lambda error: wrong.append(str(error)))
            await page.goto(path)
            pages.append(page)
        play = Play(cell, *pages)
        await _first_round(play)
        await _second_round(play)
        await _third_round(play)
    assert wrong == []


async def _first_round(play: Play) -> None:
    """Play a round in which both phones save in time, one with a clock that is an hour wrong; a claim is accepted."""
    await play.begins(1, "c a s e r n a")
    await play.write(play.anna, "h5", "caserna")
    await expect(play.anna.locator("#saved")).to_contain_text("H5 CASERNA. The slip has arrived.")
    await play.write(play.cesca, "h8", "xyz")  # an invalid word is saved like a valid one
    await expect(play.cesca.locator("#saved")).to_contain_text("H8 XYZ. The slip has arrived.")
    await play.write(play.cesca, "8h", "casa")
    await expect(play.cesca.locator("#saved")).to_contain_text("8H CASA. The slip has arrived.")
    assert await play.cesca.locator(".tag, .refusal, [aria-invalid]").count() == 0
    CLOCK.wait(181)
    await play.ona.reload()
    await play.pau.reload()
    await play.type(play.ona, "2", "H8", "CASA")
    await play.type(play.pau, "2", "H8", "CASA")
    await play.close()
    await play.score_round(1)
    assert "66" in await play.anna.locator("[data-key=turn-1]").inner_text()
    assert "10" in await play.cesca.locator("[data-key=turn-1]").inner_text()
    await play.anna.locator("[data-key=claim-on-1]").click()
    await play.anna.fill("#claim-words", "I wrote H4, the 4 is not a 5")
    await play.anna.get_by_role("button", name="Send the claim").click()
    await expect(play.anna.locator("[data-key^=claim-t1]")).to_contain_text("waits for the judge")
    await play.judge.goto(JUDGE)
    claim = play.judge.locator("#claims > li")
    await expect(claim).to_contain_text("I wrote H4, the 4 is not a 5")
    await expect(claim.locator(".arrived")).to_contain_text("H5 CASERNA")
    await claim.get_by_label("Coordinates").fill("H4")
    await claim.get_by_label("Reason").fill("so it stands")
    await claim.get_by_role("button", name="Correct the slip").click()
    await expect(play.anna.locator("[data-key^=claim-t1]")).to_contain_text("so it stands")
    row = play.anna.locator("[data-key=turn-1]")
    assert "70" in await row.locator(".num").inner_text()
    widths = await row.locator("> p").evaluate_all("texts => texts.map(each => each.clientWidth)")
    assert min(widths) > 200, "a claim squeezes what was written beside it"


async def _second_round(play: Play) -> None:
    """Play a round in which one phone has no network at the end; its saved slip waits for the judge."""
    await play.begins(2, "s e s a t o r")
    await play.write(play.anna, "H3", "ES")
    await expect(play.anna.locator("#saved")).to_contain_text("The slip has arrived.")
    phone = play.cesca.context
    await expect(play.cesca.locator("html[data-kept=yes]")).to_be_attached()
    await phone.set_offline(True)
    await play.write(play.cesca, "I4", "AS")
    await expect(play.cesca.locator("#saved")).to_contain_text("stored on this phone")
    await play.cesca.close()
    play.cesca = await phone.new_page()
    await play.cesca.goto(SLIP)  # it opens without a network, with the saved slip
    await expect(play.cesca.locator("#saved")).to_contain_text("I4 AS. The slip is stored on this phone")
    CLOCK.wait(200)
    await phone.set_offline(False)
    await expect(play.cesca.locator("#saved")).to_contain_text("An arbiter decides")
    await play.close()
    waits = play.judge.locator("#waiting > li")
    await expect(waits).to_contain_text("saved in time according to the phone, and sent later")
    await expect(waits.locator(".arrived")).to_contain_text("I4 AS")
    await waits.get_by_label("Reason").first.fill("the phone was seen without a network")
    await waits.get_by_role("button", name="Accept this slip").first.click()
    await expect(play.judge.locator("#waiting")).to_have_count(0)
    await play.score_round(2)
    await expect(play.cesca.locator("[data-key=turn-2]")).to_contain_text("I4 AS")


async def _third_round(play: Play) -> None:
    """Play a round in which a phone reconnects after the scoring, and its player sends a claim with one touch."""
    last = (await do(play.cell, pb.GetDuplicateRequest(game_id=GAME))).turns[-1]
    left = list(last.faces)
    for tile in last.master.placements:
        left.remove(tile.face)
    await play.begins(3, " ".join([*left, "E", "S", "A", "I", "U", "N"][:7]))
    phone = play.cesca.context
    await phone.set_offline(True)
    await play.write(play.cesca, "K1", "ES")
    await play.cesca.locator("[data-key=tile-0]").click()
    await expect(play.cesca.locator("#word")).to_have_value("(E)S")
    await play.cesca.locator("[data-key=save]").click()
    await expect(play.cesca.locator("#saved")).to_contain_text("K1 (E)S")
    CLOCK.wait(181)
    await play.close()
    await play.press("Score the round")
    await phone.set_offline(False)
    refused = play.cesca.locator(".refusal")
    await expect(refused).to_contain_text("K1 (E)S")
    await expect(refused).to_contain_text("Round 3 is scored")
    await refused.locator("[data-key=claim-it]").click()
    await expect(play.cesca.locator("[data-key^=claim-t3]")).to_contain_text("My phone saved K1 (E)S")
    waiting = await do(play.cell, pb.ListWaitingRequest(game_id=GAME, turn=3))
    assert [claim.slip.player_id for claim in waiting.claims] == ["cesca"]
