from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.kernel.refusal import Refusal
from faristol.rules import draw, full_bag, load_ruleset
from faristol.rules.duplicate_game.finish import DuplicateEndReason, end_article, end_before, unofficial
from faristol.rules.duplicate_game.racks import (
    can_be_valid,
    draw_rack,
    enter_rack,
    in_call_order,
    is_exhausted,
    is_valid,
    need_of,
)
from faristol.rules.ruleset.with_options import with_options

FISC = load_ruleset("fisc-2023-duplicate")
KEEPING = with_options(FISC, {"invalid_rack": "return-drawn"})
BAG = full_bag(FISC.tile_set)
SEED = bytes(range(32))

tiles = st.lists(st.sampled_from(["A", "E", "B", "C", "NY", "?"]), max_size=12).map(tuple)


def naive_validity(rack: tuple[str, ...], vowels: int, consonants: int) -> bool:
    """Return the validity of a rack by trying each meaning of a blank."""
    ways: list[Counter[str]] = [Counter()]
    for tile in rack:
        kinds = "vc" if tile == "?" else "v" if tile in "AEIOU" else "c"
        ways = [way + Counter(kind) for way in ways for kind in kinds]
    return any(way["v"] >= vowels and way["c"] >= consonants for way in ways)


@pytest.mark.parametrize(
    ("turn", "rack", "valid"),
    [
        (15, "A B C D F G ?", True),
        (15, "A B C D F G H", False),
        (16, "A B C D F G H", True),
        (1, "A E I O U A ?", False),
        (1, "A E I O U ? ?", True),
        (16, "B C D F G H ?", True),
        (16, "B C D F G H J", False),
        (1, "A E QU NY B C D", True),
    ],
)
def test_a_rack_has_two_and_two_until_turn_fifteen_and_then_one_and_one(turn: int, rack: str, valid: bool) -> None:
    assert is_valid(rack.split(), turn, BAG, FISC) is valid


@given(tiles, st.sampled_from([3, 15, 16, 20]))
def test_a_blank_fills_the_place_of_either(rack: tuple[str, ...], turn: int) -> None:
    need = need_of(turn, BAG, FISC)
    assert is_valid(rack, turn, BAG, FISC) == naive_validity(rack, *need)


def test_with_a_single_vowel_left_one_and_one_is_enough_from_then_on() -> None:
    left = tuple("ABCDFGHJLM")
    assert need_of(9, left, FISC) == (1, 1)
    assert need_of(9, (*left, "E"), FISC) == (2, 2)
    assert need_of(9, (*left, "?"), FISC) == (1, 1)
    assert need_of(9, (*left, "?"), with_options(FISC, {"blanks_left": "true"})) == (2, 2)
    assert need_of(9, tuple("AEIOUB"), FISC) == (1, 1)


@given(tiles, st.integers(1, 20))
def test_a_valid_rack_can_be_had_exactly_where_some_choice_of_tiles_is_one(left: tuple[str, ...], turn: int) -> None:
    size = min(7, len(left))
    found = any(is_valid(rack, turn, left, FISC) for rack in set(combinations(sorted(left), size)))
    assert can_be_valid(turn, left, FISC) == found


@given(st.integers(0, 2**63), st.integers(0, 80), st.integers(1, 20), st.sampled_from([FISC, KEEPING]))
def test_racks_are_drawn_until_one_is_valid_and_no_tile_is_lost(
    counter: int, gone: int, turn: int, rules: object
) -> None:
    ruleset = KEEPING if rules is KEEPING else FISC
    left = draw(BAG, 100 - gone, SEED, 7)
    leftover, bag = left[:4], left[4:]
    drawn = draw_rack(turn, leftover, bag, SEED, counter, ruleset)
    assert drawn is not None
    assert [attempt.counter for attempt in drawn.attempts] == list(range(counter, counter + len(drawn.attempts)))
    assert [attempt.valid for attempt in drawn.attempts] == [False] * (len(drawn.attempts) - 1) + [True]
    assert is_valid(drawn.rack, turn, left, ruleset)
    assert len(drawn.rack) == 7
    assert Counter((*drawn.rack, *drawn.bag)) == Counter(left)
    assert drawn.attempts[0].leftover == leftover
    for attempt in drawn.attempts:
        among = list(left)
        for tile in attempt.leftover:
            among.remove(tile)
        assert attempt.drawn == draw(among, 7 - len(attempt.leftover), SEED, attempt.counter)
    if ruleset is FISC:
        assert all(not attempt.leftover for attempt in drawn.attempts[1:])
    elif can_be_valid(turn, left, ruleset, leftover):
        assert all(attempt.leftover == leftover for attempt in drawn.attempts)


def test_the_leftover_is_called_first() -> None:
    drawn = draw_rack(2, ("A", "E", "R"), ("B", "C", "D", "I", "O"), SEED, 3, FISC)
    assert drawn is not None
    assert drawn.rack[:3] == ("A", "E", "R")
    assert len(drawn.attempts[0].drawn) == 4
    assert in_call_order(["B", "R", "A", "A", "E"], ["A", "E", "R"]) == ("A", "E", "R", "B", "A")


