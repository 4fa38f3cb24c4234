"""Tables over the board, and scorers with phones at them."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from playwright.async_api import Browser, BrowserContext, Page, expect
from playwright.async_api import TimeoutError as NotInTime
from tests.support.access_cell import Cell, build_credential, open_access_cell, wait_for_seats

from faristol.client.credentials import authorize, build_interceptors
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.clock.v1 import clock_pb2, clock_pb2_grpc
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2, game_pb2_grpc
from faristol.pb.pairing.v1 import pairing_pb2, pairing_pb2_grpc

PAPER = "paper"
NAMES = (
    "Anna Blai Carme Dolors Eva Fina Guiu Hug Ines Joan Kim Laia Marc Nuria Ona Pau Quim Rita Salva Teia Unai Vera "
    "Walda Xavi Yara Zita Zoe Zoila Zora Zulma Zuri Zvi Abril Berta Cesc Didac Enric Felix Gala Hector Ivet Jana Lluc "
    "Mar"
)


@dataclass
class Hall:
    """A platform with a round of a tournament that is played over the board."""

    cell: Cell
    console: grpc.aio.Channel
    tables_begun: int = 0

    def token(self, role: needs.Role.ValueType = needs.ROLE_SCORER, **more: Any) -> str:
        return self.cell.token(build_credential(role, PAPER, **more))

    @property
    def address(self) -> str:
        """Of the pages."""
        return self.cell.process.http_address

    async def begin_game(self) -> str:
        """Start the game of the next unused table by its first player, and return its id."""
        self.tables_begun += 1
        game_id = f"{PAPER}-r1-t{self.tables_begun}"
        seats = (await self.table(game_id)).sides
        await self.send(game_pb2.StartGameRequest(game_id=game_id, player_id=seats[0].player_id))
        return game_id

    async def table(self, game_id: str, player_id: str = "") -> game_pb2.GetGameResponse:
        """Return a table from its service, with the rack of a player."""
        stub = game_pb2_grpc.GameServiceStub(self.console)
        return await stub.GetGame(game_pb2.GetGameRequest(game_id=game_id, player_id=player_id))

    async def clock(self, game_id: str) -> clock_pb2.GetClockResponse:
        """Return its clock."""
        stub = clock_pb2_grpc.ClockServiceStub(self.console)
        return await stub.GetClock(clock_pb2.GetClockRequest(game_id=game_id))

    async def send(self, request: Any) -> None:
        """Send a command from another device at a table."""
        request.command_id = str(uuid.uuid4())
        known = {"clock": clock_pb2_grpc.ClockServiceStub, "game": game_pb2_grpc.GameServiceStub}
        name = request.DESCRIPTOR.name.removesuffix("Request")
        stub: Any = known["clock" if request.DESCRIPTOR.file.name.startswith("faristol/clock") else "game"](
            self.console
        )
        await getattr(stub, name)(request)

    async def until(self, game_id: str, turn: int) -> game_pb2.GetGameResponse:
        """Return the table once it is at a turn."""
        for _ in range(150):
            table = await self.table(game_id)
            if table.turn >= turn and not table.following:
                return table
            await asyncio.sleep(0.1)
        raise AssertionError(f"{game_id} did not come to turn {turn}: {await self.table(game_id)}")


@asynccontextmanager
async def played_on_paper(
    folder: Path, lexicons: Path, ruleset: str = "fisc-2023", lexicon: str = "catalan", **options: str
) -> AsyncIterator[Hall]:
    """Yield a hall with 22 tables, by a rule set with its options."""
    async with open_access_cell(folder, lexicons) as cell:
        address = cell.process.grpc_address
        caller = build_interceptors(authorize(address, folder / "access", "Console"))
        async with grpc.aio.insecure_channel(address, interceptors=caller) as console:
            pairing: Any = pairing_pb2_grpc.PairingServiceStub(console)

            def command(kind: Any, **fields: Any) -> Any:
                return kind(command_id=str(uuid.uuid4()), tournament_id=PAPER, **fields)

            chosen = [events.ChosenOption(name=name, value=value) for name, value in options.items()]
            rules = {"ruleset": ruleset, "lexicon": lexicon, "options": chosen}
            wanted = {"name": "Open", "rounds": 7, "keeping": events.KEEPING_RECORDED, **rules}
            await pairing.CreateTournament(command(pairing_pb2.CreateTournamentRequest, **wanted))
            for name in NAMES.split():
                player = {"player_id": f"{PAPER}-{name.lower()}", "name": name}
                await pairing.RegisterPlayer(command(pairing_pb2.RegisterPlayerRequest, **player))
            await pairing.PairRound(command(pairing_pb2.PairRoundRequest, round=1))
            await pairing.StartRound(command(pairing_pb2.StartRoundRequest, round=1))
            await wait_for_seats(game_pb2_grpc.GameServiceStub(console), PAPER)
            yield Hall(cell, console)


PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "locale": "en"}


@asynccontextmanager
async def phone(browser: Browser, **more: Any) -> AsyncIterator[BrowserContext]:
    """Yield a phone whose pages raise no error."""
    context = await browser.new_context(**{**PHONE, **more})
    context.set_default_timeout(60_000)  # other tests run beside this one
    said: list[str] = []
    context.on("weberror", lambda error: said.append(str(error.error)))
    yield context
    await context.close()
    assert said == []


async def sit_down(context: BrowserContext, hall: Hall, game_id: str, token: str = "", part: str = "keep") -> Page:
    """Return a page of a table, with its scorer signed in."""
    await context.add_cookies([{"name": "faristol", "value": token or hall.token(), "url": hall.address}])
    page = await context.new_page()
    await page.goto(f"{hall.address}/games/{game_id}/{part}")
    return page


async def expect_stored_offline(page: Page) -> None:
    """Expect that the page would open without a network."""
    await expect(page.locator("html[data-kept=yes]")).to_be_attached()


async def lay(page: Page, row: int, column: int, *faces: str) -> None:
    """Touch a square and tiles, `?X` for a blank that stands for X."""
    await page.get_by_role("gridcell").nth(15 * row + column).click()
    for face in faces:
        if face.startswith("?"):
            await page.locator("[data-key=blank]").click()
        await page.locator(f"[data-key='face-{face.removeprefix('?')}']").click()
    await touch_enter(page)


async def type_play(page: Page, line: str) -> None:
    """Enter a play from a typed line; the first reading if there are several."""
    await page.locator(".typed-line input").fill(line)
    await page.keyboard.press("Enter")
    await touch_enter(page)


async def touch_enter(page: Page) -> None:
    """Enter the composed play. If the page moves during a touch, touch again."""
    button = page.locator("[data-key=enter]")
    await button.click()
    try:
        await expect(button).to_have_count(0)
    except AssertionError:
        await button.click()


async def finish_turn(page: Page) -> None:
    """Finish the turn by "Accepted"; if the page does not offer it, fail with its text."""
    button = page.locator("[data-key=done]")
    try:
        await button.wait_for()
    except NotInTime as problem:
        raise AssertionError(f"no turn can be finished:\n{await page.locator('#keep').inner_text()}") from problem
    await button.click()


async def all_sent(page: Page) -> None:
    """Expect that the services have all entries."""
    await expect(page.locator("#state")).to_have_text("All entries are saved")
