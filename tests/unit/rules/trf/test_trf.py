"""TRF files are read, written and read again alike, and broken ones are refused where they are broken."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import SHARED_DATA

from faristol.rules.trf import (
    Adjustment,
    Byes,
    Document,
    Edition,
    Fictitious,
    Forbidden,
    Points,
    Scores,
    TrfCell,
    TrfError,
    TrfPlayer,
    TrfTeam,
    decode_trf,
    read_trf,
    told_by_first_round,
    write_trf,
)
from faristol.rules.trf.scoring import list_codes

TEAM = "013 " + "Reus".ljust(32)

OUTSIDE = sorted([*(SHARED_DATA / "trf").glob("*.trf"), *(SHARED_DATA / "fide-dutch").glob("*.input")])
needs_outside = pytest.mark.skipif(not OUTSIDE, reason="the files from outside are not beside this checkout")


def line(number: int, points: str, *rounds: str) -> str:
    """Return a player's line in which only the fields of a test are filled."""
    return f"001 {number:4}      {'Player':33} {'':4} {'':3} {'':11} {'':10} {points:>4}     " + "".join(
        f"  {played:8}" for played in rounds
    )


FOUR = [
    line(1, "1.5", "   3 w 1", "   2 b ="),
    line(2, "1.5", "   4 b 1", "   1 w ="),
    line(3, "0.0", "   1 b 0", "0000 - Z"),
    line(4, "1.0", "   2 w 0", "0000 - U"),
]


def change_row(row: int, old: str, new: str) -> str:
    assert old in FOUR[row]
    return "\n".join([*FOUR[:row], FOUR[row].replace(old, new), *FOUR[row + 1 :]])


def test_a_game_without_a_result_is_refused_when_its_round_is_over() -> None:
    players = [line(1, "1.0", "   2 w 1"), line(2, "0.0", "   1 b 0"), line(3, "", "   4 w"), line(4, "", "   3 b")]
    with pytest.raises(TrfError, match="line 3, column 99: the game of round 1 has no result, but others"):
        read_trf("\n".join(players))


@needs_outside
@pytest.mark.parametrize("file", OUTSIDE, ids=lambda file: file.stem)
@pytest.mark.parametrize("edition", Edition)
def test_a_tournament_recorded_elsewhere_survives_writing(file: Path, edition: Edition) -> None:
    document = read_trf(decode_trf(file.read_bytes()))
    again = read_trf(write_trf(document, edition))
    assert replace(again, edition=document.edition) == document
    assert sum(cell.played for player in again.players for cell in player.cells) > 0


def test_a_round_is_told_by_opponent_colour_and_result() -> None:
    document = read_trf("\r".join(FOUR))
    assert document.paired_rounds == 2
    assert document.players[0].cells == (TrfCell(3, "w", "1"), TrfCell(2, "b", "="))
    assert [document.points_of(player, 2) for player in document.players] == [15, 15, 0, 10]


def test_what_is_known_of_the_next_round_is_no_round_paired() -> None:
    rows = [FOUR[0] + "     4 w  ", FOUR[1] + "  0000 - H", FOUR[2], FOUR[3] + "     1 b  ", "XXZ 3", "XXR 5"]
    document = read_trf("\n".join(rows))
    assert document.paired_rounds == 2
    assert document.byes == (Byes("H", 3, (2,)), Byes("Z", 3, (3,)))
    assert document.players[0].cell(3).open
    assert document.rounds == 5


