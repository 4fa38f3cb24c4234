"""The public data of a duplicate game: pages, JSON and notifications; no data of a turn before it is scored."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator

import httpx
import jsonschema_rs
import pytest
from tests.component.test_duplicate import CUP, FIRST, Stage, open_stage
from tests.support.plain_http import PLAIN

from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb

READ = (
    f"/duplicate/{FIRST}",
    f"/duplicate/{FIRST}/screen",
    f"/duplicate/{FIRST}/players/anna",
    f"/tournaments/{CUP}",
    f"/tournaments/{CUP}/duplicate",
    f"/api/v1/tournaments/{CUP}/duplicate-standings",
    *(f"/tournaments/{CUP}/print/round/1/{kind}" for kind in ("playslips", "seats", "playsheets", "ranking")),
    f"/tournaments/{CUP}/print/sum",
    f"/tournaments/{CUP}/round/1",
    f"/api/v1/duplicate/{FIRST}",
    f"/api/v1/duplicate/{FIRST}/standings",
    f"/api/v1/duplicate/{FIRST}/sheets",
    f"/api/v1/duplicate/{FIRST}/sheets?hall=Nord",
    f"/api/v1/tournaments/{CUP}",
)
"""Addresses that a stranger can read."""

SAME = {
    f"/tournaments/{CUP}/round/1",
    f"/api/v1/tournaments/{CUP}",
    *(f"/tournaments/{CUP}/print/round/1/{kind}" for kind in ("playslips", "seats")),
}
"""Events without scores of a turn."""


@pytest.fixture
async def stage(shared_nats: str) -> AsyncIterator[Stage]:
    async with open_stage(shared_nats, "gateway") as made:
        yield made


@pytest.fixture
async def stranger(stage: Stage) -> AsyncIterator[httpx.AsyncClient]:
    """Yield a client without a credential and without a cache."""
    headers = {"Cache-Control": "no-cache", "Accept-Language": "en"}
    async with httpx.AsyncClient(verify=PLAIN, base_url=stage.http_address, headers=headers, timeout=20) as http:
        yield http


async def read(stranger: httpx.AsyncClient) -> dict[str, str]:
    """Return all public data, without the position of the answers."""
    found = {}
    for address in READ:
        answer = await stranger.get(address)
        assert answer.status_code == 200, (address, answer.text)
        found[address] = re.sub(r'(data-position="|"position":)\d+', r"\1", answer.text)
    return found


async def news(stranger: httpx.AsyncClient, last: str) -> list[dict[str, object]]:
    """Return the news of the tournament up to a type."""
    found = []
    async with stranger.stream("GET", f"/api/v1/tournaments/{CUP}/stream") as answer:
        async for line in answer.aiter_lines():
            if line.startswith("data: "):
                found.append(json.loads(line.removeprefix("data: ")))
                if found[-1]["type"] == last:
                    break
    return found


async def close(stage: Stage) -> None:
    """Close both halls."""
    for hall in ("Nord", "Sud"):
        await stage.ask(pb.CloseHallRequest(turn=1, hall=hall, collector_id="collector"))


async def test_no_slip_top_or_score_leaves_the_services_before_its_turn_is_scored(
    stage: Stage, stranger: httpx.AsyncClient
) -> None:
    before = await read(stranger)
    await stage.slip("anna", "H4", "C A S E R N A")
    await stage.slip("didac", "H8", "C A S A", hall="Sud")
    assert await read(stranger) == before, "slips are in"
    stage.clock.wait(180)
    over = await read(stranger)
    await close(stage)
    assert (await stage.ask(pb.ListTopsRequest(turn=1))).plays
    ruled = events.Slip(player_id="blai", coordinates="H5", word="C A S E R N A")
    await stage.ask(pb.RuleSlipRequest(turn=1, hall="Nord", slip=ruled, reason="so it stands", arbiter_id="judge"))
    await stage.ask(pb.ChooseMasterRequest(turn=1, arbiter_id="judge"))
    assert await read(stranger) == over, "the judge has chosen"

    await stage.ask(pb.ScoreTurnRequest(turn=1, arbiter_id="judge"))
    after = await read(stranger)
    changed = {address for address in READ if after[address] != over[address]}
    assert changed == set(READ) - SAME
    assert "CASERNA" in after[READ[0]].replace(" ", "")
    told = await news(stranger, "TurnCompleted")
    assert {"RackCalled", "TurnTimerStarted", "TimeCalled", "HallClosed", "TurnScored"} <= {
        each["type"] for each in told
    }
    assert not {"SlipsTaken", "SlipRuled", "MasterPlayChosen"} & {each["type"] for each in told}
    keys = {"position", "type", "tournament_id", "game_id", "round", "table", "recorded_at"}
    assert all(each.keys() == keys for each in told)
    of_game = [(each["game_id"], each["round"]) for each in told if each["type"] in ("RackCalled", "TurnScored")]
    assert set(of_game) == {(FIRST, 1)}


async def test_before_the_first_scored_turn_the_players_are_shown_and_no_ranks(
    stage: Stage, stranger: httpx.AsyncClient
) -> None:
    for page in (f"/tournaments/{CUP}", f"/tournaments/{CUP}/embed/standings"):
        shown = (await stranger.get(f"{page}?lang=en")).text
        assert 'id="players"' in shown, page
        assert "Anna" in shown, page
        assert "data-rank" not in shown, page
    await stage.slip("anna", "H4", "C A S E R N A")
    stage.clock.wait(180)
    await close(stage)
    await stage.ask(pb.ScoreTurnRequest(turn=1, arbiter_id="judge"))
    shown = (await stranger.get(f"/tournaments/{CUP}?lang=en")).text
    assert 'data-rank="1"' in shown
    assert 'id="players"' not in shown


async def test_a_scored_turn_stands_on_pages_and_in_json(stage: Stage, stranger: httpx.AsyncClient) -> None:
    unknown = await stranger.get(f"/api/v1/duplicate/{FIRST}/sheets?hall=Est")
    assert (unknown.status_code, unknown.json()["detail"]) == (404, "there is no hall 'Est'")
    assert f'href="/duplicate/{FIRST}"' in (await stranger.get(f"/tournaments/{CUP}/round/1")).text
    await stage.slip("anna", "H4", "C A S E R N A")
    await stage.slip("blai", "", "C A S A")
    stage.clock.wait(180)
    await close(stage)
    await stage.ask(pb.ScoreTurnRequest(turn=1, arbiter_id="judge"))

    game = (await stranger.get(f"/api/v1/duplicate/{FIRST}")).json()
    assert (game["round"], game["turns"][0]["top"], game["turns"][0]["master"]["coordinates"]) == (1, 70, "H4")
    assert (len(game["board"]), game["seed"]) == (7, "")
    lines = (await stranger.get(f"/api/v1/duplicate/{FIRST}/standings")).json()["standings"]
    assert (lines[0]["rank"], lines[0]["name"], lines[0]["total"], lines[0]["percent"]) == (1, "Anna", 70, 100)
    sheets = (await stranger.get(f"/api/v1/duplicate/{FIRST}/sheets", params={"player": "blai"})).json()["sheets"]
    assert [(sheet["player_id"], sheet["hall"], sheet["slips"][0]["fault"]) for sheet in sheets] == [
        ("blai", "Nord", "coordinates")
    ]
    document = (await stranger.get("/openapi.json")).json()
    for resource in (each for each in READ if "/duplicate" in each and each.startswith("/api") and "?" not in each):
        path = resource.replace(FIRST, "{game_id}").replace(f"/{CUP}/", "/{tournament_id}/")
        schema = document["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        described = jsonschema_rs.validator_for({**schema, "components": document["components"]})
        assert not [str(problem) for problem in described.iter_errors((await stranger.get(resource)).json())]
    for language, word in (("ca", "Jugada mestra"), ("es", "Jugada maestra"), ("el", "Κύρια κίνηση")):
        for address in (f"/duplicate/{FIRST}", f"/duplicate/{FIRST}/players/blai"):
            assert word in (await stranger.get(address, params={"lang": language})).text
    assert "coordenades" in (await stranger.get(f"/duplicate/{FIRST}/players/blai?lang=ca")).text


async def test_what_there_is_not_is_not_found_and_of_a_duplicate_game_there_is_no_gcg_file(
    stranger: httpx.AsyncClient,
) -> None:
    for address in ("cup-r9", "nothing", f"{FIRST}/players/nobody", "x-r1"):
        assert (await stranger.get(f"/duplicate/{address}")).status_code == 404
        answer = await stranger.get(f"/api/v1/duplicate/{address}".replace("/players/", "/sheets?player="))
        assert (answer.status_code, answer.json()["reason"]) == (404, "NOT_FOUND")
    answer = await stranger.get(f"/api/v1/games/{FIRST}.gcg")
    assert answer.status_code == 409
    assert (answer.json()["reason"], answer.json()["instead"]) == ("DUPLICATE_GAME", f"/api/v1/duplicate/{FIRST}")
    assert (await stranger.get("/api/v1/games/cup-r9.gcg")).status_code == 404


async def test_who_opens_the_tournament_finds_its_duplicate_games_and_nothing_of_tables(
    stage: Stage, stranger: httpx.AsyncClient
) -> None:
    shown = (await stranger.get(f"/tournaments/{CUP}?lang=en")).text
    assert f'href="/duplicate/{FIRST}"' in shown
    assert re.search(r"Game 1 of \d is being played", shown)
    links = (await stranger.get(f"/api/v1/tournaments/{CUP}")).json()["tournament"]["links"]
    for part in ("crosstable", "teams", "rulings"):
        assert (await stranger.get(links[part])).status_code == 200, part
    for number, instead in ((1, f"/api/v1/duplicate/{FIRST}"), (9, f"/api/v1/tournaments/{CUP}")):
        answer = await stranger.get(f"/api/v1/tournaments/{CUP}/rounds/{number}/pairings")
        assert (answer.status_code, answer.json()["instead"]) == (409, instead)
        assert answer.links["related"]["url"] == instead
    of_round = (await stranger.get(f"/tournaments/{CUP}/round/1?lang=en")).text
    for text in (shown, of_round):
        assert not [each for each in ("W–D–L", "tables finished", "Crosstable", "Not in this round") if each in text]
