"""A hall whose line is cut: its devices play the round to its end on the laptop of the hall, and a judge abroad rules.

A championship and the cell of a hall run in their own processes. A proxy cuts the line between them.
``FARISTOL_SCREENSHOTS`` names a folder for pictures of each page, for review.
"""

from __future__ import annotations

import asyncio
import os
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect
from tests.axe.checker import serious
from tests.browser.scorers import finish_turn, lay
from tests.browser.test_phone import FAINT, MIN_TARGET_PX, SMALL, WIDE
from tests.component.test_hall_cell import (
    BOOK,
    HALL,
    OTHER_HALL,
    TOURNAMENT,
    Site,
    hall_token,
    install_words,
    joining,
    site,
    until,
)
from tests.component.test_hall_kept import has_states
from tests.support.line import FaultyLine

from faristol.access_control.roles import ARBITER, JUDGE, PLAYER, SCORER
from faristol.client.links import sign_in_link
from faristol.pb.access.v1 import access_pb2
from faristol.pb.access.v1 import events_pb2 as access_events
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.game.v1 import game_pb2
from faristol.pb.hall.v1 import hall_pb2
from faristol.pb.lexicon.v1 import adjudication_pb2
from faristol.pb.lexicon.v1 import events_pb2 as lexicon_events
from faristol.pb.lexicon.v1.adjudication_pb2_grpc import AdjudicationServiceStub
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.pb.pairing.v1 import pairing_pb2

pytestmark = [pytest.mark.browser, pytest.mark.lexicon, pytest.mark.asyncio(loop_scope="module")]

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
DESK: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}

NAMES = ("Anna Puig", "Blai Soler", "Carme Riera", "Dolors Vilanova", "Eva Mas", "Fina Pou")

KEPT_TABLE, TYPED_TABLE, OTHER_TABLE = 2, 3, 1
"""Numbers of the tables: scored on a tablet, typed by its players, and of the other hall."""

PATIENCE_MS = 60_000
"""Milliseconds until a hall that is cut off is shown as such: 30 seconds and those of the polls."""


@dataclass
class Scene:
    """A championship, the cell of one of its halls, and the devices of its people."""

    championship: Site
    hall: Site
    line: FaultyLine
    browser: Browser
    stack: AsyncExitStack

    @property
    def games(self) -> list[str]:
        """Games of the hall."""
        return [game_of(KEPT_TABLE), game_of(TYPED_TABLE)]

    @property
    def abroad(self) -> str:
        """Address of the championship, by a host of its own: browsers send cookies to all ports of a host."""
        return self.championship.address.replace("127.0.0.1", "localhost")

    async def direct(self, request: Any) -> Any:
        """Send a command of the director to the championship."""
        request.command_id, request.tournament_id = str(uuid.uuid4()), TOURNAMENT
        name = request.DESCRIPTOR.name.removesuffix("Request")
        return await getattr(self.championship.api.pairing, name)(request)

    async def give(self, role: Any, **fields: Any) -> Any:
        """Grant a credential by a link at the championship."""
        scope = access_events.Scope(tournament_ids=[TOURNAMENT], **fields.pop("scope", {}))
        request = access_pb2.GrantCredentialRequest(
            command_id=str(uuid.uuid4()), role=role, scope=scope, lifetime_seconds=7_200, **fields
        )
        request.form = access_events.FORM_LINK
        return await self.championship.api.access.GrantCredential(request)

    async def knows(self, *granted: Any) -> bool:
        """Check whether the hall knows credentials of the championship."""
        listed = await self.hall.api.access.ListCredentials(access_pb2.ListCredentialsRequest())
        known = {line.credential.credential_id for line in listed.credentials}
        return {each.credential.credential_id for each in granted} <= known

    async def open(self, address: str, device: dict[str, Any]) -> Page:
        """Return a page in a browser of its own, whose scripts do not fail."""
        context = await self.browser.new_context(locale="en", **device)
        context.set_default_timeout(30_000)
        wrong: list[str] = []
        context.on("weberror", lambda error: wrong.append(str(error.error)))

        async def end() -> None:
            await context.close()
            assert wrong == []

        self.stack.push_async_callback(end)
        page = await context.new_page()
        await page.goto(address)
        return page

    async def sign_in(self, link: str, device: dict[str, Any]) -> Page:
        """Return a page of a user who opens a link for signing in and presses the button."""
        page = await self.open(link, device)
        await confirm_sign_in(page)
        return page

    async def get_game(self, site: Site, table: int = KEPT_TABLE) -> game_pb2.GetGameResponse:
        return await site.api.game.GetGame(game_pb2.GetGameRequest(game_id=game_of(table)))

    async def are_final(self) -> bool:
        """Check whether the championship has all results of the round."""
        asked = pairing_pb2.GetTournamentRequest(tournament_id=TOURNAMENT)
        played = (await self.championship.api.pairing.GetTournament(asked)).played
        return {*self.games, game_of(OTHER_TABLE)} <= set(played[-1].finished_game_ids)