@pytest.mark.parametrize(
    ("text", "where", "reason"),
    [
        ("", (1, 1), "NO_PLAYERS"),
        ("hello there", (1, 1), "NO_PLAYERS"),
        ("012 A\x07B", (1, 6), "CONTROL"),
        (change_row(1, "001    2", "001     "), (2, 5), "NUMBER"),
        (change_row(1, "001    2", "001    1"), (2, 5), "TWICE"),
        (change_row(1, "001    2", "001   2x"), (2, 5), "NUMBER"),
        (change_row(1, "001    2", "001    0"), (2, 5), "NUMBER"),
        (change_row(0, "   3 w 1", "   9 w 1"), (1, 92), "NO_PLAYER"),
        (change_row(0, "   3 w 1", "   1 w 1"), (1, 92), "OPPONENT"),
        (change_row(0, "   3 w 1", "   4 w 1"), (1, 92), "NOT_MUTUAL"),
        (change_row(0, "   3 w 1", "   3 x 1"), (1, 97), "COLOUR"),
        (change_row(0, "   3 w 1", "   3 b 1"), (1, 97), "COLOUR"),
        (change_row(0, "   3 w 1", "   3 w 7"), (1, 99), "RESULT"),
        (change_row(0, "   3 w 1", "   3 w 0"), (1, 81), "POINTS"),
        (change_row(0, "   3 w 1", "   3 w +"), (1, 99), "RESULT"),
        (change_row(0, "   3 w 1", "   3 w H"), (1, 99), "RESULT"),
        (change_row(0, "   3 w 1", "   3ww 1"), (1, 92), "CELL"),
        (change_row(0, "   3 w 1", "   3 ww1"), (1, 92), "CELL"),
        (line(1, "").ljust(91) + "9", (1, 92), "NO_PLAYER"),
        (change_row(3, "0000 - U", "0000 - 1"), (4, 102), "OPPONENT"),
        (change_row(2, "0000 - Z", "0000 - U"), (4, 109), "TWO_BYES"),
        (change_row(0, " 1.5", " 2.5"), (1, 81), "POINTS"),
        (change_row(0, " 1.5", " 1;5"), (1, 81), "POINTS"),
        ("\n".join([*FOUR, "XXR 1"]), (1, 102), "ROUND"),
        ("\n".join([*FOUR, "XXR many"]), (5, 5), "NUMBER"),
        ("\n".join([*FOUR, "XXR 5", "142 6"]), (6, 5), "TWICE"),
        ("\n".join([*FOUR, "XXZ 1 7"]), (5, 7), "NO_PLAYER"),
        ("\n".join([*FOUR, "XXZ 3", "240 H 003    3"]), (5, 1), "TWO_BYES"),
        ("\n".join([*FOUR, "XXP 1"]), (5, 5), "FORBIDDEN"),
        ("\n".join([*FOUR, "XXP 1 1"]), (5, 5), "FORBIDDEN"),
        ("\n".join([*FOUR, "260 001 002 0001"]), (5, 5), "FORBIDDEN"),
        ("\n".join([*FOUR, "XXA    0 1.0"]), (5, 5), "NUMBER"),
        ("\n".join([*FOUR, "XXA    1 1.0 1.0"]), (5, 14), "POINTS"),
        ("\n".join([*FOUR, "XXA    1  1.0  x.0"]), (5, 15), "POINTS"),
        ("\n".join([*FOUR, "XXS W=x"]), (5, 7), "POINTS"),
        ("\n".join([*FOUR, "XXS Q=1.0"]), (5, 5), "SCORING"),
        ("\n".join([*FOUR, "162  W 3.0    Q 1.0"]), (5, 15), "SCORING"),
        ("\n".join([*FOUR, "XXS W=0"]), (5, 5), "SCORING"),
        ("\n".join([*FOUR, "XXS BL=1"]), (5, 5), "SCORING"),
        ("\n".join([*FOUR, "XXS PAB=1.5"]), (5, 5), "SCORING"),
        ("\n".join([*FOUR, "XXS FW=0 FL=0.5"]), (5, 5), "SCORING"),
        ("\n".join([*FOUR, "XXS ZPB=1 HPB=0.5"]), (5, 5), "SCORING"),
        ("\n".join([*FOUR, "XXS WL=-1"]), (5, 8), "SCORING"),
        ("\n".join([*FOUR, "XXS W=100"]), (5, 7), "SCORING"),
        ("\n".join([*FOUR, "XXS W=0.25"]), (5, 7), "POINTS"),
        ("\n".join([*FOUR, "162  W 0.0"]), (5, 5), "SCORING"),
        ("\n".join([*FOUR, "152 green"]), (5, 5), "COLOUR"),
        ("\n".join([*FOUR, "240 Q 003    1"]), (5, 5), "BYE"),
        ("\n".join([*FOUR, "250      01.0 001 00x 0001 0002"]), (5, 19), "NUMBER"),
        ("\n".join([*FOUR, "DAT 0001 SCORES 401-377"]), (5, 17), "SCORES"),
        ("\n".join([*FOUR, "DAT 0001 SCORES 401:377", "DAT 0001 SCORES -"]), (6, 5), "TWICE"),
        ("\n".join([*FOUR, "DAT 0009 SCORES -"]), (5, 5), "NO_PLAYER"),
        ("\n".join([*FOUR, "DAT 0000 SCORES -"]), (5, 5), "NUMBER"),
        ("\n".join([*FOUR, "DAT   1x SCORES -"]), (5, 7), "NUMBER"),
        ("\n".join([*FOUR, "DAT    1 SCORES -", "DAT    1 SCORES -"]), (6, 8), "TWICE"),
        ("\n".join([*FOUR, "DAT    9 SCORES -"]), (5, 8), "NO_PLAYER"),
        ("\n".join([*FOUR, "XXC white1 green"]), (5, 12), "COLOUR"),
        ("\n".join([*FOUR, "XXA"]), (5, 5), "NUMBER"),
        ("\n".join([*FOUR, "XXA    9 1.0"]), (5, 5), "NO_PLAYER"),
        ("\n".join([*FOUR, "250"]), (5, 10), "POINTS"),
        ("\n".join([*FOUR, "250      01.0 001 002"]), (5, 23), "NUMBER"),
        ("\n".join([*FOUR, "240 H"]), (5, 7), "NUMBER"),
        ("\n".join([*FOUR, "240 H 000    1"]), (5, 7), "NUMBER"),
        ("\n".join([*FOUR, "260 001     0001 0002"]), (5, 9), "NUMBER"),
        ("\n".join([*FOUR, "299"]), (5, 14), "POINTS"),
        ("\n".join([*FOUR, "XXR 0"]), (5, 5), "NUMBER"),
        ("\n".join([*FOUR, "XXR 1000"]), (5, 5), "NUMBER"),
        ("\n".join([*FOUR, "XXZ 0"]), (5, 5), "NUMBER"),
        ("\n".join([*FOUR, TEAM + "   1    7"]), (5, 45), "NO_PLAYER"),
        ("\n".join([*FOUR, TEAM + "   1    2", TEAM + "   3    2"]), (6, 45), "TWICE"),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(text: str, where: tuple[int, int], reason: str) -> None:
    with pytest.raises(TrfError) as error:
        read_trf(text)
    problem = error.value.problem
    assert (problem.reason, (problem.line, problem.column)) == (reason, where)
    assert str(error.value).startswith(f"line {where[0]}, column {where[1]}: ")


@pytest.mark.parametrize(
    ("said", "colour"),
    [
        ("XXC white1", "w"),
        ("XXC black1", "b"),
        ("XXC black1 rank", "b"),
        ("XXC rank", "-"),
        ("152 W", "w"),
        ("152 b", "b"),
        ("XXR 5", "-"),
    ],
)
def test_the_initial_colour_is_the_one_that_the_file_says(said: str, colour: str) -> None:
    assert read_trf("\n".join([*FOUR, said])).initial_colour == colour


@pytest.mark.parametrize(
    ("other", "noted"),
    [
        ("### a comment", False),
        ("DAT 0001", False),
        ("DAT 0001 RANKS 1 2", False),
        ("CAT    1                                        1850", False),
        ("300 001   1   2    1 0000", False),
        ("320 02.0 04.0 001 000", False),
        ("330 +- 001 001 002", False),
        ("250 01.0      001 003 0001 0002", False),
        ("802   1 REU    4.0    7.5", False),
        ("ABC something", True),
        ("011 something", True),
        ("XXQ 1", True),
        ("0011 is no player", True),
        ("Round two begins at ten", True),
    ],
)
def test_a_line_that_says_nothing_about_pairing_is_kept_and_noted_when_its_tag_is_not_known(
    other: str, noted: bool
) -> None:
    document = read_trf("\n".join([*FOUR, other]))
    assert (document.other, document.headers, document.scores) == ((other,), (), ())
    assert [note.line for note in document.notes] == ([5] if noted else [])


@pytest.mark.parametrize(
    ("scoring", "expected"),
    [
        ("XXS WW=1 WD=.5 WL=0 BW=1 BD=0.5 BL=0\nXXS FL=0 FW=1\nXXS PAB=1 FPB=1 HPB=.5 ZPB=0", Points()),
        ("XXS W=1 D=0.5 WL=0 BL=0 FL=0 ZPB=0 PAB=1", Points()),
        ("XXS PAB=3 D=1 W=3", Points(win=30, draw=10, allocated_bye=30, unknown=10)),
        ("XXS W=3\nXXS D=1", Points(win=30, draw=10, unknown=10)),
        ("XXS PAB=.5", Points(allocated_bye=5)),
        ("XXS W = 3 D= 1,0", Points(win=30, draw=10, unknown=10)),
        (
            "XXS FL=0 W=3 D=2 PAB=2 WL=1 BL=1 ZPB=1",
            Points(30, 20, 10, 10, 20, 20, exceptions=(("FL", 0),)),
        ),
        ("XXS BW=1.5 W=2", Points(win=20)),
        ("XXS W=2 BW=1.5", Points(win=20, exceptions=(("BW", 15),))),
        ("162  W 3.0    D 1.0", Points(win=30, draw=10, allocated_bye=30, unknown=10)),
        ("162  P 1.0\n162  W 3.0", Points(win=30)),
        ("BBW 3.0\nBBU 1.0\nBBZ 0.5\nBBF 0.0", Points(30, absence=5, exceptions=(("FL", 0),))),
    ],
)
def test_a_scoring_is_read_by_the_codes_of_its_program(scoring: str, expected: Points) -> None:
    assert read_trf("\n".join([line(1, ""), scoring])).points == expected


def test_points_by_colour_and_by_kind_of_bye_are_those_of_each_cell() -> None:
    points = read_trf("\n".join([line(1, ""), "XXS BW=1.5 BD=0.6 FW=.9 FPB=.8 HPB=.4 FL=.1 ZPB=.2"])).points
    cells = [
        TrfCell(2, "w", "1"),
        TrfCell(2, "b", "1"),
        TrfCell(2, "b", "D"),
        *(TrfCell(result=each) for each in "+-FHZU"),
    ]
    assert [points.of(cell) for cell in cells] == [10, 15, 6, 9, 1, 8, 4, 2, 10]


CODES = ("WW", "BW", "WD", "BD", "WL", "BL", "FW", "FL", "FPB", "HPB", "ZPB", "PAB")


@given(st.dictionaries(st.sampled_from(CODES), st.integers(0, 40)))
def test_a_scoring_of_javafo_survives_writing_or_is_refused_as_absurd(tenths: dict[str, int]) -> None:
    text = "XXS " + " ".join(f"{code}={value // 10}.{value % 10}" for code, value in tenths.items())
    usual = dict.fromkeys(("WW", "BW", "FW", "FPB", "PAB"), 10) | dict.fromkeys(("WD", "BD", "HPB"), 5)
    points = dict.fromkeys(CODES, 0) | usual | tenths
    ordered = [("WW", "WD"), ("WD", "WL"), ("BW", "BD"), ("BD", "BL"), ("FW", "FL"), ("FPB", "HPB"), ("HPB", "ZPB")]
    ordered += [("WW", "PAB"), ("WW", "HPB"), ("WW", "FL")]
    absurd = any(points[high] < points[low] for high, low in ordered)
    if absurd or points["WW"] == points["WL"] or points["BW"] == points["BL"]:
        with pytest.raises(TrfError, match="the scoring has"):
            read_trf("\n".join([line(1, ""), text]))
        return
    document = read_trf("\n".join([line(1, ""), text]))
    assert read_trf(write_trf(document, Edition.TRF16)).points == document.points
    assert list_codes(document.points) == points


def test_a_bye_set_before_the_round_is_paired_is_a_bye_of_that_round() -> None:
    rows = [
        line(1, "1.0", "   4 w 1"),
        line(2, "1.0", "   5 b 1"),
        line(3, "1.0", "0000 - U"),
        line(4, "0.0", "   1 b 0"),
        line(5, "1.0", "   2 w 0", "0000 - U"),
    ]
    document = read_trf("\n".join(rows))
    assert (document.paired_rounds, document.byes) == (1, (Byes("U", 2, (5,)),))
    assert read_trf(write_trf(document, Edition.TRF16)).byes == document.byes


def test_a_round_of_byes_alone_is_over_when_each_player_has_one() -> None:
    rows = [line(1, "2.0", "   2 w 1", "0000 - U"), line(2, "0.0", "   1 b 0", "0000 - Z")]
    assert read_trf("\n".join(rows)).paired_rounds == 2


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ("D’Or Núria".encode("cp1252"), "D’Or Núria"),
        ("D’Or Núria".encode(), "D’Or Núria"),
        ("D’Or Núria".encode("utf-8-sig"), "D’Or Núria"),
        ("D’Or Núria".encode("utf-16"), "D’Or Núria"),
    ],
)
def test_a_name_is_read_in_the_encodings_that_programs_write(data: bytes, name: str) -> None:
    encoding = "utf-16" if data.startswith(b"\xff\xfe") else "utf-8-sig" if data.startswith(b"\xef") else "cp1252"
    text = line(1, "").replace("Player".ljust(33), "@" * 33)
    if encoding == "utf-16":
        whole = text.replace("@" * 33, name.ljust(33)).encode("utf-16")
    else:
        whole = text.encode().replace(b"@" * 33, data.removeprefix(b"\xef\xbb\xbf") + b" " * (33 - len(name)))
    assert read_trf(decode_trf(whole + b"\r\n\x1a")).players[0].name == name


