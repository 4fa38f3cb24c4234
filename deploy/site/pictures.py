"""Take the pictures of the documentation in each language: a public page, the console of a director, a judge's page.

``python -m deploy.site.pictures [FOLDER]`` writes FOLDER/LANGUAGE/NAME.png, by default below docs/pictures. The pages
are those of the demonstration in its second round: half of the games are over, and a challenge awaits a judge. Needs
Chromium.
"""

from __future__ import annotations

import asyncio
import io
import shutil
import sys
import tempfile
import uuid
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.async_api import Browser, ViewportSize, async_playwright

from faristol.client.links import sign_in_link
from faristol.client.services import Api, call
from faristol.demo.championship import Championship
from faristol.demo.plan import Plan
from faristol.demo.readiness import open_lexicon
from faristol.demo.table import DemoTable, Placed, State
from faristol.host import Settings, StartError
from faristol.kernel.times import to_datetime
from faristol.launcher.director_link import local_channels
from faristol.launcher.processes import running
from faristol.pb.access.v1 import access_pb2
from faristol.pb.access.v1 import events_pb2 as access_events
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.game.v1 import game_pb2
from faristol.pb.lexicon.v1 import adjudication_pb2_grpc
from faristol.pb.pairing.v1 import pairing_pb2
from faristol.pb.pairing.v1.events_pb2 import Pairing
from faristol.presentation.page_addresses import game_path, tournament_path
from faristol.text import LANGUAGE_NAMES

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"

PICTURE_SIZE: ViewportSize = {"width": 1280, "height": 960}
SHOWN_WIDTH_PX = 1_000
COLOURS_COUNT = 128

ROUND_NUMBER = 2
"""The round in the pictures."""
ROUND_AGE = timedelta(minutes=18)
LEAST_AGE = timedelta(seconds=90)
"""Age of the last play at a table whose game goes on."""

JUDGE_ID, HEAD_ID = "marta", "head"
LEASE_SECONDS, ESCALATION_SECONDS = 60, 3_600
LINK_LIFETIME_SECONDS = 3_600


@dataclass(frozen=True)
class PicturePlan(Plan):
    """The plan of the demonstration, under the name of a championship."""

    @property
    def title(self) -> str:
        """Name of the tournament."""
        return "Open Mediterrani"


class Interrupted(Exception):
    """A game that goes on after the pictures."""


class TableInPlay(DemoTable):
    """A table that stops at a challenge, or before its plays would be dated ahead of the clock."""

    async def _take_turn(self, game: State) -> str:
        if to_datetime(game.occurred_at) > datetime.now(UTC) - LEAST_AGE:
            raise Interrupted
        return await super()._take_turn(game)

    async def _doubt(self, game: State, placed: Placed) -> bool:
        if await super()._doubt(game, placed):
            raise Interrupted
        return False


@dataclass(frozen=True)
class RoundInPlay(Championship):
    """A director in the second round, while games go on and challenges await a judge."""

    adjudication: adjudication_pb2_grpc.AdjudicationServiceAsyncStub

    async def prepare(self) -> str:
        """Play to the middle of the round; return the id of its longest unfinished game."""
        await self.create()
        async with self.cast.director():
            tournament = await self._register_players()
            for number in range(1, ROUND_NUMBER):
                await self._play_round(number, tournament)
                await self._results_in(number)
                close = pairing_pb2.CloseRoundRequest(round=number)
                when = self.plan.round_end(number, self.now)
                await self.send(close, when, "close", number)
            await self.appoint_judges(
                JUDGE_ID,
                HEAD_ID,
                lease_seconds=LEASE_SECONDS,
                escalate_after_seconds=ESCALATION_SECONDS,
            )
            await self._play_round(ROUND_NUMBER, tournament)
            paired = (await call(self.api.pairing.GetTournament, self._which())).played[-1].pairings
            games = [
                await call(self.api.game.GetGame, game_pb2.GetGameRequest(game_id=seat.game_id)) for seat in paired
            ]
            unfinished = [game for game in games if game.phase == game_pb2.PHASE_TURN]
            return max(unfinished, key=attrgetter("turn")).game_id

    async def _play_table(self, seat: Pairing) -> None:
        if seat.game_id.split("-")[-2] != f"r{ROUND_NUMBER}":
            await super()._play_table(seat)
            return
        async with self.cast.scorer(seat.table):
            table = TableInPlay(self.api, self.plan, seat.game_id, self.graph, self.cast)
            with suppress(Interrupted):
                await table.play()


