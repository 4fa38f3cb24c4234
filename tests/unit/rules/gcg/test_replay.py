"""A file is replayed by the rules: valid files pass, and each error is reported once, with its line."""

from __future__ import annotations

import pytest
from tests.unit.rules.gcg.games import (
    CATALAN,
    ENGLISH,
    FIRST,
    FISC,
    INSTRUCTIONS,
    PES,
    SPANISH,
    list_problems,
    replay_events,
    text,
)

from faristol.rules import Board, Notation, Ruleset, Tile, lay
from faristol.rules.conditions import EndCondition
from faristol.rules.gcg import read_gcg, replay
from faristol.rules.ruleset.with_options import with_options

TRAIN = ">a: AEINRT? 8D TRAIN +12 12"


def test_every_line_is_told_beside_what_the_file_says() -> None:
    found = replay_events(TRAIN, ">b: BDENOSS D7 S.OB +6 7", ">a: EIO?AUU G7 T. +2 2")
    first, second = found.steps
    assert (first.score, first.total, second.score, second.total) == (12, 12, 6, 6)
    assert (second.event.score, second.event.total) == (6, 7)
    trained = Board().place(lay(Board(), Notation.GCG.read("8D"), [Tile(face) for face in "TRAIN"]))
    assert found.board == trained.place(lay(trained, Notation.GCG.read("D7"), [Tile(face) for face in "STOB"]))
    assert [(problem.line - FIRST + 1, problem.reason, problem.article) for problem in found.problems] == [
        (2, "TOTAL", ""),
        (3, "NOT_IN_RACK", "Box: turns"),
    ]
    assert dict(found.totals) == {"a": 12, "b": 6}


@pytest.mark.parametrize(
    ("play", "reason", "expected"),
    [
        (">b: DEGLNOS 8D .....S +6 6", "", ""),
        (">b: DEGLNOS 8D (TRAIN)S +6 6", "", ""),
        (">b: DEGLNOS 8d (TR)..(N)S +6 6", "", ""),
        (">b: DEGLNOS I8 S +6 6", "", ""),
        (">b: DEGLNOS 8D (TRAIL)S +6 6", "OTHER_TILE", "N, which lies there"),
        (">b: DEGLNOS 8D TRAINS +6 6", "", ""),
        (">b: DEGLNOS 8D TRAiNS +6 6", "", ""),
        (">b: DEGLNOS 8D TRAILS +6 6", "SQUARE_TAKEN", "a dot"),
        (">b: DEGLNOS 8I S +6 6", "", ""),
        (">b: DEGLNOS 8I SO +6 6", "WORD_INCOMPLETE", "the whole word"),
        (">b: DEGLNOS D6 DO +6 6", "WORD_INCOMPLETE", "the whole word"),
        (">b: DEGLNOS 8B S.. +6 6", "GAP", "a tile there"),
        (">b: DEGLNOS 8D ..... +6 6", "NO_TILES", ""),
        (">b: DEGLNOS 1A DOG +6 6", "NO_CONTACT", ""),
        (">b: DEGLNOS 8M ...S +6 6", "OFF_BOARD", "3 at most from 8M"),
        (">b: DEGLNOS I13 GOLDS +6 6", "OFF_BOARD", "3 at most from I13"),
        (">b: DEGLNOS G8 .OЖ +6 6", "FACE_UNKNOWN", "one of A B C"),
        (">b: DEGLNOS G8 .O[CH] +6 6", "FACE_UNKNOWN", "one of A B C"),
        (">b: DEGLNЖS G8 .O +6 6", "FACE_UNKNOWN", "one of A B C"),
        (">b: DEGLNOS G8 .OO +6 6", "NOT_IN_RACK", ""),
        (">b: DEGLNOS G8 .Og +6 6", "NOT_IN_RACK", ""),
        (">b: DEGLNOSS G8 .O +6 6", "RACK_TOO_LONG", "7 at most"),
        (">b: DEGLNQQ G8 .O +6 6", "NOT_IN_BAG", "1 at most: the set has 1, and 0 of them on the board"),
        (">b: DEGLN??  G8 .O +6 6", "NOT_IN_RACK", ""),
        (">b: ???DEGL G8 .O +6 6", "NOT_IN_BAG", "2 at most"),
        (">b: G8 .QQ +6 6", "NOT_IN_BAG", "1 at most"),
    ],
)
def test_a_play_lies_where_it_may_or_is_refused(play: str, reason: str, expected: str) -> None:
    problems = replay_events(TRAIN, play).problems
    if not reason:
        assert problems == ()
        return
    (problem,) = problems
    assert problem.line == FIRST + 1
    assert problem.reason == reason
    assert expected in problem.expected