@pytest.mark.parametrize(
    ("name", "cut"),
    [
        ("a" * 32 + "e\u0301", "a" * 32 + "é"),
        ("a" * 32 + "x\u0301b", "a" * 32),
        ("a" * 31 + "👩\u200d👩", "a" * 31),
        ("a" * 32 + "👍🏽", "a" * 32),
        ("a" * 33 + "b", "a" * 33),
    ],
)
def test_a_long_name_is_cut_at_33_columns_before_a_letter_that_does_not_fit(name: str, cut: str) -> None:
    written = write_trf(Document((TrfPlayer(1, name=name),)))
    assert read_trf(written).players[0].name == cut


def test_a_numbered_team_is_read_and_written_by_its_columns() -> None:
    record = "310   7 Granollers                       GRA     2486   15.0   28.0  11     3    1    4"
    document = read_trf("\n".join([*FOUR, record, "240 H 003    7", "260 001 002    7    8"]))
    assert document.teams == (TrfTeam("Granollers", (3, 1, 4), 7, "GRA     2486   15.0   28.0  11"),)
    assert document.pairs_teams
    assert record in write_trf(document).splitlines()


@pytest.mark.parametrize(
    ("lines", "edition"),
    [
        (["XXR 5"], Edition.TRF16),
        (["BBW 1.0"], Edition.TRF16),
        (["142 5"], Edition.TRF26),
        (["012 Open"], Edition.TRF26),
        (["XXR 5", "142 5"], Edition.TRF16),
        (["142 5", "XXR 5"], Edition.TRF26),
    ],
)
def test_a_file_is_of_the_edition_of_the_first_line_that_only_one_has(lines: list[str], edition: Edition) -> None:
    assert read_trf("\n".join([*lines, *FOUR])).edition is edition


