from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.rules import Board, Placement, Ruleset, Square, Tile, load_ruleset, score_play
from faristol.rules.duplicate_game.plays import make_play
from faristol.rules.duplicate_game.slips import (
    Fault,
    Handed,
    TurnData,
    WrittenSlip,
    find_form_fault,
    is_same_play,
    judge_slip,
)
from faristol.rules.ruleset.with_options import with_options

FISC = load_ruleset("fisc-2023-duplicate")
HOUSE = load_ruleset("duplicate-house")
WORDS = {
    tuple(word.split())
    for word in (
        "C A S E R N A",
        "C A S A",
        "C A S E S",
        "A S",
        "S A",
        "C A S A S",
        "E S",
        "S E",
        "R A S A",
        "L·L A",
        "L L A",
    )
}


def board(*words: str) -> Board:
    """Return a board with words across, from a square on: ``H8 C A S A``."""
    found = Board()
    for word in words:
        start, *faces = word.split()
        row, col = ord(start[0]) - ord("A"), int(start[1:]) - 1
        found = found.place(Placement(Square(row, col + place), Tile(face)) for place, face in enumerate(faces))
    return found


def judge_text(
    coordinates: str,
    word: str,
    *,
    rack: str = "C A S E R N A",
    on: Board | None = None,
    rules: Ruleset = FISC,
    **more: Any,
) -> tuple[int, str]:
    """Return the points, and the fault by which a slip is null."""
    turn = TurnData(on or Board(), tuple(rack.split()), rules, WORDS.__contains__)
    verdict = judge_slip(WrittenSlip(coordinates, word, **more), turn)
    assert verdict.points == 0 or not verdict.null
    return verdict.points, verdict.null.fault.value if verdict.null else ""


@pytest.mark.parametrize(
    ("coordinates", "word", "worth"),
    [
        ("H4", "C A S E R N A", (70, "")),
        ("H8", "C A S E R N A", (68, "")),
        ("8H", "caserna", (68, "")),
        ("h8", "CASA", (10, "")),
        ("", "C A S A", (0, "coordinates")),
        ("H16", "C A S A", (0, "coordinates")),
        ("P8", "C A S A", (0, "coordinates")),
        ("A1", "C A S A", (0, "coordinates")),
        ("H14", "C A S A", (0, "coordinates")),
        ("H8", "", (0, "word-missing")),
        ("H8", "C#SA", (0, "illegible")),
        ("H8", "C A S", (0, "invalid")),
        ("H8", "C A S A S", (0, "not-in-rack")),
    ],
)
def test_a_slip_is_worth_what_its_play_is_or_null_with_a_reason(
    coordinates: str, word: str, worth: tuple[int, str]
) -> None:
    assert judge_text(coordinates, word) == worth


CASA = board("H8 C A S A")


@pytest.mark.parametrize(
    ("coordinates", "word", "rack", "worth"),
    [
        ("H8", "C A S A S", "S B B B B B B", (7, "")),
        ("H12", "S", "S B B B B B B", (0, "not-whole")),
        ("H8", "C A S E S", "E S B B B B B", (0, "coordinates")),
        ("H8", "C A S A", "S B B B B B B", (0, "coordinates")),
        ("12H", "S A", "S A B B B B B", (10, "")),
        ("I9", "A", "A B B B B B B", (0, "not-whole")),
        ("I8", "A S", "A S B B B B B", (0, "cross-word")),
        ("A1", "A S", "A S B B B B B", (0, "coordinates")),
    ],
)
def test_letters_of_the_board_are_a_part_of_the_word(
    coordinates: str, word: str, rack: str, worth: tuple[int, str]
) -> None:
    assert judge_text(coordinates, word, rack=rack, on=CASA) == worth


def test_with_one_tile_and_two_words_either_is_the_main_word() -> None:
    on = board("H8 C A S A", "I12 E S")  # S at H12 makes CASAS across and SE down
    words = {judge_text("H8", "C A S A S", rack="S B", on=on), judge_text("12H", "S E", rack="S B", on=on)}
    assert len(words) == 1
    ((points, fault),) = words
    assert points > 0
    assert not fault


