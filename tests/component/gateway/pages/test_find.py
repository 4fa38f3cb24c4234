from __future__ import annotations

import gzip
import random
import re
from datetime import UTC, datetime

import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from tests.support.stage import Stage
from tests.support.synthetic import NAMES, Championship, Step

from faristol.pb.game.v1.events_pb2 import FinalScore
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.personal_data.people import store_player

pytestmark = pytest.mark.asyncio(loop_scope="module")

FIND, SCREEN = "/tournaments/lliga/find", "/tournaments/lliga/screen"
STREAM = "tournament-lliga"
RESULT = pairing.ResultRecorded(
    round=1,
    game_id="lliga-r1-t2",
    scores=[FinalScore(player_id="biel", score=400), FinalScore(player_id="dolors", score=300)],
    winner_id="biel",
)
"""Of the second table of ``paired``."""


def pair_round(*, hall: str = "") -> list[Step]:
    tables = [
        pairing.Pairing(table=1, game_id="lliga-r1-t1", first_player_id="anna", second_player_id="carme", hall=hall),
        pairing.Pairing(table=2, game_id="lliga-r1-t2", first_player_id="biel", second_player_id="dolors"),
    ]
    return [{STREAM: [pairing.RoundPaired(round=1, pairings=tables), pairing.ByeAwarded(round=1, player_id="eloi")]}]


async def test_whoever_types_a_name_is_told_table_hall_and_opponent(stage: Stage) -> None:
    await stage.add(*Championship().create())
    assert "No round is paired yet" in (await stage.http.get(FIND)).text
    await stage.add(*pair_round(hall="Sala Gran"))
    everybody = (await stage.http.get(FIND)).text
    assert everybody.count('<li data-key="') == len(NAMES)
    own = (await stage.http.get(FIND, params={"name": "puigdomenech"})).text
    (item,) = re.findall(r'<li data-key="anna">.*?</li>', own, re.DOTALL)
    for told in (NAMES["anna"][0], "Table 1", "Sala Gran", NAMES["carme"][0]):
        assert told in item
    assert own.count('<li data-key="') == 1
    assert "bye" in (await stage.http.get(FIND, params={"name": "eloi"})).text
    assert "No player of that name" in (await stage.http.get(FIND, params={"name": "zzz"})).text
    assert f'href="{FIND}"' in (await stage.http.get("/tournaments/lliga")).text
    assert 'id="follow"' in everybody


async def test_a_round_is_told_by_table_and_by_name(stage: Stage) -> None:
    await stage.add(*Championship().create(), *pair_round())
    by_name = (await stage.http.get("/tournaments/lliga/round/1?by=name")).text
    people = r'<a class="person" href="/players/(\w+)">'
    assert re.findall(rf'<th scope="row">{people}', by_name) == sorted(NAMES, key=lambda player: NAMES[player][0])
    (row,) = re.findall(r'<tr data-key="anna">.*?</tr>', by_name, re.DOTALL)
    assert re.findall(people, row) == ["anna", "carme"]
    assert 'id="pairings"' not in by_name
    assert 'id="pairings"' in (await stage.http.get("/tournaments/lliga/round/1?by=table")).text


async def test_a_round_says_when_it_began_and_when_its_time_is_over(stage: Stage) -> None:
    championship = Championship()
    await stage.add(*championship.create(), *pair_round())
    before = (await stage.http.get("/api/v1/tournaments/lliga")).json()["tournament"]["played"][0]
    assert (before["started_at"], before["ends_at"]) == (None, None)
    started = pairing.RoundStarted(round=1)
    started.occurred_at.FromJsonString("2026-03-07T10:00:00Z")
    await stage.add({STREAM: [started]})
    told = (await stage.http.get("/api/v1/tournaments/lliga")).json()["tournament"]["played"][0]
    assert told["started_at"] == "2026-03-07T10:00:00Z"
    assert told["closed_at"] is None
    page = (await stage.http.get("/tournaments/lliga/round/1")).text
    assert "Started at 10:00" in page
    assert ("data-until" in page) == (told["ends_at"] is not None)


