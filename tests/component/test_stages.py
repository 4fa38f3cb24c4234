"""A championship with a final, by the forms of the console, on its pages and as JSON."""

from __future__ import annotations

import re
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest_asyncio
from tests.component.officials import do
from tests.support.access_cell import Cell, build_credential
from tests.support.plain_http import PLAIN

from faristol.host import SERVICES, Settings
from faristol.launcher.processes import running
from faristol.pb.access.v1 import needs_pb2 as needs
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing

DIRECTOR = build_credential(needs.ROLE_DIRECTOR, tournament="", subject="dora")
CONSOLE = "/tournaments/copa/console/stages"


@dataclass(frozen=True)
class Site:
    """A cell, as a director of all tournaments sees it."""

    web: httpx.AsyncClient
    cell: Cell

    async def ask(self, request: Any) -> Any:
        """Return the answer to a request, with an id if it needs one."""
        return await do(self.cell, request, DIRECTOR)

    async def send(self, path: str, act: str, **fields: str) -> httpx.Response:
        """Send a form of the console, and return the page that follows."""
        form = {"act": act, "command_id": str(uuid.uuid4()), **fields}
        return await self.web.post(path, data=form, headers={"Sec-Fetch-Site": "same-origin"}, follow_redirects=True)

    async def play(self, tournament_id: str, first: int, last: int) -> None:
        """Play rounds, in which the player with the lower number wins."""
        for number in range(first, last + 1):
            await self.ask(pairing.PairRoundRequest(tournament_id=tournament_id, round=number))
            await self.ask(pairing.StartRoundRequest(tournament_id=tournament_id, round=number))
            listed = await self.ask(pairing.ListResultsRequest(tournament_id=tournament_id))
            for table in listed.tables:
                scores = [
                    game_events.FinalScore(player_id=each.player_id, score=500 - 10 * int(each.player_id[1:]))
                    for each in table.players
                ]
                await self.ask(
                    pairing.EnterResultRequest(
                        tournament_id=tournament_id, game_id=table.game_id, scores=scores, arbiter_id="eva"
                    )
                )
            await self.ask(pairing.CloseRoundRequest(tournament_id=tournament_id, round=number))


@pytest_asyncio.fixture
async def site(tmp_path: Path, shared_nats: str, no_open: None) -> AsyncIterator[Site]:
    given = {
        "data": tmp_path,
        "open": False,
        "nats_url": shared_nats,
        "http_port": 0,
        "grpc_port": 0,
        "grace_seconds": 0.1,
    }
    async with (
        running(Settings.model_validate({**given, "grace_seconds": 0.1}), SERVICES) as process,
        grpc.aio.insecure_channel(process.grpc_address) as channel,
        httpx.AsyncClient(verify=PLAIN, base_url=process.http_address, timeout=60) as web,
    ):
        cell = Cell(process, channel, tmp_path, {})
        web.cookies.set("faristol", cell.token(DIRECTOR))
        yield Site(web, cell)


async def test_groups_and_the_knock_out_of_their_winners_are_added_by_forms(site: Site) -> None:
    await site.ask(
        pairing.CreateTournamentRequest(
            tournament_id="copa", name="Copa", rounds=5, without_lexicon=True, keeping=game_events.KEEPING_RECORDED
        )
    )
    for number in range(1, 9):
        player = {"player_id": f"p{number}", "name": f"Player {number}", "rating": 2000 - number}
        await site.ask(pairing.RegisterPlayerRequest(tournament_id="copa", **player))  # type: ignore[arg-type]
    of_groups = {"plan": "round-robin", "last_place": "8", "groups": "2", "by_rating": "1", "first_stage": "Entries"}
    for group, name in (("1", "A"), ("2", "B")):
        added = await site.send(CONSOLE, "CreateStage", name=name, group=group, **of_groups)
        assert added.status_code == HTTPStatus.OK, added.text
        of_groups.pop("first_stage", None)
        await site.send(f"/tournaments/copa-{name.lower()}/console/stages", "QualifyPlayers")
        await site.play(f"copa-{name.lower()}", 1, 3)
    page = (await site.web.get("/tournaments/copa-a/console/stages")).text
    assert "Players also qualify in B" in page
    form = {
        "name": "Final",
        "plan": "knock-out",
        "last_place": "2",
        "options.match_games": "1",
        "source_ids.1": "copa-b",
    }
    added = await site.send("/tournaments/copa-a/console/stages", "CreateStage", **form)
    assert added.status_code == HTTPStatus.OK, added.text
    await site.send("/tournaments/copa-final/console/stages", "QualifyPlayers")
    found = await site.ask(pairing.GetTournamentRequest(tournament_id="copa-final"))
    assert [player.player_id for player in found.players] == ["p1", "p2", "p4", "p3"]
    assert list(found.stage.source_ids) == ["copa-a", "copa-b"]