@pytest.mark.parametrize(
    ("word", "rack", "worth"),
    [
        ("C A S (A)", "C A S ? R N B", (8, "")),
        ("C A S A", "C A S ? R N B", (0, "uncircled")),
        ("C A S A", "C A S A R N ?", (10, "")),
        ("C A S (A)", "C A S A R N ?", (8, "")),
        ("C A S (A)", "C A S A R N B", (10, "")),
        ("(C) (A) S A", "C A S A R N ?", (6, "")),
        ("(C) (A) S A", "C ? S A R N B", (8, "")),
        ("(C) A S A", "C ? S A R N B", (0, "uncircled")),
        ("(C) (A) S A", "? B S A R N ?", (4, "")),
        ("(C) (A) S A", "? B S A R N D", (0, "not-in-rack")),
        ("(C) A S A", "A A S R N ? ?", (6, "")),
        ("CAS(A)", "C A S ? R N B", (8, "")),
        ("C?aSA", "C A S ? R N B", (8, "")),
    ],
)
def test_a_blank_that_is_laid_has_its_letter_circled_and_other_circles_mean_nothing(
    word: str, rack: str, worth: tuple[int, str]
) -> None:
    assert judge_text("H8", word, rack=rack) == worth


def test_a_circle_around_a_letter_of_the_board_means_nothing() -> None:
    assert judge_text("H8", "(C) A S A S", rack="S B B", on=CASA) == (7, "")


@pytest.mark.parametrize(
    ("handed", "fault"),
    [
        (Handed.LATE, "late"),
        (Handed.NOT_AT_ALL, "not-handed-in"),
        (Handed.HAND_NOT_RAISED, "hand-not-raised"),
        (Handed.TWICE, "two-slips"),
    ],
)
def test_a_slip_that_was_not_handed_in_as_it_must_be_counts_nothing(handed: Handed, fault: str) -> None:
    assert judge_text("H4", "C A S E R N A", handed=handed) == (0, fault)


def test_what_cannot_be_read_counts_nothing() -> None:
    assert judge_text("H8", "C A S A", coordinates_illegible=True) == (0, "coordinates")
    assert judge_text("H8", "C A S A", word_illegible=True) == (0, "illegible")


def test_every_reason_has_the_article_of_the_book_and_a_sentence() -> None:
    turn = TurnData(CASA, tuple("S?BBBBB"), FISC, WORDS.__contains__)
    slips = [
        WrittenSlip(),
        WrittenSlip("H8"),
        WrittenSlip("H8", "C A S A S S"),
        WrittenSlip("H12", "S"),
        WrittenSlip("12H", "S A"),
        WrittenSlip("H9", "B A S A"),
        WrittenSlip(handed=Handed.LATE),
    ]
    for slip in slips:
        verdict = judge_slip(slip, turn)
        assert verdict.null is not None
        assert verdict.null.article == "FISC II.7"
        assert "{" not in str(verdict.null)


def test_words_across_are_looked_at_or_not_as_the_organiser_reads_the_book() -> None:
    lenient = with_options(FISC, {"cross_words": "nothing"})
    assert judge_text("I8", "A S", rack="A S B", on=CASA, rules=FISC) == (0, "cross-word")
    points, fault = judge_text("I8", "A S", rack="A S B", on=CASA, rules=lenient)
    assert points > 0
    assert not fault


def judge_with_warnings(rules: Ruleset, slip: WrittenSlip, rack: str) -> tuple[int, str, list[str]]:
    verdict = judge_slip(slip, TurnData(Board(), tuple(rack.split()), rules, WORDS.__contains__))
    return (
        verdict.points,
        verdict.null.fault.value if verdict.null else "",
        [found.fault.value for found in verdict.warned],
    )