@pytest.mark.parametrize(
    ("play", "reason"),
    [
        (">a: AEINRT? 8A TRAIN +12 12", "FIRST_PLAY_OFF_CENTRE"),
        (">a: AEINRT? 8H A +2 2", "FIRST_PLAY_TOO_SHORT"),
        (">a: AEINRT? 8G .A +2 2", "GAP"),
    ],
)
def test_the_first_play_covers_the_centre(play: str, reason: str) -> None:
    assert list_problems(play) == ((1, reason),)


def test_tiles_of_several_characters_are_one_tile_and_so_are_their_blanks() -> None:
    catalan = replay_events(">a: [QU][NY][L·L]AEI? 8F [QU]E[NY]A[ny] +40 40", ruleset=CATALAN)
    assert not catalan.problems
    assert [tile.face for tile in catalan.board.values()] == ["QU", "E", "NY", "A", "NY"]
    assert [tile.blank for tile in catalan.board.values()] == [False] * 4 + [True]
    spanish = replay_events(">a: [CH][RR]CHAOI 8G CHA[CH]O +28 28", ruleset=SPANISH)
    assert not spanish.problems
    assert [tile.face for tile in spanish.board.values()] == ["C", "H", "A", "CH", "O"]


IDLE_B, IDLE_A = ">b: DEGLNOS - +0 0", ">a: EIO?AUU - +0 "


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([">a: AEINRT? 8D TRAIN +13 13"], [(1, "SCORE", "+12")]),
        ([">a: AEINRT? 8D TRAIN +13 12"], [(1, "SCORE", "+12")]),
        ([">a: AEINRT? 8D TRAIN +13 14"], [(1, "SCORE", "+12"), (1, "TOTAL", "12")]),
        ([">a: AEINRT? 8D TRAIN +13 13", IDLE_B, IDLE_A + "13"], [(1, "SCORE", "+12")]),
        ([">a: AEINRT? 8D TRAIN +13 13", IDLE_B, IDLE_A + "14"], [(1, "SCORE", "+12"), (3, "TOTAL", "12")]),
        ([">a: AEINRT? 8D TRAIN +12 13"], [(1, "TOTAL", "12")]),
        ([">a: AEINRT? 8D TRAIN +12 13", IDLE_B, IDLE_A + "12"], [(1, "TOTAL", "12")]),
        ([">a: AEINRT? 8D TRAIN +12 13", IDLE_B, IDLE_A + "13"], [(1, "TOTAL", "12")]),
        ([">a: AEINRT? - +5 5"], [(1, "SCORE", "+0")]),
        ([">a: AEINRT? -A +5 5"], [(1, "SCORE", "+0")]),
        ([TRAIN, ">a: AEINRT? -- -11 1"], [(2, "SCORE", "-12")]),
        ([TRAIN, ">a: AEINRT? -- +12 24"], [(2, "SCORE", "-12")]),
    ],
)
def test_an_error_of_arithmetic_is_told_once_where_it_was_made(
    lines: list[str], expected: list[tuple[int, str, str]]
) -> None:
    assert [
        (problem.line - FIRST + 1, problem.reason, problem.expected) for problem in replay_events(*lines).problems
    ] == expected


