"""Pages on a phone: no element is wider than the screen, targets are large enough, and text has enough contrast."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Literal

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page
from tests.browser.crowd import LATEST_ROUND_NUMBER, OF_PLAYERS, OF_TEAMS, crowded_rulings, crowded_teams, fill_stage
from tests.support.stage import Stage, open_stage

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

PHONES = (390, 320)
LANGUAGES = frozenset({"ca", "es", "el", "en"})
WIDEST = "el"
"""The language with the longest words: it is tested for every change, the others every night."""
IN_LANGUAGES = pytest.mark.parametrize(
    "languages",
    [
        pytest.param({WIDEST}, id="widest"),
        pytest.param(sorted(LANGUAGES - {WIDEST}), id="others", marks=pytest.mark.nightly),
    ],
)
"""A test of pages in every language."""
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
MIN_TARGET_PX = 24
"""CSS pixels that a target has at least in each direction (WCAG 2.2, 2.5.8)."""

MAX_ROW_PX = 72
"""CSS pixels of a player in the standings on a phone, however long their name is."""

WIDE = """() => {
  const inside = (element) => element.closest(".scroll, .consoles, .unseen, .skip");
  const beyond = [...document.querySelectorAll("body *")].filter(
    (one) => !inside(one) && one.checkVisibility() && one.getBoundingClientRect().right > innerWidth + 1
  );
  const page = document.scrollingElement;
  return page.scrollWidth <= innerWidth && !beyond.length
    ? ""
    : `${page.scrollWidth} wide: ${beyond.slice(0, 3).map((one) => `${one.tagName}.${one.className}`)}`;
}"""
"""Elements wider than the screen, except those that scroll inside their box; empty if there are none."""

COVERED = """() => {
  const over = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  const text = (one) => {
    const range = document.createRange();
    const shown = [...one.childNodes].filter((child) => !child.classList?.contains("unseen"));
    return shown.flatMap((child) => {
      range.selectNode(child);
      return [...range.getClientRects()];
    });
  };
  const names = [...document.querySelectorAll(".pairing .name")].flatMap(text);
  const on = (one) => text(one).some((box) => names.some((name) => over(box, name)));
  const beside = [...document.querySelectorAll(".pairing :is(.where, .number, .state, .score)")];
  return beside.filter(on).map((one) => one.className);
}"""
"""Elements that cover a name at the tables of a round."""

SMALL = """(least) => [...document.querySelectorAll("main a, footer a")]
  .filter((one) => one.checkVisibility() && !one.closest(".skip"))
  .map((one) => [one, one.getBoundingClientRect()])
  .filter(([, box]) => box.width && (box.height < least || box.width < least))
  .map(([one, box]) => `${one.textContent.trim()} ${Math.round(box.width)}×${Math.round(box.height)}`)"""
"""Links that are smaller than can be touched."""

FAINT = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const rgba = (colour) => {
    if (!known.has(colour)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
      known.set(colour, [r, g, b, a / 255]);
    }
    return known.get(colour);
  };
  const over = (top, below) => [0, 1, 2].map((at) => top[at] * top[3] + below[at] * (1 - top[3]));
  const light = (colour) => {
    const linear = (one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = colour.map((one) => linear(one / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const tile = getComputedStyle(document.documentElement).getPropertyValue("--tile");
  const last = getComputedStyle(document.documentElement).getPropertyValue("--tile-last");
  const ground = (element) => {
    const layers = [];
    for (let one = element; one; one = one.parentElement) {
      const style = getComputedStyle(one);
      const painted = one.matches(".tile.last") ? last : one.matches(".tile") ? tile : style.backgroundColor;
      layers.push(rgba(painted));
    }
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = new Set();
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const text = walker.currentNode.data.trim().slice(0, 20);
    if (!text || element.closest(".unseen, .skip, script, :disabled") || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    let seen = 1;
    for (let one = element; one; one = one.parentElement) seen *= Number(getComputedStyle(one).opacity);
    const behind = ground(element);
    const ink = rgba(style.color);
    const [high, low] = [light(over([...ink.slice(0, 3), ink[3] * seen], behind)), light(behind)].sort((a, b) => b - a);
    const size = parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < least) found.add(`${element.tagName}.${element.className} “${text}” ${ratio.toFixed(2)}`);
  }
  return [...found];
}"""
"""Text with a contrast below AA (WCAG 2.2, 1.4.3, which excludes disabled elements)."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def players(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    async with open_stage(tmp_path_factory.mktemp("players")) as made:
        await fill_stage(made)
        yield made


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def teams(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    async with open_stage(tmp_path_factory.mktemp("teams")) as made:
        await crowded_teams(made)
        yield made


@pytest.fixture(params=[pytest.param(OF_PLAYERS, id="players"), pytest.param(OF_TEAMS, id="teams")])
def site(request: pytest.FixtureRequest, players: Stage, teams: Stage) -> tuple[Stage, tuple[str, ...]]:
    """Return a stage and the addresses of its pages."""
    return (players if request.param is OF_PLAYERS else teams), request.param


async def phone(browser: Browser, stage: Stage, width: int = 390, *, touch: bool = False) -> Page:
    context = await browser.new_context(
        base_url=stage.running.http_address,
        viewport={"width": width, "height": 780},
        has_touch=touch,
        is_mobile=touch,
        locale="en",
    )
    return await context.new_page()


def address(path: str, language: str) -> str:
    return f"{path}{'&' if '?' in path else '?'}lang={language}"


async def test_a_page_fits_a_phone_is_touched_with_a_finger_and_stands_out(
    browser: Browser, site: tuple[Stage, tuple[str, ...]]
) -> None:
    stage, paths = site
    page = await phone(browser, stage)
    for path in paths:
        await page.set_viewport_size({"width": PHONES[0], "height": 780})
        await page.goto(address(path, WIDEST))
        assert await page.evaluate(SMALL, MIN_TARGET_PX) == [], path
        for scheme in SCHEMES:
            await page.emulate_media(color_scheme=scheme)
            assert await page.evaluate(FAINT) == [], (path, scheme)
        await fits(page, path)
    await page.context.close()


@pytest.mark.nightly
async def test_no_page_is_wider_than_a_phone_in_the_other_languages(
    browser: Browser, site: tuple[Stage, tuple[str, ...]]
) -> None:
    stage, paths = site
    page = await phone(browser, stage)
    for language in sorted(LANGUAGES - {WIDEST}):
        for path in paths:
            await page.goto(address(path, language))
            await fits(page, (path, language))
    await page.context.close()


async def fits(page: Page, what: object) -> None:
    """Check that no element of a page is wider than a phone; the page has the narrowest width at the end."""
    for width in PHONES:
        await page.set_viewport_size({"width": width, "height": 780})
        assert await page.evaluate(WIDE) == "", (what, width)


@pytest.mark.nightly
async def test_rulings_are_read_on_a_phone_without_moving_them_sideways(browser: Browser, tmp_path: Path) -> None:
    async with crowded_rulings(tmp_path) as stage:
        page = await phone(browser, stage)
        for language in LANGUAGES:
            await page.goto(address("/tournaments/lliga/rulings", language))
            assert await page.locator(".rulings tbody tr").count() > 0
            await fits(page, language)
            await page.set_viewport_size({"width": PHONES[0], "height": 780})
            too_wide = await page.locator(".scroll").evaluate("box => box.scrollWidth > box.clientWidth")
            assert not too_wide, language  # on less, the table scrolls by itself
        await page.context.close()


@pytest.mark.nightly
async def test_halls_do_not_run_into_names(browser: Browser, players: Stage) -> None:
    for width in (*PHONES, 1200):
        page = await phone(browser, players, width)
        await page.goto(f"/tournaments/lliga/round/{LATEST_ROUND_NUMBER}")
        assert await page.locator(".pairing .where").count() == 2
        assert await page.evaluate(COVERED) == [], width
        await page.context.close()


@pytest.mark.nightly
async def test_the_open_tab_is_in_view(browser: Browser, players: Stage) -> None:
    page = await phone(browser, players)
    for path in (
        f"/tournaments/lliga/round/{LATEST_ROUND_NUMBER}",
        "/tournaments/lliga/crosstable",
        "/tournaments/lliga/players",
        "/tournaments/lliga",
    ):
        await page.goto(path)
        box = await page.locator(".tabs [aria-current]").bounding_box()
        assert box is not None
        assert 0 <= box["x"] <= box["x"] + box["width"] <= 390, path
    await page.context.close()


@pytest.mark.nightly
async def test_the_crosstable_keeps_its_names_in_view(browser: Browser, players: Stage) -> None:
    for width in PHONES:
        page = await phone(browser, players, width)
        await page.goto("/tournaments/lliga/crosstable")
        await page.locator(".scroll").evaluate("box => box.scrollTo(box.scrollWidth, 0)")
        assert await page.locator(".scroll").evaluate("box => box.scrollLeft") > 0
        for name in await page.locator("tbody .named").all():
            box = await name.bounding_box()
            assert box is not None
            assert 0 <= box["x"] <= box["x"] + box["width"] <= width * 0.6
        await page.context.close()


async def test_a_row_of_the_standings_leads_to_its_player_under_a_finger(browser: Browser, players: Stage) -> None:
    page = await phone(browser, players, touch=True)
    await page.goto("/tournaments/lliga")
    rows = await page.locator("#standings tbody tr").all()
    assert len(rows) >= 5
    for row in rows:
        box = await row.bounding_box()
        assert box is not None
        assert 44 <= box["height"] <= MAX_ROW_PX, (await row.inner_text(), box["height"])
    await rows[0].scroll_into_view_if_needed()
    box = await rows[0].bounding_box()
    assert box is not None
    at = {"x": box["x"] + box["width"] - 4, "y": box["y"] + 4}
    link = await page.evaluate("(at) => document.elementFromPoint(at.x, at.y).closest('a')?.className ?? ''", at)
    assert "person" in link
    assert await page.evaluate(SMALL, MIN_TARGET_PX) == []
    assert await page.evaluate(WIDE) == ""
    await page.context.close()


async def test_the_logo_is_called_what_it_shows(browser: Browser, players: Stage) -> None:
    page = await phone(browser, players)
    await page.goto("/")
    link = page.get_by_role("link", name="Faristol: all tournaments", exact=True)
    assert await link.count() == 1
    assert await link.get_attribute("aria-label") is None
    await page.context.close()
