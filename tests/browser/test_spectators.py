"""Spectators in a browser: they find a table, replay a game, read a hall screen."""

from __future__ import annotations

import asyncio
import re

import pytest
from fastapi.routing import APIRoute
from playwright.async_api import Browser, Page, expect
from tests.browser.frames import EMBEDS, check_framed, open_frame
from tests.support.stage import Stage
from tests.support.synthetic import NAMES, Championship

from faristol.gateway.pages import routes
from faristol.pb.pairing.v1 import events_pb2 as pairing

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

STREAM = "tournament-lliga"


def tables(number: int, *pairs: tuple[str, str]) -> pairing.RoundPaired:
    return pairing.RoundPaired(
        round=number,
        pairings=[
            pairing.Pairing(
                table=table,
                game_id=f"lliga-r{number}-t{table}",
                first_player_id=first,
                second_player_id=second,
                hall="Sala Gran",
            )
            for table, (first, second) in enumerate(pairs, 1)
        ],
    )


async def test_a_player_types_a_name_keeps_it_and_sees_the_next_table_without_asking(page: Page, stage: Stage) -> None:
    await stage.add(*Championship().create(), {STREAM: [tables(1, ("anna", "carme"), ("biel", "dolors"))]})
    await page.set_viewport_size({"width": 390, "height": 780})
    await page.goto("/tournaments/lliga")
    await page.get_by_role("link", name="Find my seat").click()
    await page.wait_for_load_state("networkidle")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    await page.get_by_label("Type a name").fill("VILANOVÀ do")
    mine = page.locator("#places > li:visible")
    await expect(mine).to_have_count(1)
    await expect(mine).to_contain_text("Table 2")
    await expect(mine).to_contain_text(NAMES["biel"][0])
    assert [url for url in asked if "/find" in url] == []
    await page.get_by_role("button", name="Show me at the top").click()
    await page.get_by_label("Type a name").fill("zzz")
    await expect(page.locator("#nobody")).to_be_visible()
    await page.get_by_label("Type a name").fill("")
    await stage.add(
        {STREAM: [pairing.RoundUnpaired(round=1)]}, {STREAM: [tables(1, ("dolors", "anna"), ("biel", "eloi"))]}
    )
    await expect(page.locator("#places > li.mine")).to_contain_text("Table 1", timeout=10_000)
    await page.reload()
    await expect(page.locator("#places > li").first).to_contain_text(NAMES["dolors"][0])
    await expect(page.locator("#places > li").first).to_have_class("mine only")


async def test_a_game_is_moved_through_by_keys_and_buttons_and_each_move_has_an_address(
    page: Page, stage: Stage
) -> None:
    await stage.add(*Championship().steps())
    await page.goto("/games/lliga-r1-t1/replay?move=0")
    await expect(page.locator("#board .tile")).to_have_count(0)
    await page.keyboard.press("ArrowRight")
    await expect(page.locator(".at-move")).to_contain_text("1 /")
    assert page.url.endswith("move=1")
    assert await page.locator("#board .tile").count() > 0
    await page.get_by_role("link", name="To the end").click()
    end = await page.locator(".at-move").text_content()
    last = int((end or "").split("/")[1])
    await expect(page.locator(".at-move")).to_contain_text(f"{last} / {last}")
    await page.keyboard.press("Home")
    await expect(page.locator(".at-move")).to_contain_text("0 /")
    await page.locator("#move-2").click()
    await expect(page.locator(".at-move")).to_contain_text("2 /")


async def test_a_game_is_moved_through_without_script(browser: Browser, stage: Stage) -> None:
    await stage.add(*Championship().steps())
    context = await browser.new_context(base_url=stage.running.http_address, java_script_enabled=False, locale="en")
    page = await context.new_page()
    await page.goto("/games/lliga-r1-t1/replay?move=1")
    await page.get_by_role("link", name="Forward", exact=True).click()
    await expect(page.locator(".at-move")).to_contain_text("2 /")
    await context.close()


async def test_a_hall_screen_turns_its_pages_follows_the_round_and_does_not_grow(page: Page, stage: Stage) -> None:
    championship = Championship()
    await stage.add(*championship.create())
    await page.set_viewport_size({"width": 1280, "height": 720})
    await page.clock.install()
    await page.goto("/tournaments/lliga/screen")
    await stage.add({STREAM: [tables(1, ("anna", "carme"), ("biel", "dolors"))]})
    await page.clock.run_for(5_000)
    seats = page.locator('[data-key^="s-"]')
    await expect(seats).to_have_count(len(NAMES), timeout=10_000)
    size = await seats.first.evaluate("one => parseFloat(getComputedStyle(one).fontSize)")
    assert size >= 720 * 0.03
    fits = """() => {
      const page = document.scrollingElement;
      return page.scrollHeight <= innerHeight && page.scrollWidth <= innerWidth;
    }"""
    assert await page.evaluate(fits)
    nodes = "() => document.querySelectorAll('*').length"
    before = await page.evaluate(nodes)
    for _ in range(12):
        await page.clock.run_for(60_000)
    assert await page.evaluate(nodes) == before
    assert await page.evaluate(fits)