async def test_when_the_next_round_begins_is_told_until_it_has_begun(stage: Stage) -> None:
    await stage.add(*Championship().create())
    said = pairing.RoundsAnnounced(occurred_at=Timestamp(seconds=1_772_000_000))
    for number in (1, 2):
        at = datetime(2026, 3, 7, 8 + 2 * number, 30, tzinfo=UTC)
        said.times.add(round=number).starts_at.FromDatetime(at)
    await stage.add({STREAM: [said]})
    told = (await stage.http.get("/api/v1/tournaments/lliga")).json()["tournament"]["announced"]
    assert [each["starts_at"] for each in told] == ["2026-03-07T10:30:00Z", "2026-03-07T12:30:00Z"]
    for path in (FIND, SCREEN, "/tournaments/lliga", "/tournaments/lliga/players"):
        page = (await stage.http.get(path)).text
        assert re.search(r"Round 1 begins (on March 7, 2026, 10:30|at 10:30)", page), path
        assert page.count("data-until") == 1, path
    first = (await stage.http.get("/tournaments/lliga")).text
    assert re.search(r"Timetable.*Round 2</th>\s*<td>March 7, 2026, 12:30.PM UTC", first, re.DOTALL)
    assert 'id="players"' in first
    assert 'id="standings"' not in first
    await stage.add(*pair_round())
    assert "Round 1 begins on" in (await stage.http.get("/tournaments/lliga/round/1")).text
    own = (await stage.http.get("/players/anna")).text
    assert re.search(r"Begins on March 7, 2026, 10:30.AM UTC\.\s+\S", own)
    assert "Place 1 of" not in own  # no player has a place before a result
    await stage.add({STREAM: [pairing.RoundStarted(round=1)]})
    for path in (FIND, SCREEN, "/tournaments/lliga/round/1", "/players/anna"):
        assert "egins" not in (await stage.http.get(path)).text, path
    assert "DTSTART:20260307T123000Z" in (await stage.http.get("/tournaments/lliga/rounds.ics")).text


async def test_a_screen_has_the_seats_of_its_hall_alone_and_the_top_of_the_standings(stage: Stage) -> None:
    await stage.add(*Championship().create(), *pair_round(hall="Sala Gran"))
    whole = (await stage.http.get(SCREEN)).text
    assert whole.count('data-key="s-') == len(NAMES)
    hall = (await stage.http.get(SCREEN, params={"hall": "Sala Gran"})).text
    assert set(re.findall(r'data-key="s-(\w+)"', hall)) == {"anna", "carme"}
    assert "No player sits in a hall" not in whole + hall
    assert (
        "No player sits in a hall “Sala Petita”" in (await stage.http.get(SCREEN, params={"hall": "Sala Petita"})).text
    )
    assert (await stage.http.get(SCREEN, params={"hall": "x" * 201})).status_code == 400
    assert (await stage.http.get("/tournaments/none/screen")).status_code == 404


async def test_a_screen_counts_the_tables_of_its_hall_alone(stage: Stage) -> None:
    await stage.add(*Championship().create(), *pair_round(hall="Sala Gran"))
    await stage.add({STREAM: [pairing.RoundStarted(round=1), RESULT]})
    assert "1 of 2 tables finished" in (await stage.http.get(SCREEN)).text
    assert "0 of 1 tables finished" in (await stage.http.get(SCREEN, params={"hall": "Sala Gran"})).text


async def test_until_the_first_result_the_page_of_a_tournament_shows_pairings_and_players_and_no_zeros(
    stage: Stage,
) -> None:
    await stage.add(*Championship().create(), *pair_round())
    for started in (False, True):
        if started:
            await stage.add({STREAM: [pairing.RoundStarted(round=1)]})
        for path in ("/tournaments/lliga", "/tournaments/lliga?round=1", "/tournaments/lliga/embed/standings"):
            page = (await stage.http.get(path)).text
            assert 'id="standings"' not in page, path
            assert 'id="players"' in page, path
            assert re.search(r'<tr data-key="anna">.*?Carme Riera.*?</tr>', page, re.DOTALL), path
            assert ("0 of 2 tables finished" in page) is started
    assert (await stage.http.get("/tournaments/lliga?round=2")).status_code == 404
    await stage.add({STREAM: [RESULT]})
    assert 'id="standings"' in (await stage.http.get("/tournaments/lliga")).text