def test_a_number_of_rounds_stands_up_to_the_last_that_the_format_can_number() -> None:
    assert [read_trf("\n".join([*FOUR, f"XXR {rounds}"])).rounds for rounds in (2, 999)] == [2, 999]


def test_fictitious_points_are_those_of_their_rounds_and_none_is_no_line() -> None:
    document = read_trf("\n".join([*FOUR, "XXA    1  0.0  1.0"]))
    assert document.fictitious == (Fictitious(10, 2, 2, 1, 1),)


def test_a_round_without_an_opponent_and_a_result_is_one_that_was_not_played() -> None:
    told = change_row(2, "0000 - Z", "0000 -  ")
    assert read_trf(told).players[2].cells[1].result == "Z"


NAME = "Abcdefghijklmnopqrstuvwxyzabcdefg"
ADJACENT = [
    f"001 1234|fWGM|{NAME}|2345|CAT|98765432101|2001/02/03|11.5|4321|",
    f"001 2345|mAGM|{NAME}|1234|ESP|10123456789|1999/12/31| 0.0|8765|",
    f"013 {NAME[:32]}1234 2345",
    "142 123",
    "152 B",
    "240 F|123|1234",
    "250 |||||23.5|101|122|1234|2345|",
    "260 102|103|1234 2345",
    "299 P||||||||011.5|000|1234",
    "299 Q||||||||-10.5|123|2345",
    "XXA 1234 21.0",
    "XXP 1234 2345",
    "XXZ 2345",
]
"""Columns beside a field belong to no field, or to the next one."""


