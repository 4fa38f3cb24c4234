from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.kernel.refusal import Refusal
from faristol.rules import load_ruleset, ruleset_names
from faristol.rules.challenges import check_in_time, check_words, cost, count_unfounded, play_stands, spread_correction
from faristol.rules.ruleset.with_options import with_options

UF, FISC, FISE, PES, BOX = (load_ruleset(name) for name in ("uf-2007", "fisc-2023", "fise", "pes-2024", "box"))
WORD, OTHER = ("Q", "E"), ("S", "O", "L")


@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=8), max_size=8))
def test_pes_lets_three_good_words_be_challenged_and_takes_ten_for_each_after(rulings: list[list[bool]]) -> None:
    lost = count = 0
    for good in rulings:
        paid = cost(good, count, PES)
        lost, count = lost + paid.from_challenger, paid.unfounded
        assert (paid.to_mover, paid.turn_lost) == (0, False)
    words = sum(sum(good) for good in rulings)
    assert (count, lost) == (words, 10 * max(0, words - 3))


def test_the_fourth_word_costs_ten_at_once() -> None:
    assert [cost([True, True], before, PES).from_challenger for before in (0, 1, 2, 3)] == [0, 0, 10, 20]
    assert cost([True, False], 3, PES).from_challenger == 10
    by_challenge = with_options(PES, {"penalty_counts": "challenge"})
    assert [cost([True, True], before, by_challenge).from_challenger for before in (2, 3)] == [0, 10]
    assert count_unfounded([True, False], by_challenge) == 0


@given(
    st.lists(st.booleans(), min_size=1, max_size=8),
    st.integers(0, 20),
    st.sampled_from(["uf-2007", "fisc-2023", "festa-major", "fise"]),
)
def test_no_other_book_takes_anything(good: list[bool], before: int, name: str) -> None:
    paid = cost(good, before, load_ruleset(name))
    assert (paid.from_challenger, paid.to_mover, paid.turn_lost) == (0, 0, False)


@pytest.mark.parametrize(
    ("variant", "good", "bad"),
    [
        ("single", (0, False), (0, False)),
        ("double", (0, True), (0, False)),
        ("five-point", (5, False), (0, False)),
        ("ten-point", (10, False), (0, False)),
    ],
)
def test_in_english_it_is_as_the_organiser_says(variant: str, good: tuple[int, bool], bad: tuple[int, bool]) -> None:
    ruleset = with_options(BOX, {"challenge": variant})
    for verdicts, expected in (([True, True], good), ([True, False], bad)):
        paid = cost(verdicts, 5, ruleset)
        assert (paid.to_mover, paid.turn_lost) == expected
        assert paid.from_challenger == 0
    assert with_options(BOX, {"challenge": "void"}).challenge.by == "nobody"


def test_a_play_stands_when_every_word_that_was_challenged_is_good() -> None:
    assert play_stands([True, True])
    assert not play_stands([True, False])


@given(st.integers(0, 60_000), st.sampled_from(ruleset_names("classic", "multi")))
def test_only_pes_has_fifteen_seconds(elapsed: int, name: str) -> None:
    if name == "pes-2024" and elapsed > 15_000:
        with pytest.raises(Refusal, check=lambda refusal: refusal.article == "PES Δ.ε"):
            check_in_time(elapsed, PES)
    else:
        check_in_time(elapsed, load_ruleset(name))


def test_fifteen_seconds_are_in_time_and_a_tenth_more_is_not() -> None:
    check_in_time(15_000, PES)
    with pytest.raises(Refusal, match=r"within 15 seconds; 15\.1 have passed"):
        check_in_time(15_001, PES)


def test_a_challenge_names_words_of_the_play() -> None:
    check_words([OTHER], [WORD, OTHER], FISC)
    for challenged, reason in (([], "NO_WORDS"), ([("Z",)], "WORD_NOT_FORMED")):
        with pytest.raises(Refusal) as refused:
            check_words(challenged, [WORD, OTHER], FISC)
        assert (refused.value.reason, refused.value.article) == (reason, "FISC I.10")


@pytest.mark.parametrize(
    ("challenged", "formed", "said"),
    [
        (("ACURDOS",), tuple("ACURDOS"), "ACURDOS with these tiles. It formed A C U R D O S, tile by tile."),
        (
            tuple("CARROS"),
            ("C", "A", "RR", "O", "S"),
            "C A R R O S with these tiles. It formed C A RR O S, tile by tile.",
        ),
        (tuple("CASAS"), tuple("CASA"), "CASAS. It formed CASA."),
    ],
)
def test_a_word_of_other_tiles_than_those_that_were_laid_is_told_tile_by_tile(
    challenged: tuple[str, ...], formed: tuple[str, ...], said: str
) -> None:
    with pytest.raises(Refusal) as refused:
        check_words([challenged], [formed], FISE)
    assert str(refused.value) == f"The play did not form {said}"


def test_a_wrong_ruling_changes_the_spread_on_the_same_day_under_pes_alone() -> None:
    assert spread_correction(34, wrongly_refused=True, same_day=True, ruleset=PES) == 64
    assert spread_correction(22, wrongly_refused=False, same_day=True, ruleset=PES) == -52
    with pytest.raises(Refusal, check=lambda refusal: refusal.reason == "CORRECTION_TOO_LATE"):
        spread_correction(34, wrongly_refused=True, same_day=False, ruleset=PES)
    for ruleset in (UF, FISC, FISE):
        with pytest.raises(Refusal, check=lambda refusal: refusal.reason == "RULING_FINAL"):
            spread_correction(34, wrongly_refused=True, same_day=True, ruleset=ruleset)
