from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from google.protobuf.message import Message
from tests.support.stage import Stage
from tests.support.synthetic import Championship, game_id

from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_prizes_are_those_of_the_plays_and_results_on_the_record(finished_stage: Stage) -> None:
    answer = (await finished_stage.http.get("/api/v1/tournaments/lliga/prizes")).json()
    found = {prize["kind"]: prize for prize in answer["prizes"]}
    assert list(found) == ["bingos", "high_game", "high_play", "spread"]
    shown = (await finished_stage.http.get("/api/v1/games/lliga-r1-t1")).json()
    plays = [entry for entry in shown["entries"] if entry["kind"] == "play"]
    best = max(plays, key=lambda entry: entry["score"])
    (winner,) = found["high_play"]["winners"]
    assert (found["high_play"]["value"], winner["player_id"]) == (best["score"], best["player_id"])
    assert winner["word"] == "TIMBALS"
    standings = (await finished_stage.http.get("/api/v1/tournaments/lliga/standings")).json()["standings"]
    assert found["spread"]["value"] == max(line["spread"] for line in standings)
    page = await finished_stage.http.get("/tournaments/lliga/prizes", headers={"Accept-Language": "ca"})
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
    page = await stage.http.get("/tournaments/lliga/prizes", headers={"Accept-Language": "en"})
    assert "There are no special prizes." in page.text


async def test_prizes_follow_every_play_and_every_one_that_is_withdrawn(stage: Stage) -> None:
    hall = Championship()
    path = "/api/v1/tournaments/lliga/prizes"
    await stage.add(*hall.create())
    assert (await stage.http.get(path)).status_code == 200
    shown: dict[str, list[dict[str, Any]]] = {}
    for step in (*hall.first_round(), *hall.second_round()):
        await stage.add(step)
        told = {prize["kind"]: prize["value"] for prize in (await stage.http.get(path)).json()["prizes"]}
        for stream in step:
            kind, _, changed = stream.partition("-")
            if kind == "game":
                shown[changed] = (await stage.http.get(f"/api/v1/games/{changed}")).json()["entries"]
        standing = [
            entry for entries in shown.values() for entry in entries if entry["kind"] == "play" and entry["complete"]
        ]
        bingos = Counter(entry["player_id"] for entry in standing if entry["bingo"])
        assert told["high_play"] == max((entry["score"] for entry in standing), default=0)
        assert told["bingos"] == max(bingos.values(), default=0)
    assert told["bingos"] > 0


async def by_hand(stage: Stage, rounds: int) -> str:
    """Prepare a championship with a first round closed with typed results; return the page of its prizes."""
    hall = Championship()
    results: list[Message] = [
        pairing.ResultRecorded(
            round=1,
            game_id=game_id(1, number),
            scores=[game.FinalScore(player_id=player, score=300) for player in players],
        )
        for number, players in enumerate((("anna", "carme"), ("biel", "dolors")), 1)
    ]
    paired = hall.pair(1, [("anna", "carme"), ("biel", "dolors")], "eloi")
    await stage.add(*hall.create(rounds), *paired, *hall.begin(1), {hall.stream: results}, *hall.close(1))
    return (await stage.http.get("/tournaments/lliga/prizes", headers={"Accept-Language": "en"})).text


async def test_after_the_last_round_a_prize_for_plays_that_were_not_recorded_says_so(stage: Stage) -> None:
    page = await by_hand(stage, rounds=1)
    parts = {part.split("</h3>")[0].split(":")[0]: part for part in page.split("<h3>")[1:]}
    for kind in ("Most bingos", "Highest-scoring play"):
        assert "Not recorded: the record has no plays." in parts[kind]
    assert ">None.<" in parts["Largest spread"]
    assert "None yet" not in page
    answer = (await stage.http.get("/api/v1/tournaments/lliga/prizes")).json()
    assert answer["over"]
    unrecorded = {prize["kind"]: prize["unrecorded"] for prize in answer["prizes"]}
    assert unrecorded == {"bingos": True, "high_game": False, "high_play": True, "spread": False}


async def test_nobody_is_ahead_yet_while_a_round_is_left(stage: Stage) -> None:
    page = await by_hand(stage, rounds=2)
    assert page.count("None yet.") == 3
    assert not (await stage.http.get("/api/v1/tournaments/lliga/prizes")).json()["over"]