@pytest.mark.parametrize(
    ("lines", "wrong"),
    [
        ([">b: AEINRT? 8D TRAIN +12 12", ">a: DEGLNOS - +0 0"], ()),
        ([TRAIN, ">a: EIO?AUU - +0 12"], ((2, "OFF_TURN"),)),
        ([TRAIN, ">a: AEINRT? -- -12 0", ">a: AEINRT? - +0 0"], ((3, "OFF_TURN"),)),
        ([TRAIN, ">a: AEINRT? -- -12 0", ">b: DEGLNOS 8D TRAIN +12 12"], ((3, "NOT_IN_RACK"),)),
        ([TRAIN, ">a: AEINRT? -- -12 0", ">b: AEINRT? 8D TRAIN +12 12"], ()),
        ([TRAIN, ">a: ?TRNIEA -- -12 0"], ()),
        ([TRAIN, ">a: -- -12 0"], ()),
        ([">a: 8D TRAIN +12 12", ">a: AEINRT? -- -12 0"], ()),
        ([TRAIN, ">a: AEINRTS -- -12 0"], ((2, "RACK_CHANGED"),)),
        ([TRAIN, ">b: DEGLNOS -- -12 0"], ((2, "NO_PLAY"),)),
        ([TRAIN, ">b: DEGLNOS - +0 0", ">a: AEINRT? -- -12 0"], ((3, "NO_PLAY"),)),
        ([">a: AEINRT? -- -12 0"], ((1, "NO_PLAY"),)),
        ([TRAIN, ">a: AEINRT? -- -12 0", ">a: AEINRT? -- -12 -12"], ((3, "NO_PLAY"),)),
    ],
)
def test_turns_alternate_and_only_the_last_play_comes_back(
    lines: list[str], wrong: tuple[tuple[int, str], ...]
) -> None:
    assert list_problems(*lines) == wrong


@pytest.mark.parametrize(
    ("line", "ruleset", "wrong"),
    [
        (">a: EIO?AUU (challenge) +5 17", ENGLISH, ()),
        (">a: (challenge) +10 22", ENGLISH, ()),
        (">a: UNKNOWN (challenge) +5 17", ENGLISH, ()),
        (">b: DEGLNOS (challenge) -5 -5", ENGLISH, ()),
        (">a: (challenge) +15 27", ENGLISH, ((2, "CHALLENGE_POINTS"),)),
        (">a: (challenge) +4 16", ENGLISH, ((2, "CHALLENGE_POINTS"),)),
        (">a: (challenge) -5 7", ENGLISH, ((2, "CHALLENGE_POINTS"),)),
        (">a: (challenge) +0 12", ENGLISH, ((2, "CHALLENGE_POINTS"),)),
        (">b: (challenge) +5 5", ENGLISH, ((2, "CHALLENGE_POINTS"),)),
        (">a: (challenge) +5 17", with_options(ENGLISH, {"challenge": "five-point"}), ()),
        (">a: (challenge) +10 22", with_options(ENGLISH, {"challenge": "five-point"}), ((2, "CHALLENGE_POINTS"),)),
        (">b: (challenge) -5 -5", with_options(ENGLISH, {"challenge": "five-point"}), ((2, "CHALLENGE_POINTS"),)),
        (">a: (challenge) +5 17", with_options(ENGLISH, {"challenge": "void"}), ((2, "CHALLENGE_POINTS"),)),
    ],
)
def test_a_failed_challenge_is_paid_as_the_rules_or_else_the_file_has_it(
    line: str, ruleset: Ruleset, wrong: tuple[tuple[int, str], ...]
) -> None:
    assert list_problems(TRAIN, line, ruleset=ruleset) == wrong


