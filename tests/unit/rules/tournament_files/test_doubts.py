"""Doubts about a file, and its changes before it is taken over."""

from __future__ import annotations

import pytest

from faristol.kernel.errors import Invalid
from faristol.rules.tournament_files import TournamentFile, find_doubts
from faristol.rules.tournament_files.files import to_tournament
from faristol.rules.tournament_files.mending import mend
from faristol.rules.tournament_files.tsh import read_division
from faristol.rules.trf import read_trf

CLEAN = """\
Puig, Anna   1450 2 3; 401 420; p12 1 2
Soler, Blai  1400 1 4; 388 377; p12 2 1
Mas, Ona     1300 4 1; 399 380; p12 1 1
Roca, Jordi  1200 3 2; 350 401; p12 2 2
"""


def read(text: str) -> TournamentFile:
    return TournamentFile("Open", divisions=(read_division(text),))


def reasons(text: str) -> list[tuple[str, bool, int, int]]:
    return [(each.reason, each.is_error, each.player, each.round) for each in find_doubts(read(text))]


def test_a_file_without_contradictions_has_no_doubts() -> None:
    assert reasons(CLEAN) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("1200 3 2;", "1200 3 1;", ("NOT_MUTUAL", True, 2, 2)),
        ("1200 3 2;", "1200 3 9;", ("NO_OPPONENT", True, 4, 2)),
        ("350 401", "350", ("SCORE_MISSING", True, 4, 2)),
        ("Roca, Jordi", "Puig, Anna", ("EQUAL_NAMES", True, 1, 0)),
        ("401 420; p12 1 2", "401 420; p12 2 2", ("START_UNCLEAR", False, 1, 1)),
        ("350 401", "35 401", ("SCORE_IMPLAUSIBLE", False, 4, 1)),
    ],
)
def test_each_contradiction_is_named_with_its_player_and_round(
    old: str, new: str, expected: tuple[str, bool, int, int]
) -> None:
    assert expected in reasons(CLEAN.replace(old, new, 1))


def test_several_byes_and_the_spread_of_an_absence_are_doubted() -> None:
    text = "Puig, Anna 1450 0; 50\nSoler, Blai 1400 0; 50\nMas, Ona 1300 0; -50\n"
    assert reasons(text) == [("SEVERAL_BYES", False, 0, 1), ("SPREAD_OF_ABSENCE", False, 3, 1)]


def test_a_change_of_a_score_or_an_opponent_is_one_of_both_sides() -> None:
    broken = read(CLEAN.replace("1200 3 2;", "1200 3 1;").replace("350 401", "350 399"))
    assert find_doubts(broken)

    mended = mend(broken, ["2/4/opponent=2", "2/4/score=401"])

    assert find_doubts(mended) == []
    assert [player.rounds for player in mended.divisions[0].players] == [
        player.rounds for player in read(CLEAN).divisions[0].players
    ]
    renamed = mend(broken, ["1/name=Anna Puig Mas", "1/rating=1500", "1/1/start=unknown", "2/1/kind=absence"])
    anna = renamed.divisions[0].players[0]
    assert (anna.name, anna.rating, anna.rounds[0].starts, anna.rounds[1].kind) == (
        "Anna Puig Mas",
        1500,
        None,
        "absence",
    )


@pytest.mark.parametrize(
    "change", ["2/4/score", "2/9/score=1", "x/4/score=1", "2/4/colour=w", "2/4/opponent=4", "0/1/score=1"]
)
def test_a_change_that_says_no_place_is_refused(change: str) -> None:
    with pytest.raises(Invalid):
        mend(read(CLEAN), [change])


def test_a_report_has_scores_in_its_dat_lines_or_says_who_won_only() -> None:
    head = "012 Open de Reus\r\n042 2026/03/07\r\nXXR 5\r\n"
    players = [("Puig, Anna", 1450, "   2 w 1"), ("Soler, Blai", 1400, "   1 b 0"), ("Mas, Ona", 0, "0000 - U")]
    lines = [
        f"001 {number:4} {'':4} {name:<33} {rating:4} {'ESP':3} {'':11} {'':10} {'':4} {'':4}  {cell}\r\n"
        for number, (name, rating, cell) in enumerate(players, 1)
    ]
    bare, assumed = to_tournament(read_trf(head + "".join(lines)))
    assert (bare.name, bare.date, bare.rounds, assumed) == ("Open de Reus", "2026-03-07", 5, 1)
    assert [line[1:] for line in bare.divisions[0].rank()] == [(2, 1), (2, 0), (0, -1)]
    assert [player.name for player in bare.divisions[0].players] == ["Anna Puig", "Blai Soler", "Ona Mas"]

    scores = "DAT 0001 SCORES 401:388\r\nDAT 0002 SCORES 388:401\r\n"
    full, assumed = to_tournament(read_trf(head + "".join(lines) + scores))
    assert assumed == 0
    assert full.divisions[0].players[0].rounds[0].score == 401