async def test_scores_of_running_games_do_not_change_who_sits_where(finished_stage: Stage) -> None:
    assert (await finished_stage.http.get(SCREEN)).status_code == 200
    text = (await finished_stage.http.get(SCREEN)).text
    assert text.count('data-key="r-') == len(NAMES)
    assert "<span>Median-Buchholz (MB)</span>" in text
    assert 'id="follow"' not in (await finished_stage.http.get(FIND)).text  # there is no next table for a notification


async def test_standings_of_a_round_that_is_played_are_said_to_be_so_far_and_show_what_parts_equals(
    stage: Stage,
) -> None:
    championship = Championship()
    created = list(championship.create())
    *played, _ = championship.first_round()
    await stage.add(*created, *played)  # the round is not closed
    for path in (SCREEN, "/tournaments/lliga", "/tournaments/lliga/standings/anna"):
        page = (await stage.http.get(path)).text
        assert "Standings so far, round 1" in page, path
        assert "Standings after round 1" not in page, path
    best = (await stage.http.get("/api/v1/tournaments/lliga/standings")).json()["standings"][0]
    name, worth = next(iter(best["tie_breaks"].items()))
    screen = (await stage.http.get(SCREEN)).text
    assert name == "median-buchholz"
    assert f"MB {worth:g}" in screen
    assert "▸ plays first" in (await stage.http.get("/tournaments/lliga/round/1?by=name")).text
    assert "Median-Buchholz (MB)" in (await stage.http.get("/tournaments/lliga")).text


async def test_a_list_of_500_tables_is_a_light_page(stage: Stage) -> None:
    chance = random.Random(7)
    first, last = (
        ["Anna", "Biel", "Carme", "Dolors", "Eloi", "Ferran"],
        ["Puig", "Soler", "Riera", "Vilanova", "Ferrer", "Serra", "Bosch"],
    )
    championship = Championship()
    await stage.add(*championship.create())
    players = [f"p-{chance.getrandbits(48):012x}" for _ in range(1_000)]
    entered = [pairing.PlayerRegistered(player_id=player, rating=1500) for player in players]
    tables = [
        pairing.Pairing(
            table=number,
            game_id=f"lliga-r1-t{number}",
            first_player_id=players[2 * number - 2],
            second_player_id=players[2 * number - 1],
            hall=f"Sala {number // 100}",
        )
        for number in range(1, 501)
    ]
    await stage.add({STREAM: [*entered, pairing.RoundPaired(round=1, pairings=tables)]})
    async with stage.record.writing() as connection:
        for player in players:
            await store_player(
                connection, player, f"{chance.choice(first)} {chance.choice(last)} {chance.choice(last)}", ""
            )
    for path in (FIND, SCREEN, "/tournaments/lliga/round/1?by=name"):
        whole = (await stage.http.get(path, headers={"Accept-Encoding": "identity"})).content
        assert whole.count(b'data-key="') >= 1_000, path
        assert len(gzip.compress(whole)) < 60_000, path


async def test_a_tournament_without_players_has_all_its_pages(stage: Stage) -> None:
    await stage.add(next(iter(Championship().create())))
    for path in (FIND, SCREEN, "/tournaments/lliga", "/tournaments/lliga/players", "/tournaments/lliga/rounds.ics"):
        assert (await stage.http.get(path)).status_code == 200, path
    feed = (await stage.http.get("/tournaments/lliga/feed.atom")).text
    assert "<entry>" not in feed
    assert (await stage.http.get("/api/v1/players")).json()["players"] == []


async def test_a_name_of_200_characters_is_shown_whole(stage: Stage) -> None:
    await stage.add(*Championship().create(), *pair_round())
    long = "Ñ" * 199 + "x"
    async with stage.record.writing() as connection:
        await connection.exec_driver_sql(f"UPDATE people SET name = '{long}' WHERE player_id = 'biel'")
    for path in (FIND, SCREEN, "/players/biel", "/tournaments/lliga/round/1?by=name"):
        assert long in (await stage.http.get(path)).text, path
