"""The scorer's page with phones: touched, without a network, killed, signed out, with a wrong clock, two at once."""

from __future__ import annotations

import asyncio
import os
import re
import time
import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Route, async_playwright, expect
from tests.browser.conftest import FLAGS, find_chromium
from tests.browser.scorers import (
    PAPER,
    PHONE,
    Hall,
    all_sent,
    expect_stored_offline,
    finish_turn,
    lay,
    phone,
    played_on_paper,
    sit_down,
    type_play,
)
from tests.browser.test_phone import FAINT, LANGUAGES, MIN_TARGET_PX, SMALL, WIDE
from tests.component.test_adjudication import install

from faristol.pb.access.v1 import access_pb2
from faristol.pb.access.v1 import events_pb2 as access_events
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

AN_HOUR = "const real = Date.now; Date.now = () => real() + {hours} * 3600000;"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hall(tmp_path_factory: pytest.TempPathFactory, lexicons: Path, no_open: None) -> AsyncIterator[Hall]:
    async with played_on_paper(tmp_path_factory.mktemp("keep"), lexicons) as made:
        yield made


async def test_a_phone_shows_the_board_all_keys_and_the_undo_beside_what_it_undoes_without_scrolling(
    browser: Browser, tmp_path: Path, lexicons: Path, no_open: None
) -> None:
    async with played_on_paper(tmp_path, lexicons) as hall, phone(browser) as context:
        game = await hall.begin_game()
        page = await sit_down(context, hall, game)
        await expect_stored_offline(page)
        await lay(page, 7, 4, "C", "A", "NY", "A")
        await all_sent(page)
        await expect(page.locator(".next [data-key^=TakeBackEntries]")).to_be_visible()
        await finish_turn(page)
        await all_sent(page)
        await expect(page.locator(".next [data-key^=TakeBackEntries]")).to_be_visible()
        await page.get_by_role("gridcell").nth(15 * 9 + 4).click()
        await page.locator("[data-key='face-S']").click()
        await page.evaluate("scrollTo(0, 0)")
        boxes = [await page.locator(part).bounding_box() for part in (".keep-head", ".duel", ".grid", ".keys")]
        if folder := os.environ.get("FARISTOL_SCREENSHOTS"):
            await page.screenshot(path=f"{folder}/keep-phone.png")
        edges = [(box["y"], box["y"] + box["height"]) for box in boxes if box]
        assert len(edges) == 4
        assert edges[0][0] >= 0
        assert edges[-1][1] <= 844, edges


async def test_three_plays_without_a_network_are_sent_once_and_in_order_though_the_tab_was_killed(
    browser: Browser, hall: Hall
) -> None:
    game = await hall.begin_game()
    async with phone(browser) as context:
        page = await sit_down(context, hall, game)
        await expect_stored_offline(page)
        await context.set_offline(True)
        for line in ("H5 CANYA", "6H ALA", "H9 S"):
            await type_play(page, line)
            await finish_turn(page)
        await expect(page.locator(".waiting li")).to_have_count(12)
        await expect(page.locator(".player.turn .clock.running")).to_have_count(
            1
        )  # the name of the next player on turn
        board, waiting = [await page.locator(part).bounding_box() for part in (".grid", ".waiting")]
        assert board
        assert waiting
        assert board["y"] < waiting["y"]  # the board stays in place, however many entries wait
        for square in ("H5, C", "H6, A"):  # no element covers the square beside the chosen one
            await page.get_by_role("gridcell", name=square).click(timeout=5_000)
        assert (await hall.table(game)).phase == game_pb2.PHASE_TURN
        await page.close()  # the confirmation is skipped: the page does not see it
        page = await context.new_page()
        await page.goto(f"{hall.address}/games/{game}/keep")
        await expect(page.locator(".waiting li")).to_have_count(12)
        await expect(page.locator(".player").first).to_contain_text("43")
        await context.set_offline(False)
        await all_sent(page)
        table = await hall.until(game, 4)
        assert (table.turn, [side.score for side in table.sides]) == (4, [43, 5])
        assert len(table.board) == 7
        await hall.send(game_pb2.CallArbiterRequest(game_id=game, player_id=table.turn_player_id))
        await expect(page.locator("[data-key=held]")).to_have_text("Clocks stopped: the arbiter was called.")