async def test_boards_rounds_and_standings_stand_in_frames_of_another_site_and_follow_the_news(
    browser: Browser, stage: Stage
) -> None:
    hall, site = Championship(), stage.running.http_address
    *played, last = [*hall.create(), *hall.first_round()]
    await stage.add(*played)
    for path in ("/games/lliga-r1-t1/embed", *(f"/tournaments/lliga/embed/{name}" for name in EMBEDS)):
        await check_framed(browser, f"{site}{path}")
    async with open_frame(browser, f"{site}/tournaments/lliga/embed/pairings") as frame:
        await expect(frame.locator("#live")).to_contain_text("1")
        before = await frame.locator("#live").inner_text()
        await stage.add(last, *hall.second_round())
        await expect(frame.locator("#live")).not_to_have_text(before)
        await expect(frame.locator("#pairings-title")).to_contain_text("Round 2")
    async with open_frame(browser, f"{site}/games/lliga-r1-t1", refused=True) as frame:
        assert await frame.evaluate("() => document.querySelectorAll('#board .tile').length") == 0


async def test_a_public_page_that_was_seen_once_opens_without_a_network(page: Page, stage: Stage) -> None:
    await stage.add(*Championship().steps())
    await page.goto("/tournaments/lliga")
    await _until_stored(page, "/tournaments/lliga")
    await page.goto("/tournaments/lliga/crosstable")
    await _until_stored(page, "/tournaments/lliga/crosstable")
    await page.context.set_offline(True)
    await page.goto("/tournaments/lliga")
    await expect(page.locator("#standings")).to_be_visible()
    await expect(page.locator("#offline")).to_be_visible()
    await page.goto("/tournaments/lliga/crosstable")
    await expect(page.locator(".crosstable")).to_be_visible()
    await page.context.set_offline(False)


async def _until_stored(page: Page, path: str) -> None:
    """Wait until the worker has stored a page. A predicate of ``wait_for_function`` is not awaited."""
    paths = """async () => {
      const keys = await caches.open("pages-1").then((cache) => cache.keys());
      return keys.map(({ url }) => new URL(url).pathname);
    }"""
    async with asyncio.timeout(60):
        while path not in await page.evaluate(paths):  # noqa: ASYNC110 # the worker sends no event
            await asyncio.sleep(0.05)


BEYOND = """() => [...document.querySelectorAll("body *")]
  .filter((each) => each.getBoundingClientRect().right > innerWidth + 1 && !each.closest(".scroll"))
  .map((each) => `${each.tagName}.${each.className} ${Math.round(each.getBoundingClientRect().right)}`)"""
"""Elements wider than the screen."""


CUT = """() => [...document.querySelectorAll("body *")].filter((each) => {
  const style = getComputedStyle(each);
  const hides = /hidden|clip/.test(style.overflowX) && each.scrollWidth > each.clientWidth + 1;
  const says = [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  return hides && says && each.clientWidth > 1 && each.checkVisibility();
}).map((each) => `${each.tagName}.${each.className} ${each.textContent.trim().slice(0, 40)}`)"""
"""Text that is cut off at the edge of its element."""

LEFT_OUT = re.compile(r"/screen|/overlay|\{team_id\}|/rulings$")
"""Pages with a fixed size, for walls and broadcasts, and pages that need teams or the lexicon service."""


def public_pages(game: str) -> list[str]:
    """Return the addresses of the public pages, each once, with parameters from the stage."""
    values = {"tournament_id": "lliga", "game_id": game, "player_id": "anna", "number": "1", "help_name": "player"}
    paths = [route.path for route in routes.routes.routes if isinstance(route, APIRoute)]
    return [
        re.sub(r"\{(\w+)[^}]*\}", lambda found: values[found[1]], path)
        for path in paths
        if path != "/oembed" and "." not in path and not LEFT_OUT.search(path)
    ]


async def test_with_large_type_no_public_page_is_wider_than_a_phone_and_no_text_is_cut(
    page: Page, stage: Stage
) -> None:
    await stage.add(*Championship().steps())
    await page.set_viewport_size({"width": 390, "height": 844})
    wrong = {}
    for path in public_pages("lliga-r1-t1"):
        answer = await page.goto(path, wait_until="domcontentloaded")
        assert answer is not None
        assert answer.status == 200, path
        await page.evaluate("document.documentElement.style.fontSize = '200%'")
        wide = await page.evaluate("document.scrollingElement.scrollWidth") > 390
        if found := [*(await page.evaluate(BEYOND) if wide else ()), *await page.evaluate(CUT)]:
            wrong[path] = found
        if "/embed" not in path:
            await expect(page.locator("a.to-search")).to_be_in_viewport()
    assert wrong == {}


async def test_a_finished_game_holds_no_stream_open(page: Page, stage: Stage) -> None:
    await stage.add(*Championship().steps())
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    await page.goto("/games/lliga-r1-t1")
    await expect(page.locator(".badge.over")).to_be_visible()
    await page.wait_for_load_state("networkidle")
    assert [url for url in asked if "/stream" in url] == []
