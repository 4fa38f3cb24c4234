"""The documentation as a site: each language is built, its pages are accessible, and a page needs no other host."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.async_api import Browser, expect
from tests.axe.checker import serious

from faristol.gateway.pages.help_pages import HELP_NAMES, load_help_page

ROOT = Path(__file__).parents[2]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
TRANSLATION = "el"
"""The other language that is built: of another script."""

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def build(language: str, folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Build the site as `make site` does."""
    environment = {**os.environ, "FARISTOL_SITE_LANGUAGE": language, "NO_MKDOCS_2_WARNING": "1", **settings}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=280)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    for language in ("en", TRANSLATION):
        built = build(language, folder / language / VERSION)
        assert built.returncode == 0, built.stderr
    return folder


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.nightly
async def test_each_page_of_help_is_on_the_site_with_the_text_of_the_product(site: Path) -> None:
    for language in ("en", TRANSLATION):
        for name in HELP_NAMES:
            text = (site / language / VERSION / "help" / name / "index.html").read_text(encoding="utf-8")
            assert f'<html lang="{language}"' in text
            assert load_help_page(name, language).about in text.replace("&amp;", "&")
        assert (site / language / VERSION / "pictures" / language / "public.png").is_file()
    assert not (site / TRANSLATION / VERSION / "operations").exists()


async def test_references_describe_every_operation_and_link_to_its_schemas(site: Path) -> None:
    results = (site / "en" / VERSION / "reference" / "results" / "index.html").read_text(encoding="utf-8")
    assert "GET /api/v1/tournaments/{tournament_id}/standings" in results
    assert 'href="#schema-Problem' in results or 'id="schema-Problem' in results
    pairing = (site / "en" / VERSION / "reference" / "commands" / "pairing" / "index.html").read_text(encoding="utf-8")
    assert "POST /api/v1/pairing/PairRound" in pairing


@pytest.mark.nightly
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_the_site_is_accessible_searchable_and_asks_no_other_host(
    browser: Browser, address: str, scheme: str
) -> None:
    context = await browser.new_context(color_scheme=scheme, viewport={"width": 1280, "height": 900})  # type: ignore[arg-type]
    page = await context.new_page()
    asked: set[str] = set()
    page.on("request", lambda request: asked.add(request.url.split("/")[2]))
    for path in ("en/{}/", "en/{}/server/", "en/{}/reference/commands/rating/", "el/{}/help/director/"):
        await page.goto(f"{address}/{path.format(VERSION)}")
        await page.wait_for_load_state("networkidle")
        assert await serious(page) == [], path
    await page.goto(f"{address}/en/{VERSION}/")
    await page.get_by_role("textbox", name="Search").click()
    await page.keyboard.type("escalation")
    await expect(page.locator(".md-search-result__link").first).to_be_visible()
    assert asked == {address.removeprefix("http://")}
    await context.close()


async def test_the_same_page_is_a_choice_away_in_another_language(browser: Browser, address: str) -> None:
    page = await browser.new_page()
    await page.goto(f"{address}/en/{VERSION}/help/judge/")
    link = page.locator(f".md-select__link[hreflang='{TRANSLATION}']")
    assert (await link.evaluate("link => link.href")).startswith(f"{address}/{TRANSLATION}/{VERSION}/")
    await page.close()
