"""Signing in by an account of the federation, in a browser and at a real provider on another site."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect
from tests.component.processes import free_port
from tests.openid.real_provider import build_provider
from tests.support.access_cell import OWN, open_access_cell

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def test_a_director_signs_in_by_their_account_and_stands_where_they_wanted_to_go(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory, lexicons: Path, no_open: None
) -> None:
    port, folder = free_port(), tmp_path_factory.mktemp("openid")
    back = f"http://127.0.0.1:{port}/sign-in/openid/callback"
    with build_provider(free_port(), back, folder) as provider:
        provider.start()
        async with open_access_cell(
            tmp_path_factory.mktemp("cell"), lexicons, openid=provider.file, http_port=port, http_host="127.0.0.1"
        ) as cell:
            context = await browser.new_context(base_url=cell.process.http_address, locale="en")
            page = await context.new_page()
            await page.goto(f"/tournaments/{OWN}/access")
            await page.get_by_role("link", name="Federació").click()
            await page.locator("[name=login]").fill("marta")
            await page.locator("[name=password]").fill("any")
            await page.locator("button[type=submit]").click()
            await page.locator("button[type=submit]").click()  # consents to the disclosure of the name
            await expect(page).to_have_url(f"{cell.process.http_address}/tournaments/{OWN}/access")
            await expect(page.locator(".signed-in")).to_contain_text("Marta Soler")
            kept = [each for each in await context.cookies() if str(each.get("name")).startswith("faristol")]
            assert {each.get("name"): each.get("httpOnly") for each in kept} == {
                "faristol": True,
                "faristol-name": False,
            }
            await page.goto(f"{provider.issuer}/session/end")
            await context.clear_cookies()
            await page.goto("/sign-in?lang=ca")
            await page.get_by_role("link", name="Federació").click()
            await page.locator("[name=login]").fill("stranger")
            await page.locator("[name=password]").fill("any")
            await page.locator("button[type=submit]").click()
            await page.locator("button[type=submit]").click()
            await expect(page.get_by_role("alert")).to_contain_text("Ningú amb aquest compte no té cap funció aquí.")
            await context.close()