@pytest.mark.nightly
async def test_two_scorers_keep_a_table_with_a_digraph_a_blank_an_exchange_and_challenges(
    browser: Browser, hall: Hall
) -> None:
    game = await hall.begin_game()
    first, second = (side.player_id for side in (await hall.table(game)).sides)
    async with phone(browser) as one, phone(browser) as two:
        page, other = await sit_down(one, hall, game), await sit_down(two, hall, game)
        await lay(page, 7, 4, "C", "A", "?NY", "A")
        await expect(page.locator("#keep")).to_contain_text("Accepted: the turn is over")
        await all_sent(page)
        pending = (await hall.table(game)).pending
        assert (pending.score, [tile.blank for tile in pending.placements]) == (8, [False, False, True, False])
        await expect(other.get_by_role("gridcell", name="H7, blank as NY")).to_be_visible()
        await other.locator(f".next [data-key^=Challenge-{second}]").click()
        await expect(other.locator("dialog")).to_contain_text("FISC I.10")
        await other.locator("dialog [value=do]").click()
        await expect(page.locator("#keep")).to_contain_text("Ruling: CANYA stands.")
        await expect(page.locator(f".next [data-key^=Appeal-{second}]")).to_be_visible()  # while it can be made
        await finish_turn(page)
        await hall.until(game, 2)
        await page.locator(f".next [data-key^=Exchange-{second}]").click()
        await page.locator("dialog").get_by_text("3", exact=True).click()
        await page.locator("dialog [value=do]").click()
        await finish_turn(page)
        await hall.until(game, 3)
        await expect(other.locator(".next h2")).to_contain_text("Turn 3")
        await lay(other, 8, 5, "QU", "A")
        await expect(page.locator(f".next [data-key^=Challenge-{second}]")).to_be_visible()
        await page.locator(f".next [data-key^=Challenge-{second}]").click()
        for word in await page.locator("dialog input").all():
            await word.check()
        await page.locator("dialog [value=do]").click()
        await expect(other.locator("#keep")).to_contain_text("does not stand")
        table = await hall.until(game, 4)
        assert [side.score for side in table.sides] == [8, 0]
        assert {tile.face for tile in table.board} == {"C", "A", "NY"}
        assert table.turn_player_id == second
        assert first != second


@pytest.mark.nightly
@pytest.mark.parametrize("hours", [1, -1])
async def test_what_is_entered_on_a_device_that_is_an_hour_wrong_has_the_time_of_the_server(
    browser: Browser, hall: Hall, hours: int
) -> None:
    game = await hall.begin_game()
    async with phone(browser) as context:
        await context.add_init_script(AN_HOUR.replace("{hours}", str(hours)))
        page = await sit_down(context, hall, game)
        await expect(page.locator("#state")).to_have_text("All entries are saved")
        await context.set_offline(True)
        await type_play(page, "H8 CASA")
        at = time.time()
        await asyncio.sleep(4)
        await context.set_offline(False)
        await all_sent(page)
        pending = (await hall.table(game)).pending
        assert abs(pending.occurred_at.ToNanoseconds() / 1e9 - at) < 2


async def test_a_rack_is_stated_with_all_its_tiles_and_an_impossible_one_is_refused_in_words(
    browser: Browser, hall: Hall
) -> None:
    game = await hall.begin_game()
    async with phone(browser) as context:
        page = await sit_down(context, hall, game)
        dialog = page.locator("dialog")

        async def state_rack(faces: str) -> None:
            for face in faces:
                await dialog.get_by_role("button", name=face, exact=True).click()
            await dialog.locator("[value=do]").click()

        await page.locator(".more summary").click()
        await page.locator(".more [data-key^=StateRack]").first.click()
        await state_rack("")
        await expect(dialog.locator("[role=alert]")).to_have_text("Expected 7 tiles, got 0.")
        await state_rack("ZZZ")
        await expect(dialog.locator("[role=alert]")).to_have_text("Expected 7 tiles, got 3.")
        await state_rack("ZZZZ")
        await expect(page.locator(".refusal")).to_contain_text("This entry is not valid")
        await expect(page.locator(".refusal")).not_to_contain_text("faces")
        await page.locator(".refusal [data-key=drop]").click()
        await page.locator(".more [data-key^=StateRack]").first.click()
        await state_rack("AEIRSTN")
        await expect(dialog).to_be_hidden()
        await all_sent(page)
        sides = (await hall.table(game)).sides
        async with asyncio.timeout(60):  # the page says that all is saved until the new entry is stored
            while True:
                racks = [await hall.table(game, side.player_id) for side in sides]
                if ["A", "E", "I", "R", "S", "T", "N"] in [list(each.rack) for each in racks]:
                    break
                await asyncio.sleep(0.1)


