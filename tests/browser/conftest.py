from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright, expect
from tests.support.stage import Stage, open_stage

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

EXPECT_TIMEOUT_MS = 60_000
"""Longest wait for the state that a test expects of a page: tests share a machine, and some of these are slow."""

expect.set_options(timeout=EXPECT_TIMEOUT_MS)


def find_chromium() -> str:
    """Return the path of Chromium: of the headless shell if installed, which needs a third less processor time."""
    found = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if found is None:
        pytest.skip("there is no Chromium: install it to run the browser tests")
    return found


@pytest_asyncio.fixture(loop_scope="module")
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    async with open_stage(tmp_path) as made:
        yield made


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    chromium = find_chromium()
    async with async_playwright() as playwright:
        launched = await playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield launched
        await launched.close()


@pytest_asyncio.fixture(loop_scope="module")
async def page(browser: Browser, stage: Stage) -> AsyncIterator[Page]:
    """Yield a page whose console has no errors: no script error, and no refusal by the content security policy."""
    context = await browser.new_context(base_url=stage.running.http_address, locale="en")
    made = await context.new_page()
    said: list[str] = []
    made.on("console", lambda message: said.append(message.text) if message.type in {"error", "warning"} else None)
    made.on("pageerror", lambda error: said.append(str(error)))
    yield made
    await context.close()
    assert [line for line in said if "ERR_INTERNET_DISCONNECTED" not in line] == []
