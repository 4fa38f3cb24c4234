"""A championship directed in a browser: from its rules to its final standings, on a phone and on a desktop.

At the end every page is checked on a phone: none is wider than the screen, and all are accessible.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
import pytest_asyncio
from fastapi.routing import APIRoute
from playwright.async_api import Browser, Page, expect
from tests.axe.checker import serious
from tests.browser.test_phone import FAINT, LANGUAGES, WIDE
from tests.component.blind_typist import slips_for
from tests.component.officials import appoint, challenge, do
from tests.support.access_cell import OWN, Cell, build_credential, grant
from tests.support.access_cell import cell_with_small_lexicons as cell

from faristol.access_control.credential import Scope
from faristol.access_control.roles import Role
from faristol.gateway.api.openapi.documentation import SERVICES
from faristol.gateway.app import ROUTES
from faristol.gateway.print.contents import PAPERS
from faristol.pb.access.v1 import access_pb2 as access
from faristol.pb.access.v1 import events_pb2 as access_events
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.register.v1 import register_pb2 as register
from faristol.pb.season.v1 import events_pb2 as season_events
from faristol.pb.season.v1 import season_pb2 as season

__all__ = ["cell"]

pytestmark = [pytest.mark.browser, pytest.mark.lexicon, pytest.mark.asyncio(loop_scope="module")]

MIN_TARGET_PX = 44
"""CSS pixels that a target of a console has at least in height."""

LOW = """(least) => [...document.querySelectorAll(".console :is(button, summary, .button, .tabs a, .consoles a)")]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < least - 0.5)
  .map((one) => `${one.textContent.trim()} ${one.getBoundingClientRect().height}`)"""
"""Targets of a console that are lower than a finger hits."""

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 780}}
DESK: dict[str, Any] = {"viewport": {"width": 1200, "height": 850}}


FIRST, SECOND = (f"{OWN}-r1-t{number}" for number in (1, 2))
LEAGUE = "liga"
"""A tournament of teams."""

NO_PAGES = frozenset(
    {
        "/games/{game_id}/board.png",
        "/tournaments/{tournament_id}/feed.atom",
        "/tournaments/{tournament_id}/rounds.ics",
        "/manifest.webmanifest",
        "/t/{rest:path}",
        "/g/{rest:path}",
        "/worker.js",
        "/print/{name}",
        "/tournaments/{tournament_id}/pack.zip",
        "/sign-in/openid",
        "/sign-in/openid/callback",
        "/tournaments/{tournament_id}/console/rounds",
        "/log/checkpoint",
        "/log/tile/{level}/{path:path}",
        "/log/tile/entries/{path:path}",
        "/federation/register.csv",
        "/robots.txt",
        "/oembed",
        "/push/key",
        "/hall-state",
        "/start/restore",
        "/start/restored",
        "/my-data",
        "/my-data.json",
        "/ratings/{number}",
        "/tournaments/{tournament_id}/my-table",
        "/tournaments/{tournament_id}/entry",
        "/tournaments/{tournament_id}/pictures/{digest}",
        "/tournaments/{tournament_id}/slots/{slot}/{content}",
        "/slots/{slot}/{content}",
        "/tournaments/{tournament_id}/fees/receipts/{receipt}",
        "/players/{player_id}/career/{opponent_id}",
        "/seasons/{season_id}/circuits/{circuit_id}/{player_id}",
    }
)
"""Files, pages that only link to others, and those of a player, a hall, an empty record, finished games or payments."""

DOUBTFUL = "Puig, Anna 1500 3; 400; p12 1\nSoler, Blai 1400 1; 300; p12 2\nMas, Núria 1300 0; 50; p12 0\n"
"""A division of tsh in which the first player names another opponent."""

FEWEST = ["access"]
"""The service with the shortest page of commands: axe looks at each node, and those pages have thousands."""

OPEN = "() => [...document.querySelectorAll('main details')].slice(0, 8).forEach((each) => (each.open = true))"
"""Unfold folded parts: the first of many similar ones."""


@asynccontextmanager
async def sign_in_director(
    browser: Browser, cell: Cell, subject: str, role: Role = needs.ROLE_DIRECTOR, **more: Any
) -> AsyncIterator[Page]:
    """Yield a director, or another official, at a device, whose scripts do not fail and are finished."""
    context = await browser.new_context(base_url=cell.process.http_address, locale="en", **more)
    token = cell.token(replace(build_credential(role), subject=subject, scope=Scope()))
    await context.add_cookies([{"name": "faristol", "value": token, "url": cell.process.http_address}])
    page = await context.new_page()
    page.set_default_timeout(60_000)
    said: list[str] = []
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("console", lambda line: said.append(line.text) if "Content Security Policy" in line.text else None)
    yield page
    await context.close()
    assert said == []


async def create(page: Page, name: str, players: int) -> str:
    """Prepare a tournament with players of a pasted list; return the address of its console."""
    await page.goto("/new?ruleset=fisc-2023")
    await page.get_by_label("Name", exact=True).fill(name)
    await page.get_by_label("Rounds", exact=True).fill("5")
    await page.get_by_role("button", name="Create the tournament").first.click()
    await page.wait_for_url(re.compile(r"/console\?"))
    console = page.url.partition("?")[0]
    await page.get_by_role("link", name="Paste a list of players").click()
    names = "\n".join(f"{name} {number:02}; club {number % 7}; {1000 + number}" for number in range(1, players + 1))
    await page.get_by_label("One player per line").fill(names)
    await page.get_by_role("button", name="Preview").click()
    await page.get_by_role("button", name=f"Register {players} players").click()
    await expect(page.locator("#players > li")).to_have_count(players)
    return console


async def step(page: Page, console: str, button: str, said: str) -> None:
    """Carry out the next step that the overview proposes."""
    await page.goto(console)
    await page.get_by_role("button", name=button, exact=True).click()
    await expect(page.locator(".notice.good")).to_contain_text(said)


async def type_in(page: Page, table: int, first: int, second: int) -> None:
    """Enter a result with only the keyboard."""
    for number in (table, first, second):
        await page.keyboard.type(str(number))
        await page.keyboard.press("Enter")


async def correct_elsewhere(cell: Cell, console: str, table: int, score: int) -> None:
    """Enter another score for the first player of a table of the first round, from another device."""
    everybody = replace(build_credential(needs.ROLE_DIRECTOR), scope=Scope())
    tournament_id = console.split("/")[-2]
    listed = await do(cell, pairing.ListResultsRequest(tournament_id=tournament_id, round=1), everybody)
    found = next(each for each in listed.tables if each.table == table)
    found.scores[0].score = score
    about: dict[str, Any] = {"tournament_id": tournament_id, "game_id": found.game_id, "scores": found.scores}
    await do(cell, pairing.CorrectResultRequest(**about), everybody)


async def look_at(page: Page) -> None:
    """Check that no property of a page excludes a user: its width, colours, targets and structure."""
    assert await page.evaluate(WIDE) == "", page.url
    assert await page.evaluate(LOW, MIN_TARGET_PX) == [], page.url
    assert await page.evaluate(FAINT) == [], page.url
    assert await serious(page) == [], page.url


@pytest.mark.parametrize(
    "device", [pytest.param(PHONE, id="phone"), pytest.param(DESK, id="desk", marks=pytest.mark.nightly)]
)
async def test_a_championship_is_directed_from_its_rules_to_a_corrected_result(
    browser: Browser, cell: Cell, device: dict[str, Any]
) -> None:
    name = f"Open {device['viewport']['width']}"
    async with sign_in_director(browser, cell, "eva", **device) as page:
        console = await create(page, name, 6)
        await page.goto(f"{console}/players/list")
        saved: Any = {"name": "llista.csv", "mimeType": "text/csv", "buffer": "Nom;Club\nDídac;Muç".encode("cp1252")}
        await page.locator("#f-file").set_input_files(saved)  # as an old spreadsheet writes it
        await expect(page.locator("#f-text")).to_have_value("Nom;Club\nDídac;Muç")
        await page.goto(f"{console}/players")
        await page.get_by_label("Find a player").fill(f"{name} 03")
        await expect(page.locator("#players > li:visible")).to_have_count(1)
        await page.keyboard.press("Enter")
        await expect(page.locator("button.there")).to_have_count(1)
        await page.locator("button.there").click()
        await expect(page.locator("button.there")).to_have_count(0)
        await step(page, console, "Pair round 1", "Round 1 is paired")
        await step(page, console, "Start round 1", "Round 1 is started")
        await page.goto(console.replace("/console", "/round/1/results"))
        await expect(page.locator("#entry-table")).to_be_focused()
        for table in (1, 2):
            await type_in(page, table, 400 + table, 300 - table)
            await expect(page.locator(".entered .done")).to_have_count(table)
        await page.keyboard.press(
            "Enter"
        )  # the number of the table was not typed: its scores are not those of another table
        await expect(page.locator("#entry-table")).to_be_focused()
        await page.keyboard.type("77")
        await page.keyboard.press("Enter")
        await expect(page.locator("#entry-names")).to_have_text("there is no table 77 in this round")
        for score in ("401", "299"):
            await page.keyboard.type(score)
            await page.keyboard.press("Enter")
        await expect(page.locator(".open-entry")).to_contain_text("there is no table 77")
        await expect(page.locator("#status")).to_contain_text("there is no table 77")
        await type_in(page, 3, 4000, 300)  # the next entry, which does not wait for the refused one
        await expect(page.locator(".open-entry")).to_contain_text(["77: 401 – 299", "3: 4000 – 300"])
        await expect(page.locator("#entry-table")).to_be_focused()
        await type_in(page, 3, 4001, 300)  # an open entry is not a result yet, and needs confirmation
        await expect(page.locator(".open-entry").last).to_contain_text("table 3 was already typed as 4000 – 300")
        await page.reload()
        await expect(page.locator(".open-entry")).to_have_count(3)
        await expect(page.locator("#open [data-asked]")).to_be_hidden()  # Enter confirms no entry after a reload
        await page.locator("#entry-table").press("Backspace")  # back to the last one, and to the score in doubt
        await expect(page.locator("#entry [name=first]")).to_be_focused()
        await page.keyboard.type("4002")
        await page.locator("#entry [name=second]").press("Enter")
        await expect(page.locator(".open-entry").last).to_contain_text("4002 is unusually high")
        await expect(page.locator("#open [data-asked]")).to_be_visible()
        await page.wait_for_timeout(800)  # longer than a key bounce
        await page.keyboard.press("Enter")
        await expect(page.locator(".entered .done")).to_have_count(3)
        await expect(page.locator(".open-entry")).to_have_count(1)
        await page.get_by_role("button", name="Leave out").click()
        await expect(page.locator("#open")).to_be_hidden()
        await page.goto(f"{console}/round/1")
        row = page.locator('[data-key="table-3"]')
        await row.locator("summary").click()
        await row.locator('input[name^="scores."]:not([type=hidden])').first.fill("400")
        await row.get_by_role("button", name="Correct", exact=True).click()
        await expect(page.locator(".notice.good")).to_contain_text("Corrected:")
        await correct_elsewhere(cell, console, table=1, score=444)
        await expect(page.locator('[data-key="table-1"]')).to_contain_text("444")
        await expect(page.locator(".notice.good")).to_contain_text("Corrected:")  # over the news of others
        await step(page, console, "Close round 1", "Round 1 is closed.")


async def test_a_result_that_is_typed_when_the_session_ends_is_in_its_form_after_signing_in(
    browser: Browser, cell: Cell
) -> None:
    context = await browser.new_context(base_url=cell.process.http_address, locale="en", **PHONE)
    scorer = replace(build_credential(needs.ROLE_SCORER), subject="ona")
    token = cell.token(scorer)
    await context.add_cookies([{"name": "faristol", "value": token, "url": cell.process.http_address}])
    page = await context.new_page()
    await page.goto(f"/tournaments/{OWN}/round/1/results")
    request = access.SignOutRequest(command_id=str(uuid.uuid4()))
    await cell.call("/faristol.access.v1.AccessService/SignOut", request, token)
    code = (await grant(cell, access_events.FORM_LINK)).code
    await page.wait_for_timeout(1_500)  # the sign-out is known everywhere a moment later
    await type_in(page, 3, 401, 299)
    await page.locator("#by-link [name=code]").fill(code)
    await page.locator("#by-link button").click()
    await expect(page.locator("#given-back")).to_be_visible()
    values = await page.locator("#entry input:not([type=hidden])").evaluate_all("all => all.map((one) => one.value)")
    assert values[:3] == ["3", "401", "299"]
    await page.locator("#entry input:not([type=hidden])").nth(2).press("Enter")
    await expect(page.locator('[data-key="r-3"].done')).to_contain_text("401")
    await page.reload()
    await expect(page.locator("#given-back")).to_be_hidden()
    await context.close()


@pytest.mark.nightly
async def test_two_directors_see_each_others_acts_and_never_overwrite(browser: Browser, cell: Cell) -> None:
    async with (
        sign_in_director(browser, cell, "eva", **DESK) as eva,
        sign_in_director(browser, cell, "ona", **DESK) as ona,
    ):
        console = await create(eva, "Dues taules", 6)
        await ona.goto(f"{console}/halls")
        await ona.locator('[name="halls.0.name"]').fill("Sala d’Ona")
        await ona.locator('[name="halls.0.first_table"]').fill("1")
        await ona.locator('[name="halls.0.last_table"]').fill("9")
        await eva.goto(f"{console}/halls")
        for field, value in (("halls.0.name", "Sala d’Eva"), ("halls.0.first_table", "1"), ("halls.0.last_table", "5")):
            await eva.locator(f'[name="{field}"]').fill(value)
        await eva.get_by_role("button", name="Set the halls").click()
        await expect(eva.locator(".notice.good")).to_contain_text("Sala d’Eva 1–5")
        await ona.get_by_role("button", name="Set the halls").click()
        await expect(ona.locator(".notice.bad").first).to_contain_text("Sala d’Eva 1–5")
        await expect(ona.locator('[name="halls.0.name"]')).to_have_value("Sala d’Ona")
        await ona.get_by_role("button", name="Set the halls").click()
        await expect(ona.locator(".notice.good")).to_contain_text("Sala d’Ona 1–9")
        await eva.goto(f"{console}/history")
        await ona.goto(console)
        await ona.get_by_role("button", name="Pair round 1").click()
        await expect(eva.locator(".acts-list > li").first).to_contain_text("Round 1 is paired")


@pytest.mark.nightly
async def test_an_arbiter_proposes_a_correction_and_only_another_arbiter_confirms_it(
    browser: Browser, cell: Cell
) -> None:
    async with sign_in_director(browser, cell, "eva", **DESK) as page:
        console = await create(page, "Quatre ulls", 6)
        await page.goto(f"{console}/closing")
        await page.get_by_label("A second arbiter or director confirms them").check()
        await page.locator('[data-key="second-title"]').get_by_role("button", name="Save settings").click()
        await expect(page.locator(".notice.good")).to_be_visible()
        await step(page, console, "Pair round 1", "Round 1 is paired")
        await step(page, console, "Start round 1", "Round 1 is started")
        await page.goto(console.replace("/console", "/round/1/results"))
        await expect(page.locator("#entry-table")).to_be_focused()
        for table in (1, 2, 3):
            await type_in(page, table, 400 + table, 300 - table)
            await expect(page.locator(".entered .done")).to_have_count(table)
        await step(page, console, "Close round 1", "Round 1 is closed.")
    async with (
        sign_in_director(browser, cell, "nil", needs.ROLE_ARBITER, **PHONE) as nil,
        sign_in_director(browser, cell, "ona", needs.ROLE_ARBITER, **DESK) as ona,
    ):
        await nil.goto(f"{console}/round/1")
        row = nil.locator('[data-key="table-1"]')
        await row.locator("summary").click()
        await row.locator('input[name^="scores."]:not([type=hidden])').first.fill("444")
        await row.get_by_role("button", name="Correct", exact=True).click()
        await expect(nil.locator(".notice.good")).to_contain_text("for a second official to confirm")
        await nil.goto(f"{console}/closing")
        panel = '[data-key="proposals-title"]'
        await expect(nil.locator(panel)).to_contain_text("You proposed it")
        await expect(nil.get_by_role("button", name="Confirm")).to_have_count(0)
        await ona.goto(console)
        await ona.locator(".notice").filter(has_text="waits for a second official").get_by_role("link").click()
        await expect(ona.locator(panel)).to_contain_text("444")
        await ona.get_by_role("button", name="Confirm").click()
        await expect(ona.locator(".notice.good")).to_contain_text("is confirmed")
        await expect(ona.locator(panel)).to_have_count(0)
        await nil.goto(f"{console}/round/1")
        await expect(nil.locator('[data-key="table-1"]')).to_contain_text("444")


@pytest.mark.nightly
async def test_everything_works_without_script(browser: Browser, cell: Cell) -> None:
    async with sign_in_director(browser, cell, "eva", java_script_enabled=False, **PHONE) as page:
        console = await create(page, "Sense guió", 4)
        await page.locator("#players > li").first.get_by_role("button", name="Present").click()
        await expect(page.locator("button.there")).to_have_count(1)
        await page.get_by_role("button", name="Present").nth(1).click()
        await expect(page.locator("button.there")).to_have_count(2)
        await page.goto(f"{console}/settings")
        await page.get_by_label("Rounds", exact=True).fill("99999999999")
        await page.get_by_role("button", name="Change", exact=True).click()
        await expect(page.locator(".error")).to_have_text("expected a whole number, got '99999999999'")
        await expect(page.get_by_label("Rounds", exact=True)).to_have_value("99999999999")


@pytest.mark.nightly
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("device", [PHONE, DESK], ids=["phone", "desk"])
async def test_no_page_of_the_console_keeps_anybody_out(
    browser: Browser, cell: Cell, device: dict[str, Any], scheme: Any
) -> None:
    async with sign_in_director(browser, cell, "eva", color_scheme=scheme, **device) as page:
        console = await create(page, f"Copa {scheme} {device['viewport']['width']}", 6)
        await page.goto(f"{console}/closing")
        await page.get_by_label("A second person confirms each result that an official enters").check()
        await page.get_by_role("button", name="Save settings").click()
        await step(page, console, "Pair round 1", "Round 1 is paired")
        await step(page, console, "Start round 1", "Round 1 is started")
        entry = console.replace("/console", "/round/1/results")
        await page.goto(entry)
        await type_in(page, 1, 401, 299)
        await expect(page.locator(".entered .done")).to_have_count(1)
        parts = (
            "",
            "/players",
            "/players/list",
            "/players/known",
            "/teams",
            "/round/1",
            "/halls",
            "/discipline",
            "/judges",
            "/closing",
            "/settings",
            "/history",
        )
        for address in (*(f"{console}{part}" for part in parts), entry, f"{entry}/1", "/new", "/new?ruleset=fise"):
            for language in LANGUAGES:
                await page.goto(f"{address}{'&' if '?' in address else '?'}lang={language}")
                for opened_ in await page.locator("details.more > summary").all():
                    await opened_.click()
                    break
                await look_at(page)
        await page.goto("/new/import?lang=en")
        await look_at(page)
        await page.locator("#f-text").fill(DOUBTFUL)
        await page.get_by_role("button", name="Read the file").click()
        await expect(page.get_by_role("heading", name="doubtful places")).to_be_visible()
        await look_at(page)


@pytest.mark.parametrize(
    "count",
    [
        pytest.param(20, id="20"),
        # 200 results take 4 minutes on two busy processors.
        pytest.param(200, id="200", marks=[pytest.mark.nightly, pytest.mark.timeout(1200)]),
    ],
)
async def test_a_typist_who_never_looks_saves_no_wrong_result_and_leaves_each_doubtful_one_open(
    browser: Browser, cell: Cell, count: int
) -> None:
    async with sign_in_director(browser, cell, "eva", **DESK) as page:
        console = await create(page, f"Gran {count}", 2 * count)
        await step(page, console, "Pair round 1", "Round 1 is paired")
        await step(page, console, "Start round 1", "Round 1 is started")
        await page.goto(console.replace("/console", "/round/1/results"))
        pile = slips_for(count)
        # All in one call, far ahead of the answers: a line break is the key Enter.
        await page.keyboard.type("".join(f"{word}\n" for slip in pile for word in slip.words))
        expected = {slip.table: slip.words[1:] for slip in pile if not slip.is_doubtful}
        await expect(page.locator(".entered .done")).to_have_count(len(expected), timeout=600_000)
        doubtful = [" – ".join(slip.words[1:]) for slip in pile if slip.is_doubtful]
        await expect(page.locator(".open-entry .typed")).to_contain_text(doubtful, timeout=600_000)
        assert (
            await page.locator("#entry input:not([type=hidden])").evaluate_all("all => all.map((one) => one.value)")
            == [""] * 3
        )
        rows = await page.locator("#tables > li.done").evaluate_all(
            "all => all.map((one) => [Number(one.dataset.table), one.innerText])"
        )
        assert sorted(table for table, _ in rows) == sorted(expected)
        for table, text in rows:
            for score in expected[table]:
                assert f" {score}" in text, text


@pytest.mark.nightly
async def test_a_list_of_words_is_sent_as_a_file_and_installed(browser: Browser, cell: Cell, tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("CASA\nSOL\n1984\n", encoding="utf-8")
    async with sign_in_director(browser, cell, "eva", **DESK) as page:
        await page.goto("/lexicons")
        await page.get_by_label("Name", exact=True).fill("club")
        await page.get_by_label("Edition", exact=True).fill("first")
        await page.get_by_label("Date of the edition").fill("2026-03-07")
        await page.get_by_label("Licence").fill("CC0-1.0")
        await page.get_by_label("File with the words").set_input_files(words)
        await page.get_by_role("button", name="Install this list").click()
        await expect(page.locator(".notice.good")).to_contain_text("club is installed: 2 words")
        await expect(page.locator(".notice.good")).to_contain_text("Line 3:")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def case_id(cell: Cell) -> str:
    """Return a challenge that waits for a judge, beside a tournament of teams with a warning and a tribunal."""
    await appoint(cell, "ada")
    named: dict[str, Any] = {"tournament_id": LEAGUE, "name": "Liga de los clubes", "rounds": 3, "ruleset": "fise"}
    teams = [game.ChosenOption(name="teams", value="2")]
    everybody = replace(build_credential(needs.ROLE_DIRECTOR), scope=Scope())
    await do(cell, pairing.CreateTournamentRequest(**named, options=teams), everybody)
    for number in range(1, 6):
        player: dict[str, Any] = {"player_id": f"p{number}", "name": f"Jugadora {number}"}
        await do(cell, pairing.RegisterPlayerRequest(tournament_id=LEAGUE, **player), everybody)
    team: dict[str, Any] = {"team_id": "avila", "name": "Ávila", "player_ids": ["p1", "p2"]}
    await do(cell, pairing.RegisterTeamRequest(tournament_id=LEAGUE, **team), everybody)
    members = [
        pairing.Appointment(person_id=f"m{place}", role=events.TribunalRole.ValueType(role), country=country)
        for place, (role, country) in enumerate([(1, "AND"), (2, "POR"), (3, "FRA"), (4, "ITA"), (4, "GRC")])
    ]
    await do(cell, pairing.AppointTribunalRequest(tournament_id=LEAGUE, appointments=members), everybody)
    await do(cell, pairing.WarnPlayerRequest(tournament_id=LEAGUE, player_id="p1"), everybody)
    federation = replace(build_credential(needs.ROLE_FEDERATION), scope=Scope())
    await do(cell, season.CreateSeasonRequest(season_id="year", name="Temporada"), federation)
    circuit: dict[str, Any] = {"season_id": "year", "circuit_id": "cup"}
    basis = season_events.POINTS_BASIS_FIELD
    await do(cell, season.SetCircuitRequest(**circuit, name="Copa", basis=basis), federation)
    await do(cell, season.AddCircuitTournamentRequest(**circuit, tournament_id=LEAGUE), federation)
    await do(cell, register.SetRegisteredPersonRequest(person_id="anna", name="Anna Puig"), federation)
    return await challenge(cell, FIRST, "ada")


def routes() -> Iterator[str]:
    """Yield the path of every page that is served."""
    for router in ROUTES:
        for route in router.routes:
            if not isinstance(route, APIRoute) or "GET" not in (route.methods or ()):
                continue
            # pages of duplicate games exist only for them: `test_duplicate.py` checks them
            if not route.path.startswith("/api/") and "duplicate" not in route.path and route.path not in NO_PAGES:
                yield route.path


def addresses(case_id: str, services: Sequence[str]) -> Sequence[str]:
    """Return an address of every page and of each kind of paper; of the pages of commands those of ``services``."""
    found = []
    for path in dict.fromkeys(routes()):
        of_round = "/round/" in path
        kinds = [kind for kind, paper in PAPERS.items() if paper.of_round == of_round] if "{kind}" in path else [""]
        of = services if "{service}" in path else [""]
        for kind, service in ((kind, service) for kind in kinds for service in of):
            found.append(
                path.format(
                    tournament_id=LEAGUE if "team" in path else OWN,
                    team_id="avila",
                    player_id=f"{OWN}-1",
                    game_id=SECOND,
                    case_id=case_id,
                    number=1,
                    table=1,
                    kind=kind,
                    service=service,
                    help_name="player",
                    season_id="year",
                    circuit_id="cup",
                    person_id="anna",
                )
            )
    return [*found, "/new?ruleset=fise", f"/tournaments/{LEAGUE}/console/discipline"]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("scheme", "services"), [pytest.param("light", SERVICES, id="light"), pytest.param("dark", FEWEST, id="dark")]
)
async def test_no_page_is_wider_than_a_phone_or_keeps_anybody_out(
    browser: Browser,
    cell: Cell,
    case_id: str,
    scheme: Literal["light", "dark"],
    services: Sequence[str],
) -> None:
    context = await browser.new_context(
        base_url=cell.process.http_address, viewport={"width": 390, "height": 780}, locale="en", color_scheme=scheme
    )
    page = await context.new_page()
    wrong: dict[str, object] = {}
    for address in addresses(case_id, services):
        role = needs.ROLE_FEDERATION if address.startswith("/federation/") else needs.ROLE_DIRECTOR
        token = cell.token(replace(build_credential(role), subject="head", scope=Scope()))
        await context.add_cookies([{"name": "faristol", "value": token, "url": cell.process.http_address}])
        answer = await page.goto(address)
        assert answer is not None
        if not answer.ok:
            wrong[address] = answer.status
            continue
        await page.evaluate(OPEN)
        found = [await page.evaluate(WIDE), *await serious(page)]
        if any(found):
            wrong[address] = found
    await context.close()
    assert not wrong, "\n".join(f"{where}: {what}" for where, what in wrong.items())