def game_of(table: int) -> str:
    return f"{TOURNAMENT}-r1-t{table}"


def path_of(*segments: object) -> str:
    return "/".join(map(str, ("/tournaments", TOURNAMENT, *segments)))


async def confirm_sign_in(page: Page) -> None:
    await page.locator("#by-link button").click()
    await page.wait_for_url(lambda url: "/sign-in" not in url)


async def take_picture(page: Page, name: str) -> None:
    """Take a picture of a page, if pictures are requested."""
    if folder := os.environ.get("FARISTOL_SCREENSHOTS"):
        await page.screenshot(path=Path(folder) / f"hall-{name}.png", full_page=True)


async def check_readable(page: Page, name: str) -> None:
    """Check that a page fits its screen, stands out, and has no violation of accessibility."""
    await take_picture(page, name)
    assert await serious(page) == [], name
    assert await page.evaluate(WIDE) == "", name
    assert await page.evaluate(SMALL, MIN_TARGET_PX) == [], name
    assert await page.evaluate(FAINT) == [], name


async def create_tournament(championship: Site) -> None:
    """Create a tournament over the board in two halls, with a judge, and pair its first round."""
    api = championship.api

    async def direct(request: Any) -> None:
        request.command_id, request.tournament_id = str(uuid.uuid4()), TOURNAMENT
        await getattr(api.pairing, request.DESCRIPTOR.name.removesuffix("Request"))(request)

    await direct(
        pairing_pb2.CreateTournamentRequest(
            name="Open de Reus", rounds=5, ruleset=BOOK, lexicon="words", keeping=game_events.KEEPING_RECORDED
        )
    )
    for number, name in enumerate(NAMES, 1):
        await direct(pairing_pb2.RegisterPlayerRequest(player_id=f"p{number}", name=name, rating=2000 - number))
    rooms = [
        pairing_events.Hall(name=OTHER_HALL, first_table=OTHER_TABLE, last_table=OTHER_TABLE),
        pairing_events.Hall(name=HALL, first_table=KEPT_TABLE, last_table=9),
    ]
    await direct(pairing_pb2.SetHallsRequest(halls=rooms))
    await direct(pairing_pb2.SetResultCheckRequest(players=True, players_enter=True))
    judges = AdjudicationServiceStub(championship.channel)
    for judge_id, is_director in (("ada", False), ("head", True)):
        await judges.AppointJudge(
            adjudication_pb2.AppointJudgeRequest(
                command_id=str(uuid.uuid4()),
                tournament_id=TOURNAMENT,
                judge_id=judge_id,
                director=is_director,
                languages=["ca"],
            )
        )
    await judges.SetAdjudication(
        adjudication_pb2.SetAdjudicationRequest(
            command_id=str(uuid.uuid4()),
            tournament_id=TOURNAMENT,
            mode=lexicon_events.MODE_JUDGE,
            lease_seconds=30,
            escalate_after_seconds=3_600,
        )
    )
    await direct(pairing_pb2.PairRoundRequest(round=1))


@asynccontextmanager
async def open_scene(folder: Path, browser: Browser) -> AsyncIterator[Scene]:
    """Run a championship with a started round, and the cell of a hall that has two of its tables."""
    words = await asyncio.to_thread(install_words, folder / "lexicons")
    async with AsyncExitStack() as cells, site(folder / "championship", words, open=False) as championship:
        await create_tournament(championship)
        (folder / "token").write_text(hall_token(championship, HALL))
        line = FaultyLine(championship.grpc_port)
        await line.start()
        cells.push_async_callback(line.stop)
        hall = await cells.enter_async_context(site(folder / "hall", words, *joining(folder, line), open=False))
        listed = hall_pb2.ListHallsRequest(tournament_id=TOURNAMENT)

        async def has_joined() -> bool:
            return bool((await championship.sync.ListHalls(listed)).halls)

        await until(has_joined, "the hall joins")
        async with AsyncExitStack() as stack:
            at = Scene(championship, hall, line, browser, stack)
            await at.direct(pairing_pb2.StartRoundRequest(round=1))

            async def has_tables() -> bool:
                return {f"game-{game_id}" for game_id in at.games} <= (await hall.streams()).keys()

            await until(has_tables, "the tables come to the hall")
            yield at


async def start_game(at: Scene, tablet: Page) -> None:
    """Take the steps before the first turn on the scorer's page."""
    steps = tablet.locator(".next .big")
    while (await at.get_game(at.hall)).phase != game_pb2.PHASE_TURN:
        if await steps.count():  # the last step removes its own button before the service answers
            await steps.first.click()
        await expect(tablet.locator("#state.on")).to_be_attached()
        await asyncio.sleep(0.2)


