"""The pages of a federation's year and of a final, with content, in both colour schemes of a phone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Browser
from tests.axe.checker import serious
from tests.browser.test_phone import FAINT, WIDE
from tests.component.officials import do
from tests.component.test_register import FEDERATION, Federation
from tests.component.test_stages import DIRECTOR, Site
from tests.support.access_cell import Cell
from tests.support.plain_http import PLAIN

from faristol.host import SERVICES, Settings
from faristol.launcher.processes import running
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.rating.v1 import federation_pb2 as rating_lists
from faristol.pb.register.v1 import events_pb2 as register_events
from faristol.pb.register.v1 import register_pb2 as register
from faristol.pb.season.v1 import events_pb2 as season_events
from faristol.pb.season.v1 import season_pb2 as season

pytestmark = [pytest.mark.browser, pytest.mark.nightly, pytest.mark.asyncio(loop_scope="module")]

MEMBERS = """id,name,club,birth_year,federation_id,rating,licence_kind,licence_to
p1,Player 1,CE Valls,2010,17,1500,competition,2099-08-31
p2,Player 2,CE Vic,1987,18,1400,competition,2020-08-31
,Carla Gil,CE Vic,,19,,,
"""
LATER = """name,club,federation_id,rating
Player 1,CE Reus,17,1550
Carla Gil,CE Vic,99,
Dolors Vidal,CE Vic,21,1300
"""
PUBLIC = (
    "/seasons",
    "/seasons/year",
    "/seasons/year/bests",
    "/seasons/year/circuits/cup",
    "/seasons/year/circuits/cup/p1",
    "/ratings",
    "/ratings/1",
    "/ratings/1?revision=0",
    "/players/p1",
    "/players/p1/career",
    "/players/p1/career/p2",
    "/tournaments/open",
    "/tournaments/open/prospects",
    "/tournaments/open/prospects?player=p1",
    "/tournaments/copa",
    "/tournaments/copa/stages",
    "/tournaments/copa-final",
    "/tournaments/copa-final/stages",
    "/tournaments/copa-final/crosstable",
)
OF_FEDERATION = (
    "/federation/seasons",
    "/federation/seasons/year",
    "/federation/ratings",
    "/federation/persons",
    "/federation/register",
    "/federation/register/persons/p1",
    "/federation/register/import",
    "/federation/register/clubs",
    "/federation/register/history",
    "/federation/register/categories",
)
OF_DIRECTOR = (
    "/tournaments/copa/console",
    "/tournaments/copa/console/stages",
    "/tournaments/copa-final/console",
    "/tournaments/copa-final/console/stages",
    "/tournaments/copa-final/console/round/1",
    "/tournaments/open/console/players",
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def site(tmp_path_factory: pytest.TempPathFactory, shared_nats: str, no_open: None) -> AsyncIterator[Site]:
    """Yield a cell with a season, a revised rating list, a register, and a final whose semi-finals are played."""
    folder: Path = tmp_path_factory.mktemp("year")
    given = {"data": folder, "open": False, "nats_url": shared_nats, "http_port": 0, "grpc_port": 0}
    async with (
        running(Settings.model_validate({**given, "grace_seconds": 0.1}), SERVICES) as process,
        grpc.aio.insecure_channel(process.grpc_address) as channel,
        httpx.AsyncClient(verify=PLAIN, base_url=process.http_address, timeout=60) as web,
    ):
        made = Site(web, Cell(process, channel, folder, {}))
        web.cookies.set("faristol", made.cell.token(DIRECTOR))
        await prepare(made)
        yield made


async def prepare(site: Site) -> None:
    """Play the tournaments and the final, and do the work of the federation."""

    async def decide(request: Any) -> Any:
        return await do(site.cell, request, FEDERATION)

    for tournament_id, rounds in (("copa", 3), ("open", 5)):
        about: dict[str, Any] = {"tournament_id": tournament_id, "name": tournament_id.title(), "ruleset": "fise"}
        keeping = game_events.KEEPING_RECORDED
        await site.ask(pairing.CreateTournamentRequest(**about, rounds=rounds, without_lexicon=True, keeping=keeping))
        for number in range(1, 9):
            player: dict[str, Any] = {"player_id": f"p{number}", "name": f"Player {number}", "rating": 2000 - number}
            await site.ask(pairing.RegisterPlayerRequest(tournament_id=tournament_id, **player))
    games = {"options.match_games": "3", "options.final_games": "5"}
    await site.send(
        "/tournaments/copa/console/stages",
        "CreateStage",
        name="Final",
        first_stage="Swiss",
        plan="semi-finals",
        **games,
    )
    await site.play("copa", 1, 3)
    await site.send("/tournaments/copa-final/console/stages", "QualifyPlayers")
    await site.play("copa-final", 1, 3)
    await site.play("open", 1, 4)
    federation = Federation(site.web, site.cell)
    await decide(season.CreateSeasonRequest(season_id="year", name="Season 2026", starts_on="2000-01-01"))
    basis = season_events.POINTS_BASIS_FIELD
    circuit: dict[str, Any] = {"season_id": "year", "circuit_id": "cup"}
    await decide(season.SetCircuitRequest(**circuit, name="Cup", basis=basis, qualified_places=3))
    await decide(season.AddCircuitTournamentRequest(**circuit, tournament_id="copa"))
    categories = [register_events.AgeCategory(name="U18", max_age=17)]
    await decide(register.SetCategoriesRequest(season_id="year", year=2026, categories=categories))
    await federation.take(MEMBERS, name="Members")
    await decide(rating_lists.PublishFederationListRequest(name="First", tournament_ids=["copa"]))
    listed = await site.ask(pairing.ListResultsRequest(tournament_id="copa", round=3))
    for table, act in zip(listed.tables, (rating_lists.ReviseFederationListRequest(number=1), None), strict=False):
        scores = [
            game_events.FinalScore(player_id=each.player_id, score=300 + 100 * place)
            for place, each in enumerate(sorted(table.players, key=lambda each: each.player_id))
        ]
        await site.ask(
            pairing.CorrectResultRequest(
                tournament_id="copa", game_id=table.game_id, scores=scores, arbiter_id="eva", note="exchanged"
            )
        )
        if act is not None:  # the second correction waits for a revision
            await decide(act)


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_no_page_of_a_year_and_of_a_final_keeps_anybody_out(browser: Browser, site: Site, scheme: Any) -> None:
    address = site.cell.process.http_address
    context = await browser.new_context(
        base_url=address, viewport={"width": 390, "height": 780}, locale="en", color_scheme=scheme
    )
    page = await context.new_page()
    wrong: dict[str, object] = {}
    for paths, credential in ((PUBLIC, None), (OF_FEDERATION, FEDERATION), (OF_DIRECTOR, DIRECTOR)):
        if credential is not None:
            token = site.cell.token(credential)
            await context.add_cookies([{"name": "faristol", "value": token, "url": address}])
        for path in paths:
            answer = await page.goto(path)
            assert answer is not None
            if not answer.ok:
                wrong[path] = answer.status
                continue
            if path.endswith("/import"):
                await page.locator("#f-text").fill(LATER)
                await page.get_by_role("button", name="Preview").click()
                await page.locator("button[value=all]").wait_for()
            await page.evaluate("() => document.querySelectorAll('main details').forEach((each) => (each.open = true))")
            found = [await page.evaluate(WIDE), *await page.evaluate(FAINT), *await serious(page)]
            if any(found):
                wrong[path] = found
    await context.close()
    assert not wrong, "\n".join(f"{where}: {what}" for where, what in wrong.items())
