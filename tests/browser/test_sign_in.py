"""Signing in and out on a phone: by a link, by a PIN, and never by a page of another site."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from typing import Any

import pytest
from playwright.async_api import Browser, BrowserContext, Page, Request, Route, expect
from tests.browser.test_phone import FAINT, IN_LANGUAGES, MIN_TARGET_PX, PHONES, SCHEMES, SMALL, WIDE
from tests.support.access_cell import OWN, Cell, build_credential, cell, grant

from faristol.pb.access.v1 import events_pb2 as events
from faristol.pb.access.v1 import needs_pb2 as needs

__all__ = ["cell"]

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@asynccontextmanager
async def phone(browser: Browser, cell: Cell, **more: Any) -> AsyncIterator[Page]:
    """Yield a page on a phone, whose console has no errors."""
    wanted = {"viewport": {"width": 390, "height": 780}, "locale": "en", **more}
    context: BrowserContext = await browser.new_context(base_url=cell.process.http_address, **wanted)
    page = await context.new_page()
    said: list[str] = []
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("console", lambda line: said.append(line.text) if "Content Security Policy" in line.text else None)
    yield page
    await context.close()
    assert said == []


async def test_a_link_signs_a_phone_in_by_one_touch_and_its_code_is_sent_in_a_form_alone(
    browser: Browser, cell: Cell
) -> None:
    code = (await grant(cell, events.FORM_LINK, tables=[1])).code
    async with phone(browser, cell) as page:
        sent: list[Request] = []
        page.on("request", lambda request: sent.append(request))
        await page.goto(f"/sign-in?next=/tournaments/{OWN}#{code}")
        await expect(page.get_by_text("The link that you opened signs this device in.")).to_be_visible()
        await expect(page.locator("#by-link button")).to_be_focused()
        assert code not in page.url
        await page.keyboard.press("Enter")
        await expect(page).to_have_url(f"{cell.process.http_address}/tournaments/{OWN}")
        (cookie,) = [each for each in await page.context.cookies() if each.get("name") == "faristol"]
        assert (cookie.get("httpOnly"), cookie.get("sameSite"), cookie.get("secure")) == (True, "Lax", False)
        read = await page.evaluate("document.cookie")
        await page.go_back()
        assert code not in page.url
        token = str(cookie.get("value"))
        assert token not in str(read)
        for request in sent:
            headers = {name: value for name, value in (await request.all_headers()).items() if name != "cookie"}
            for secret in (code, token):
                assert secret not in request.url
                assert secret not in str(headers)
        assert [request.method for request in sent if code in (request.post_data or "")] == ["POST"]


async def test_a_link_that_is_opened_where_the_page_is_open_is_taken_too(browser: Browser, cell: Cell) -> None:
    code = (await grant(cell, events.FORM_LINK)).code
    async with phone(browser, cell) as page:
        await page.goto("/sign-in")
        await expect(page.locator("#by-link .typed")).to_be_visible()
        await page.evaluate("code => { location.hash = code; }", code)
        await page.locator("#by-link button").click()
        await expect(page.locator("h1")).to_have_text("Ona Mas")


async def test_without_script_the_link_is_pasted(browser: Browser, cell: Cell) -> None:
    code = (await grant(cell, events.FORM_LINK)).code
    async with phone(browser, cell, java_script_enabled=False) as page:
        await page.goto(f"/sign-in#{code}")
        await page.get_by_label("The link, or the code at its end").fill(f"{cell.process.http_address}/sign-in#{code}")
        await page.locator("#by-link button").click()
        await expect(page.locator("h1")).to_have_text("Ona Mas")


@pytest.mark.nightly
async def test_a_pin_signs_in_at_its_table_until_too_many_were_wrong(browser: Browser, cell: Cell) -> None:
    pin = (await grant(cell, events.FORM_PIN, tables=[2])).pin
    async with phone(browser, cell) as page:

        async def type_pin(digits: str) -> None:
            await page.goto(f"/sign-in?tournament={OWN}&table=2")
            await page.get_by_label("PIN", exact=True).fill(digits)
            await page.locator("#by-pin button").click()

        await type_pin(pin)
        await expect(page.locator(".facts")).to_contain_text("table 2")
        for number in range(1, 12):
            await type_pin(f"{(int(pin) + number) % 10**6:06}")
            told = "too many wrong PINs" if number > 10 else "the PIN is not valid for table 2"
            await expect(page.get_by_role("alert")).to_contain_text(told)
        await expect(page.get_by_role("textbox", name="Table")).to_have_value("2")
        await type_pin(pin)
        await expect(page.get_by_role("alert")).to_contain_text("ask the director for a new one")


@pytest.mark.nightly
async def test_who_signs_out_on_every_device_is_out_in_another_browser(browser: Browser, cell: Cell) -> None:
    code = (await grant(cell, events.FORM_LINK)).code
    async with phone(browser, cell) as first, phone(browser, cell, locale="ca") as second:
        for page in (first, second):
            await page.goto(f"/sign-in#{code}")
            await page.locator("#by-link button").click()
            await expect(page.locator("h1")).to_have_text("Ona Mas")
        await first.get_by_role("button", name="On every device").click()
        await expect(first.get_by_role("alert")).to_have_text("You are signed out.")
        await second.wait_for_timeout(2_000)
        await second.reload()
        await expect(second.get_by_role("alert")).to_contain_text("S’ha tancat la vostra sessió")
        assert [each for each in await second.context.cookies() if each.get("name") == "faristol"] == []


def serving(body: str) -> Callable[[Route], Awaitable[None]]:
    """Return the answers of a server."""
    return lambda route: route.fulfill(body=body, content_type="text/html")


async def test_a_page_of_another_site_signs_nobody_in_or_out(browser: Browser, cell: Cell) -> None:
    code = (await grant(cell, events.FORM_LINK)).code
    site, elsewhere = cell.process.http_address, cell.process.http_address.replace("127.0.0.1", "localhost")
    async with phone(browser, cell) as page:
        await page.goto(f"/sign-in#{code}")
        await page.locator("#by-link button").click()
        await expect(page.locator("h1")).to_have_text("Ona Mas")
        for path in ("/sign-out", "/sign-in"):
            field = f'<input name="code" value="{code}">'
            await page.route(f"{elsewhere}/evil", serving(f'<form method="post" action="{site}{path}">{field}<button>'))
            await page.goto(f"{elsewhere}/evil")
            await page.locator("button").click()
            await expect(page.locator("h1")).to_have_text("The request came from another site and was refused.")
            await page.unroute(f"{elsewhere}/evil")
        await page.goto("/account")
        await expect(page.locator("h1")).to_have_text("Ona Mas")


@IN_LANGUAGES
async def test_the_pages_fit_a_phone(browser: Browser, cell: Cell, languages: Collection[str]) -> None:
    token = cell.token(build_credential(needs.ROLE_DIRECTOR))
    async with phone(browser, cell) as page:
        await page.context.add_cookies([{"name": "faristol", "value": token, "url": cell.process.http_address}])
        for language in languages:
            for path in ("/sign-in?", "/account?", f"/tournaments/{OWN}/access?"):
                await page.goto(f"{path}lang={language}")
                for width in PHONES:
                    await page.set_viewport_size({"width": width, "height": 780})
                    assert await page.evaluate(WIDE) == "", (path, language, width)
                    assert await page.evaluate(SMALL, MIN_TARGET_PX) == [], (path, width)
                for scheme in SCHEMES:
                    await page.emulate_media(color_scheme=scheme)
                    assert await page.evaluate(FAINT) == [], (path, scheme)


async def test_the_form_of_a_credential_shows_the_fields_of_the_chosen_role(browser: Browser, cell: Cell) -> None:
    token = cell.token(build_credential(needs.ROLE_DIRECTOR))
    shown = """() => [...document.querySelectorAll("#give [name]:not([type=hidden])")]
      .filter((each) => each.checkVisibility()).map((each) => each.name)"""
    common = ["role", "player", "by", "lasts"]
    async with phone(browser, cell) as page:
        await page.context.add_cookies([{"name": "faristol", "value": token, "url": cell.process.http_address}])
        await page.goto(f"/tournaments/{OWN}/access")
        for role, own in {
            "player": set(),
            "director": {"name"},
            "arbiter": {"name", "tables"},
            "scorer": {"name", "tables"},
            "judge": {"name", "language"},
        }.items():
            await page.locator("#give [name=role]").select_option(role)
            assert set(await page.evaluate(shown)) - {"hall", "subject"} == {*common, *own}, role


async def test_a_director_makes_cards_and_a_scorer_scans_one(browser: Browser, cell: Cell) -> None:
    token = cell.token(build_credential(needs.ROLE_DIRECTOR))
    async with phone(browser, cell) as page, phone(browser, cell) as scanner:
        await page.context.add_cookies([{"name": "faristol", "value": token, "url": cell.process.http_address}])
        await page.goto(f"/tournaments/{OWN}/access")
        await page.locator("#cards [name=tables]").fill("3")
        await page.locator("#cards button").click()
        await expect(page.locator(".handouts li")).to_have_count(1)
        drawn = await page.locator(".qr").bounding_box()
        assert drawn is not None
        assert 200 < drawn["width"] < 390
        assert await page.evaluate(WIDE) == ""
        link = await page.locator(".handouts .link a").get_attribute("href")
        await scanner.goto(str(link))
        await scanner.locator("#by-link button").click()
        await expect(scanner.locator(".facts")).to_contain_text("table 3")
        await page.emulate_media(media="print")
        for hidden in (".top", ".foot", ".unprinted"):
            await expect(page.locator(hidden)).to_be_hidden()
        await expect(page.locator(".handouts .pin")).to_be_visible()
