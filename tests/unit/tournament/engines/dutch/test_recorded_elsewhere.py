"""Tournaments paired by an endorsed engine get the same pairings and colours, round by round."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conftest import SHARED_DATA

from faristol.rules.trf import decode_trf, read_trf
from faristol.tournament.engines.dutch.history import round_to_pair
from faristol.tournament.engines.dutch.pairing import PairedRound, pair_round

TOURNAMENTS = [file for folder in ("trf", "fide-dutch-byes") for file in sorted((SHARED_DATA / folder).glob("*.trf"))]
"""Those of ``fide-dutch-byes`` have byes asked for before the first round."""
CASES = ("dutch_2025_C5", "dutch_2025_C9", "issue_7")
"""The fourth case, ``issue_15``, is a tournament of another system (Burstein) and expects no pairs."""

pytestmark = pytest.mark.skipif(not TOURNAMENTS, reason="the files from outside are not beside this checkout")


def lines(paired: PairedRound) -> list[tuple[int, int]]:
    boards = [(board.white, board.black) for board in paired.boards]
    return boards if paired.bye is None else [*boards, (paired.bye, 0)]


@pytest.mark.parametrize("file", TOURNAMENTS, ids=lambda file: file.stem)
def test_every_round_is_paired_as_it_was(file: Path) -> None:
    document = read_trf(decode_trf(file.read_bytes()))
    assert document.paired_rounds >= 5
    for number in range(1, document.paired_rounds + 1):
        cells = [(player.number, player.cell(number)) for player in document.players]
        expected = {(player, cell.opponent) for player, cell in cells if cell.colour == "w"}
        expected |= {(player, 0) for player, cell in cells if cell.result == "U"}
        assert {*lines(pair_round(round_to_pair(document, number)))} == expected, f"round {number}"


@pytest.mark.parametrize("case", CASES)
def test_a_case_gives_the_expected_pairs_in_their_order(case: str) -> None:
    document = read_trf(decode_trf((SHARED_DATA / "fide-dutch" / f"{case}.input").read_bytes()))
    told = (SHARED_DATA / "fide-dutch" / f"{case}.output.expected").read_text().split("\n")
    expected = [tuple(map(int, line.split())) for line in told[1:] if line.strip()]
    found = lines(pair_round(round_to_pair(document, document.paired_rounds + 1)))
    assert found == expected
    assert len(found) == int(told[0])