def test_a_field_is_its_own_columns_and_no_other() -> None:
    document = read_trf("\n".join(ADJACENT))

    first, other = document.players
    assert (first.number, first.sex, first.title, first.name, first.rating) == (1234, "f", "WGM", NAME, 2345)
    assert (first.federation, first.fide_number, first.birth) == ("CAT", "98765432101", "2001/02/03")
    assert (first.points, first.rank, first.cells) == (115, 4321, ())
    assert (other.number, other.rank, other.points) == (2345, 8765, 0)
    assert document.teams == (TrfTeam(NAME[:32], (1234, 2345)),)
    assert (document.rounds, document.initial_colour, document.edition) == (123, "b", Edition.TRF26)
    assert document.byes == (Byes("Z", 1, (2345,)), Byes("F", 123, (1234,)))
    assert document.fictitious == (Fictitious(235, 101, 122, 1234, 2345), Fictitious(210, 1, 1, 1234, 1234))
    assert document.forbidden == (Forbidden((1234, 2345), 102, 103), Forbidden((1234, 2345)))
    assert document.adjustments == (Adjustment(115, 0, (1234,), "P"), Adjustment(-105, 123, (2345,), "Q"))


def test_the_columns_of_the_newer_edition_are_written_where_they_are_read() -> None:
    lines = write_trf(replace(read_trf("\n".join(ADJACENT)), headers=(("012", "Open"),))).split("\r\n")
    blank = [written.replace("|", " ").rstrip() for written in ADJACENT]

    assert lines[:3] == ["012 Open", "142 123", "152 B"]
    assert lines[3:5] == blank[:2]
    assert "240 F 123 1234" in lines
    assert "250      23.5 101 122 1234 2345" in lines
    assert "260 102 103 1234 2345" in lines
    assert lines[-3:] == ["299 P        11.5  000 1234", "299 Q        -10.5 123 2345", ""]