async def touch_further(tablet: Page, key: str) -> None:
    """Touch an entry of those that the page lists below the usual ones."""
    entry = tablet.locator(f".more [data-key^={key}]").first
    if not await entry.is_visible():
        await tablet.locator(".more summary").first.click()
    await entry.click()


async def call_arbiter(at: Scene, tablet: Page, arbiter: Page) -> None:
    """Let the scorer call the arbiter of the hall, who comes and lets the game go on."""
    await touch_further(tablet, "CallArbiter")
    await arbiter.goto(f"{at.hall.address}{path_of('arbiter')}")
    await arbiter.get_by_role("button", name="I am coming").click()
    await expect(arbiter.locator("h1")).to_have_text(f"Table {KEPT_TABLE}")
    await check_readable(arbiter, "04-arbiter-at-the-table")
    await arbiter.get_by_role("button", name="Leave the table; the game goes on").click()
    await expect(arbiter.get_by_role("status").filter(has_text="You have left the table")).to_be_visible()


async def challenge_play(at: Scene, tablet: Page) -> None:
    """Lay a word that the opponent challenges: it waits for a judge, with the clocks stopped."""
    await lay(tablet, 7, 4, "C", "A", "NY", "A")
    await expect(tablet.locator("#state.on")).to_be_attached()
    game = await at.get_game(at.hall)
    challenger = next(side.player_id for side in game.sides if side.player_id != game.turn_player_id)
    await tablet.locator(f".next [data-key^=Challenge-{challenger}]").click()
    await tablet.locator("dialog [value=do]").click()

    async def waits() -> bool:
        return (await at.get_game(at.hall)).phase == game_pb2.PHASE_CHALLENGED

    await until(waits, "the challenge waits")
    clock = await at.hall.api.clock.GetClock(clock_pb2.GetClockRequest(game_id=game_of(KEPT_TABLE)))
    assert clock.neutralised
    await check_readable(tablet, "05-scorer-waits")


async def leave_and_sign(at: Scene, tablet: Page) -> None:
    """Let a player leave the scored table, and both sign."""
    first, second = (side.player_id for side in (await at.get_game(at.hall)).sides)
    await touch_further(tablet, f"Abandon-{second}")
    await tablet.locator("dialog [value=do]").click()
    for player in (second, first):
        await tablet.locator(f".next [data-key=SignSheet-{player}]").click()
        await tablet.locator("dialog [value=do]").click()
    await expect(tablet.locator(".next")).to_contain_text("The result is final.")


async def report_and_confirm(at: Scene, one: Page, other: Page) -> None:
    """Let a player enter the result of the typed table, and the other one confirm it, each on their phone."""
    result = f"{at.hall.address}{path_of('round', 1, 'results', TYPED_TABLE)}"
    await one.goto(result)
    await one.locator("[name=first]").fill("412")
    await one.locator("[name=second]").fill("377")
    await one.get_by_role("button", name="Enter", exact=True).click()
    await expect(one.get_by_text("kept here, not yet at the championship")).to_be_visible()
    await other.goto(result)
    await expect(other.get_by_text("412").first).to_be_visible()
    await check_readable(other, "06-player-confirms")
    await other.get_by_role("button", name="The result is right").click()
    await expect(other.get_by_text("confirmed").first).to_be_visible()


async def rule_abroad(at: Scene, judge: Page) -> None:
    """Let the judge accept the challenged word at the championship."""
    await judge.locator("[data-case].panel").wait_for(timeout=PATIENCE_MS)
    await judge.get_by_role("button", name="Take the case").first.click()
    await judge.locator("#rule").wait_for()
    await judge.locator('[name="words.0.valid"][value="1"]').check()
    await judge.locator("#reason-0").fill("a plant")
    await judge.locator("#source-0").fill("DIEC")
    await judge.locator("#rule").click()
    await expect(judge.locator("#lease")).to_have_count(0)