async def test_a_final_is_added_by_a_form_played_to_its_medals_and_shown_with_its_bracket(site: Site) -> None:
    await site.ask(
        pairing.CreateTournamentRequest(
            tournament_id="copa",
            name="Copa",
            rounds=5,
            without_lexicon=True,
            keeping=game_events.KEEPING_RECORDED,
        )
    )
    for number in range(1, 9):
        player = {"player_id": f"p{number}", "name": f"Player {number}", "rating": 2000 - number}
        await site.ask(pairing.RegisterPlayerRequest(tournament_id="copa", **player))  # type: ignore[arg-type]
    page = (await site.web.get(CONSOLE)).text
    assert "Add a stage after this one" in page
    assert 'href="/tournaments/copa/stages"' not in (await site.web.get("/tournaments/copa")).text
    wrong = await site.send(
        CONSOLE, "CreateStage", name="Final", first_stage="Swiss", plan="round-robin", last_place=""
    )
    assert wrong.status_code == HTTPStatus.BAD_REQUEST
    assert "expected 1 to" in wrong.text
    games = {"options.match_games": "3", "options.final_games": "5"}
    added = await site.send(CONSOLE, "CreateStage", name="Final", first_stage="Swiss", plan="semi-finals", **games)
    assert added.status_code == HTTPStatus.OK, added.text
    assert "0 of 8 rounds closed" in added.text
    early = await site.send("/tournaments/copa-final/console/stages", "QualifyPlayers")
    assert early.status_code == HTTPStatus.CONFLICT
    assert "Copa Swiss is not finished: 0 of 5 rounds are closed." in early.text
    await site.play("copa", 1, 4)
    chances = (await site.web.get("/api/v1/tournaments/copa/prospects")).json()
    assert [(goal["kind"], goal["last_place"]) for goal in chances["goals"]] == [("place", 1), ("qualification", 4)]
    assert {each["chance"] for line in chances["lines"] for each in line["goals"]} == {"alive", "out", "safe"}
    shown = (await site.web.get("/tournaments/copa/prospects?player=p1")).text
    assert "Qualification: Final" in shown
    await site.play("copa", 5, 5)
    qualified = await site.send("/tournaments/copa-final/console/stages", "QualifyPlayers")
    assert "4 players are registered by their seeds." in qualified.text
    assert "Apply the changes" not in qualified.text
    await site.ask(pairing.WithdrawPlayerRequest(tournament_id="copa-final", player_id="p2"))
    final_console = "/tournaments/copa-final/console/stages"
    offered = (await site.web.get(final_console)).text
    for text in ("Results or withdrawals since then have changed it:", "joins", "new seed", "Apply the changes"):
        assert text in offered
    applied = await site.send(final_console, "QualifyPlayers")
    assert "4 players are registered by their seeds." in applied.text
    assert "Apply the changes" not in applied.text
    history = (await site.web.get("/tournaments/copa-final/console/history")).text
    assert "Registered by their seeds:" in history
    await site.ask(pairing.ReinstatePlayerRequest(tournament_id="copa-final", player_id="p2"))
    await site.send(final_console, "QualifyPlayers")
    standings = (await site.web.get("/api/v1/tournaments/copa/standings")).json()["standings"]
    seeds = [line["player_id"] for line in standings[:4]]
    await site.play("copa-final", 1, 2)
    so_far = (await site.web.get("/api/v1/tournaments/copa/stages")).json()
    assert so_far["finished"] is False
    assert [line["player_id"] for line in so_far["final_table"][4:]] == [each["player_id"] for each in standings[4:]]
    await site.play("copa-final", 3, 5)
    done = await site.ask(pairing.PublishStandingsRequest(tournament_id="copa-final"))
    published = {"min_position": str(done.position)}
    found = (await site.web.get("/api/v1/tournaments/copa-final/stages", params=published)).json()
    assert found["finished"] is True
    places = [(line["first_place"], line["last_place"], line["player_id"]) for line in found["final_table"]]
    assert [place[:2] for place in places] == [(number, number) for number in range(1, 9)]
    assert [place[2] for place in places[:4]] == sorted(seeds)
    final = found["stages"][1]
    assert (final["system"], final["closed_rounds"], final["levels"]) == ("knock-out", 5, 2)
    assert [len(match["games"]) for match in final["matches"]] == [2, 2, 3, 2]
    ranked = (await site.web.get("/api/v1/tournaments/copa-final/standings")).json()["standings"]
    assert [line["rank"] for line in ranked] == [1, 2, 3, 4]
    page = (await site.web.get("/tournaments/copa/stages")).text
    for text in ("Final table", "Semi-finals", "Final match", "Places 3 to 4"):
        assert f">{text}<" in page
    assert re.search(r'<li class="won">.*?Player 1', page, re.DOTALL)
    assert 'href="/tournaments/copa/stages"' in (await site.web.get("/tournaments/copa")).text
    assert "Division Final" not in page
    assert (await site.web.get("/tournaments/copa-final/prospects")).status_code == HTTPStatus.CONFLICT