def test_the_older_edition_has_lines_of_its_own_for_what_it_tells() -> None:
    document = replace(
        read_trf("\n".join(FOUR)),
        rounds=5,
        initial_colour="b",
        points=Points(win=10, draw=5, absence=2),
        fictitious=(Fictitious(15, 1, 2, 1, 1),),
        forbidden=(Forbidden((1, 4)),),
        scores=(Scores(1, ((401, 377), None)),),
        other=("### a comment",),
    )
    lines = write_trf(document, Edition.TRF16).split("\r\n")
    assert lines[4:] == [
        "XXR 5",
        "XXC black1",
        "XXS ZPB=0.2",
        "XXS FL=0.2",
        "XXA    1  1.5  1.5",
        "XXP 1 4",
        "DAT 0001 SCORES 401:377 -",
        "### a comment",
        "",
    ]


def documents() -> st.SearchStrategy[Document]:
    """Return four players after two rounds, with all kinds of other lines."""
    players = st.lists(st.integers(1, 4), min_size=2, max_size=4, unique=True).map(lambda found: tuple(sorted(found)))
    return st.builds(
        lambda **given: replace(read_trf("\n".join(FOUR)), edition=Edition.TRF26, **given),
        rounds=st.none() | st.integers(2, 99),
        initial_colour=st.sampled_from("wb-"),
        headers=st.just((("012", "Open"), ("102", "An Arbiter"))),
        byes=st.just(()) | players.map(lambda who: (Byes("F", 3, who[:1]), Byes("H", 3, who[1:]))),
        fictitious=st.lists(
            st.builds(Fictitious, st.integers(1, 99), st.just(1), st.integers(1, 9), st.just(1), st.integers(1, 4)),
            max_size=2,
        ).map(tuple),
        forbidden=st.lists(st.builds(Forbidden, players, st.integers(1, 2), st.integers(2, 9)), max_size=2).map(tuple),
        scores=st.just(()) | st.just((Scores(1, ((401, 377), None)), Scores(3, ((377, 401), None)))),
        teams=st.just(()) | st.just((TrfTeam("Els Faristols de Granollers, B", (3, 1)), TrfTeam("Reus", (2,)))),
        other=st.just(()) | st.just(("### a comment",)),
    )


