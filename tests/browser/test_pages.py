from __future__ import annotations

from typing import Literal

import pytest
from playwright.async_api import Page, expect
from tests.support.stage import Stage
from tests.support.synthetic import Championship

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

PAGES = (
    "/",
    "/tournaments/lliga",
    "/tournaments/lliga/round/1",
    "/tournaments/lliga/players",
    "/games/lliga-r1-t1",
    "/games/lliga-r2-t1",
)


@pytest.mark.nightly
async def test_no_page_scrolls_sideways_on_a_phone_in_any_language(stage: Stage, page: Page) -> None:
    await stage.add(*Championship().steps())
    await page.set_viewport_size({"width": 360, "height": 740})
    for language in ("ca", "es", "el", "en"):
        for path in PAGES:
            await page.goto(f"{path}?lang={language}")
            widths = await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
            assert widths == [360, 360], f"{path} in {language}"


async def test_the_language_is_switched_in_the_footer_and_kept(stage: Stage, page: Page) -> None:
    await stage.add(*Championship().steps())
    await page.goto("/tournaments/lliga")
    await expect(page.locator("h2")).to_have_text("Final standings")
    for name, code, text in (
        ("Català", "ca", "Classificació final"),
        ("Ελληνικά", "el", "Τελική κατάταξη"),
        ("Español", "es", "Clasificación final"),
    ):
        await page.locator(".languages").get_by_text(name).click()
        await expect(page.locator("h2")).to_have_text(text)
        await expect(page.locator("html")).to_have_attribute("lang", code)
    await page.goto("/tournaments/lliga")
    await expect(page.locator("h2")).to_have_text("Clasificación final")


async def test_a_dark_screen_gets_a_dark_page(stage: Stage, page: Page) -> None:
    schemes: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")
    shades = {}
    for scheme in schemes:
        await page.emulate_media(color_scheme=scheme)
        await page.goto("/")
        colour = await page.evaluate("getComputedStyle(document.body).backgroundColor")
        shades[scheme] = int(colour.removeprefix("rgb(").split(",")[0])
    assert shades["dark"] < 60 < 200 < shades["light"]


async def test_paper_has_the_table_and_not_the_navigation(stage: Stage, page: Page) -> None:
    await stage.add(*Championship().steps())
    await page.goto("/tournaments/lliga")
    await page.emulate_media(media="print")
    await expect(page.locator("#standings")).to_be_visible()
    await expect(page.locator("#standings thead th", has_text="Spread")).to_be_visible()
    for hidden in (".tabs", ".foot", ".top"):
        await expect(page.locator(hidden)).to_be_hidden()


async def test_paper_cuts_no_column_off(stage: Stage, page: Page) -> None:
    await stage.add(*Championship().steps())
    upright, across = 469, 703  # CSS pixels of an A5 sheet within its margins
    await page.emulate_media(media="print")
    for path, width in (("", upright), ("/players", upright), ("/crosstable", across)):
        await page.set_viewport_size({"width": width, "height": 900})
        await page.goto(f"/tournaments/lliga{path}?lang=el")
        beyond = await page.evaluate(
            "[...document.querySelectorAll('main td, main th')].filter((cell) => "
            "cell.checkVisibility() && cell.getBoundingClientRect().right > innerWidth + 1).length"
        )
        assert beyond == 0, path


async def test_from_the_first_page_to_a_game_by_links(stage: Stage, page: Page) -> None:
    await stage.add(*Championship().steps())
    await page.goto("/")
    await page.locator(".card:not(.roles *)").click()
    await page.locator(".tabs a", has_text="Round 1").click()
    await page.locator(".pairing a[href^='/games/']").first.click()
    await expect(page.locator("#sheet tbody tr")).to_have_count(9)
    await page.locator(".crumbs a", has_text="Lliga de primavera").click()
    await page.locator(".rewind a", has_text="1").click()
    await expect(page.locator("h2")).to_have_text("Standings after round 1")
