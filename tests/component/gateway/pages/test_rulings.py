"""The public record of rulings: after the round, as far as the rules allow, and without the players."""

from __future__ import annotations

import datetime
import re
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from tests.support.plain_http import PLAIN
from tests.support.stage import ANEW, Stage
from tests.support.synthetic import Championship, Step, keep_names

from faristol.host import Settings
from faristol.launcher.processes import running
from faristol.pb.game.v1 import events_pb2 as game
from faristol.rules import load_ruleset
from faristol.rules.tiles import load_tile_set
from faristol.words import About, Library

ABOUT = About("catalan", "second of March", "CC0-1.0", "written for the tests", datetime.date(2026, 3, 2))
GOOD, BAD = ("S", "O", "L"), ("S", "O", "L·L")


@pytest.fixture(params=["fisc-2023", "pes-2024"])
async def played_rulings(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[tuple[Stage, list[Step]]]:
    """Start all services, with the steps of a championship whose challenges name two words, one of them invalid."""
    library = Library(tmp_path / "lexicons")
    installed = library.install("catalan", [GOOD], tile_set=load_tile_set("ca-100"), about=ABOUT)
    championship = Championship()
    championship.ruleset = game.Pin(name=request.param, digest=load_ruleset(request.param).digest)
    championship.lexicon = game.Pin(name="catalan", digest=installed.digest)
    steps = list(championship.create())
    for step in championship.first_round():
        for event in (event for new_events in step.values() for event in new_events):
            if isinstance(event, game.ChallengeRaised):
                event.words.extend([game.Word(faces=GOOD), game.Word(faces=BAD)])
        steps.append(step)
    given = {"data": tmp_path, "http_port": 0, "grace_seconds": 0.5, "lexicons": library.path}
    async with (
        running(Settings.model_validate(given), ("lexicon", "results", "gateway")) as process,
        httpx.AsyncClient(verify=PLAIN, base_url=process.http_address, timeout=20, headers=ANEW) as http,
    ):
        await keep_names(process.runtime.record)
        yield Stage(process, http), steps


async def test_rulings_are_public_when_the_round_is_closed_as_far_as_players_know_them(
    played_rulings: tuple[Stage, list[Step]],
) -> None:
    stage, steps = played_rulings
    await stage.add(*steps[:-1])
    before = (await stage.http.get("/api/v1/tournaments/lliga/rulings")).json()
    assert before["rulings"] == []
    assert "SOL" not in (await stage.http.get("/tournaments/lliga/rulings")).text
    position = await stage.add(steps[-1])
    assert await stage.running.runtime.progress("docket@1").wait_until_reached(position, 60)
    answer = await stage.http.get("/api/v1/tournaments/lliga/rulings")
    shown = answer.json()["rulings"]
    assert shown
    by_word = [{"faces": list(GOOD), "valid": True}, {"faces": list(BAD), "valid": False}]
    ruleset = load_ruleset((await stage.http.get("/api/v1/tournaments/lliga")).json()["tournament"]["ruleset"]["name"])
    for ruling in shown:
        assert ruling["words"] == [list(GOOD), list(BAD)]
        assert (ruling["round"], ruling["valid"], ruling["mode"]) == (1, False, "automatic")
        assert ruling["ruled_words"] == (by_word if ruleset.challenge.ruling == "word" else [])
        assert (ruling["edition"], ruling["article"]) == ("second of March", ruleset.article("challenge.ruling"))
    again = await stage.http.get("/api/v1/tournaments/lliga/rulings", headers={"If-None-Match": answer.headers["etag"]})
    assert again.status_code == 304
    found = re.findall(r'data-key="([^"]+)"', (await stage.http.get("/tournaments/lliga/rulings")).text)
    keys = [key for key in found if key != "messages"]
    assert len(set(keys)) == len(keys) == len(shown)
    first = (await stage.http.get("/api/v1/tournaments/lliga/rulings?page_size=1")).json()
    assert first["rulings"] == shown[:1]
    assert bool(first["next_page_token"]) == (len(shown) > 1)
    if len(shown) > 1:
        beyond = {"page_token": first["next_page_token"]}
        assert (await stage.http.get("/api/v1/tournaments/lliga/rulings", params=beyond)).json()["rulings"] == shown[1:]
        assert (await stage.http.get("/tournaments/lliga/rulings", params=beyond)).text.count("data-key") == len(
            shown
        ) - 1
    assert (await stage.http.get("/api/v1/tournaments/lliga/rulings?page_token=x")).status_code == 400
    for language, expected in (("ca", "la jugada es retira"), ("en", "the play is withdrawn")):
        page = (await stage.http.get("/tournaments/lliga/rulings", headers={"Accept-Language": language})).text
        for text in ("SOL, SOL·L", expected, "second of March", ruling["article"]):
            assert text in page
        assert "Biel" not in page
        assert ("not acceptable" in page) == (language == "en" and ruleset.challenge.ruling == "word")


async def test_what_there_is_not_is_a_page_that_names_it(played_rulings: tuple[Stage, list[Step]]) -> None:
    stage, _ = played_rulings
    answer = await stage.http.get("/tournaments/nowhere/rulings", headers={"Accept-Language": "en"})
    assert answer.status_code == 404
    assert "nowhere" in answer.text
    assert (await stage.http.get("/api/v1/tournaments/nowhere/rulings")).status_code == 404


async def test_where_the_lexicon_service_is_not_told_rulings_are_away_and_all_else_is_there(tmp_path: Path) -> None:
    settings = Settings.model_validate({"data": tmp_path, "http_port": 0, "grace_seconds": 0.5})
    async with (
        running(settings, ("results", "gateway")) as process,
        httpx.AsyncClient(verify=PLAIN, base_url=process.http_address, timeout=20, headers=ANEW) as http,
    ):
        await keep_names(process.runtime.record)
        await Stage(process, http).add(*Championship().create())
        assert (await http.get("/api/v1/tournaments/lliga/rulings")).status_code == 503
        assert (await http.get("/tournaments/lliga")).status_code == 200