@pytest.mark.nightly
async def test_a_hall_that_is_cut_off_plays_the_round_on_its_laptop_and_a_judge_abroad_rules_after_the_return(
    browser: Browser, tmp_path: Path, no_open: None
) -> None:
    async with open_scene(tmp_path, browser) as at:
        seated = [[side.player_id for side in (await at.get_game(at.hall, table)).sides] for table in (2, 3)]
        (one_id, other_id) = seated[1]
        scorer = await at.give(SCORER, name="Ona Mas", scope={"tables": [KEPT_TABLE]})
        official = await at.give(ARBITER, name="Pau Roig", scope={"halls": [HALL]})
        ada = await at.give(JUDGE, name="Ada Lovelace", subject_id="ada")
        one_card, other_card = [await at.give(PLAYER, player_id=player) for player in (one_id, other_id)]

        await until(partial(at.knows, scorer, official, one_card, other_card), "the hall knows the credentials")

        # With a line: the codes of papers and the pages of the championship lead to the laptop.
        tablet = await at.sign_in(code_there(scorer), DESK)
        arbiter = await at.sign_in(code_there(official), PHONE)
        judge = await at.sign_in(sign_in_link(at.abroad, ada.code, "/judge"), DESK)
        public = await at.open(f"{at.abroad}{path_of()}", PHONE)
        one = await at.sign_in(sign_in_link(at.abroad, one_card.code, "/me"), PHONE)
        await expect(one.get_by_text(f"This table is played at {HALL}")).to_be_visible()
        await take_picture(one, "01-led-to-the-hall")
        await one.get_by_role("link", name="Open it there").click()
        await confirm_sign_in(one)
        assert one.url == f"{at.hall.address}{path_of('my-table')}"
        await expect(one.locator("#hall-line")).to_have_text("connected to the championship")
        await expect(one.get_by_text(f"This table is played at {HALL}")).to_have_count(0)

        await at.line.cut()

        # A player comes late, with a link of the championship only.
        other = await at.open(f"{at.hall.address}/sign-in?next=/me", PHONE)
        await check_readable(other, "02-sign-in")
        await other.locator("#by-link [name=code]").fill(sign_in_link(at.abroad, other_card.code))
        sent: list[str] = []
        other.on("request", lambda request: sent.append(request.post_data or ""))
        await other.locator("#by-link button").click()
        await expect(other.locator("h1")).to_have_text("My day")
        assert not any(other_card.code in each for each in sent)
        await check_readable(other, "03-my-day")

        await tablet.goto(f"{at.hall.address}/games/{game_of(KEPT_TABLE)}/keep")
        await start_game(at, tablet)
        await call_arbiter(at, tablet, arbiter)
        await challenge_play(at, tablet)
        await arbiter.goto(f"{at.hall.address}{path_of('arbiter')}")
        await expect(arbiter.get_by_text("challenge", exact=True)).to_be_visible()
        await check_readable(arbiter, "04-arbiter")
        await report_and_confirm(at, one, other)
        assert not await has_states(at.championship, *[hall_pb2.KEPT_STATE_EXECUTED] * 2)

        # Each side says what it knows, and since when it knows no more.
        await expect(public.locator("#live").get_by_text(f"Without {HALL} since")).to_be_visible()
        await check_readable(public, "07-public-without-the-hall")
        for page, name in ((tablet, "08-tablet"), (one, "08-phone"), (arbiter, "08-arbiter")):
            await expect(page.locator("#hall-line")).to_contain_text("without the championship since")
            await expect(page.locator("#hall-unsent")).to_contain_text("not sent yet")
            await check_readable(page, name)
        await expect(judge.get_by_text("No case is waiting.")).to_be_visible()
        watched = await at.open(f"{at.abroad}/games/{game_of(KEPT_TABLE)}", PHONE)
        await expect(watched.get_by_text("this page shows what was known then")).to_be_visible()
        await expect(watched.locator("#sheet")).to_have_count(0)
        await check_readable(watched, "09-game-at-the-championship")

        at.line.mend()
        await rule_abroad(at, judge)
        await finish_turn(tablet)
        await leave_and_sign(at, tablet)
        await enter_other_result(at)
        await until(at.are_final, "the championship has all results")
        executed = [hall_pb2.KEPT_STATE_EXECUTED] * 2
        assert await has_states(at.championship, *executed)
        await expect(public.locator("#live").get_by_text(f"Without {HALL} since")).to_have_count(0)
        await expect(public.locator("#standings")).to_contain_text("412")
        await public.goto(f"{at.abroad}/games/{game_of(KEPT_TABLE)}")
        await expect(public.locator("#sheet")).to_contain_text("CANYA")
        await check_readable(public, "10-game-after-the-return")
        await expect(one.locator("#hall-line")).to_have_text("connected to the championship")
        own, copied = await at.hall.streams(), await at.championship.streams()
        assert {name: copied[name] for name in own} == own


def code_there(granted: Any) -> str:
    """Return the link with which a card leads to the laptop of the hall and signs in there."""
    (there,) = granted.hall_codes
    assert there.hall == HALL
    return sign_in_link(there.address, there.code)


async def enter_other_result(at: Scene) -> None:
    """Enter the result of the table of the other hall, at the championship."""
    result = pairing_pb2.EnterResultRequest(game_id=game_of(OTHER_TABLE), arbiter_id="arbiter")
    for side, score in zip((await at.get_game(at.championship, OTHER_TABLE)).sides, (390, 380), strict=True):
        result.scores.add(player_id=side.player_id, score=score)
    await at.direct(result)
