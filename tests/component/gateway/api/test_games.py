"""The games of a tournament: listed, filtered, page by page, and as one archive of GCG files."""

from __future__ import annotations

import zipfile
from io import BytesIO
from itertools import islice
from typing import Any

import pytest
from tests.support.stage import Stage
from tests.support.synthetic import Championship

from faristol.gateway.api.routes import find_games
from faristol.gateway.duplicate_game.service import Duplicates
from faristol.gateway.rpc.results import Results
from faristol.pb.game.v1 import duplicate_pb2_grpc
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.pb.results.v1 import results_pb2_grpc

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
    ({"state": "final"}, EVERY),
    ({"state": "playing"}, []),
    ({"round": 9}, []),
]


@pytest.mark.parametrize(("asked", "found"), FILTERED)
async def test_games_are_those_that_every_filter_lets_through(
    finished_stage: Stage, asked: dict[str, str | int], found: list[str]
) -> None:
    assert await ids(finished_stage, **asked) == found


async def test_pages_of_games_hold_all_of_them_once(finished_stage: Stage) -> None:
    found, token = [], ""
    for _ in range(5):
        answer = (await finished_stage.http.get(AT, params={"page_size": 1, "page_token": token})).json()
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
async def test_pages_of_long_lists_hold_the_whole_list(finished_stage: Stage, path: str, lines: str) -> None:
    at = f"/api/v1/tournaments/lliga/{path}"
    whole = (await finished_stage.http.get(at)).json()
    assert whole["next_page_token"] == ""
    first = (await finished_stage.http.get(at, params={"page_size": 1})).json()
    assert len(first[lines]) == 1
    rest = (await finished_stage.http.get(at, params={"page_size": 4, "page_token": first["next_page_token"]})).json()
    assert (first[lines] + rest[lines], rest["next_page_token"]) == (whole[lines], "")
    assert {**rest, lines: whole[lines]} == whole, "all else is the same on every page"
    wrong = await finished_stage.http.get(at, params={"page_token": "x"})
    assert (wrong.status_code, wrong.json()["errors"][0]["field"]) == (400, "page_token")


async def test_a_game_says_where_it_stands(stage: Stage) -> None:
    steps = Championship()
    await stage.add(*steps.create(), *steps.pair(1, [("anna", "carme"), ("biel", "dolors")], "eloi"))
    assert await ids(stage, state="paired") == EVERY[:2]
    await stage.add(*steps.begin(1), *islice(steps.table(1, 1, "anna", "carme").open(steps.ruleset, steps.lexicon), 2))
    assert await ids(stage, state="playing") == EVERY[:2]
    assert await ids(stage, state="final") == []


