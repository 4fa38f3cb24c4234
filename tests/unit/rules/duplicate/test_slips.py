from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.rules import Board, Placement, Ruleset, Square, Tile, load_ruleset, score_play, with_options
from faristol.rules.duplicate.plays import make_play
from faristol.rules.duplicate.slips import Fault, Handed, Turn, WrittenSlip, judge_slip

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
    """A board with words across, from a square on: ``H8 C A S A``."""
    found = Board()
    for word in words:
        start, *faces = word.split()
        row, col = ord(start[0]) - ord("A"), int(start[1:]) - 1
        found = found.place(Placement(Square(row, col + place), Tile(face)) for place, face in enumerate(faces))
    return found


def judged(
    coordinates: str,
    word: str,
    *,
    rack: str = "C A S E R N A",
    on: Board | None = None,
    rules: Ruleset = FISC,
    **more: Any,
) -> tuple[int, str]:
    """Points, and the fault by which a slip is null."""
    turn = Turn(on or Board(), tuple(rack.split()), rules, WORDS.__contains__)
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
    assert judged(coordinates, word) == worth


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
    assert judged(coordinates, word, rack=rack, on=CASA) == worth


def test_with_one_tile_and_two_words_either_is_the_main_word() -> None:
    on = board("H8 C A S A", "I12 E S")  # S at H12 makes CASAS across and SE down
    words = {judged("H8", "C A S A S", rack="S B", on=on), judged("12H", "S E", rack="S B", on=on)}
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
        ("(C) (A) S A", "C A S A R N ?", (0, "not-in-rack")),
        ("(C) A S A", "A A S R N ? ?", (6, "")),
        ("CAS(A)", "C A S ? R N B", (8, "")),
        ("C?aSA", "C A S ? R N B", (8, "")),
    ],
)
def test_a_blank_that_is_laid_has_its_letter_circled_and_other_circles_mean_nothing(
    word: str, rack: str, worth: tuple[int, str]
) -> None:
    assert judged("H8", word, rack=rack) == worth


def test_a_circle_around_a_letter_of_the_board_means_nothing() -> None:
    assert judged("H8", "(C) A S A S", rack="S B B", on=CASA) == (7, "")


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
    assert judged("H4", "C A S E R N A", handed=handed) == (0, fault)


def test_what_cannot_be_read_counts_nothing() -> None:
    assert judged("H8", "C A S A", coordinates_illegible=True) == (0, "coordinates")
    assert judged("H8", "C A S A", word_illegible=True) == (0, "illegible")


def test_every_reason_has_the_article_of_the_book_and_a_sentence() -> None:
    turn = Turn(CASA, tuple("S?BBBBB"), FISC, WORDS.__contains__)
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
    assert judged("I8", "A S", rack="A S B", on=CASA, rules=FISC) == (0, "cross-word")
    points, fault = judged("I8", "A S", rack="A S B", on=CASA, rules=lenient)
    assert points > 0
    assert not fault


def warned(rules: Ruleset, slip: WrittenSlip, rack: str) -> tuple[int, str, list[str]]:
    verdict = judge_slip(slip, Turn(Board(), tuple(rack.split()), rules, WORDS.__contains__))
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
    assert warned(rules, WrittenSlip("H8", "C A S A", "12"), "C A S A") == worth
    assert warned(rules, WrittenSlip("H8", "C A S A", "10"), "C A S A") == (10, "", [])
    assert judged("H8", "C A S A", score="12") == (10, "")


def test_a_score_that_is_asked_for_and_missing_costs_what_a_club_says() -> None:
    rules = with_options(HOUSE, {"score": "asked", "score_missing": "warning"})
    assert warned(rules, WrittenSlip("H8", "C A S A"), "C A S A") == (10, "", ["score-missing"])
    assert judged("H8", "C A S A", rules=with_options(FISC, {"score": "asked"})) == (10, "")


def test_an_uncircled_blank_lies_where_it_counts_least_where_a_club_lets_it_count() -> None:
    rules = with_options(HOUSE, {"blank": "warning"})
    points, null, warnings = warned(rules, WrittenSlip("H4", "C A S E R N A"), "C S E R N A ?")
    assert (null, warnings) == ("", ["uncircled"])
    # H4 doubles the C and H8 the word: the blank is one of two letters A, and the one at H10 is worth no more.
    either = [judged("H4", word, rack="C S E R N A ?")[0] for word in ("C (A) S E R N A", "C A S E R N (A)")]
    assert points == min(either)


def test_tiles_of_several_letters_are_read_as_the_rack_has_them() -> None:
    assert judged("H8", "LLA", rack="L L A B B B B")[1] == ""
    assert judged("H8", "L·LA", rack="L·L A B B B B")[1] == ""
    assert judged("H8", "L·L A", rack="L L A B B B B") == (0, "not-in-rack")


@given(st.text("ABCER NSÇ·?()ab.#", max_size=12), st.text("ABHO0123456789", max_size=3), st.sampled_from([FISC, HOUSE]))
def test_whatever_is_written_gets_a_verdict(word: str, coordinates: str, rules: Ruleset) -> None:
    for on in (Board(), CASA):
        turn = Turn(on, tuple("CASER?A"), rules, WORDS.__contains__)
        verdict = judge_slip(WrittenSlip(coordinates, word), turn)
        if verdict.null:
            assert verdict.points == 0
            assert verdict.null.fault in Fault
            str(verdict.null)
        else:
            assert verdict.start is not None
            assert verdict.points == score_play(on, verdict.placements, rules).points
            assert make_play(verdict.start, verdict.word, on, turn.rack, rules, turn.is_word).score == verdict.points