def test_a_federation_says_what_a_challenge_costs() -> None:
    play = ">a: ΑΕΙΝΡΣΤ 8D ΤΡΑΙΝ +14 14"
    assert list_problems(play, ">b: (challenge) -10 -10", ruleset=PES) == ()
    assert list_problems(play, ">a: (challenge) +10 24", ruleset=PES) == ((2, "CHALLENGE_POINTS"),)
    assert list_problems(play, ">b: (challenge) -20 -20", ruleset=PES) == ((2, "CHALLENGE_POINTS"),)
    assert list_problems(TRAIN, ">a: (challenge) +5 17", ruleset=FISC) == ((2, "CHALLENGE_POINTS"),)


def test_a_good_word_among_bad_ones_can_cost_the_challenger_and_nowhere_else() -> None:
    first, second = ">a: ΑΕΙΝΡΣΤ 8D ΤΡΑΙΝ +14 14", ">b: ΑΕΝΟΡΣΤ I7 ΤΑΝ +7 7"
    score = replay_events(first, second, ruleset=PES).steps[-1].score
    second = f">b: ΑΕΝΟΡΣΤ I7 ΤΑΝ +{score} {score}"
    back = f">b: ΑΕΝΟΡΣΤ -- -{score} 0"
    assert list_problems(first, second, back, ">a: (challenge) -10 4", ruleset=PES) == ()
    assert list_problems(first, second, back, ">a: (challenge) -20 -6", ruleset=PES) == ((4, "CHALLENGE_POINTS"),)
    assert list_problems(first, ">a: ΑΕΙΝΡΣΤ -- -14 0", ">b: (challenge) -10 -10", ruleset=PES) == ((3, "NO_PLAY"),)
    assert list_problems(TRAIN, ">a: AEINRT? -- -12 0", ">b: (challenge) -5 -5") == ((3, "NO_PLAY"),)


@pytest.mark.parametrize(
    "lines",
    [
        [">a: (challenge) +5 5"],
        [TRAIN, ">b: DEGLNOS - +0 0", ">a: (challenge) +5 17"],
        [TRAIN, ">a: AEINRT? -- -12 0", ">a: (challenge) +5 5"],
        [TRAIN, ">a: (challenge) +5 17", ">a: (challenge) +5 22"],
        [TRAIN, ">a: (challenge) +5 17", ">a: AEINRT? -- -12 5"],
    ],
)
def test_a_challenge_is_about_the_last_play_that_stands(lines: list[str]) -> None:
    assert list_problems(*lines) == ((len(lines), "NO_PLAY"),)


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        (">a: AEINRT? -AE? +0 0", ()),
        (">a: AE -AE +0 0", ()),
        (">a: -AE +0 0", ()),
        (">a: AEINRT? -7 +0 0", ()),
        (">a: AEINRT? -8 +0 0", ((1, "EXCHANGE_TOO_LARGE"),)),
        (">a: AEINRT? -AA +0 0", ((1, "NOT_IN_RACK"),)),
        (">a: AEINRT? -ae +0 0", ((1, "FACE_UNKNOWN"),)),
        (">a: -QQ +0 0", ((1, "NOT_IN_BAG"),)),
    ],
)
def test_what_is_exchanged_is_of_the_rack(line: str, wrong: tuple[tuple[int, str], ...]) -> None:
    assert list_problems(line) == wrong


IDLE = [f">{nick}: {rack} - +0 0" for nick, rack in (("a", "AEINRT?"), ("b", "DEGLNOS")) * 3]


def test_six_idle_turns_end_a_game_and_each_loses_the_own_rack() -> None:
    found = replay_events(*IDLE, ">a: AEINRT? (AEINRT?) -6 -6", ">b: DEGLNOS (DEGLNOS) -9 -9")
    assert (found.end, found.problems) == (EndCondition.SCORELESS_TURNS, ())
    assert dict(found.totals) == {"a": -6, "b": -9}


