"""A director's first tournament, from the link that `faristol up` prints to the first paired round."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect
from tests.axe.checker import serious
from tests.component.processes import free_port
from tests.component.terminal import Terminal

pytestmark = [
    pytest.mark.browser,
    pytest.mark.lexicon,
    pytest.mark.usefixtures("lexicons"),
    pytest.mark.asyncio(loop_scope="module"),
]

KEY_SECONDS, CHOICE_SECONDS = 0.04, 0.8
"""Time of a person for a key, and for a choice, a click or a paste."""
MAX_SECONDS = 180.0

PLAYERS = "\n".join(
    [
        "Inscrits a l'Obert:",
        *(f"{number}. Jugador {number:02}; Valls; {1400 + number}" for number in range(1, 24)),
        "24. Núria Mas; Reus; mil",
    ]
)
"""A list as a club sends it: with a title, with numbers, and with a rating in words."""


class Person:
    """A person at a page, who needs time for each key and each choice."""

    def __init__(self, page: Page) -> None:
        self.page, self.seconds = page, 0.0

    async def choose(self, target: Locator) -> None:
        self.seconds += CHOICE_SECONDS
        await target.click()

    async def type(self, label: str, text: str) -> None:
        self.seconds += CHOICE_SECONDS + KEY_SECONDS * len(text)
        await self.page.get_by_label(label, exact=True).fill(text)

    async def press(self, button: str) -> None:
        await self.choose(self.page.get_by_role("button", name=button, exact=True))

    async def paste(self, label: str, text: str) -> None:
        self.seconds += CHOICE_SECONDS
        await self.page.get_by_label(label, exact=True).fill(text)


@contextmanager
def start_services(data: Path) -> Iterator[str]:
    """Yield the link that `faristol up` prints at a terminal."""
    with Terminal("up", "--no-browser", open="false", data=data, http_port=free_port(), grpc_port=free_port()) as up:
        up.until("by this link: ")
        shown = up.until("pages and JSON on")
        yield shown.split("by this link: ")[-1].split()[0]
        up.press("\x03")


@pytest_asyncio.fixture(loop_scope="module")
async def link(tmp_path: Path) -> AsyncIterator[str]:
    with start_services(tmp_path / "data") as shown:
        yield shown


async def check_page(page: Page) -> None:
    """Check that the page has no serious finding of axe, and is no wider than a phone."""
    assert await serious(page) == []
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_a_director_comes_from_the_link_to_the_first_round_within_three_minutes(
    browser: Browser, link: str
) -> None:
    context = await browser.new_context(locale="en", viewport={"width": 390, "height": 780})
    page = await context.new_page()
    page.set_default_timeout(60_000)
    person = Person(page)
    await page.goto(link)
    await person.press("Sign in")
    await check_page(page)
    await person.type("Name", "Obert de Valls")
    await person.type("Place", "Valls, Casa de Cultura")
    await person.press("Continue to the rules")
    book = page.locator("a.card", has_text="classic games")
    await expect(book.locator(".about")).to_have_count(3)
    await expect(book).to_contain_text("2 players at each table, 25 minutes each.")
    await expect(book).to_contain_text("FISC I.11")
    await check_page(page)
    await person.choose(book)
    await expect(page.get_by_label("Minutes per player")).to_be_hidden()
    await person.press("Create the tournament")
    await person.paste("One player per line", PLAYERS)
    await person.press("Preview")
    await check_page(page)
    await expect(page.get_by_role("button", name="Register 23 players")).to_be_visible()
    await person.type("Line 25", "24. Núria Mas; Reus; 1000")
    await person.press("Read the corrected lines")
    await person.press("Register 24 players")
    await expect(page.get_by_text("24 players registered.")).to_be_visible()
    await expect(page.get_by_text("12 tables are needed.")).to_be_visible()
    halls = page.locator("fieldset")
    for place, (name, count) in enumerate((("Sala Gran", "8"), ("Sala Petita", "3"))):
        await halls.nth(place).get_by_label("Name").fill(name)
        await halls.nth(place).get_by_label("Number of tables").fill(count)
        person.seconds += 2 * CHOICE_SECONDS + KEY_SECONDS * len(name + count)
    await person.press("Continue to the first round")
    await expect(page.get_by_text("These halls have 11 tables, and 24 players need 12.")).to_be_visible()
    await halls.nth(1).get_by_label("Number of tables").fill("4")
    person.seconds += CHOICE_SECONDS + KEY_SECONDS
    await check_page(page)
    await person.press("Continue to the first round")
    await person.press("Pair round 1")
    await expect(page.get_by_role("button", name="Start round 1")).to_be_visible()
    await check_page(page)
    for paper in ("Pairings by name", "Score slips"):
        address = await page.get_by_role("link", name=paper).get_attribute("href")
        printed = await (await context.request.get(f"{page.url.partition('/tournaments')[0]}{address}")).text()
        assert len(set(re.findall(r"Jugador \d\d|Núria Mas", printed))) == 24
        assert "Sala Petita" in printed
    await expect(page.get_by_role("link", name="Cards with a QR code for each table")).to_be_visible()
    await expect(page.locator("#only-here")).to_contain_text("faristol up --network")
    await person.press("Start round 1")
    await person.choose(page.get_by_role("link", name="The round in the console"))
    await expect(page.locator("#tables > li")).to_have_count(12)
    await context.close()
    assert person.seconds <= MAX_SECONDS


async def test_a_trial_tournament_is_ready_to_pair_and_a_second_one_too(browser: Browser, link: str) -> None:
    context = await browser.new_context(locale="el", viewport={"width": 1100, "height": 800})
    page = await context.new_page()
    page.set_default_timeout(60_000)
    await page.goto(link)
    await page.locator("#by-link button").click()
    for _ in range(2):
        await page.goto(f"{link.partition('/sign-in')[0]}/start")
        await page.locator("form[action='/start/trial'] button").click()
        await expect(page.get_by_text("16 παίκτες")).to_be_visible()
    await page.locator("button.big").click()
    await expect(page.locator(".guide-tasks > li")).to_have_count(3)
    await context.close()


async def sign_in(browser: Browser, link: str) -> Page:
    page = await (await browser.new_context(locale="en", viewport={"width": 390, "height": 780})).new_page()
    page.set_default_timeout(60_000)
    await page.goto(link)
    await page.get_by_role("button", name="Sign in", exact=True).click()
    return page


async def test_a_duplicate_game_alone_is_a_choice_away(browser: Browser, link: str) -> None:
    page = await sign_in(browser, link)
    await page.get_by_role("link", name="Try a duplicate game by yourself").click()
    await check_page(page)
    await expect(page.get_by_role("button").first).to_be_visible()
    await page.context.close()


async def test_a_backup_is_restored_at_the_first_start_and_never_over_a_record(
    browser: Browser, tmp_path: Path
) -> None:
    archive, damaged = tmp_path / "record.archive", tmp_path / "damaged.archive"
    with start_services(tmp_path / "earlier") as link:
        page = await sign_in(browser, link)
        await page.get_by_role("button", name="Try it with 16 invented players").click()
        await page.get_by_role("button", name="Pair round 1").click()
        await expect(page.get_by_role("button", name="Start round 1")).to_be_visible()
        start = f"{link.partition('/sign-in')[0]}/start"
        await page.goto(start)
        await expect(page.get_by_role("button", name="Try it with 16 invented players")).to_be_visible()
        await expect(page.get_by_role("link", name="Restore a backup")).to_have_count(0)
        refused = await page.goto(f"{start}/restore")
        assert refused is not None
        assert refused.status == 404
        await page.context.close()
    program, options = Path(sys.executable).parent / "faristol", ("--with-people", "--data", tmp_path / "earlier")
    exporting = await asyncio.create_subprocess_exec(program, "record", "export", archive, *options)
    assert await exporting.wait() == 0
    damaged.write_bytes(archive.read_bytes()[:-200])
    with start_services(tmp_path / "data") as link:
        page = await sign_in(browser, link)
        await page.get_by_role("link", name="Restore a backup").click()
        await check_page(page)
        await page.get_by_label("File", exact=True).set_input_files(damaged)
        await page.get_by_role("button", name="Check the file").click()
        await expect(page.get_by_role("alert")).to_contain_text(
            "This file is not a backup of Faristol, or it is damaged"
        )
        await page.get_by_label("File", exact=True).set_input_files(archive)
        await page.get_by_role("button", name="Check the file").click()
        await expect(page.get_by_text("This backup is complete")).to_be_visible()
        await page.get_by_role("button", name="Restore this backup").click()
        await expect(page.get_by_role("alert")).to_have_text(
            "Say whether personal details were erased after this backup."
        )
        await check_page(page)
        await page.get_by_label("No details were erased after this backup").check()
        await page.get_by_role("button", name="Restore this backup").click()
        await page.locator("#by-link button").click(timeout=120_000)
        await page.goto(f"{link.partition('/sign-in')[0]}/")
        await page.get_by_text("Trial tournament").first.click()
        await expect(page.get_by_text("Aina Bosc").first).to_be_visible()
        await page.context.close()
    assert list((tmp_path / "data" / "restore").glob("before-*/record.db"))
    assert not list((tmp_path / "data" / "restore").glob("*.archive"))