async def test_the_archive_has_the_file_of_each_game_as_its_own_address_has_it(finished_stage: Stage) -> None:
    answer = await finished_stage.http.get(f"{AT}.zip")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
    assert answer.headers["content-disposition"] == 'attachment; filename="lliga.zip"'
    with zipfile.ZipFile(BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        assert sorted(archive.namelist()) == [f"{game}.gcg" for game in EVERY]
        for game in EVERY:
            alone = await finished_stage.http.get(f"/api/v1/games/{game}.gcg")
            assert archive.read(f"{game}.gcg").decode() == alone.text
    alone = await finished_stage.http.get(f"{AT}.zip", params={"round": 1, "player": "biel"})
    with zipfile.ZipFile(BytesIO(alone.content)) as archive:
        assert archive.namelist() == ["lliga-r1-t2.gcg"]


async def test_what_is_asked_wrongly_is_refused_and_what_there_is_not_is_not_found(finished_stage: Stage) -> None:
    for asked in ("round=-1", "page_size=-1", "page_size=10001", "state=won", "page_token=1.5", "games=x", "table=1_0"):
        assert (await finished_stage.http.get(f"{AT}?{asked}")).status_code == 400, asked
    for path in ("games", "games.zip"):
        assert (await finished_stage.http.get(f"/api/v1/tournaments/nowhere/{path}")).status_code == 404


async def test_a_game_is_there_from_its_pairing_on_and_says_where_it_stands(stage: Stage) -> None:
    hall = Championship()
    first, second = hall.table(1, 1, "anna", "carme"), hall.table(1, 2, "biel", "dolors")
    await stage.add(*hall.create(), *hall.pair(1, [first.players, second.players], "eloi"))
    found = (await stage.http.get("/api/v1/games/lliga-r1-t1")).json()
    assert (found["state"], found["board"], found["clocks"], found["final"]) == ("paired", [], [], False)
    assert [seat["player_id"] for seat in found["seats"]] == list(first.players)
    page = await stage.http.get("/games/lliga-r1-t1", headers={"Accept-Language": "en"})
    assert (page.status_code, "not started" in page.text) == (200, True)
    before = found["position"]
    await stage.add(*hall.begin(1), *first.open(hall.ruleset, hall.lexicon))
    for path in ("lliga-r1-t1", "lliga-r1-t2"):
        assert (await stage.http.get(f"/api/v1/games/{path}")).json()["state"] == "playing"
    past = (await stage.http.get("/api/v1/games/lliga-r1-t1", params={"as_of_position": before})).json()
    assert past["state"] == "paired"
    assert (await stage.http.get("/api/v1/games/lliga-r1-t3")).status_code == 404


LISTS = {
    "/api/v1/tournaments": "tournaments",
    "/api/v1/tournaments/lliga/games": "games",
    "/api/v1/tournaments/lliga/players": "players",
    "/api/v1/tournaments/lliga/standings": "standings",
    "/api/v1/tournaments/lliga/crosstable": "rows",
    "/api/v1/tournaments/lliga/rounds/1/pairings": "tables",
    "/api/v1/players": "players",
    "/api/v1/players/anna": "tournaments",
}


async def test_every_list_is_sent_in_pages_of_one_size_and_says_its_total(finished_stage: Stage) -> None:
    document = (await finished_stage.http.get("/openapi.json")).json()
    sizes = {
        parameter["schema"]["default"]
        for methods in document["paths"].values()
        for parameter in methods["get"].get("parameters", ())
        if parameter["name"] == "page_size"
    }
    assert sizes == {100}
    for path, name in LISTS.items():
        whole = (await finished_stage.http.get(path)).json()
        assert whole["total"] == len(whole[name]) > 0, path
        first = (await finished_stage.http.get(path, params={"page_size": 1})).json()
        assert (first["total"], len(first[name])) == (whole["total"], 1), path


async def test_what_would_be_silent_for_ever_is_refused(finished_stage: Stage) -> None:
    stream = "/api/v1/tournaments/lliga/stream"
    for query, field in (
        ("games=nope", "games"),
        ("games=lliga-r1-t1,lliga-r9-t1", "games"),
        ("games=other-r1-t1", "games"),
        ("rounds=99999", "rounds"),
        ("rounds=0", "rounds"),
        ("after=99999999", "after"),
    ):
        for path in (stream, "/api/v1/stream"):
            answer = await finished_stage.http.head(f"{path}?{query}")
            assert answer.status_code == 400, (path, query)
        answer = await finished_stage.http.get(f"{stream}?{query}", headers={"Accept-Language": "en"})
        assert [error["field"] for error in answer.json()["errors"]] == [field], query
    for _ in range(2):  # requested first, then cached
        assert (await finished_stage.http.head(f"{stream}?games=lliga-r1-t1&rounds=1")).status_code == 200
    resumed = await finished_stage.http.head(stream, headers={"Last-Event-ID": "99999999"})
    assert resumed.status_code == 200  # as after the restore of an older backup
    for path in ("games?player=nobody", "games.zip?player=nobody", "standings?player=nobody"):
        answer = await finished_stage.http.get(f"/api/v1/tournaments/lliga/{path}")
        assert (answer.status_code, answer.json()["kind"], answer.json()["id"]) == (404, "player", "nobody"), path


async def test_games_of_a_stream_are_looked_for_by_one_question_for_each_round(finished_stage: Stage) -> None:
    rounds: list[int] = []

    class Counting(Results):
        """The results, which notes the rounds that are asked for."""

        async def pairings(self, tournament_id: str, round_: int, *more: Any, **named: Any) -> pb.GetPairingsResponse:
            rounds.append(round_)
            return await super().pairings(tournament_id, round_, *more, **named)

    channel = finished_stage.running.runtime.channel("results")
    results = Counting(results_pb2_grpc.ResultsServiceStub(channel), "en")
    duplicates = Duplicates(duplicate_pb2_grpc.DuplicateServiceStub(channel), "en")
    others = ["lliga-r1-t9", "lliga-r0-t1", "lliga-r9-t1", "other-r1-t1", "nope"]
    assert await find_games(results, duplicates, [*EVERY, *others]) == set(EVERY)
    assert sorted(rounds) == [1, 1, 2, 9]


async def test_tournaments_are_found_by_where_they_stand_and_when_they_are_played(finished_stage: Stage) -> None:
    whole = (await finished_stage.http.get("/api/v1/tournaments")).json()["tournaments"]
    (lliga,) = whole
    assert lliga["state"] == "over"
    day = lliga["played"][0]["started_at"][:10]
    for query, count in (
        ("state=over", 1),
        ("state=playing", 0),
        ("state=announced", 0),
        (f"from={day}", 1),
        (f"until={day}", 1),
        ("from=2199-01-01", 0),
        ("until=1999-01-01", 0),
    ):
        answer = await finished_stage.http.get(f"/api/v1/tournaments?{query}")
        assert len(answer.json()["tournaments"]) == answer.json()["total"] == count, query
    malformed = (
        ("from=soon", "from"),
        ("until=2026-02-31", "until"),
        ("from=2026-03-08&until=2026-03-07", "until"),
        ("state=live", "state"),
    )
    for query, field in malformed:
        answer = await finished_stage.http.get(f"/api/v1/tournaments?{query}")
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, field), query
    expected = "expected a day, such as 2026-03-07, got 'soon'"
    answer = await finished_stage.http.get("/api/v1/tournaments?from=soon", headers={"accept-language": "en"})
    assert answer.json()["errors"][0]["problem"] == expected


async def test_resources_link_to_each_other(finished_stage: Stage) -> None:
    tournament = (await finished_stage.http.get("/api/v1/tournaments/lliga")).json()["tournament"]
    games = (await finished_stage.http.get(tournament["links"]["games"])).json()["games"]
    game = (await finished_stage.http.get(games[0]["links"]["self"])).json()
    assert game["links"] == {**games[0]["links"], "tournament": tournament["links"]["self"]}
    player = (await finished_stage.http.get(game["links"]["players"][0])).json()
    assert player["player_id"] == game["seats"][0]["player_id"]
    for links in (tournament["links"], game["links"], player["links"]):
        for name, path in links.items():
            if isinstance(path, str) and name not in ("stream", "rulings"):  # no lexicon service runs here
                assert (await finished_stage.http.get(path)).status_code == 200, path
