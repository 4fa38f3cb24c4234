"""The pages of a tournament of teams, live and on a phone."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, Page, expect
from tests.browser.frames import EMBEDS, check_framed, open_frame
from tests.support.league import League
from tests.support.stage import Stage

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

MARK = "window.marked = 'the same page'"
MARKED = "window.marked"


async def test_the_standings_of_teams_move_once_the_last_board_of_a_match_is_over(stage: Stage, page: Page) -> None:
    league = League()
    await stage.add(*league.create())
    paired, started, first, second, closed = league.first_round()
    await stage.add(paired, started)
    await page.goto("/tournaments/lliga")
    await page.evaluate(MARK)
    rows = page.locator("#team-standings tbody tr")
    await stage.add(first)
    await expect(page.locator("#status")).to_have_text("Round 1: 1 of 2 tables finished")
    await expect(rows.nth(1)).to_contain_text("Club Sabadell")
    await stage.add(second)
    await expect(rows.nth(1)).to_contain_text("Club Tarragona")
    await expect(rows.nth(1).locator("td.strong")).to_have_text("1")
    await stage.add(closed)
    await expect(rows.first).to_contain_text("Club Lleida")
    assert await page.evaluate(MARKED) == "the same page"


async def test_a_match_shows_its_boards_and_its_score_as_results_come_in(stage: Stage, page: Page) -> None:
    league = League()
    await stage.add(*league.create())
    paired, started, first, second, _ = league.first_round()
    await stage.add(paired, started)
    await page.goto("/tournaments/lliga/round/1")
    await page.evaluate(MARK)
    match = page.locator("#match-1")
    await expect(match.locator("li")).to_have_count(2)
    await expect(match.locator("h3 .score")).to_have_text(["0", "0"])
    await stage.add(first)
    await expect(match.locator("h3 .score")).to_have_text(["1", "0"])
    await stage.add(second)
    await expect(match.locator("h3 .score")).to_have_text(["1.5", "0.5"])
    await expect(match.locator("h3 .won")).to_contain_text("Club Tarragona")
    assert await page.evaluate(MARKED) == "the same page"


async def test_standings_and_matches_of_teams_stand_in_frames_of_another_site(stage: Stage, browser: Browser) -> None:
    *played, _ = [*League().create(), *League().first_round()]
    await stage.add(*played)
    site = stage.running.http_address
    for name in EMBEDS:
        await check_framed(browser, f"{site}/tournaments/lliga/embed/{name}")
    for name in ("standings", "pairings"):
        async with open_frame(browser, f"{site}/tournaments/lliga/embed/{name}") as frame:
            await expect(frame.locator("#live")).to_contain_text("Club Tarragona")


async def test_from_a_match_to_a_team_and_its_players_by_links(stage: Stage, page: Page) -> None:
    await stage.add(*League().steps())
    await page.goto("/tournaments/lliga/round/2")
    await page.locator("#match-1 h3 a", has_text="Club Tarragona").click()
    await expect(page.locator("h2")).to_contain_text("2. Club Tarragona")
    await page.locator("tr[data-key=round-1] a", has_text="Round 1").click()
    await expect(page).to_have_url(f"{stage.running.http_address}/tournaments/lliga/round/1#match-1")
    await page.locator(".tabs a", has_text="Teams").click()
    await expect(page.locator("#teams tbody tr")).to_have_count(3)
    await page.locator("#teams a", has_text="Club Sabadell").click()
    await expect(page.locator("#players tbody tr")).to_have_count(2)


@pytest.mark.nightly
async def test_no_page_of_teams_scrolls_sideways_on_a_phone_in_any_language(stage: Stage, page: Page) -> None:
    await stage.add(*League().steps())
    await page.set_viewport_size({"width": 360, "height": 640})
    for language in ("ca", "es", "el", "en"):
        for path in (
            "/tournaments/lliga",
            "/tournaments/lliga/round/2",
            "/tournaments/lliga/teams",
            "/tournaments/lliga/teams/tarragona",
        ):
            await page.goto(f"{path}?lang={language}")
            wide = await page.evaluate("document.documentElement.scrollWidth")
            assert wide <= 360, f"{path} in {language} is {wide} wide"