@given(documents())
def test_everything_that_trf26_tells_survives_writing(document: Document) -> None:
    assert read_trf(write_trf(document)) == document


def test_points_of_another_scale_survive_writing() -> None:
    points = Points(win=30, draw=10, loss=0, absence=0, allocated_bye=20, unknown=10)
    rows = (
        TrfPlayer(1, cells=(TrfCell(2, "w", "1"),)),
        TrfPlayer(2, cells=(TrfCell(1, "b", "0"),)),
        TrfPlayer(3, cells=(TrfCell(),)),
    )
    document = Document(rows, points=points, adjustments=(Adjustment(-5, 1, (2,)),))
    again = read_trf(write_trf(document))
    assert again == document
    assert [again.points_of(player, 1) for player in again.players] == [30, -5, 0]


def test_a_player_of_whom_no_scores_are_told_yet_has_a_line_without_any() -> None:
    assert read_trf("\n".join([*FOUR, "DAT 0001 SCORES"])).scores == (Scores(1, ()),)


def test_the_spread_is_kept_in_lines_of_our_own() -> None:
    document = read_trf("\n".join([*FOUR, "DAT 0001 SCORES 401:377 350:350"]))
    assert document.scores[0].spread == 24


@pytest.mark.parametrize("edition", list(Edition))
def test_a_team_is_told_by_its_name_and_its_players_in_the_order_of_the_boards(edition: Edition) -> None:
    document = replace(read_trf("\n".join(FOUR)), teams=(TrfTeam("Granollers", (3, 1, 4)),))
    line = next(line for line in write_trf(document, edition).splitlines() if line.startswith("013"))
    assert (line[4:36].rstrip(), line[36:40], line[41:45], line[46:50]) == ("Granollers", "   3", "   1", "   4")
    assert read_trf(write_trf(document, edition)).teams == document.teams


