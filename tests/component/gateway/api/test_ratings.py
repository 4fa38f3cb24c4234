"""Ratings are public while a tournament is played: first an estimate, then the list, then its revision."""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from tests.support.consumers import RESULTS
from tests.support.plain_http import PLAIN
from tests.support.stage import ANEW, Stage
from tests.support.synthetic import Championship, keep_names

from faristol.host import Settings
from faristol.launcher.processes import running
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing

RATINGS = "/api/v1/tournaments/lliga/ratings"
PLAYERS = "/tournaments/lliga/players"


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    """Yield ratings, results and gateway in operation."""
    settings = Settings.model_validate({"data": tmp_path, "http_port": 0, "grace_seconds": 0.5})
    async with (
        running(settings, ("rating", "results", "gateway")) as process,
        httpx.AsyncClient(verify=PLAIN, base_url=process.http_address, timeout=20, headers=ANEW) as http,
    ):
        await keep_names(process.runtime.record)
        yield Stage(process, http)


async def wait_for_ratings(stage: Stage, position: int) -> None:
    """Wait until the ratings have followed what happened, and the pages show it."""
    assert await stage.running.runtime.progress("rating.lists").wait_until_reached(position, 60)
    assert await stage.running.runtime.progress(RESULTS).wait_until_reached(await stage.record.last_position(), 60)


async def test_ratings_are_estimated_then_listed_then_revised(stage: Stage) -> None:
    hall = Championship()
    await stage.add(*hall.create(rounds=2))
    before = (await stage.http.get(RATINGS)).json()
    assert (before["estimate"], {rating["change"] for rating in before["ratings"]}) == (True, {0})
    assert "Estimació" not in (await stage.http.get(PLAYERS, headers={"Accept-Language": "ca"})).text

    position = await stage.add(*hall.first_round())
    answer = await stage.http.get(RATINGS)
    estimated = answer.json()
    assert (estimated["system"], estimated["estimate"], estimated["published_at"]) == ("elo-1", True, None)
    assert estimated["position"] == position
    assert {rating["games"] for rating in estimated["ratings"]} == {0, 1}  # of five players one had the bye
    first = estimated["ratings"][0]
    assert first["name"]
    assert first["new_rating"] == first["rating"] + first["change"]
    again = await stage.http.get(RATINGS, headers={"If-None-Match": answer.headers["etag"]})
    assert again.status_code == 304
    for language, words in (
        ("en", "They are not official."),
        ("ca", "No són oficials."),
        ("es", "No son oficiales."),
        ("el", "Δεν είναι επίσημες."),
    ):
        page = (await stage.http.get(PLAYERS, headers={"Accept-Language": language})).text
        assert words in page
        assert f"{first['new_rating']} <span" in page
    assert " ResultRecorded " in page

    await wait_for_ratings(stage, await stage.add(*hall.second_round()))
    listed = (await stage.http.get(RATINGS)).json()
    assert (listed["estimate"], listed["revision"], listed["revised_at"]) == (False, 0, None)
    assert listed["published_at"]
    assert "No són oficials." not in (await stage.http.get(PLAYERS, headers={"Accept-Language": "ca"})).text

    recorded = [event for event in await stage.record.events(hall.stream) if isinstance(event, pairing.ResultRecorded)]
    winner = min(recorded[-1].scores, key=lambda score: score.score).player_id  # the losers
    correction = pairing.ResultCorrected(
        round=2,
        game_id=recorded[-1].game_id,
        scores=[
            game.FinalScore(player_id=score.player_id, score=400 + (score.player_id == winner))
            for score in recorded[-1].scores
        ],
        winner_id=winner,
        occurred_at=Timestamp(seconds=1_800_000_000),
    )
    await wait_for_ratings(stage, await stage.add({hall.stream: [correction]}))
    revised = (await stage.http.get(RATINGS)).json()
    assert (revised["estimate"], revised["revision"], revised["revised_at"]) == (False, 1, "2027-01-15T08:00:00Z")
    assert revised["published_at"] == listed["published_at"]
    points = [{rating["player_id"]: rating["points"] for rating in found["ratings"]} for found in (listed, revised)]
    assert points[1][winner] > points[0][winner]
    players = (await stage.http.get("/api/v1/tournaments/lliga/players")).json()
    assert {player["player_id"]: player["new_rating"] for player in players["players"]} == {
        rating["player_id"]: rating["new_rating"] for rating in revised["ratings"]
    }
    assert players["rating_revision"] == 1
    text = (await stage.http.get(f"{RATINGS}.csv")).text
    lines = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
    assert [(line["player_id"], int(line["new_rating"])) for line in lines] == [
        (rating["player_id"], rating["new_rating"]) for rating in revised["ratings"]
    ]
    assert {(line["system"], line["estimate"], line["revision"]) for line in lines} == {("elo-1", "false", "1")}


async def test_ratings_of_a_tournament_that_there_is_not_are_not_found(stage: Stage) -> None:
    assert (await stage.http.get("/api/v1/tournaments/nowhere/ratings")).status_code == 404
    assert (await stage.http.get("/api/v1/tournaments/nowhere/ratings.csv")).status_code == 404