@pytest.mark.parametrize(
    ("cost", "worth"),
    [
        ("nothing", (10, "", [])),
        ("warning", (10, "", ["score-wrong"])),
        ("null", (0, "score-wrong", [])),
    ],
)
def test_a_wrong_score_is_computed_again_and_costs_what_a_club_says(
    cost: str, worth: tuple[int, str, list[str]]
) -> None:
    rules = with_options(HOUSE, {"score_wrong": cost})
    assert judge_with_warnings(rules, WrittenSlip("H8", "C A S A", "12"), "C A S A") == worth
    assert judge_with_warnings(rules, WrittenSlip("H8", "C A S A", "10"), "C A S A") == (10, "", [])
    assert judge_text("H8", "C A S A", score="12") == (10, "")


def test_a_score_that_is_asked_for_and_missing_costs_what_a_club_says() -> None:
    rules = with_options(HOUSE, {"score": "asked", "score_missing": "warning"})
    assert judge_with_warnings(rules, WrittenSlip("H8", "C A S A"), "C A S A") == (10, "", ["score-missing"])
    assert judge_text("H8", "C A S A", rules=with_options(FISC, {"score": "asked"})) == (10, "")


def test_an_uncircled_blank_lies_where_it_counts_least_where_a_club_lets_it_count() -> None:
    rules = with_options(HOUSE, {"blank": "warning"})
    points, null, warnings = judge_with_warnings(rules, WrittenSlip("H4", "C A S E R N A"), "C S E R N A ?")
    assert (null, warnings) == ("", ["uncircled"])
    # H4 doubles the C and H8 the word: the blank is one of two letters A, and the one at H10 is worth no more.
    either = [judge_text("H4", word, rack="C S E R N A ?")[0] for word in ("C (A) S E R N A", "C A S E R N (A)")]
    assert points == min(either)


def test_tiles_of_several_letters_are_read_as_the_rack_has_them() -> None:
    assert judge_text("H8", "LLA", rack="L L A B B B B")[1] == ""
    assert judge_text("H8", "L·LA", rack="L·L A B B B B")[1] == ""
    assert judge_text("H8", "L·L A", rack="L L A B B B B") == (0, "not-in-rack")


@given(st.text("ABCER NSÇ·?()ab.#", max_size=12), st.text("ABHO0123456789", max_size=3), st.sampled_from([FISC, HOUSE]))
def test_whatever_is_written_gets_a_verdict(word: str, coordinates: str, rules: Ruleset) -> None:
    for on in (Board(), CASA):
        turn = TurnData(on, tuple("CASER?A"), rules, WORDS.__contains__)
        verdict = judge_slip(WrittenSlip(coordinates, word), turn)
        if verdict.null:
            assert verdict.points == 0
            assert verdict.null.fault in Fault
            str(verdict.null)
        else:
            assert verdict.start is not None
            assert verdict.points == score_play(on, verdict.placements, rules).points
            assert make_play(verdict.start, verdict.word, on, turn.rack, rules, turn.is_word).score == verdict.points


WAYS_OF_A_SQUARE = {
    "H8": ["H8", "h8", "H 8", "H-8", "(H8)", "H08", "\uff28\uff18", "\u03978", "h/8", "[H 8]", "H. 8"],
    "8H": ["8H", "8 h", "8-H", "(8H)", "08H", "8\u0397", "8. H"],
}
BRACKETS = ["()", "[]", "{}", "<>", "\uff08\uff09", "\u27e8\u27e9"]
BETWEEN = ["", " ", "-", ",", "/", " - ", "  "]


@st.composite
def ways_to_write(draw: st.DrawFn, tiles: tuple[Tile, ...]) -> str:
    """Return a way to type a word: capitals, spaces, separators between tiles and around a blank."""
    small = draw(st.booleans())
    between = draw(st.sampled_from(BETWEEN))
    parts = []
    for tile in tiles:
        face = tile.face.lower() if small else tile.face
        brackets = draw(st.sampled_from(BRACKETS))
        blanks = [brackets[0] + face + brackets[1], f"?{face}", f"{brackets[0]} {face} {brackets[1]}"]
        if not small:
            blanks.append(f"{face}\u20dd")
        parts.append(draw(st.sampled_from(blanks)) if tile.blank else face)
    quoted = draw(st.sampled_from(["{}", " {} ", "\u00ab{}\u00bb", '"{}"', "{}!"]))
    return quoted.format(between.join(parts))


