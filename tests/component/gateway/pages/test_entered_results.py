"""The page, the JSON and the sheet of a game of which the result was entered by hand."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from typing import Any

import pytest
from google.protobuf.message import Message
from tests.support.stage import Stage
from tests.support.synthetic import Championship, Table

from faristol.client import models as typed
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.pb.results.v1 import results_pb2_grpc
from faristol.personal_data import people
from faristol.personal_data.erasure import erase
from faristol.table_terminal.shared.sheet import format_sheet

pytestmark = pytest.mark.asyncio(loop_scope="module")

GAME = "lliga-r1-t1"
SCORES = (412, 378)
FORFEIT = {"loser_ids": ["carme"], "condition": game.END_CONDITION_FORFEIT, "unplayed": True}
ABANDONED = {"loser_ids": ["carme"], "condition": game.END_CONDITION_ABANDONED}


async def begin(stage: Stage) -> Table:
    """Return the events of a round 1 that is being played, with its first table open and the racks drawn."""
    hall = Championship()
    table = hall.table(1, 1, "anna", "carme")
    opened = table.open(hall.ruleset, hall.lexicon)
    await stage.add(*hall.create(), *hall.pair(1, [table.players, ("biel", "dolors")], "eloi"), *hall.begin(1), *opened)
    return table


def enter_result(
    scores: tuple[int, int] = SCORES, game_id: str = GAME, result: Mapping[str, Any] | None = None
) -> list[Message]:
    """Return the events of the tournament when an arbiter enters a result."""
    players = ("anna", "carme") if game_id == GAME else ("biel", "dolors")
    final = [game.FinalScore(player_id=player, score=score) for player, score in zip(players, scores, strict=True)]
    recorded = pairing.ResultRecorded(round=1, game_id=game_id, scores=final, winner_id=players[0], **(result or {}))
    return [pairing.ResultEntered(round=1, game_id=game_id, arbiter_id="marta", note="secret"), recorded]


def close_table(recorded: Message) -> game.TableClosed:
    """Return the event that follows at the table."""
    assert isinstance(recorded, pairing.ResultRecorded)
    return game.TableClosed(
        scores=recorded.scores,
        winner_id=recorded.winner_id,
        condition=recorded.condition,
        loser_ids=recorded.loser_ids,
    )


async def enter(stage: Stage, *events: Message) -> None:
    await stage.add({"tournament-lliga": list(events)}, {f"game-{GAME}": [close_table(events[-1])]})


async def fetch_page(stage: Stage, game_id: str = GAME, language: str = "en") -> str:
    answer = await stage.http.get(f"/games/{game_id}", headers={"Accept-Language": language})
    assert answer.status_code == 200
    return " ".join(answer.text.split())


async def sheet(stage: Stage, game_id: str = GAME, language: str = "en") -> list[str]:
    """Return the lines that `faristol sheet` prints."""
    async with stage.running.runtime.channel("results") as channel:
        stub = results_pb2_grpc.ResultsServiceStub(channel)
        answer: pb.GetGameResponse = await stub.GetGame(pb.GetGameRequest(game_id=game_id))
    return [" ".join(line.split()) for line in format_sheet(answer, language)]


async def test_the_page_of_a_result_entered_by_hand_shows_it_and_who_entered_it_and_no_empty_board(
    stage: Stage,
) -> None:
    await begin(stage)
    assert "86 tiles in the bag" in await fetch_page(stage)
    await enter(stage, *enter_result())
    page = await fetch_page(stage)
    assert "data-flash>412</p>" in page
    assert "The result was entered by the arbiter marta." in page
    assert "The game was not scored here: it has no board and no scoresheet." in page
    for empty in ('id="board"', "tiles in the bag", "No turn has been taken yet", 'id="paper"', "data-clock", "secret"):
        assert empty not in page
    for language, words in (
        ("ca", "Ha introduït el resultat l’àrbitre marta."),
        ("es", "El resultado lo ha introducido el árbitro marta."),
        ("el", "Το αποτέλεσμα το καταχώρισε ο έφορος marta."),
    ):
        assert words in await fetch_page(stage, language=language)


async def test_an_official_who_acts_under_a_name_is_told_by_it_and_never_by_the_id_that_was_made(stage: Stage) -> None:
    await begin(stage)
    made = "o-c2997dcbc41f"
    async with stage.running.runtime.record.writing() as connection:
        await people.store_player(connection, made, "Eva Soler", "")
    entering, recorded = enter_result()
    assert isinstance(entering, pairing.ResultEntered)
    entering.arbiter_id = made
    await enter(stage, entering, recorded)
    pairings, game_path = "/api/v1/tournaments/lliga/rounds/1/pairings", f"/api/v1/games/{GAME}"
    assert "The result was entered by the arbiter Eva Soler." in await fetch_page(stage)
    assert (await stage.http.get(game_path)).json()["entered_by"] == "Eva Soler"
    assert (await stage.http.get(pairings)).json()["tables"][0]["entered_by"] == "Eva Soler"

    await erase(stage.running.runtime.record, made)
    page = await fetch_page(stage)
    assert "The result was entered by an arbiter." in page
    assert made not in page
    assert made not in (await stage.http.get(game_path)).text
    assert made not in (await stage.http.get(pairings)).text
    assert "The result was entered by an arbiter." in await sheet(stage)


async def test_the_json_of_a_result_entered_by_hand_has_it_and_who_entered_it(stage: Stage) -> None:
    await begin(stage)
    await enter(stage, *enter_result())
    answer = (await stage.http.get(f"/api/v1/games/{GAME}")).json()
    assert [seat["score"] for seat in answer["seats"]] == list(SCORES)
    assert (answer["entered_by"], answer["winner_id"], answer["final"], answer["unplayed"]) == (
        "marta",
        "anna",
        True,
        False,
    )
    assert (answer["bag_left"], answer["clocks"], answer["entries"], answer["turn_player_id"]) == (0, [], [], "")
    table = (await stage.http.get("/api/v1/tournaments/lliga/rounds/1/pairings")).json()["tables"][0]
    assert (table["entered_by"], table["corrected_by"]) == ("marta", "")


async def test_the_sheet_of_a_result_entered_by_hand_has_it_and_no_total_of_0(stage: Stage) -> None:
    await begin(stage)
    await enter(stage, *enter_result())
    assert (await sheet(stage))[1:] == [
        "Anna Puigdomènech i Casadevall 412",
        "Carme Riera 378",
        "The result was entered by the arbiter marta.",
        "The game was not scored here: it has no board and no scoresheet.",
    ]


@pytest.mark.parametrize(
    ("result", "said", "mark"),
    [
        (FORFEIT, "Decided by forfeit.", "absent"),
        (ABANDONED, "Ended: a player left.", "resigned the game"),
    ],
)
async def test_a_forfeit_and_an_abandonment_entered_by_hand_are_told_apart(
    stage: Stage, result: dict[str, Any], said: str, mark: str
) -> None:
    await begin(stage)
    await enter(stage, *enter_result((0, 0), result=result))
    page = await fetch_page(stage)
    assert said in page
    assert "entered by the arbiter marta" in page
    assert mark in page.split("Carme Riera</a>")[1].split("</p>")[0]
    assert ("The game was not played" in page) == bool(result.get("unplayed"))
    assert said in await sheet(stage)


PUBLIC = (
    f"/games/{GAME}",
    f"/games/{GAME}/embed",
    f"/games/{GAME}/overlay",
    f"/games/{GAME}/replay",
    "/tournaments/lliga/round/1",
    "/tournaments/lliga/embed/pairings",
    "/tournaments/lliga/crosstable",
    "/tournaments/lliga/screen",
    "/tournaments/lliga/find?player=anna",
    "/players/anna",
    "/tournaments/lliga/print/round/1/results",
    "/tournaments/lliga/print/crosstable",
    "/tournaments/lliga/print/round/1/games?table=1",
)
"""Pages and papers that show the result of a game."""


async def test_a_forfeit_without_points_shows_marks_and_no_score_on_any_page(stage: Stage) -> None:
    await begin(stage)
    await enter(stage, *enter_result((0, 0), result=FORFEIT))
    shown_zero = re.compile(r">\s*0\s*[–<]|–\s*0\s*<|Anna[^<]* 0 |Riera[^<]* 0\b")
    of_a_cell = re.compile(r'"(?:sub figures|mark)">\s*0')
    wrong = []
    for address in PUBLIC:
        answer = await stage.http.get(address, headers={"Accept-Language": "en"}, follow_redirects=True)
        assert answer.status_code == 200, address
        assert "secret" not in answer.text, f"{address} shows the note of an official"
        # only data of this game: the other table has begun, and has 0 points
        parts = re.split(r"<(?:li|tr|h1|section|meta)\b", answer.text.split('id="table-2"')[0])
        found = [part for part in parts if ("Carme" in part or "score" in part[:80]) and "Biel" not in part]
        pattern = of_a_cell if address.endswith("crosstable") else shown_zero  # the table has points and spreads of 0
        wrong += [(address, part[:400]) for part in found if pattern.search(part)]
    assert wrong == []
    page = await fetch_page(stage)
    assert re.findall(r"data-flash>([^<]*)</p>", page) == ["+", "–"]
    assert [line.split()[-1] for line in (await sheet(stage))[1:3]] == ["+", "–"]


async def test_a_forfeit_without_points_has_no_score_in_json_and_csv(stage: Stage) -> None:
    await begin(stage)
    await enter(stage, *enter_result((0, 0), result=FORFEIT))
    of_tournament = "/api/v1/tournaments/lliga"
    game_ = (await stage.http.get(f"/api/v1/games/{GAME}")).json()
    table = (await stage.http.get(f"{of_tournament}/rounds/1/pairings")).json()["tables"][0]
    assert [seat["score"] for seat in (*game_["seats"], *table["seats"])] == [None] * 4
    read = (typed.Game.model_validate(game_), typed.Table.model_validate(table))
    assert [seat.score for each in read for seat in each.seats] == [None] * 4
    rows = (await stage.http.get(f"{of_tournament}/crosstable")).json()["rows"]
    cells = [row["cells"][0] for row in rows if row["player_id"] in ("anna", "carme")]
    assert [(cell["basis"], cell["score"], cell["against"]) for cell in cells] == [("forfeit", None, None)] * 2
    lines = list(csv.DictReader((await stage.http.get(f"{of_tournament}/rounds/1/pairings.csv")).text.splitlines()))
    assert [(lines[0]["unplayed"], lines[0]["first_score"], lines[0]["second_score"])] == [("true", "", "")]
    lines = list(csv.DictReader((await stage.http.get(f"{of_tournament}/crosstable.csv")).text.splitlines()))
    assert {line["round_1_score"] for line in lines if line["round_1_basis"] == "forfeit"} == {""}


async def test_a_forfeit_with_the_points_of_the_book_shows_them(stage: Stage) -> None:
    await begin(stage)
    await enter(stage, *enter_result((150, 0), result=FORFEIT))
    assert re.findall(r"data-flash>([^<]*)</p>", await fetch_page(stage)) == ["150", "0"]
    table = (await stage.http.get("/api/v1/tournaments/lliga/rounds/1/pairings")).json()["tables"][0]
    assert [seat["score"] for seat in table["seats"]] == [150, 0]


async def test_an_entered_result_that_was_corrected_is_shown_as_it_counts_with_who_corrected_it(stage: Stage) -> None:
    await begin(stage)
    await enter(stage, *enter_result())
    scores = [game.FinalScore(player_id="anna", score=402), game.FinalScore(player_id="carme", score=408)]
    corrected = pairing.ResultCorrected(
        round=1, game_id=GAME, scores=scores, winner_id="carme", arbiter_id="joan", unplayed=False
    )
    await stage.add({"tournament-lliga": [corrected]})
    answer = (await stage.http.get(f"/api/v1/games/{GAME}")).json()
    assert [seat["score"] for seat in answer["seats"]] == [402, 408]
    assert (answer["winner_id"], answer["corrected"], answer["corrected_by"]) == ("carme", True, "joan")
    assert "The result was corrected by the arbiter joan." in await fetch_page(stage)
    assert (await sheet(stage))[1:5] == [
        "Anna Puigdomènech i Casadevall 402",
        "Carme Riera 408",
        "The result was entered by the arbiter marta.",
        "The result was corrected by the arbiter joan.",
    ]


async def test_a_postponed_game_whose_result_was_entered_has_a_page_though_its_table_was_never_opened(
    stage: Stage,
) -> None:
    await begin(stage)
    other = "lliga-r1-t2"
    assert "entered by" not in await fetch_page(stage, other)
    position = await stage.add({"tournament-lliga": enter_result((301, 299), other)})
    page = await fetch_page(stage, other)
    assert "entered by the arbiter marta" in page
    now = (await stage.http.get(f"/api/v1/games/{other}")).json()
    then = (await stage.http.get(f"/api/v1/games/{other}?as_of_position={position}")).json()
    assert ([seat["score"] for seat in now["seats"]], then["seats"]) == ([301, 299], now["seats"])
    before = (await stage.http.get(f"/api/v1/games/{other}?as_of_position={position - 1}")).json()
    assert [seat["score"] for seat in before["seats"]] == [0, 0]
    for missing in ("lliga-r1-t3", "lliga-r9-t2", "nowhere-r1-t2", "lliga-r1", "-r-t", "x"):
        assert (await stage.http.get(f"/api/v1/games/{missing}")).status_code == 404


async def test_what_was_played_before_a_result_was_entered_stays_on_the_page_beside_it(stage: Stage) -> None:
    table = await begin(stage)
    await stage.add(*table.play("H5", "F E R I R", 22))
    await enter(stage, *enter_result())
    page = await fetch_page(stage)
    assert 'id="board"' in page
    assert "entered by the arbiter marta" in page
    assert "data-flash>412</p>" in page
    lines = await sheet(stage)
    assert "Carme Riera 378" in lines
    assert "The result was entered by the arbiter marta." in lines


async def test_an_entered_result_counts_on_the_sheet_of_a_table_that_its_hall_has_lost(stage: Stage) -> None:
    """In the cell of a hall, no event closes a table which the championship took back."""
    table = await begin(stage)
    await stage.add(*table.play("H5", "F E R I R", 22))
    await stage.add({"tournament-lliga": enter_result()})
    assert '<strong class="num">412</strong>' in await fetch_page(stage)
    lines = await sheet(stage)
    counted = lines.index("Counts in the tournament:")
    assert lines[counted + 1 : counted + 4] == [
        "Anna Puigdomènech i Casadevall 412",
        "Carme Riera 378",
        "The result was entered by the arbiter marta.",
    ]


async def test_a_game_that_the_book_gives_to_who_is_there_has_a_page_without_an_empty_board(stage: Stage) -> None:
    """PES ΣΤ: a player who left a round robin has lost the game when its round starts, and no arbiter entered that."""
    await begin(stage)
    entering, recorded = enter_result((150, 0), result=FORFEIT)
    assert isinstance(entering, pairing.ResultEntered)
    entering.arbiter_id = ""
    await enter(stage, entering, recorded)
    page = await fetch_page(stage)
    assert "Decided by forfeit." in page
    assert "The game was not played" in page
    for not_said in ("entered by", 'id="board"', "tiles in the bag"):
        assert not_said not in page
    assert (await sheet(stage))[1:3] == ["Anna Puigdomènech i Casadevall 150", "Carme Riera 0"]