@pytest.mark.parametrize(
    ("lines", "wrong"),
    [
        ([*IDLE], ((6, "RACKS_MISSING"),)),
        ([*IDLE, "#incomplete"], ()),
        ([*IDLE, ">a: AEINRT? (AEINRT?) -6 -6"], ((7, "RACKS_MISSING"),)),
        ([*IDLE, TRAIN], ((7, "AFTER_END"),)),
        ([*IDLE, ">a: AEINRT? - +0 0"], ((7, "AFTER_END"),)),
        ([*IDLE, ">a: AEINRT? -A +0 0"], ((7, "AFTER_END"),)),
        ([*IDLE, ">a: (DEGLNOS) +9 9"], ((7, "NOT_OUT"),)),
        ([*IDLE, ">a: AEINR (AEINR) -5 -5"], ((7, "RACK_LEFT"),)),
        ([*IDLE, ">a: AEINRT? (AEINRTS) -7 -7"], ((7, "RACK_CHANGED"),)),
        ([*IDLE, ">a: QAEINRT (QAEINRT) -16 -16", ">b: DEGLNOQ (DEGLNOQ) -18 -18"], ((8, "NOT_IN_BAG"),)),
        ([*IDLE, ">a: (AEINRT?) -6 -6", ">a: (AEINRT?) -6 -12"], ((8, "TWICE"),)),
        ([*IDLE, ">a: (AEINRT?) -6 -6", TRAIN.replace("12 12", "12 6")], ((8, "AFTER_END"),)),
        ([*IDLE[:5], ">b: DEGLNOS (DEGLNOS) -9 -9"], ((6, "BEFORE_END"),)),
        ([TRAIN, ">a: (DEGLNOS) +18 30"], ((2, "BEFORE_END"),)),
        ([TRAIN, ">b: (time) -10 -10"], ((2, "BEFORE_END"),)),
    ],
)
def test_the_lines_at_the_end_come_once_and_at_the_end(lines: list[str], wrong: tuple[tuple[int, str], ...]) -> None:
    assert list_problems(*lines) == wrong


def test_a_ruleset_says_when_idle_turns_end_a_game() -> None:
    assert replay_events(*IDLE[:4], "#incomplete", ruleset=INSTRUCTIONS).end is EndCondition.LOST_TURNS
    assert replay_events(*IDLE[:4], ruleset=ENGLISH).end is None
    assert replay_events(*IDLE, ruleset=FISC).end is None


def test_a_play_worth_nothing_is_one_of_six_zeros() -> None:
    play = ">a: ??AEINR 8G ab +0 0"
    passes = [">b: DEGLNOS - +0 0", ">a: AEINR - +0 0"] * 3
    found = replay_events(play, *passes[:5], ">a: (AEINRST) -7 -7", ">b: (DEGLNOS) -9 -9")
    assert (found.end, found.problems) == (EndCondition.SCORELESS_TURNS, ())
    assert replay_events(play, *passes[:4]).end is None


def test_a_game_that_is_not_over_is_right_as_far_as_it_goes() -> None:
    found = replay_events(TRAIN)
    assert (found.problems, found.end) == ((), None)
    assert not replay_events().problems


@pytest.mark.parametrize(
    ("lines", "wrong"),
    [
        (["#rack2 DEGLNOS", "#rack1 EAA"], ()),
        (["#rack1 ", "#rack2"], ()),
        (["#rack2 DEGLNOSS"], ((2, "RACK_TOO_LONG"),)),
        (["#rack2 DEGLNO1"], ((2, "FACE_UNKNOWN"),)),
        (["#rack1 QAA", "#rack2 QEE"], ((3, "NOT_IN_BAG"),)),
    ],
)
def test_racks_that_are_told_at_the_end_can_be_or_are_refused(
    lines: list[str], wrong: tuple[tuple[int, str], ...]
) -> None:
    assert list_problems(TRAIN, *lines) == wrong


def test_unknown_pragmas_and_notes_change_nothing() -> None:
    found = replay(read_gcg(text("#style 7", "# remark", TRAIN, "#note 8D TRAIN is best", "#weather rain")), ENGLISH)
    assert not found.problems
    assert len(found.steps) == 1
