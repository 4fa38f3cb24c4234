from __future__ import annotations

import asyncio
import csv
import re
import zipfile
from io import BytesIO, StringIO

import pytest
from tests.support.stage import Stage
from tests.support.synthetic import COUNTRIES, NAMES, Championship, append, game_id

from faristol.gateway.api import comma_separated
from faristol.gateway.api.comma_separated import BYTE_ORDER_MARK
from faristol.gateway.api.contract_json import to_json
from faristol.gateway.api.downloads import EDITIONS, EditionName
from faristol.gateway.rpc.results import Results
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.pb.results.v1 import results_pb2_grpc
from faristol.rules.tournament_files import find_doubts
from faristol.rules.tournament_files.tou import read_tou
from faristol.rules.tournament_files.tsh import decode_tsh, read_tsh
from faristol.rules.trf import read_trf
from faristol.text import SOURCE

pytestmark = pytest.mark.asyncio(loop_scope="module")

AT = "/api/v1/tournaments/lliga"


NAMES_BY_START = {name[:33].strip(): player_id for player_id, (name, _) in NAMES.items()}


def build_results(stage: Stage) -> Results:
    """Return the results service of a stage, as called by a program of the cell."""
    return Results(results_pb2_grpc.ResultsServiceStub(stage.running.runtime.channel("results")), SOURCE)


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(text.removeprefix(BYTE_ORDER_MARK), newline="")))


async def test_a_crosstable_says_of_every_round_whom_a_player_met_and_what_came_of_it(finished_stage: Stage) -> None:
    answer = (await finished_stage.http.get(f"{AT}/crosstable")).json()
    standings = (await finished_stage.http.get(f"{AT}/standings")).json()["standings"]
    assert [row["player_id"] for row in answer["rows"]] == [line["player_id"] for line in standings]
    ranks = {line["player_id"]: line["rank"] for line in standings}
    table = {row["player_id"]: row for row in answer["rows"]}
    for player_id, row in table.items():
        assert sum(cell["points"] for cell in row["cells"]) == row["points"]
        assert sum(cell["score"] - cell["against"] for cell in row["cells"]) == row["spread"]
        for cell in row["cells"]:
            for opponent, rank in zip(cell["opponent_ids"], cell["opponent_ranks"], strict=True):
                back = table[opponent]["cells"][cell["round"] - 1]
                assert (back["opponent_ids"], rank) == ([player_id], ranks[opponent])
                assert (back["score"], back["against"], back["starts"]) == (
                    cell["against"],
                    cell["score"],
                    not cell["starts"],
                )
    assert (table["eloi"]["cells"][0]["basis"], table["eloi"]["cells"][0]["points"]) == ("bye", 1)
    first = table["anna"]["cells"][0]
    assert (first["opponent_ids"], first["starts"], first["outcome"]) == (["carme"], True, "loss")


async def test_after_a_tournament_only_the_rank_of_each_player_is_possible(finished_stage: Stage) -> None:
    answer = (await finished_stage.http.get(f"{AT}/prospects?place=2")).json()
    assert (answer["rounds_left"], answer["tables_left"]) == (0, 0)
    for line in answer["lines"]:
        assert line["best"] == line["worst"] == line["rank"]
        assert line["chance"] == ("safe" if line["rank"] <= 2 else "out")
    assert "/prospects" not in (await finished_stage.http.get("/tournaments/lliga")).text


