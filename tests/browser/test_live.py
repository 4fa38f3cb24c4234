from __future__ import annotations

from asyncio import StreamReader, StreamWriter, start_server
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.async_api import Page, expect
from tests.support.stage import Stage
from tests.support.synthetic import Championship, Step, Table, full_game, short_game

from faristol.pb.pairing.v1 import events_pb2 as events

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

EXAMPLE = Path(__file__).parents[2] / "examples" / "standings.html"

MARK = "window.marked = 'the same page'"
MARKED = "window.marked"


def type_of(step: Step) -> str:
    """Return the name of a step's first event."""
    return next(iter(step.values()))[0].DESCRIPTOR.name


async def begin(stage: Stage, hall: Championship) -> tuple[Table, Table]:
    """Return a round 1 that is being played, without a play yet."""
    first, second = hall.table(1, 1, "anna", "carme"), hall.table(1, 2, "biel", "dolors")
    await stage.add(
        *hall.create(),
        *hall.pair(1, [first.players, second.players], "eloi"),
        *hall.begin(1),
        *first.open(hall.ruleset, hall.lexicon),
        *second.open(hall.ruleset, hall.lexicon),
    )
    return first, second


async def test_standings_move_while_results_come_in_without_a_reload(stage: Stage, page: Page) -> None:
    hall = Championship()
    table, second = await begin(stage, hall)
    await page.goto("/tournaments/lliga")
    await page.evaluate(MARK)
    await expect(page.locator(".by-name tr[data-key=anna]")).to_contain_text("Carme Riera")
    await stage.add(*full_game(table))
    leader = page.locator("#standings tbody tr").first
    await expect(leader).to_contain_text("Carme Riera")
    await expect(leader.locator("td.strong")).to_have_text("1")
    await expect(page.locator("#status")).to_have_text("Round 1: 1 of 2 tables finished")
    await stage.add(*short_game(second, 40, 30), *hall.close(1))
    await expect(page.locator("h2")).to_have_text("Standings after round 1")
    await expect(page.locator("tr[data-key=eloi]")).to_contain_text("had a bye")
    assert await page.evaluate(MARKED) == "the same page"


async def test_a_refresh_keeps_scroll_and_focus(stage: Stage, page: Page) -> None:
    table, _ = await begin(stage, Championship())
    await page.set_viewport_size({"width": 360, "height": 300})
    await page.goto("/tournaments/lliga")
    link = page.locator(".tabs a", has_text="Players")
    await link.focus()
    await page.evaluate("window.focused = document.activeElement; scrollTo(0, 260)")
    before = await page.evaluate("scrollY")
    await stage.add(*full_game(table))
    await expect(page.locator("#standings tbody tr").first).to_contain_text("Carme Riera")
    assert await page.evaluate("document.activeElement === window.focused")
    assert await page.evaluate("scrollY") == before > 0


async def test_a_slot_follows_the_table_at_which_it_is_pointed(stage: Stage, page: Page) -> None:
    hall = Championship()
    table, second = await begin(stage, hall)
    await stage.add({hall.stream: [events.SlotPointed(slot=1, table=1)]})
    await page.goto("/tournaments/lliga/slots/1/score")
    await page.evaluate(MARK)
    await stage.add(*table.play("H5", "F E R I R", 22))
    score = page.locator(".over-side strong").first
    await expect(score).to_have_text("22")
    await stage.add({hall.stream: [events.SlotPointed(slot=1, table=2)]})
    await expect(score).to_have_text("0")
    await stage.add(*second.play("H5", "F E R I R", 24))
    await expect(score).to_have_text("24")
    assert await page.evaluate(MARKED) == "the same page"
    transparent = "getComputedStyle(document.body).backgroundColor"
    assert await page.evaluate(transparent) == "rgba(0, 0, 0, 0)"


async def test_pairings_show_scores_turn_by_turn(stage: Stage, page: Page) -> None:
    table, _ = await begin(stage, Championship())
    await page.goto("/tournaments/lliga/round/1")
    await page.evaluate(MARK)
    card = page.locator("[data-key=lliga-r1-t1]")
    await expect(card.locator(".state")).to_have_text("turn 1")
    await stage.add(*table.play("H5", "F E R I R", 22))
    await expect(card.locator(".score").first).to_have_text("22")
    await expect(card.locator(".state")).to_have_text("turn 2")
    assert await page.evaluate(MARKED) == "the same page"


