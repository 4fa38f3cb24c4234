"""From the public form to the certificate, drafts seen from outside, and screens, in the browsers of all who take part.

A player registers by the link of a message, pays to the treasurer, checks in by the code of the wall and reports the
result on their own phone. Every page that is visited is checked: it is accessible and no wider than the screen.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect
from tests.browser.test_day import WAIT_MS, check, command, sign_in_player
from tests.browser.test_director import DESK, PHONE, sign_in_director
from tests.component.tournament.test_registration import until
from tests.support.access_cell import Cell, build_credential, grant, open_access_cell
from tests.support.mail_server import Inbox, free_port, smtp_server

from faristol.gateway.pages.qr import qr
from faristol.kernel.times import to_timestamp
from faristol.pb.access.v1 import events_pb2 as access_events
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing

pytestmark = [pytest.mark.browser, pytest.mark.lexicon, pytest.mark.asyncio(loop_scope="module")]

BOOK = "fise"
ANNA, NAMESAKE = "anna@example.org", "anna.puig@example.net"
GREEK_NAME = "Ελένη Παππά"


@pytest.fixture(scope="module")
def inbox() -> Inbox:
    """Return the messages that the mail server of the cell took."""
    return Inbox()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cell(
    tmp_path_factory: pytest.TempPathFactory, lexicons: Path, no_open: None, inbox: Inbox
) -> AsyncIterator[Cell]:
    """Yield a cell that requires credentials and sends e-mail."""
    port, http_port = free_port(), free_port()
    settings: dict[str, Any] = {
        "mail_server": f"smtp://127.0.0.1:{port}",
        "mail_plain": True,
        "mail_sender": "open@example.org",
        "http_port": http_port,
        "http_address": f"http://127.0.0.1:{http_port}",
    }
    with smtp_server(inbox, port):
        async with open_access_cell(tmp_path_factory.mktemp("cell"), lexicons, **settings) as made:
            yield made


async def create(cell: Cell, tournament_id: str, *names: str) -> None:
    """Create a tournament of one round in one hall, with players."""
    typed: Any = {"without_lexicon": True, "keeping": game.KEEPING_RECORDED}
    made = pairing.CreateTournamentRequest(name=tournament_id, ruleset=BOOK, rounds=1, **typed)
    await command(cell, made, tournament_id)
    hall = events.Hall(name="Gran", first_table=1, last_table=6)
    await command(cell, pairing.SetHallsRequest(halls=[hall]), tournament_id)
    for number, name in enumerate(names, start=1):
        player = pairing.RegisterPlayerRequest(player_id=f"{tournament_id}-{number}", name=name, rating=2000 - number)
        await command(cell, player, tournament_id)


@asynccontextmanager
async def visit(browser: Browser, cell: Cell) -> AsyncIterator[Page]:
    """Yield the phone of a visitor who is not signed in."""
    context = await browser.new_context(base_url=cell.process.http_address, locale="en", **PHONE)
    page = await context.new_page()
    page.set_default_timeout(WAIT_MS)
    yield page
    await context.close()


async def see(page: Page, text: str | re.Pattern[str]) -> None:
    """Wait until a page shows a text."""
    await expect(page.get_by_text(text).first).to_be_visible()


async def press(page: Page, name: str | re.Pattern[str], said: str | re.Pattern[str]) -> None:
    """Press a button and wait until the page shows a text."""
    await page.get_by_role("button", name=name).first.click()
    await see(page, said)


async def enter(phone: Page, inbox: Inbox, tournament_id: str, name: str, address: str, category: str) -> None:
    """Fill in the public form on a phone, and confirm the entry by the link of the message."""
    await phone.goto(f"/tournaments/{tournament_id}")
    await phone.get_by_role("link", name="Enter this tournament").click()
    await phone.get_by_label("Name", exact=True).fill(name)
    await phone.get_by_label("E-mail", exact=True).fill(address)
    await phone.get_by_label("Club", exact=True).fill("Valls")
    await phone.get_by_label("Category", exact=True).select_option(category)
    await phone.get_by_label("In the list of entrants").select_option(label="name")
    await check(phone)
    await press(phone, "Send the entry", "We have sent a link to your address.")
    await until(lambda: bool(inbox.subjects(address)))
    await phone.goto(f"/tournaments/{tournament_id}/entry?key={inbox.key_of(address)}")
    await check(phone)
    await press(phone, "Confirm the entry", "Your fee")


async def test_an_entrant_registers_pays_plays_and_gets_a_certificate(
    browser: Browser, cell: Cell, inbox: Inbox
) -> None:
    await create(cell, "open", "Biel Soler", "Carla Roca", "Dani Mas", GREEK_NAME)
    at = "/tournaments/open"
    async with (
        sign_in_director(browser, cell, "dora", **DESK) as desk,
        visit(browser, cell) as phone,
        open_cash_desk(browser, cell, "open") as treasurer,
    ):
        # The director opens the form and sets the fees; what is missing is told beside its field, and nothing is lost.
        await desk.goto(f"{at}/console/registration")
        await desk.get_by_label("The form accepts entries").check()
        await desk.get_by_label("Categories").fill("U18, Senior")
        for field in ("Club", "Category"):
            await desk.get_by_label(field, exact=True).check()
        await desk.get_by_role("button", name="Set the form").click()
        await desk.wait_for_url(re.compile("done="))
        await check(desk)
        await desk.goto(f"{at}/fees")
        await desk.get_by_label("Entry fee").fill("25,00")
        await desk.get_by_label("Discount of early entries").fill("3")
        await desk.locator("[name='categories.1.category']").fill("U18")
        await desk.locator("[name='categories.1.amount']").fill("10")
        await press(desk, "Set the fees", "expected a time together with a discount")
        await desk.get_by_label("Early until").fill("2099-01-01T12:00")
        await press(desk, "Set the fees", "Owed: €88.00, paid: €0.00.")
        await check(desk)

        # Two people of one name enter; the second is accepted as another person.
        for address, category in ((ANNA, "U18"), (NAMESAKE, "Senior")):
            await enter(phone, inbox, "open", "Anna Puig", address, category)
        await see(phone, "€22.00")
        await desk.goto(f"{at}/console/registration")
        await see(desk, "Similar name: entry 2")
        await press(desk, re.compile("Accept.*Anna Puig"), "Anna Puig is registered")
        await desk.get_by_label("Another person of this name").check()
        await press(desk, re.compile("Accept.*Anna Puig"), re.compile("Anna Puig .* is registered"))
        await see(desk, "No entry waits for a decision.")
        await check(desk)
        await until(lambda: "You are a player of open" in inbox.subjects(ANNA))
        await phone.goto(f"{at}/entry?key={inbox.key_of(ANNA)}")
        await see(phone, "€7.00")
        await check(phone)

        # The treasurer finds the person, records the payment, and corrects it after the receipt.
        await treasurer.goto(f"{at}/fees")
        await check(treasurer)
        await treasurer.get_by_label("Find a player").fill("anna")
        await expect(treasurer.locator("#accounts > li:visible")).to_have_count(2)
        young = treasurer.locator("#accounts > li").filter(has_text="U18")
        await young.locator("summary").click()
        await young.get_by_role("button", name="Record the payment").click()
        await treasurer.get_by_role("link", name="Document 1").click()
        await see(treasurer, "Receipt 1")
        await see(treasurer, "€7.00")
        await check(treasurer)
        await treasurer.goto(f"{at}/fees")
        await treasurer.get_by_text("Correct or pay back").click()
        await treasurer.get_by_label("Correct amount").fill("6.50")
        fix = treasurer.locator("form").filter(has=treasurer.get_by_label("Correct amount"))
        await fix.get_by_label("Reason").fill("typed wrong")
        await press(treasurer, "Correct the payment", "Document 3")
        for paper in ("Receipt 3", "Credit note 2", "cancelled by credit note 2"):
            await see(treasurer, paper)
        await treasurer.goto(f"{at}/fees/receipts/1")
        await see(treasurer, "€7.00")  # a receipt never changes
        await phone.reload()
        await see(phone, re.compile("paid €6.50"))

        # The code of the wall leads to the check-in, with the code that the player was given.
        shown = await command(cell, pairing.GetTournamentRequest(), "open")
        anna = next(each.player_id for each in shown.players if each.category == "U18")
        await command(cell, pairing.SetPlayerActsRequest(check_in=True), "open")
        scope = access_events.Scope(tournament_ids=["open"])
        token = cell.token(replace(build_credential(needs.ROLE_DIRECTOR, "open"), subject="dora"))
        given = await grant(
            cell, access_events.FORM_LINK, needs.ROLE_PLAYER, token=token, name="", player_id=anna, scope=scope
        )
        await phone.goto(f"{at}/here")
        await check(phone)
        await phone.get_by_label("The code that you were given").fill(given.code)
        await press(phone, "Continue", "I am here")
        await press(phone, "I am here", "You are checked in.")

        # Players enter results, which the director permits by one tick; a disputed one is decided by one button.
        await desk.goto(f"{at}/console/closing")
        await desk.get_by_label("Players enter the results of their games").check()
        await press(desk, "Save settings", "Players enter the results of their games.")
        others = [each.player_id for each in shown.players if each.player_id != anna]
        await command(cell, pairing.CheckInPlayersRequest(player_ids=others), "open")
        await command(cell, pairing.PairRoundRequest(round=1), "open")
        await command(cell, pairing.StartRoundRequest(round=1), "open")
        await enter_other_results(cell, "open", anna)
        await report_with_dispute(browser, cell, phone, "open", anna)
        await desk.goto(f"{at}/console/late?show=disputed")
        await check(desk)
        await desk.get_by_role("link", name=re.compile("Enter")).last.click()
        await press(desk, re.compile("Anna Puig.* says:"), re.compile("^confirmed$"))
        await check(desk)
        await phone.goto(f"{at}/my-table")
        await see(phone, "won")
        await check(phone)
        await command(cell, pairing.CloseRoundRequest(round=1), "open")

        # The prizes are in euros without any setting; the certificate leads to the seal of the result.
        await desk.goto(f"{at}/console/prizes")
        lists = desk.locator("[data-key=new-list]")
        await lists.get_by_label("Name").fill("Youth")
        await lists.get_by_label("Money of each place").fill("20")
        await lists.get_by_label("Only of this category").fill("U18")
        await press(desk, "Add the list", "Prize list 1: Youth.")
        await desk.goto(f"{at}/console/closing")
        await press(desk, "Publish the final standings", "They are published.")
        await desk.goto(f"{at}/print/certificates?lang=en")
        await see(desk, "in the final standings")
        await check(desk)
        own = desk.locator(".certificate").filter(has_text="Youth: €20.00")
        await expect(own).to_have_count(1)
        seal = f"{at}/seal?player={anna}"
        code = re.search('stroke="#000" d="([^"]*)"', qr(f"{cell.process.http_address}{seal}", at_once=True))
        assert code is not None
        assert code[1] in await own.inner_html()
        await phone.goto(seal)
        await see(phone, "Rank 1 of 6 in the final standings.")
        await check(phone)


@asynccontextmanager
async def open_cash_desk(browser: Browser, cell: Cell, tournament_id: str) -> AsyncIterator[Page]:
    """Yield the phone of the treasurer of a tournament."""
    async with visit(browser, cell) as page:
        token = cell.token(build_credential(needs.ROLE_TREASURER, tournament_id))
        await page.context.add_cookies([{"name": "faristol", "value": token, "url": cell.process.http_address}])
        yield page


async def tables_of(cell: Cell, tournament_id: str) -> list[Any]:
    """Return the pairings of the first round that have two players."""
    shown = await command(cell, pairing.GetTournamentRequest(), tournament_id)
    return [each for each in shown.played[0].pairings if each.second_player_id]


async def enter_other_results(cell: Cell, tournament_id: str, player_id: str) -> None:
    """Enter and confirm the results of all tables but that of a player."""
    for table in await tables_of(cell, tournament_id):
        seated = (table.first_player_id, table.second_player_id)
        if player_id in seated:
            continue
        scores = [game.FinalScore(player_id=each, score=400 - place) for place, each in enumerate(seated)]
        entered = pairing.EnterResultRequest(game_id=table.game_id, scores=scores, arbiter_id="dora")
        await command(cell, entered, tournament_id)
        for person in seated:
            confirmed = pairing.ConfirmResultRequest(game_id=table.game_id, scores=scores, player_id=person)
            await command(cell, confirmed, tournament_id)


async def report_with_dispute(browser: Browser, cell: Cell, phone: Page, tournament_id: str, player_id: str) -> None:
    """Let the opponent of a player enter a result on the phone, which the player disputes on the other phone."""
    tables = await tables_of(cell, tournament_id)
    table = next(each for each in tables if player_id in (each.first_player_id, each.second_player_id))
    is_first = table.first_player_id == player_id
    opponent = table.second_player_id if is_first else table.first_player_id
    page = f"/tournaments/{tournament_id}/round/1/results/{table.table}"
    async with sign_in_player(browser, cell, opponent, tournament_id) as other:
        await other.goto(page)
        await check(other)
        fields = other.locator("form input[inputmode=numeric]:visible")
        for place in (0, 1):
            await fields.nth(place).fill("310" if (place == 0) == is_first else "320")
        await press(other, "Enter", "You have entered the result.")
        await phone.goto(page)
        await phone.get_by_text("The result is wrong").click()
        own = phone.get_by_label("in your version")
        for place in (0, 1):
            await own.nth(place).fill("500" if (place == 0) == is_first else "300")
        await check(phone)
        await press(phone, "Dispute the result", "The result is disputed.")
        await see(other, "The result is disputed.")


PAIRED = re.compile("Round 1 of 1 is (paired|being played)")


async def expect_hidden(cell: Cell, browser: Browser, tournament_id: str) -> None:
    """Check that no page of a visitor who comes now has the round."""
    at = f"/tournaments/{tournament_id}"
    async with visit(browser, cell) as page:
        for address in (at, f"{at}/screen"):
            await page.goto(address)
            await expect(page.get_by_text(re.compile("No round is paired yet|Not started")).first).to_be_visible()
            await check(page)
        for address in (
            f"{at}/round/1",
            f"{at}/round/1/seats",
            f"/api/v1{at}/rounds/1",
            f"/games/{tournament_id}-r1-t1",
        ):
            assert (await page.request.get(address)).status == 404, address
        feed = await page.request.get(f"{at}/feed.atom")
        assert "Round 1" not in await feed.text()


async def test_the_public_sees_a_pairing_from_its_publication_until_it_is_withdrawn(
    browser: Browser, cell: Cell
) -> None:
    names = ("Anna Puig", "Biel Soler", "Carla Roca", "Dani Mas", "Eva Font", "Ferran Gil")
    await create(cell, "draft", *names)
    at = "/tournaments/draft"
    async with (
        sign_in_director(browser, cell, "dora", **DESK) as desk,
        visit(browser, cell) as visitor,
        sign_in_player(browser, cell, "draft-1", "draft") as phone,
    ):
        await visitor.goto(at)
        await phone.goto(f"{at}/my-table")
        await desk.goto(f"{at}/console/round/1")
        await press(desk, "Pair as a draft", "Draft: only officials see this pairing")
        await check(desk)
        swap = desk.locator("form").filter(has=desk.get_by_role("button", name="Swap them"))
        for label, name in (("First", names[0]), ("Second", names[1])):
            await swap.get_by_label(label).select_option(label=name)
        await swap.get_by_label("Reason").fill("They came together")
        await press(desk, "Swap them", "Swapped in the draft of round 1: Anna Puig – Biel Soler.")
        await see(desk, "It was changed by hand.")
        await expect_hidden(cell, browser, "draft")
        await phone.reload()
        await see(phone, "No round is paired yet.")

        # Published at once: the open page of a visitor shows it, and hides it again when it is withdrawn.
        await press(desk, "Publish round 1", "The pairing of round 1 is published.")
        await see(visitor, PAIRED)
        await see(visitor, "Ferran Gil")
        await check(visitor)
        await phone.reload()
        await see(phone, "Gran")
        await check(phone)
        await desk.get_by_text("Make it a draft again").click()
        await desk.locator("details[open]").get_by_label("Reason").fill("A player is ill")
        await press(desk, "Withdraw the publication", "Draft: only officials see this pairing")
        await expect(visitor.get_by_text(PAIRED)).to_have_count(0)
        await expect_hidden(cell, browser, "draft")

        # Published at a time: nothing before, everything after.
        await desk.get_by_text("Publish at a time").click()
        await desk.get_by_label("Time of the publication").fill("2020-01-01T10:00")
        await press(desk, "Set the time", "which has passed")
        await check(desk)
        at_once = to_timestamp(datetime.now(UTC) + timedelta(seconds=3))
        await command(cell, pairing.SchedulePublicationRequest(round=1, publish_at=at_once), "draft")
        await expect(visitor.get_by_text(PAIRED)).to_have_count(0)
        await see(visitor, PAIRED)
        await see(desk, "Start round 1")


async def start_screen(browser: Browser, cell: Cell, **storage: Any) -> Page:
    """Return the page of a hall screen that was switched on, with what its browser has stored."""
    wide: Any = {"viewport": {"width": 1920, "height": 1080}}
    context = await browser.new_context(base_url=cell.process.http_address, locale="en", **wide, **storage)
    page = await context.new_page()
    page.set_default_timeout(WAIT_MS)
    await page.goto("/screen")
    return page


@pytest.mark.nightly
async def test_a_screen_shows_its_programme_and_messages_and_does_so_again_after_a_reboot(
    browser: Browser, cell: Cell
) -> None:
    await create(cell, "screens", "Anna Puig", "Biel Soler")
    at = "/tournaments/screens"
    screen = await start_screen(browser, cell)
    async with (
        sign_in_director(browser, cell, "dora", **DESK) as desk,
        visit(browser, cell) as visitor,
        sign_in_player(browser, cell, "screens-1", "screens") as phone,
    ):
        await check(screen)
        code = await screen.locator(".big-code").inner_text()
        await desk.goto(f"{at}/console/screens")
        new = desk.locator("[data-key=new-screen-title]")
        await new.get_by_label("Code").fill(code)
        await new.get_by_label("Name").fill("Gran, left")
        await press(desk, "Name the screen", "The screen Gran, left has its programme.")
        await check(desk)
        await see(screen, "No round is paired yet.")
        await command(cell, pairing.PairRoundRequest(round=1), "screens")
        await see(screen, "Where to play")
        await see(screen, "Anna Puig")
        await check(screen)

        # A message interrupts the screen, and is on the phones of players and visitors.
        await visitor.goto(at)
        await phone.goto(f"{at}/my-table")
        await desk.goto(f"{at}/console/messages")
        await desk.get_by_label("Text", exact=True).fill("Lunch is served")
        await desk.get_by_label("Hall screens show only this message").check()
        await check(desk)
        await press(desk, "Send", "Message 1 is sent")
        await expect(screen.locator(".interruption")).to_have_text(re.compile("Lunch is served"))
        await check(screen)
        for page in (visitor, phone):
            await see(page, "Lunch is served")
            await check(page)

        # The screen is switched off and on: with its cookie, and with its storage alone, it needs no new code.
        stored = await screen.context.storage_state()
        await screen.context.close()
        for state in ({**stored, "origins": []}, {**stored, "cookies": []}):
            again = await start_screen(browser, cell, storage_state=state)
            await expect(again.locator(".interruption")).to_be_visible()
            await expect(again.locator(".big-code")).to_have_count(0)
            if state["cookies"]:
                await again.context.close()
        await desk.get_by_role("button", name="Withdraw the message").click()
        await expect(again.locator(".interruption")).to_have_count(0)
        await see(again, "Where to play")
        await desk.goto(f"{at}/console/screens")
        await see(desk, re.compile("on: seats"))
        await again.context.close()


async def test_an_annotator_points_a_slot_from_a_phone_and_the_stream_shows_that_table(
    browser: Browser, cell: Cell
) -> None:
    names = ("Anna Puig", "Biel Soler", "Carla Roca", "Dani Mas")
    await create(cell, "stream", *names)
    await command(cell, pairing.PairRoundRequest(round=1), "stream")
    at = "/tournaments/stream"
    named = {f"stream-{number}": name for number, name in enumerate(names, start=1)}
    first, second = (
        [named[player_id] for player_id in (table.first_player_id, table.second_player_id)]
        for table in await tables_of(cell, "stream")
    )
    async with visit(browser, cell) as phone, visit(browser, cell) as stream:
        token = cell.token(build_credential(needs.ROLE_ANNOTATOR, "stream"))
        await phone.context.add_cookies([{"name": "faristol", "value": token, "url": cell.process.http_address}])
        # The streaming program is set up before: its page is empty, and stays open.
        await stream.goto(f"{at}/slots/1/names")
        await check(stream)
        await phone.goto(f"{at}/slots")
        await check(phone)
        new = phone.locator("[data-key=new-slot-title]")
        await new.get_by_label("Table", exact=True).fill("1")
        await new.get_by_role("button", name="Point the slot").click()
        await see(phone, "Slot 1")
        for name in first:
            await see(stream, name)
        await check(stream)
        own = phone.locator("[data-key=slot-1]")
        await own.get_by_label("Table", exact=True).fill("2")
        await own.get_by_role("button", name="Point the slot").click()
        for name in second:
            await see(stream, name)
        await check(phone)