async def test_the_places_that_are_possible_are_those_of_the_points_and_of_the_rounds_to_come(stage: Stage) -> None:
    championship = Championship()
    await stage.add(*championship.create(rounds=5), *championship.first_round(), *championship.second_round())
    answer = (await stage.http.get(f"{AT}/prospects?place=2")).json()
    standings = (await stage.http.get(f"{AT}/standings")).json()["standings"]
    assert [line["player_id"] for line in answer["lines"]] == [line["player_id"] for line in standings]
    assert (answer["place"], answer["exact"], answer["tables_left"]) == (2, True, 0)
    for line in answer["lines"]:
        assert line["least_points"] == line["points"]
        assert line["most_points"] == line["points"] + answer["rounds_left"]
        assert line["best"] <= line["rank"] <= line["worst"]
        own = (await stage.http.get(f"{AT}/prospects?player={line['player_id']}")).json()["lines"][0]
        assert (1 + len(own["above_ids"]), 1 + len(own["reaching_ids"])) == (line["best"], line["worst"])
    page = (await stage.http.get("/tournaments/lliga/prospects?place=2&player=anna")).text
    assert "Places still possible" in page
    assert "With a win in every game: " in page
    assert 'href="/tournaments/lliga/prospects"' in (await stage.http.get("/tournaments/lliga")).text
    nobody = await stage.http.get(f"{AT}/prospects?player=zoe")
    assert (nobody.status_code, nobody.json()["kind"]) == (404, "player")


async def test_a_crosstable_as_of_a_moment_knows_who_started(finished_stage: Stage) -> None:
    now = (await finished_stage.http.get(f"{AT}/crosstable")).json()
    then = (await finished_stage.http.get(f"{AT}/crosstable?as_of_position={now['position']}")).json()
    assert then == now
    assert len((await finished_stage.http.get(f"{AT}/crosstable?round=1")).json()["rows"][0]["cells"]) == 1


async def test_files_say_what_the_json_says(finished_stage: Stage) -> None:
    told = (await finished_stage.http.get(f"{AT}/standings")).json()["standings"]
    answer = await finished_stage.http.get(f"{AT}/standings.csv")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.text.startswith(BYTE_ORDER_MARK), "a spreadsheet would read another encoding"
    assert [(row["player_id"], float(row["berger"]), int(row["spread"])) for row in rows(answer.text)] == [
        (line["player_id"], line["tie_breaks"]["berger"], line["spread"]) for line in told
    ]
    paired = rows((await finished_stage.http.get(f"{AT}/rounds/1/pairings.csv")).text)
    assert [(row["table"], row["first_player_id"], row["second_name"], row["bye"]) for row in paired] == [
        ("1", "anna", "Carme Riera", ""),
        ("2", "biel", "Dolors Vilanova", ""),
        ("", "eloi", "", "allocated"),
    ]
    page = (await finished_stage.http.get("/tournaments/lliga/crosstable")).text
    assert page.count("unrated</span>") == 1
    crossed = rows((await finished_stage.http.get(f"{AT}/crosstable.csv")).text)
    anna = next(row for row in crossed if row["player_id"] == "anna")
    assert (anna["round_1_opponent"], anna["round_1_outcome"], anna["round_1_start"]) == ("carme", "loss", "start")
    assert anna["name"] == "Anna Puigdomènech i Casadevall"
    ratings = {row["player_id"]: (row["rating"], row["unrated"]) for row in crossed}
    assert {player for player, told in ratings.items() if told == ("", "true")} == {"eloi"}
    assert all(
        rating and unrated == "false" for rating, unrated in (ratings[player_id] for player_id in ("anna", "biel"))
    )
    report = read_trf((await finished_stage.http.get(f"{AT}/report.trf")).text)
    assert [NAMES_BY_START[line.name] for line in report.players if line.rating == 0] == ["eloi"]
    links = (await finished_stage.http.get("/tournaments/lliga/files")).text
    assert {f"{AT}/report.trf?edition={edition}" for edition in ("TRF16", "TRF26")} <= set(
        re.findall(r'href="([^"]+)"', links)
    )


