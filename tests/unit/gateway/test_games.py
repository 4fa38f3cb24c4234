"""The games of a tournament: listed, filtered, page by page, and as one archive of GCG files."""

from __future__ import annotations

import zipfile
from io import BytesIO
from itertools import islice

import pytest
from tests.unit.gateway.stage import Stage
from tests.unit.results.synthetic import Championship

pytestmark = pytest.mark.asyncio(loop_scope="module")

AT = "/api/v1/tournaments/lliga/games"
EVERY = ["lliga-r1-t1", "lliga-r1-t2", "lliga-r2-t1", "lliga-r2-t2"]


async def ids(stage: Stage, **asked: str | int) -> list[str]:
    answer = await stage.http.get(AT, params=asked)
    assert answer.status_code == 200, answer.text
    return [game["game_id"] for game in answer.json()["games"]]


FILTERED: list[tuple[dict[str, str | int], list[str]]] = [
    ({}, EVERY),
    ({"round": 2}, EVERY[2:]),
    ({"table": 1}, EVERY[::2]),
    ({"player": "anna"}, [EVERY[0], EVERY[3]]),
    ({"player": "anna", "round": 1}, [EVERY[0]]),
    ({"player": "nobody"}, []),
    ({"state": "final"}, EVERY),
    ({"state": "playing"}, []),
    ({"round": 9}, []),
]


@pytest.mark.parametrize(("asked", "found"), FILTERED)
async def test_games_are_those_that_every_filter_lets_through(
    finished: Stage, asked: dict[str, str | int], found: list[str]
) -> None:
    assert await ids(finished, **asked) == found


async def test_pages_of_games_hold_all_of_them_once(finished: Stage) -> None:
    found, token = [], ""
    for _ in range(5):
        answer = (await finished.http.get(AT, params={"page_size": 1, "page_token": token})).json()
        found += [game["game_id"] for game in answer["games"]]
        if not (token := answer["next_page_token"]):
            break
    assert found == EVERY


PAGED = {
    "standings": "standings",
    "crosstable": "rows",
    "players": "players",
    "rounds/1/pairings": "tables",
}


@pytest.mark.parametrize(("path", "lines"), PAGED.items())
async def test_pages_of_long_lists_hold_the_whole_list(finished: Stage, path: str, lines: str) -> None:
    at = f"/api/v1/tournaments/lliga/{path}"
    whole = (await finished.http.get(at)).json()
    assert whole["next_page_token"] == ""
    first = (await finished.http.get(at, params={"page_size": 1})).json()
    assert len(first[lines]) == 1
    rest = (await finished.http.get(at, params={"page_size": 4, "page_token": first["next_page_token"]})).json()
    assert (first[lines] + rest[lines], rest["next_page_token"]) == (whole[lines], "")
    assert {**rest, lines: whole[lines]} == whole, "all else is the same on every page"
    wrong = await finished.http.get(at, params={"page_token": "x"})
    assert (wrong.status_code, wrong.json()["errors"][0]["field"]) == (400, "page_token")


async def test_a_game_says_where_it_stands(stage: Stage) -> None:
    steps = Championship()
    await stage.add(*steps.create(), *steps.pair(1, [("anna", "carme"), ("biel", "dolors")], "eloi"))
    assert await ids(stage, state="paired") == EVERY[:2]
    await stage.add(*steps.begin(1), *islice(steps.table(1, 1, "anna", "carme").open(steps.ruleset, steps.lexicon), 2))
    assert await ids(stage, state="playing") == EVERY[:2]
    assert await ids(stage, state="final") == []


async def test_the_archive_has_the_file_of_each_game_as_its_own_address_has_it(finished: Stage) -> None:
    answer = await finished.http.get(f"{AT}.zip")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
    assert answer.headers["content-disposition"] == 'attachment; filename="lliga.zip"'
    with zipfile.ZipFile(BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        assert sorted(archive.namelist()) == [f"{game}.gcg" for game in EVERY]
        for game in EVERY:
            alone = await finished.http.get(f"/api/v1/games/{game}.gcg")
            assert archive.read(f"{game}.gcg").decode() == alone.text
    alone = await finished.http.get(f"{AT}.zip", params={"round": 1, "player": "biel"})
    with zipfile.ZipFile(BytesIO(alone.content)) as archive:
        assert archive.namelist() == ["lliga-r1-t2.gcg"]


async def test_what_is_asked_wrongly_is_refused_and_what_there_is_not_is_not_found(finished: Stage) -> None:
    for asked in ("round=-1", "page_size=0", "page_size=1001", "state=won", "page_token=1.5", "games=x", "table=1_0"):
        assert (await finished.http.get(f"{AT}?{asked}")).status_code == 400, asked
    for path in ("games", "games.zip"):
        assert (await finished.http.get(f"/api/v1/tournaments/nowhere/{path}")).status_code == 404
