"""Standings of tournaments that other programs kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.conftest import SHARED_DATA as DATA

from faristol.rules import Bye, Result, load_ruleset, standings
from faristol.rules.trf import Document, decode_trf, read_trf

DIVISION = DATA / "tsh" / "kingston-b.json"
REPORTS = sorted((DATA / "trf").glob("*.trf"))

BYES = {"U": Bye.ALLOCATED, "H": Bye.HALF_POINT, "F": Bye.FULL_POINT, "Z": Bye.ZERO_POINT}


@pytest.mark.skipif(not DIVISION.exists(), reason=f"there is no {DIVISION}")
def test_a_division_kept_by_tsh_stands_as_it_did_after_each_round() -> None:
    players = [entry for entry in json.loads(DIVISION.read_text())["players"] if entry]
    ruleset = load_ruleset("fise")  # wins, then spread
    rounds = len(players[0]["pairings"])
    scores = {player["id"]: player["scores"] for player in players}
    for last in range(1, rounds + 1):
        results = [
            Result.of_game(
                number, str(player["id"]), str(other), scores[player["id"]][number - 1], scores[other][number - 1]
            )
            for player in players
            for number, other in enumerate(player["pairings"][:last], 1)
            if player["id"] < other
        ]
        rows = standings(results, [str(player["id"]) for player in players], ruleset, rounds)
        assert {int(row.player): row.rank for row in rows} == {
            player["id"]: player["etc"]["rrank"][last] for player in players
        }
    assert rounds == 11


def _results(document: Document) -> list[Result]:
    found = []
    for player in document.players:
        for number, cell in enumerate(player.cells, 1):
            number_of, other = str(player.number), str(cell.opponent)
            if cell.opponent == 0:
                found.append(Result.bye(number, number_of, BYES[cell.result]))
            elif cell.result == "+":
                found.append(Result.forfeit(number, number_of, other))
            elif player.number < cell.opponent and cell.played:
                score = {"1": 1, "=": 0, "0": -1}[cell.result]
                found.append(Result.of_game(number, number_of, other, score, 0))
            elif player.number < cell.opponent and cell.result == "-":
                back = document.player(cell.opponent)
                assert back is not None
                if back.cell(number).result == "-":
                    found.append(
                        Result.of_table(number, number_of, other, 0, 0, winner="", lost_by_all=True, played=False)
                    )
    return found


@pytest.mark.skipif(not REPORTS, reason=f"there are no reports in {DATA / 'trf'}")
@pytest.mark.parametrize("report", REPORTS, ids=lambda path: path.stem)
def test_the_points_of_a_report_are_those_of_its_results(report: Path) -> None:
    document = read_trf(decode_trf(report.read_bytes()))
    players = [str(player.number) for player in document.players]
    rounds = document.rounds or document.paired_rounds
    rows = {int(row.player): row for row in standings(_results(document), players, load_ruleset("pes-2024"), rounds)}
    for player in document.players:
        assert player.points is not None
        assert rows[player.number].points * 10 == player.points
    # Reports rank by points; if theirs differ, ours differ too.
    for better in document.players:
        for other in document.players:
            if (better.points or 0) > (other.points or 0):
                assert rows[better.number].rank < rows[other.number].rank