async def test_the_files_of_tsh_and_of_ratings_have_the_points_and_spreads_of_the_standings(
    finished_stage: Stage,
) -> None:
    lines = (await finished_stage.http.get(f"{AT}/standings")).json()["standings"]
    # A bye without points on the spread is one of 1 point there: these programs take one of 0 points for an absence.
    known = {line["name"]: (2 * line["points"], line["spread"] + line["bye"]) for line in lines}
    answer = await finished_stage.http.get(f"{AT}/tsh.zip")
    with zipfile.ZipFile(BytesIO(answer.content)) as archive:
        assert archive.namelist() == ["config.tsh", "a.t"]
        files = {name: decode_tsh(archive.read(name)) for name in archive.namelist()}
    folder = read_tsh(files)
    assert {doubt.reason for doubt in find_doubts(folder)} == {"SCORE_IMPLAUSIBLE"}, "the games of the test are short"
    assert (folder.name, folder.rounds) == ("Lliga de primavera", 5)
    (division,) = folder.divisions
    found = {division.players[number - 1].name: (points, spread) for number, points, spread in division.rank()}
    assert found == known
    again = (
        await finished_stage.http.get(f"{AT}/tsh.zip", headers={"If-None-Match": answer.headers["etag"]})
    ).status_code
    assert again == 304

    (rated,) = read_tou((await finished_stage.http.get(f"{AT}/results.tou")).text).divisions
    by_name = {rated.players[number - 1].name: points for number, points, _ in rated.rank()}
    assert by_name == {name[:20].strip(): points for name, (points, _) in known.items()}

    table = (await finished_stage.http.get(f"{AT}/crosstable.txt")).text
    for line in lines:
        assert re.search(rf"{re.escape(format(line['spread'], '+d'))}\s+\d+\s+{re.escape(line['name'])}\s", table), (
            line["name"]
        )
    links = (await finished_stage.http.get("/tournaments/lliga/files")).text
    assert all(f'href="{AT}/{name}"' in links for name in ("tsh.zip", "results.tou", "crosstable.txt"))


async def test_a_file_of_pairings_has_no_scores_before_there_are_any(stage: Stage) -> None:
    championship = Championship()
    await stage.add(*championship.create())
    await stage.add(*championship.pair(1, [("anna", "carme"), ("biel", "dolors")], "eloi"), *championship.begin(1))

    async def scores() -> list[tuple[str, str]]:
        paired = rows((await stage.http.get(f"{AT}/rounds/1/pairings.csv")).text)
        return [(row["first_score"], row["second_score"]) for row in paired]

    assert await scores() == [("", "")] * 3
    goalless = [game.FinalScore(player_id="anna"), game.FinalScore(player_id="carme")]
    await stage.add(
        {"tournament-lliga": [pairing.ResultRecorded(round=1, game_id="lliga-r1-t1", scores=goalless)]},
    )
    assert await scores() == [("0", "0"), ("", ""), ("", "")]