@pytest.mark.nightly
async def test_what_can_no_longer_be_done_is_told_with_what_stands_and_the_rest_waits(
    browser: Browser, hall: Hall
) -> None:
    game = await hall.begin_game()
    async with phone(browser) as context:
        page = await sit_down(context, hall, game)
        await expect_stored_offline(page)
        await context.set_offline(True)
        await type_play(page, "H8 CASA")
        await finish_turn(page)
        await asyncio.sleep(4)  # other devices act after the entries that are stored here
        mover = (await hall.table(game)).turn_player_id
        await hall.send(game_pb2.PassRequest(game_id=game, player_id=mover))
        await hall.send(clock_pb2.PressRequest(game_id=game, player_id=mover))
        await context.set_offline(False)
        told = page.locator(".refusal")
        await expect(told).to_contain_text("This is no longer possible")
        await expect(told).to_contain_text("H8 CASA")
        await expect(told).to_contain_text("Current state: Turn 2")
        await expect(told).to_contain_text("3 later entries wait for your decision.")
        await expect(told).to_contain_text("Another scorer made an entry in the meantime")
        assert not (await hall.table(game)).board
        await page.locator("[data-key=again]").click()
        await expect(told).to_contain_text("is on turn, not")
        page.on("dialog", lambda dialog: dialog.accept())
        await page.locator("[data-key=dropAll]").click()
        await all_sent(page)
        await type_play(page, "H8 CASA")
        await all_sent(page)
        assert (await hall.table(game)).pending.turn == 2


@pytest.mark.nightly
async def test_a_session_that_ends_keeps_what_waits_and_another_code_sends_it(browser: Browser, hall: Hall) -> None:
    game = await hall.begin_game()
    token = hall.token()
    async with phone(browser) as context:
        page = await sit_down(context, hall, game, token)
        await expect_stored_offline(page)
        await context.set_offline(True)
        await type_play(page, "H8 CASA")
        request = access_pb2.SignOutRequest(command_id=str(uuid.uuid4()))
        await hall.cell.call("/faristol.access.v1.AccessService/SignOut", request, token)
        await asyncio.sleep(2)
        await context.set_offline(False)
        await expect(page.locator("#state")).to_contain_text("Sign in again")
        await expect(page.locator(".waiting li")).to_have_count(1)
        await expect(page.locator("#state a")).to_have_attribute("href", f"/sign-in?next=%2Fgames%2F{game}%2Fkeep")
        await context.add_cookies([{"name": "faristol", "value": hall.token(), "url": hall.address}])
        await page.reload()
        await all_sent(page)
        assert (await hall.table(game)).pending.words[0].word.faces == ["C", "A", "S", "A"]