def test_no_rack_is_drawn_where_none_can_be_valid() -> None:
    assert draw_rack(18, ("B", "C"), ("D", "F"), SEED, 0, FISC) is None
    assert draw_rack(18, ("B", "C"), ("D", "?"), SEED, 0, FISC) is not None
    assert draw_rack(18, (), (), SEED, 0, FISC) is None


@pytest.mark.parametrize(
    ("rack", "redrawn", "reason"),
    [
        ("A E R B C D I", False, ""),
        ("A E R B C D W", False, "NOT_IN_BAG"),
        ("A E R B C D", False, "RACK_SIZE"),
        ("E I B C D L M", False, "LEFTOVER_MISSING"),
        ("E I B C D L M", True, ""),
        ("A R B C D L M", True, "RACK_INVALID"),
    ],
)
def test_a_rack_taken_by_hand_is_checked_as_one_that_is_drawn(rack: str, redrawn: bool, reason: str) -> None:
    bag = tuple("BCDLMIO")
    if not reason:
        after = enter_rack(4, rack.split(), ("A", "E", "R"), bag, FISC, redrawn=redrawn)
        assert Counter((*rack.split(), *after)) == Counter(("A", "E", "R", *bag))
        return
    with pytest.raises(Refusal) as refused:
        enter_rack(4, rack.split(), ("A", "E", "R"), bag, FISC, redrawn=redrawn)
    assert (refused.value.reason, refused.value.article) == (reason, "FISC II.3")


def test_a_refused_rack_is_told_what_it_needs() -> None:
    with pytest.raises(Refusal, match="In round 4 a rack needs 2 vowels and 2 consonants or more"):
        enter_rack(4, "ARBCDLM", (), tuple("AERBCDLMIO"), FISC, redrawn=True)


@pytest.mark.parametrize(
    ("turn", "left", "end"),
    [
        (20, "B C D F", DuplicateEndReason.EXHAUSTED),
        (20, "A E", DuplicateEndReason.EXHAUSTED),
        (20, "B C ?", None),
        (20, "?", DuplicateEndReason.NO_RACK),
        (20, "", DuplicateEndReason.EXHAUSTED),
        (20, "A Ç", DuplicateEndReason.NO_PLAY),
        (20, "A B", None),
        (9, "A B C D", None),
    ],
)
def test_a_game_ends_when_no_rack_or_no_play_can_come(turn: int, left: str, end: DuplicateEndReason | None) -> None:
    found = end_before(turn, left.split(), FISC, can_lay=lambda tiles: "Ç" not in tiles)
    assert found is end
    if end:
        assert end_article(end, FISC) == "FISC II.6"
        assert is_exhausted(left.split(), FISC) == (end is DuplicateEndReason.EXHAUSTED)


def test_whether_something_can_be_laid_is_asked_only_of_the_last_rack() -> None:
    def can_lay(_: object) -> bool:
        raise AssertionError("another rack can be drawn")

    assert end_before(3, BAG, FISC, can_lay) is None


def test_an_announced_number_of_turns_ends_a_game_that_is_not_official() -> None:
    twelve = with_options(FISC, {"turns": 12})
    assert end_before(12, BAG, twelve, lambda _: True) is None
    assert end_before(13, BAG, twelve, lambda _: True) is DuplicateEndReason.TURNS
    assert unofficial(5, None, FISC) == ()
    assert unofficial(4, DuplicateEndReason.EXHAUSTED, FISC) == ("players",)
    assert unofficial(4, None, twelve) == ("players", "turns")
    assert unofficial(9, DuplicateEndReason.AGREEMENT, FISC) == ("turns",)
    assert unofficial(1, DuplicateEndReason.TURNS, load_ruleset("duplicate-house")) == ()


def test_whether_something_can_be_laid_is_asked_as_soon_as_all_that_is_left_is_one_rack() -> None:
    seven, eight = tuple("ABECIDO"), tuple("ABECIDOF")
    assert end_before(20, seven, FISC, lambda _: False) is DuplicateEndReason.NO_PLAY
    assert end_before(20, seven, FISC, lambda _: True) is None
    assert end_before(20, eight, FISC, lambda _: False) is None


def test_no_tile_is_called_first_that_is_not_in_the_rack() -> None:
    assert in_call_order(["B", "A"], ["A", "A", "E"]) == ("A", "B")
    assert in_call_order([], ["A"]) == ()


def test_the_leftover_stays_in_the_rack_unless_it_is_said_that_one_with_it_went_back() -> None:
    with pytest.raises(Refusal) as refused:
        enter_rack(4, "EIBCDLM", ("A", "E", "R"), tuple("BCDLMIO"), FISC)
    assert refused.value.reason == "LEFTOVER_MISSING"