CASERNA = tuple(map(Tile, "CASERNA"))
CIRCLED = (*map(Tile, "CASER"), Tile("N", blank=True), Tile("A"))


@given(data=st.data(), tiles=st.sampled_from([CASERNA, CIRCLED]), where=st.sampled_from(["H8", "8H"]))
def test_a_play_is_the_same_and_worth_the_same_however_it_is_typed(
    data: st.DataObject, tiles: tuple[Tile, ...], where: str
) -> None:
    rack = tuple(tile.in_rack for tile in tiles)
    turn = TurnData(Board(), rack, FISC, WORDS.__contains__)
    exact = WrittenSlip(where, " ".join(map(str, tiles)))
    square = data.draw(st.sampled_from(WAYS_OF_A_SQUARE[where]))
    other = WrittenSlip(square, data.draw(ways_to_write(tiles)), data.draw(st.sampled_from(["", "68", "1"])))
    assert is_same_play(exact, other, turn)
    assert judge_slip(other, turn) == judge_slip(exact, turn)
    assert judge_slip(other, turn).null is None
    assert find_form_fault(other, turn) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("H8", "CASA"), ("8H", "CASA")),
        (("H8", "CASA"), ("H4", "CASA")),
        (("H8", "CASA"), ("H8", "CASES")),
        (("H8", "CASA"), ("H8", "CAS(A)")),
        (("H8", "CASA"), ("", "CASA")),
        (("H8", "XXXX"), ("H8", "XXXY")),
        (("H8", "L·LA"), ("H8", "LLA")),
    ],
)
def test_other_plays_are_not_the_same(one: tuple[str, str], other: tuple[str, str]) -> None:
    turn = TurnData(Board(), tuple("CASERN?"), FISC, WORDS.__contains__)
    assert not is_same_play(WrittenSlip(*one), WrittenSlip(*other), turn)


def test_a_circle_makes_another_play_only_with_a_blank_and_a_score_only_where_it_is_asked_for() -> None:
    circled, plain = WrittenSlip("H8", "CAS(A)"), WrittenSlip("H8", "casa")
    without_blank = TurnData(Board(), tuple("CASERNA"), FISC, WORDS.__contains__)
    assert is_same_play(circled, plain, without_blank)
    asked = TurnData(Board(), tuple("CASERNA"), with_options(FISC, {"score": "asked"}), WORDS.__contains__)
    with_score = [WrittenSlip("H8", "CASA", score) for score in ("10", "010", "10 p.", "11", "")]
    assert [is_same_play(with_score[0], each, asked) for each in with_score] == [True, True, True, False, False]
    assert all(is_same_play(with_score[0], each, without_blank) for each in with_score)


@pytest.mark.parametrize(
    ("slip", "fault"),
    [
        (WrittenSlip("H8", "CASA"), None),
        (WrittenSlip("H8", "CASR"), None),  # a word or not: the lexicon says so once the round is scored
        (WrittenSlip("", "CASA"), Fault.COORDINATES),
        (WrittenSlip("H88", "CASA"), Fault.COORDINATES),
        (WrittenSlip("A1", "CASA"), Fault.COORDINATES),
        (WrittenSlip("H8", ""), Fault.WORD_MISSING),
        (WrittenSlip("H8", "CA#A"), Fault.ILLEGIBLE),
        (WrittenSlip("H8", "CASES"), Fault.NOT_IN_RACK),
        (WrittenSlip("", "CASA", coordinates_illegible=True), None),
        (WrittenSlip("H8", "", word_illegible=True), None),
        (WrittenSlip("", "", handed=Handed.LATE), None),
    ],
)
def test_what_is_null_by_its_form_is_known_without_the_lexicon(slip: WrittenSlip, fault: Fault | None) -> None:
    found = find_form_fault(slip, TurnData(Board(), tuple("CASERNA"), FISC, WORDS.__contains__))
    assert (found.fault if found else None) is fault