@pytest.mark.nightly
async def test_a_phone_whose_battery_is_dead_is_taken_over_by_the_card_of_the_table(
    browser: Browser, hall: Hall
) -> None:
    game = await hall.begin_game()
    scope = access_events.Scope(tournament_ids=[PAPER], tables=[12])
    form, role = access_events.FORM_LINK, needs.ROLE_SCORER
    wanted = access_pb2.GrantCredentialRequest(
        command_id=str(uuid.uuid4()), role=role, form=form, name="Table 12", lifetime_seconds=1_800, scope=scope
    )
    path = "/faristol.access.v1.AccessService/GrantCredential"
    card = await hall.cell.call(path, wanted, hall.token(needs.ROLE_DIRECTOR))
    async with phone(browser) as dead, phone(browser) as other:
        page = await sit_down(dead, hall, game)
        await expect_stored_offline(page)
        await type_play(page, "H8 CASA")
        scanned = await other.new_page()
        await scanned.goto(f"{hall.address}/sign-in#{card.code}")
        await scanned.locator("#by-link button").click()
        await scanned.get_by_role("link", name="Score table 12").click()
        await expect(scanned.get_by_role("gridcell", name="H8, C", exact=True)).to_be_visible()
        await all_sent(page)
        await dead.set_offline(True)
        await finish_turn(page)  # when this phone dies, it has the only copy
        await expect(page.locator(".waiting li")).to_have_count(3)
        await page.close()
        await asyncio.sleep(4)  # the other phone acts later, by more than the largest clock difference
        await finish_turn(scanned)
        await all_sent(scanned)
        await hall.until(game, 2)
        await type_play(scanned, "9H ALA")
        await expect(scanned.locator("#keep")).to_contain_text("Accepted: the turn is over")
        await all_sent(scanned)
        await dead.set_offline(False)  # it was charged in the meantime: the other phone has executed the stored entries
        page = await dead.new_page()
        await page.goto(f"{hall.address}/games/{game}/keep")
        await expect(page.locator(".player").first).to_contain_text("10")
        await all_sent(page)
        await expect(page.locator(".refusal, .waiting")).to_have_count(0)
        table = await hall.table(game)
        assert (table.turn, list(table.pending.words[0].word.faces)) == (2, ["A", "L", "A"])
        assert not table.written  # the score that waited was that of the turn before


@pytest.mark.nightly
async def test_what_an_old_phone_did_and_can_still_be_done_is_carried_out_in_order_after_what_another_did(
    browser: Browser, hall: Hall
) -> None:
    game = await hall.begin_game()
    mover, other = (side.player_id for side in (await hall.table(game)).sides)
    async with phone(browser) as context:
        page = await sit_down(context, hall, game)
        await expect_stored_offline(page)
        await type_play(page, "H8 CASA")
        await all_sent(page)
        await context.set_offline(True)
        await finish_turn(page)
        await type_play(page, "9H ALA")
        await finish_turn(page)
        await expect(page.locator(".waiting li")).to_have_count(7)
        await asyncio.sleep(4)  # others act later than the stored entries, and end only the first turn
        for request in (
            game_pb2.WriteScoreRequest(game_id=game, player_id=mover),
            game_pb2.DrawTilesRequest(game_id=game, player_id=mover),
            clock_pb2.PressRequest(game_id=game, player_id=mover),
        ):
            await hall.send(request)
        await hall.until(game, 2)
        await context.set_offline(False)
        table = await hall.until(game, 3)
        await all_sent(page)
        await expect(page.locator(".refusal")).to_have_count(0)
        assert table.turn_player_id == mover != other
        assert {tile.face for tile in table.board} == {"C", "A", "S", "L"}


@pytest.mark.nightly
async def test_an_act_whose_answer_was_lost_is_done_once(browser: Browser, hall: Hall) -> None:
    game = await hall.begin_game()
    async with phone(browser, service_workers="block") as context:
        page = await sit_down(context, hall, game)
        lost: list[str] = []
        answered = asyncio.Event()

        async def lose(route: Route) -> None:
            if len(lost) < 2:
                answer = await route.fetch()  # it is executed, and the answer is lost
                lost.append(await answer.text())
                await route.abort()
            else:
                await route.continue_()
                answered.set()

        await page.route("**/api/v1/game/Pass?*", lose)
        await page.locator(".next [data-key^=Pass-]").click()
        await page.locator("dialog [value=do]").click()
        await asyncio.wait_for(answered.wait(), 30)
        await all_sent(page)
        assert len(lost) == 2
        assert lost[0] == lost[1]
        assert (await hall.table(game)).turn == 1