async def take_pictures(folder: Path) -> None:
    """Write the pictures of every language below a folder."""
    chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if chromium is None:
        raise StartError("there is no Chromium: install it to take pictures")
    plan = PicturePlan(players=16, rounds=5, seed=7, ruleset="fisc-2023")
    now = datetime.now(UTC) - ROUND_AGE + (plan.rounds - ROUND_NUMBER + 1) * plan.round_every
    with tempfile.TemporaryDirectory(prefix="faristol-") as data:
        settings = Settings(data=Path(data), http_port=0, grpc_port=0)
        lexicon, graph = open_lexicon(settings, plan)
        async with running(settings) as process, async_playwright() as playwright:
            channels = local_channels(process)
            api = Api(channels.channel)
            stub: Any = adjudication_pb2_grpc.AdjudicationServiceStub(channels.channel("lexicon"))
            director = RoundInPlay(api, plan, graph, lexicon, now, stub)
            game_id = await director.prepare()
            browser = await playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            for language in LANGUAGE_NAMES:
                await _take_of_language(browser, api, process.http_address, plan, game_id, folder / language, language)
            await browser.close()
            await channels.close()


async def _take_of_language(
    browser: Browser, api: Api, address: str, plan: Plan, game_id: str, folder: Path, language: str
) -> None:
    console = tournament_path(plan.tournament_id, "console")
    pages = (
        ("public", needs.ROLE_UNSPECIFIED, game_path(game_id), ""),
        ("console", needs.ROLE_DIRECTOR, console, ""),
        ("judge", needs.ROLE_JUDGE, "/judge", "#cases button"),
    )
    for name, role, path, button in pages:
        context = await browser.new_context(locale=language, base_url=address, viewport=PICTURE_SIZE)
        page = await context.new_page()
        if role:
            await page.goto(await _grant_link(api, address, plan, role))
            await page.locator("#by-link button").click()
            await page.wait_for_url(lambda url: "sign-in" not in url)
        await page.goto(path)
        if button:
            await page.locator(button).first.click()
            await page.wait_for_load_state("networkidle")
        write_picture(await page.screenshot(), folder / f"{name}.png")
        if button:
            await page.locator("#release").click()
            await page.wait_for_url("**/judge")
        await context.close()


async def _grant_link(api: Api, address: str, plan: Plan, role: needs.Role.ValueType) -> str:
    request = access_pb2.GrantCredentialRequest(
        command_id=str(uuid.uuid4()),
        name="Marta" if role == needs.ROLE_JUDGE else "Eva Soler",
        subject_id=JUDGE_ID if role == needs.ROLE_JUDGE else "eva",
        role=role,
        scope=access_events.Scope(tournament_ids=[plan.tournament_id]),
        lifetime_seconds=LINK_LIFETIME_SECONDS,
        form=access_events.FORM_LINK,
    )
    return sign_in_link(address, (await call(api.access.GrantCredential, request)).code)


def write_picture(png: bytes, file: Path) -> None:
    """Write a picture narrower and with fewer colours, in a quarter of its bytes."""
    file.parent.mkdir(parents=True, exist_ok=True)
    shot = Image.open(io.BytesIO(png)).convert("RGB")
    height = round(shot.height * SHOWN_WIDTH_PX / shot.width)
    small = shot.resize((SHOWN_WIDTH_PX, height), Image.Resampling.LANCZOS)
    small.quantize(COLOURS_COUNT, dither=Image.Dither.NONE).save(file, optimize=True)


if __name__ == "__main__":
    asyncio.run(take_pictures(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER))
