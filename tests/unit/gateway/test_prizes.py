from __future__ import annotations

import pytest
from tests.unit.gateway.stage import Stage
from tests.unit.results.synthetic import Championship

from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1.results_pb2 import GetGameResponse
from faristol.results.playing import Playing
from faristol.results.prizes import ALL, Figures, figures, prizes

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


async def test_prizes_follow_every_play_though_games_that_did_not_change_are_not_read_again(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall, read = Championship(), list[str]()

    def counted(game: GetGameResponse) -> Figures:
        read.append(game.game_id)
        return figures(game)

    path = "/api/v1/tournaments/lliga/prizes"
    await stage.add(*hall.create())
    assert (await stage.http.get(path)).status_code == 200
    for step in (*hall.first_round(), *hall.second_round()):
        await stage.add(step)
        with monkeypatch.context() as patched:
            patched.setattr("faristol.results.playing.figures", counted)
            read.clear()
            told = (await stage.http.get(path)).json()
            changed = {stream.partition("-")[2] for stream in step if stream.startswith(("game-", "clock-"))}
            assert set(read) <= changed
        found, games = await Playing().of(stage.record, "lliga")
        assert [prize["value"] for prize in told["prizes"]] == [
            prize.value for prize in prizes(ALL, found.rounds, games)
        ]
    assert told["prizes"][0]["value"] > 0