@pytest.mark.parametrize(("method", "late"), [("GetGame", False), ("ListOffers", False), ("GetGame", True)])
async def test_a_table_goes_on_where_the_network_is_lost_before_the_last_turn_was_seen(
    browser: Browser, hall: Hall, method: str, *, late: bool
) -> None:
    """``late``: the turn is seen to be over before the press that ended it is answered."""
    game = await hall.begin_game()
    async with phone(browser, service_workers="block") as context:
        page = await sit_down(context, hall, game)
        heading = page.locator(".next h2")
        pressed = asyncio.Event()

        async def press(route: Route) -> None:
            answer = await route.fetch()
            if late:
                await page.evaluate("dispatchEvent(new Event('online'))")
                await expect(heading).to_have_text(
                    re.compile(r"^\D*3\b")
                )  # stored entries are shown over the visible state
            pressed.set()
            await route.fulfill(response=answer)

        async def look(route: Route) -> None:
            await (route.abort() if pressed.is_set() else route.continue_())

        await page.route("**/api/v1/clock/Press?*", press)
        await page.route(f"**/api/v1/game/{method}?*", look)
        await type_play(page, "H5 CANYA")
        await finish_turn(page)
        await asyncio.wait_for(pressed.wait(), 30)
        await expect(page.locator(".waiting li")).to_have_count(0)
        await expect(heading).to_have_text(re.compile(r"^\D*2\b"))
        await type_play(page, "6H ALA")
        await finish_turn(page)
        await page.unroute_all()
        await all_sent(page)
        assert (await hall.until(game, 3)).turn == 3


REDRAWN = """async (above) => {
  const { fill, make } = await import("/static/dom.js");
  const [box, line] = [make("div"), make("input", { "data-key": "line" })];
  document.body.append(box);
  fill(box, above && make("p", {}, "above"), make("div", {}, "acts"), line);
  line.focus();
  const moved = [];
  const watch = new MutationObserver((changes) => moved.push(...changes.flatMap((each) => [...each.removedNodes])));
  watch.observe(box, { childList: true });
  fill(box, !above && make("p", {}, "above"), make("div", {}, "acts"), line);
  await new Promise(requestAnimationFrame);
  return [document.activeElement === line, moved.includes(line)];
}"""
"""Whether the focus of a line stays, and whether the line was moved, when something above it goes or comes."""


@pytest.mark.parametrize("above", [True, False])
async def test_who_types_a_line_goes_on_when_something_above_it_goes_or_comes(
    browser: Browser, hall: Hall, *, above: bool
) -> None:
    async with phone(browser) as context:
        page = await sit_down(context, hall, f"{PAPER}-r1-t14")
        assert await page.evaluate(REDRAWN, above) == [True, False]


@pytest.mark.nightly
async def test_what_waits_is_there_when_the_browser_is_opened_again(hall: Hall, tmp_path: Path) -> None:
    game = await hall.begin_game()
    async with async_playwright() as playwright:
        wanted: dict[str, Any] = {"executable_path": find_chromium(), "args": FLAGS, **PHONE}
        context = await playwright.chromium.launch_persistent_context(tmp_path, **wanted)
        page = await sit_down(context, hall, game)
        await expect_stored_offline(page)
        await context.set_offline(True)
        await type_play(page, "H8 CASA")
        await expect(page.locator(".waiting li")).to_have_count(1)
        await context.close()
        context = await playwright.chromium.launch_persistent_context(tmp_path, **wanted)
        page = await sit_down(context, hall, game)
        await all_sent(page)
        assert (await hall.table(game)).pending.words[0].word.faces == ["C", "A", "S", "A"]
        await context.close()


PLAYS: dict[str, tuple[str, str, str, dict[str, str]]] = {
    "uf-2007": ("catalan", "H7 CASA", "7H COL", {"minutes": "30"}),
    "festa-major": ("catalan", "H7 CASA", "7H COL", {}),
    "fise": ("spanish", "H7 CALLE", "7H COCHE", {}),
    "pes-2024": ("greek", "H7 ΑΛΦΑ", "7H ΑΝΩ", {}),
}
"""Of a rule set: a lexicon, two plays, and options that have to be chosen."""


