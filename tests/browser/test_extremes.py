"""Names of 200 characters and halls of 500 tables, on every page that shows them."""

from __future__ import annotations

import gzip
from dataclasses import replace
from typing import Any

import httpx
import pytest
from playwright.async_api import Browser, expect
from tests.browser.test_director import DESK, PHONE, sign_in_director, step
from tests.browser.test_phone import WIDE
from tests.component.officials import do
from tests.support.access_cell import Cell, build_credential, cell

from faristol.access_control.credential import Scope
from faristol.gateway.print.contents import PAPERS
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.pairing.v1 import pairing_pb2 as pairing

__all__ = ["cell"]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.nightly,
    pytest.mark.lexicon,
    pytest.mark.asyncio(loop_scope="module"),
]

LONG, GREAT = "llarg", "gran"
TABLE_COUNT = 500

MOST_BYTES = 60_000
"""Of a page, compressed."""

PUBLIC = (
    "/tournaments/{id}",
    "/tournaments/{id}/round/1",
    "/tournaments/{id}/round/1?by=name",
    "/tournaments/{id}/players",
    "/tournaments/{id}/crosstable",
    "/tournaments/{id}/prospects?place=3",
    "/tournaments/{id}/stages",
    "/tournaments/{id}/prizes",
)
FOR_ALL = (*PUBLIC, "/tournaments/{id}/find", "/tournaments/{id}/screen", "/search?q=Ñ")
CONSOLE = (
    "",
    "/players",
    "/players/list",
    "/players/known",
    "/round/1",
    "/halls",
    "/discipline",
    "/closing",
    "/settings",
    "/history",
)

FITS = """() => {
  const page = document.scrollingElement;
  return page.scrollHeight <= innerHeight && page.scrollWidth <= innerWidth;
}"""

HEAD = replace(build_credential(needs.ROLE_DIRECTOR), subject="eva", scope=Scope())


async def create(cell: Cell, tournament_id: str, name: str, players: list[tuple[str, str]]) -> None:
    """Create a tournament whose first round is played, with players and their clubs."""
    await do(cell, pairing.CreateTournamentRequest(tournament_id=tournament_id, name=name, rounds=5), HEAD)
    for start in range(0, len(players), 500):
        some = [
            pairing.RegisterPlayerRequest(
                command_id=f"00000000-0000-4000-8000-{start + place:012}",
                tournament_id=tournament_id,
                player_id=f"{tournament_id}-{start + place}",
                name=who,
                club=club,
            )
            for place, (who, club) in enumerate(players[start : start + 500])
        ]
        await do(cell, pairing.RegisterPlayersRequest(tournament_id=tournament_id, players=some), HEAD)


async def test_a_name_of_200_characters_fits_every_page_of_a_phone(browser: Browser, cell: Cell) -> None:
    players = [(letter * 200, letter * 200) for letter in "ÑΩWIil"]
    await create(cell, LONG, "Ç" * 200, players)
    async with sign_in_director(browser, cell, "eva", **PHONE) as page:
        console = f"/tournaments/{LONG}/console"
        await step(page, console, "Pair round 1", "Round 1 is paired")
        await step(page, console, "Start round 1", "Round 1 is started")
        game = f"{LONG}-r1-t1"
        pages = [path.format(id=LONG) for path in FOR_ALL]
        pages += [f"{console}{part}" for part in CONSOLE]
        pages += [f"/tournaments/{LONG}/round/1/results", f"/tournaments/{LONG}/round/1/results/1"]
        pages += [f"/players/{LONG}-0", f"/games/{game}", f"/games/{game}/replay", f"/games/{game}/embed"]
        pages += [f"/games/{game}/overlay", f"/games/{game}/keep", f"/games/{game}/clock", "/account", "/"]
        pages += [f"/tournaments/{LONG}/arbiter", f"/tournaments/{LONG}/access", f"/tournaments/{LONG}/print"]
        wrong = {}
        for path in pages:
            answer = await page.goto(path)
            assert answer is not None
            assert answer.ok, path
            if "/keep" in path or "/clock" in path:
                await expect(page.locator(".duel, .clock-side").first).to_be_visible()
            if found := await page.evaluate(WIDE):
                wrong[path] = found
        assert wrong == {}


async def test_500_tables_are_directed_followed_and_printed(browser: Browser, cell: Cell) -> None:
    await create(
        cell, GREAT, "Gran torneig", [(f"Jugadora {n} Puig", f"Club {n % 40}") for n in range(2 * TABLE_COUNT)]
    )
    console = f"/tournaments/{GREAT}/console"
    async with sign_in_director(browser, cell, "eva", **DESK) as page:
        for button, said in (("Pair round 1", "Round 1 is paired"), ("Start round 1", "Round 1 is started")):
            await step(page, console, button, said)
        await page.set_viewport_size({"width": 1920, "height": 1080})
        await page.goto(f"/tournaments/{GREAT}/screen")
        await expect(page.locator('[data-key^="s-"]')).to_have_count(2 * TABLE_COUNT)
        assert await page.evaluate(FITS)
        first = await page.locator("#page-number").inner_text()
        await expect(page.locator("#page-number")).not_to_have_text(first)
    cookies = {"faristol": cell.token(HEAD)}
    large: dict[str, Any] = {}
    async with httpx.AsyncClient(base_url=cell.process.http_address, cookies=cookies, timeout=60) as web:
        pages = [path.format(id=GREAT) for path in FOR_ALL]
        pages += [f"{console}{part}" for part in CONSOLE]
        pages += [f"/tournaments/{GREAT}/round/1/results", f"/tournaments/{GREAT}/arbiter?show=all"]
        for path in pages:
            answer = await web.get(path, headers={"Accept-Encoding": "identity"})
            assert answer.status_code == 200, path
            size = len(gzip.compress(answer.content))
            if size > MOST_BYTES:
                large[path] = size
        for kind, paper in PAPERS.items():
            part = "round/1/" if paper.of_round else ""
            answer = await web.get(f"/tournaments/{GREAT}/print/{part}{kind}.pdf")
            assert answer.status_code == 200, kind
            assert answer.content.startswith(b"%PDF"), kind
    assert large == {}