async def test_a_file_that_has_not_changed_is_not_sent_again(finished_stage: Stage) -> None:
    first = await finished_stage.http.get(f"{AT}/crosstable.csv")
    again = await finished_stage.http.get(f"{AT}/crosstable.csv", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def standing(name: str, spread: int) -> pb.Standing:
    made = pb.Standing(rank=1, player_id="anna", name=name, half_points=3, wins=1, draws=1, spread=spread, total=700)
    for tie_break, value in (("head-to-head", 0.5), ("spread", spread)):
        made.tie_breaks.add(name=tie_break, quarters=int(4 * value))
    return made


@pytest.mark.parametrize("name", ["=1+1", "+34 600", "-anna", "@anna", "\t=1", '=HYPERLINK("http://x","y")', "\r=1"])
async def test_a_name_is_no_formula_and_a_number_stays_one(name: str) -> None:
    answer = pb.GetStandingsResponse(position=1, round=1, standings=[standing(name, -12)], total=1)
    (row,) = rows(comma_separated.standings(to_json(answer)))
    assert (row["name"], row["spread"], row["head_to_head"]) == (f"'{name}", "-12", "0.5")


async def test_names_come_out_as_they_went_in() -> None:
    name = 'Anna "la Forta", Ωμέγα\nÇ'
    answer = pb.GetPairingsResponse(position=1, round=2, phase=pb.ROUND_PHASE_PAIRED, total=1)
    answer.bye.CopyFrom(pb.Seat(player_id="anna", name=name))
    text = comma_separated.pairings(to_json(answer))
    assert [(row["first_name"], row["round"], row["first_score"]) for row in rows(text)] == [(name, "2", "")]


async def test_the_pairings_say_the_hall_of_each_table_behind_what_they_said_before(
    stage: Stage,
) -> None:
    hall = Championship()
    await stage.add(*hall.create(), *hall.pair(1, [("anna", "carme"), ("biel", "dolors")], "eloi"))
    answer = to_json(await build_results(stage).pairings("lliga", 1))
    answer["tables"][1]["hall"] = "Sala gran"
    told = rows(comma_separated.pairings(answer))
    assert [row["hall"] for row in told] == ["", "Sala gran", ""]
    assert list(told[0])[13:15] == ["hall", "division"]


async def test_a_game_of_which_nobody_knows_who_started_has_one_white_and_that_is_the_second(stage: Stage) -> None:
    hall = Championship()
    await stage.add(*hall.create(), *hall.pair(1, [("anna", "carme"), ("biel", "dolors")], "eloi"), *hall.begin(1))
    await stage.add(
        {
            hall.stream: [
                pairing.ResultRecorded(
                    round=1,
                    game_id=game_id(1, table),
                    scores=[game.FinalScore(player_id=first, score=400), game.FinalScore(player_id=other, score=300)],
                )
                for table, (first, other) in enumerate([("anna", "carme"), ("biel", "dolors")], 1)
            ]
        }
    )
    document = read_trf((await stage.http.get(f"{AT}/report.trf")).text)
    colours = {NAMES_BY_START[player.name]: player.cells[0].colour for player in document.players}
    assert colours == {"anna": "b", "carme": "w", "biel": "b", "dolors": "w", "eloi": "-"}


@pytest.mark.parametrize("edition", ["TRF16", "TRF26"])
async def test_what_a_director_arranged_is_in_the_report_for_officials_and_not_in_the_public_one(
    stage: Stage, edition: EditionName
) -> None:
    hall = Championship()
    await stage.add(*hall.create(), *hall.first_round())
    await stage.add(
        {
            hall.stream: [
                pairing.PairForbidden(player_ids=["anna", "biel"]),
                pairing.ByeGranted(round=2, player_id="carme", kind=pairing.BYE_KIND_HALF_POINT),
            ]
        }
    )
    public = read_trf((await stage.http.get(f"{AT}/report.trf?edition={edition}")).text)
    assert (public.forbidden, public.byes) == ((), ())
    official = read_trf((await build_results(stage).report("lliga", EDITIONS[edition], for_officials=True)).text)
    assert ([each.players for each in official.forbidden], [bye.kind for bye in official.byes]) == ([(1, 2)], ["H"])


@pytest.mark.parametrize("edition", ["TRF16", "TRF26"])
async def test_a_report_is_read_again_with_the_points_ranks_and_scores_of_the_standings(
    finished_stage: Stage, edition: str
) -> None:
    answer = await finished_stage.http.get(f"{AT}/report.trf?edition={edition}")
    document = read_trf(answer.text)
    standings = {
        line["name"][:33].strip(): line
        for line in (await finished_stage.http.get(f"{AT}/standings")).json()["standings"]
    }
    assert {player.name for player in document.players} == set(standings)
    scores = {score.player: score for score in document.scores}
    for player in document.players:
        line = standings[player.name]
        assert (player.points, player.rank) == (line["points"] * 10, line["rank"])
        assert scores[player.number].spread == line["spread"]
        assert f"DAT {player.number:04} SPREAD {line['spread']}" in document.other
        assert player.federation == COUNTRIES.get(line["player_id"], "")
    assert (document.rounds, document.paired_rounds, document.edition.value) == (5, 2, edition)


async def test_a_report_of_a_round_that_is_not_there_says_so(finished_stage: Stage) -> None:
    answer = await finished_stage.http.get(f"{AT}/report.trf?round=3")
    assert (answer.status_code, answer.json()["reason"]) == (404, "NOT_FOUND")
    odd = await finished_stage.http.get(f"{AT}/report.trf?edition=TRF06")
    assert odd.status_code == 400


async def test_what_was_recorded_before_the_question_is_there_in_every_form_though_results_follow_later(
    stage: Stage,
) -> None:
    hall = Championship()
    await stage.add(*hall.create())
    asked_for = ("/rounds/1/pairings", "/rounds/1/pairings.csv", "/standings.csv?round=1", "/crosstable.csv?round=1")
    assert [(await stage.http.get(f"{AT}{path}")).status_code for path in asked_for] == [404] * 4
    for step in hall.pair(1, [("anna", "biel")], "eloi"):
        await append(stage.record, step)
    answers = await asyncio.gather(*(stage.http.get(f"{AT}{path}") for path in asked_for))
    assert [answer.status_code for answer in answers] == [200] * 4
    position = await stage.record.last_position()
    refused = await stage.http.get(f"/api/v1/games/{game_id(1, 2)}.gcg?min_position={position}")
    assert refused.status_code == 404


async def test_programs_are_told_the_time_zone_the_halls_and_how_rounds_were_paired_and_reports_and_pages_have_its_days(
    stage: Stage,
) -> None:
    steps = list(Championship().steps())
    stream = "tournament-lliga"
    created = steps[0][stream][0]
    assert isinstance(created, pairing.TournamentCreated)
    created.time_zone = "Pacific/Kiritimati"
    hall = pairing.Hall(name="Gran", first_table=1, last_table=12)
    await stage.add(*steps, {stream: [pairing.HallsSet(halls=[hall])]})

    told = (await stage.http.get(AT)).json()["tournament"]
    assert told["time_zone"] == "Pacific/Kiritimati"
    plan = {"row_tables": [], "rows_turn": False, "entrance": None, "stage": None}
    assert told["halls"] == [{"name": "Gran", "first_table": 1, "last_table": 12} | plan]
    of_round = (await stage.http.get(f"{AT}/rounds/1/pairings")).json()
    assert told["played"][0]["algorithm"] == of_round["algorithm"] == "swiss-1"
    report = dict(read_trf((await stage.http.get(f"{AT}/report.trf")).text).headers)
    # Ten o'clock on the seventh in UTC is midnight there.
    assert report["042"] == "2026/03/08"
    assert report["132"][87:95] == "26/03/08"
    assert report["132"][:87].isspace()
    for page in ("/", "/tournaments/lliga", "/tournaments/lliga/players"):
        shown = (await stage.http.get(page, headers={"Accept-Language": "en"})).text
        assert "March 8, 2026 ·" in shown, page


async def test_files_are_saved_under_their_own_names(finished_stage: Stage) -> None:
    names = {
        "tournaments/lliga/standings.csv": "lliga-standings.csv",
        "tournaments/lliga/teams.csv": "lliga-teams.csv",
        "tournaments/lliga/rounds/1/pairings.csv": "lliga-round-1.csv",
        "tournaments/lliga/crosstable.csv": "lliga-crosstable.csv",
        "tournaments/lliga/crosstable.txt": "lliga-crosstable.txt",
        "tournaments/lliga/report.trf": "lliga.trf",
        "tournaments/lliga/results.tou": "lliga.tou",
        "tournaments/lliga/tsh.zip": "lliga-tsh.zip",
        "games/lliga-r1-t1.gcg": "lliga-r1-t1.gcg",
    }
    for path, name in names.items():
        answer = await finished_stage.http.get(f"/api/v1/{path}")
        assert answer.headers["content-disposition"] == f'inline; filename="{name}"', path
