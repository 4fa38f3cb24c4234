from __future__ import annotations

import pytest
from tests.unit.gateway.stage import Stage
from tests.unit.results.synthetic import Championship

from faristol.pb.pairing.v1 import events_pb2 as pairing

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_prizes_are_those_of_the_plays_and_results_on_the_record(finished: Stage) -> None:
    answer = (await finished.http.get("/api/v1/tournaments/lliga/prizes")).json()
    found = {prize["kind"]: prize for prize in answer["prizes"]}
    assert list(found) == ["bingos", "high_game", "high_play", "spread"]
    game = (await finished.http.get("/api/v1/games/lliga-r1-t1")).json()
    plays = [entry for entry in game["entries"] if entry["kind"] == "play"]
    best = max(plays, key=lambda entry: entry["score"])
    (winner,) = found["high_play"]["winners"]
    assert (found["high_play"]["value"], winner["player_id"]) == (best["score"], best["player_id"])
    assert winner["word"] == "TIMBALS"
    standings = (await finished.http.get("/api/v1/tournaments/lliga/standings")).json()["standings"]
    assert found["spread"]["value"] == max(line["spread"] for line in standings)
    page = await finished.http.get("/t/lliga/prizes", headers={"Accept-Language": "ca"})
    assert "Jugada més alta" in page.text
    assert "TIMBALS" in page.text


async def test_the_prizes_shown_are_those_that_the_organiser_offers(stage: Stage) -> None:
    hall = Championship()
    await stage.add(*hall.create(), *hall.first_round())
    offered = pairing.PrizesOffered(prizes=[pairing.PRIZE_KIND_HIGH_GAME], occurred_at=hall.at())
    position = await stage.add({hall.stream: [offered]})
    answer = (await stage.http.get(f"/api/v1/tournaments/lliga/prizes?min_position={position}")).json()
    assert [prize["kind"] for prize in answer["prizes"]] == ["high_game"]
    await stage.add({hall.stream: [pairing.PrizesOffered(occurred_at=hall.at())]})
    page = await stage.http.get("/t/lliga/prizes", headers={"Accept-Language": "en"})
    assert "There are no special prizes." in page.text
