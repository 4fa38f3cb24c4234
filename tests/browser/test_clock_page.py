"""The clock page: a tap ends the turn, with and without a network, and never twice."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect
from tests.browser.scorers import Hall, expect_stored_offline, phone, played_on_paper, sit_down

from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2

pytestmark = [pytest.mark.browser, pytest.mark.nightly, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hall(tmp_path_factory: pytest.TempPathFactory, lexicons: Path, no_open: None) -> AsyncIterator[Hall]:
    async with played_on_paper(tmp_path_factory.mktemp("clock"), lexicons) as made:
        yield made


async def play(hall: Hall, game: str) -> None:
    """Lay two tiles through the centre as the player on turn."""
    placements = [events.Placement(row=7, column=7 + place, face=face) for place, face in enumerate("AL")]
    mover = (await hall.table(game)).turn_player_id
    await hall.send(game_pb2.PlacePlayRequest(game_id=game, player_id=mover, placements=placements))


async def tap(page: Page) -> None:
    await page.locator(".clock-side.on").click()


async def read_used_ms(hall: Hall, game: str) -> dict[str, int]:
    """Return the milliseconds that each player has used."""
    return {side.player_id: side.used_ms for side in (await hall.clock(game)).times}


async def test_a_tap_ends_the_turn_once_however_often_and_by_whom_it_is_touched(browser: Browser, hall: Hall) -> None:
    game = await hall.begin_game()
    async with phone(browser) as one, phone(browser) as two:
        pages = [await sit_down(context, hall, game, part="clock") for context in (one, two)]
        await play(hall, game)
        for page in pages:
            await expect(page.locator(".clock-side.on .what")).to_have_text("Tap when your turn is over")
        await asyncio.gather(*(tap(page) for page in pages))
        table = await hall.until(game, 2)
        await asyncio.sleep(1)
        table = await hall.table(game)
        assert (table.turn, table.phase) == (2, game_pb2.PHASE_TURN)
        for page in pages:
            await expect(page.locator(".refusal")).to_have_count(0)
            await expect(page.locator(".clock-side").last).to_have_class(re.compile(r"\bon\b"))


async def test_a_tap_without_a_network_counts_at_the_moment_of_the_tap(browser: Browser, hall: Hall) -> None:
    game = await hall.begin_game()
    mover = (await hall.table(game)).turn_player_id
    async with phone(browser) as context:
        page = await sit_down(context, hall, game, part="clock")
        await play(hall, game)
        await expect(page.locator(".clock-side.on .what")).to_have_text("Tap when your turn is over")
        await expect_stored_offline(page)
        await asyncio.sleep(1)
        await context.set_offline(True)
        started = (await hall.clock(game)).running[0].since.ToMilliseconds()
        tapped = await page.evaluate("Date.now()")
        await tap(page)
        await expect(page.locator(".clock-side.on .who")).not_to_have_text("Blai")
        left = page.locator(".clock-side:not(.on) time")
        before = await left.text_content()
        await asyncio.sleep(3)
        assert await left.text_content() == before  # it is stored on the device, too
        await context.set_offline(False)
        await hall.until(game, 2)
        assert abs((await read_used_ms(hall, game))[mover] - (tapped - started)) < 1_500


async def test_a_tap_before_the_play_is_entered_waits_for_it(browser: Browser, hall: Hall) -> None:
    game = await hall.begin_game()
    async with phone(browser) as context:
        page = await sit_down(context, hall, game, part="clock")
        await tap(page)
        await expect(page.locator(".clock-note")).to_contain_text("The turn is not entered yet")
        await play(hall, game)
        assert (await hall.until(game, 2)).phase == game_pb2.PHASE_TURN


async def test_an_arbiter_stops_both_clocks_and_lets_them_go_on(browser: Browser, hall: Hall) -> None:
    game = await hall.begin_game()
    async with phone(browser) as context:
        page = await sit_down(context, hall, game, hall.token(needs.ROLE_ARBITER), part="clock")
        await page.locator("[data-key^=Neutralise]").click()
        await expect(page.locator("dialog")).to_contain_text("FISC I.11")
        await page.get_by_text("force majeure").click()
        await page.locator("dialog [value=do]").click()
        await expect(page.locator(".clock-note")).to_have_text("Clocks stopped")
        assert (await hall.clock(game)).neutralised
        await page.locator("[data-key^=Resume]").click()
        await expect(page.locator(".clock-note")).to_contain_text("Turn 1")
        assert not (await hall.clock(game)).neutralised
        scorer = await sit_down(context, hall, game, part="clock")
        await expect(scorer.locator(".clock-side.on")).to_be_visible()
        await expect(scorer.locator("[data-key^=Neutralise]")).to_have_count(0)