async def test_a_game_shows_its_board_and_sheet_and_takes_a_phony_off(stage: Stage, page: Page) -> None:
    table, _ = await begin(stage, Championship())
    steps = list(full_game(table))
    await page.goto("/games/lliga-r1-t1")
    await page.evaluate(MARK)
    await expect(page.locator("#board td")).to_have_count(15 * 15 + 1)
    await expect(page.locator("#live")).to_contain_text("No turn has been taken yet.")
    raised = next(n for n, step in enumerate(steps) if type_of(step) == "ChallengeRaised")
    await stage.add(*steps[: raised + 1])
    tiles = page.locator("#board .tile")
    await expect(tiles).to_have_count(5 + 5 + 6 + 3)
    await expect(page.locator("#board .tile.last")).to_have_count(3)
    await expect(page.locator("#board .tile.blank")).to_have_count(1)
    await expect(page.locator("#board [title^=G6] .tile")).to_have_text("L·L10")
    await expect(page.locator("#sheet tr.pending")).to_contain_text("challenged")
    await stage.add(*steps[raised + 1 :])
    await expect(page.locator("#sheet tr.phony .word")).to_have_text("ORD")
    await expect(tiles).to_have_count(5 + 5 + 6 + 2)
    await expect(page.locator(".winner .name")).to_contain_text("Carme Riera")
    await expect(page.locator("#status")).to_have_text("The result is final. 15–111")
    assert await page.evaluate(MARKED) == "the same page"


async def test_a_clock_ticks_while_it_runs_and_the_other_stands(stage: Stage, page: Page) -> None:
    hall = Championship()
    table = Table("lliga-r1-t1", 1, 1, ("anna", "carme"), datetime.now(UTC) - timedelta(seconds=90))
    await stage.add(
        *hall.create(), *hall.pair(1, [table.players], "eloi"), *hall.begin(1), *table.open(hall.ruleset, hall.lexicon)
    )
    await page.goto("/games/lliga-r1-t1")
    running, standing = page.locator(".side-0 [data-clock]"), page.locator(".side-1 [data-clock]")
    then = await running.inner_text()
    assert then.startswith("23:")
    await expect(running).not_to_have_text(then, timeout=5000)
    await expect(standing).to_have_text("25:00")


async def test_a_page_that_was_cut_off_catches_up(stage: Stage, page: Page) -> None:
    hall = Championship()
    table, _ = await begin(stage, hall)
    await page.goto("/tournaments/lliga/round/1")
    await page.evaluate(MARK)
    await expect(page.locator("#pulse")).to_have_text("Live")
    await page.context.set_offline(True)
    await stage.add(*table.play("H5", "F E R I R", 22))
    await page.wait_for_timeout(1500)
    await page.context.set_offline(False)
    await expect(page.locator("[data-key=lliga-r1-t1] .score").first).to_have_text("22", timeout=20000)
    assert await page.evaluate(MARKED) == "the same page"


async def test_a_new_tournament_appears_on_the_first_page(stage: Stage, page: Page) -> None:
    await page.clock.install()
    await page.goto("/")
    await expect(page.locator(".empty")).to_be_visible()
    await stage.add(*Championship().create())
    await page.clock.fast_forward(15_000)  # no tournament is streamed there: the page polls automatically
    await expect(page.locator(".card:not(.roles *)")).to_contain_text("Lliga de primavera")


async def test_a_page_that_nobody_sees_asks_for_nothing_and_what_is_the_same_is_not_sent_again(
    stage: Stage, page: Page
) -> None:
    hall = Championship()
    table, _ = await begin(stage, hall)
    asked: list[int] = []
    page.on("response", lambda answer: asked.append(answer.status) if "part=live" in answer.url else None)
    await page.goto("/tournaments/lliga")
    await expect(page.locator("#pulse")).to_have_text("Live")
    await stage.add(*full_game(table))
    leader = page.locator("#standings tbody tr").first
    await expect(leader).to_contain_text("Carme Riera")
    await page.wait_for_timeout(1_200)  # every refresh that was waited for is over
    await set_hidden(page, hidden=True)
    before = list(asked)
    await stage.add(*hall.close(1))
    await page.wait_for_timeout(1_200)
    assert asked == before
    await set_hidden(page, hidden=False)
    await expect(page.locator("h2")).to_have_text("Standings after round 1")
    await page.wait_for_timeout(1_200)
    await set_hidden(page, hidden=True)
    await set_hidden(page, hidden=False)
    await page.wait_for_timeout(500)
    assert asked[-1] == 304


async def set_hidden(page: Page, *, hidden: bool) -> None:
    """Hide the page, as if another tab were selected, or show it."""
    await page.evaluate(
        "(hidden) => { Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });"
        " document.dispatchEvent(new Event('visibilitychange')); }",
        hidden,
    )


async def test_the_page_of_another_site_that_the_documentation_shows_is_renewed_by_each_result(
    stage: Stage, page: Page
) -> None:
    table, _ = await begin(stage, Championship())
    shown = EXAMPLE.read_text(encoding="utf-8").replace("https://results.example", stage.running.http_address).encode()

    async def serve(reader: StreamReader, writer: StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + shown)
        writer.close()

    async with await start_server(serve, "127.0.0.1", 0) as club:
        await page.goto(f"http://127.0.0.1:{club.sockets[0].getsockname()[1]}/")
        leader = page.locator("#standings tr").first
        await expect(leader).to_contain_text("Anna")
        await page.evaluate(MARK)
        await stage.add(*full_game(table))
        await expect(leader).to_contain_text("Carme Riera")
        assert await page.evaluate(MARKED) == "the same page"