@pytest.mark.nightly
@pytest.mark.parametrize("ruleset", PLAYS)
async def test_the_turns_of_every_book_are_done_by_two_touches_after_the_play(
    browser: Browser, tmp_path: Path, no_open: None, ruleset: str
) -> None:
    lexicon, first, second, options = PLAYS[ruleset]
    known = tmp_path / "lexicons"
    for name, tiles in (("catalan", "ca-100"), ("spanish", "es-100"), ("greek", "el-104")):
        install(known, name, tiles, [])
    async with (
        played_on_paper(tmp_path / "cell", known, ruleset, lexicon, **options) as hall,
        phone(browser) as context,
    ):
        game = f"{PAPER}-r1-t1"
        page = await sit_down(context, hall, game, hall.token(needs.ROLE_ARBITER))
        while (await hall.table(game)).phase != game_pb2.PHASE_TURN:
            wanted = page.locator(".next .big").first
            act = await wanted.get_attribute("data-key")
            await wanted.click()
            await expect(page.locator(f".next [data-key='{act}']")).to_have_count(0)  # as it will be
            await all_sent(page)
        for turn, line in enumerate((first, second), start=2):
            await type_play(page, line)
            await finish_turn(page)
            await hall.until(game, turn)
        await all_sent(page)
        assert len((await hall.table(game)).board) > 5
        assert await page.locator(".refusal").count() == 0


@pytest.mark.nightly
async def test_the_sheet_is_signed_by_both_on_the_screen(browser: Browser, hall: Hall) -> None:
    game = await hall.begin_game()
    async with phone(browser) as context:
        page = await sit_down(context, hall, game)
        first, second = (side.player_id for side in (await hall.table(game)).sides)
        await page.locator(".more summary").click()
        await page.locator(f".more [data-key^=Abandon-{second}]").click()
        await expect(page.locator("dialog")).to_contain_text("That ends the game for")
        await page.locator("dialog [value=do]").click()
        for player in (second, first):  # a player who has left is not awaited
            await page.locator(f".next [data-key=SignSheet-{player}]").click(timeout=15_000)
            await page.locator("dialog [value=do]").click()
        await expect(page.locator(".next")).to_contain_text("The result is final.")
        assert (await hall.table(game)).phase == game_pb2.PHASE_FINAL
        assert (await hall.table(game)).end_condition == events.END_CONDITION_ABANDONED


@pytest.mark.nightly
async def test_the_page_is_used_with_keys_alone_and_read_by_squares_and_words(browser: Browser, hall: Hall) -> None:
    game = await hall.begin_game()
    async with phone(browser) as context:
        page = await sit_down(context, hall, game)
        await page.get_by_role("gridcell", name="H8, double word, empty").focus()
        await page.keyboard.press("ArrowLeft")
        await expect(page.get_by_role("gridcell", name="H7, empty")).to_be_focused()
        for key in "cas":
            await page.keyboard.press(key)
        await page.keyboard.press("Enter")
        await all_sent(page)
        await expect(page.get_by_role("gridcell", name="H8, A", exact=True)).to_be_visible()
        await page.get_by_text("The board in words").click()
        await expect(page.get_by_text("H7 across: CAS")).to_be_visible()


@pytest.mark.nightly
async def test_the_pages_of_a_table_fit_a_phone_in_every_language(browser: Browser, hall: Hall) -> None:
    game = await hall.begin_game()
    for scheme in ("light", "dark"):
        async with phone(browser, color_scheme=scheme) as context:
            page = await sit_down(context, hall, game, hall.token(needs.ROLE_ARBITER))
            for language in LANGUAGES:
                for part in ("keep", "clock"):
                    await page.goto(f"{hall.address}/games/{game}/{part}?lang={language}")
                    await expect(page.locator(".next h2, .clock-side.on").first).to_be_visible()
                    await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
                    if part == "keep":
                        await page.get_by_role("gridcell").nth(112).click()
                    assert await page.evaluate(WIDE) == "", (part, language)
                    assert await page.evaluate(FAINT) == [], (part, scheme)
                    small = await page.evaluate(SMALL, MIN_TARGET_PX)
                    assert [each for each in small if "cell" not in str(each)] == [], (part, language)