def test_the_players_of_a_team_share_its_bye() -> None:
    bye = change_row(2, "0000 - Z", "0000 - U").replace(" 0.0", " 1.0")
    told = read_trf(bye + "\n" + TEAM + "   3    4")
    assert [told.players[place].cells[-1].result for place in (2, 3)] == ["U", "U"]
    with pytest.raises(TrfError, match="two byes U"):
        read_trf("\n".join([bye, TEAM + "   3", TEAM + "   4"]))


def test_a_forfeit_win_without_an_opponent_brings_a_win() -> None:
    document = read_trf(change_row(2, "0000 - Z", "0000 - +").replace(" 0.0", " 1.0"))
    assert document.players[2].cells[-1] == TrfCell(0, "-", "+")
    assert document.points_of(document.players[2], 2) == 10


def test_what_the_older_edition_cannot_tell_is_said() -> None:
    document = replace(read_trf("\n".join(FOUR)), byes=(Byes("Z", 5, (1,)),))
    with pytest.raises(ValueError, match="byes only of round 3"):
        write_trf(document, Edition.TRF16)


@pytest.mark.parametrize(
    ("lines", "colour"),
    [
        ([line(1, "", "   2 w 1"), line(2, "", "   1 b 0")], "w"),
        ([line(1, "", "   2 b 1"), line(2, "", "   1 w 0")], "b"),
        ([line(1, "", "0000 - U"), line(2, "", "   3 w 1"), line(3, "", "   2 b 0")], "b"),
        ([line(1, "", "0000 - U"), line(2, "", "   3 b 1"), line(3, "", "   2 w 0")], "w"),
        ([line(1, "", "0000 - Z"), line(2, "", "   3 b 1"), line(3, "", "   2 w 0")], "b"),
        ([line(1, "", "   2 - +"), line(2, "", "   1 - -")], "-"),
        ([line(1, "", "0000 - Z")], "-"),
    ],
)
def test_the_first_round_tells_the_initial_colour(lines: list[str], colour: str) -> None:
    assert told_by_first_round(read_trf("\n".join(lines)).players) == colour


def test_fictitious_points_of_one_round_of_several_are_written_with_the_others() -> None:
    document = replace(read_trf("\n".join(FOUR)), fictitious=(Fictitious(10, 2, 2, 2, 3),))
    lines = write_trf(document, Edition.TRF16).split("\r\n")
    assert [text for text in lines if text.startswith("XXA")] == ["XXA    2  0.0  1.0", "XXA    3  0.0  1.0"]


def test_a_forfeit_has_no_colours_and_a_game_that_was_played_has_both() -> None:
    forfeit = [line(1, "", "   2 - +"), line(2, "", "   1 - -")]
    assert read_trf("\n".join(forfeit)).players[0].cells[0] == TrfCell(2, "-", "+")
    for colours in (("-", "-"), ("w", "w"), ("w", "-"), ("-", "b")):
        with pytest.raises(TrfError, match="the colours of the game"):
            read_trf("\n".join([line(1, "", f"   2 {colours[0]} 1"), line(2, "", f"   1 {colours[1]} 0")]))
    with pytest.raises(TrfError, match="the colours of the game"):
        read_trf("\n".join([line(1, "", "   2 w +"), line(2, "", "   1 - -")]))


def test_a_line_that_ends_before_the_first_round_has_no_cell() -> None:
    assert read_trf(line(1, "").ljust(90) + "|").players[0].cells == ()


FIELD = SHARED_DATA / "field"


@pytest.mark.skipif(not FIELD.is_dir(), reason="the files from the field are not beside this checkout")
def test_files_from_the_field_are_read() -> None:
    read = {file.stem: read_trf(decode_trf(file.read_bytes())) for file in FIELD.glob("*.trf")}
    assert read["xxs_full"].points == Points()
    assert read["xxs_pab_half"].points == Points(allocated_bye=5)
    assert read["cp1252_apostrophe"].players[0].name == "D’Or Núria"
    preset = read["preassigned_pab"]
    assert (preset.paired_rounds, preset.byes) == (1, (Byes("U", 2, (5,)),))
