from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.kernel.refusal import Refusal
from faristol.rules import Ruleset, draw, full_bag, load_ruleset, ruleset_names, without
from faristol.rules.draws.surplus import (
    Notice,
    check_kept,
    check_returned,
    expulsion_due,
    found_tiles_go_in,
    overdraw,
    taken_too_many,
    underdraw,
)
from faristol.rules.ruleset.with_options import with_options

UF, FISC, FISE, PES = (load_ruleset(name) for name in ("uf-2007", "fisc-2023", "fise", "pes-2024"))
SEED = bytes(range(32))
notices = st.builds(
    Notice,
    racked=st.booleans(),
    seen=st.booleans(),
    by_drawer=st.booleans(),
    turn_passed=st.booleans(),
    own_turn=st.booleans(),
)
APART, MIXED = Notice(racked=False, seen=False), Notice(racked=True, seen=True)
rulesets = st.sampled_from([load_ruleset(name) for name in ruleset_names("classic", "multi")])


@given(rulesets, st.integers(0, 7), st.integers(1, 3), notices, st.integers(0, 99))
def test_a_surplus_goes_back_and_nothing_is_lost_on_the_way(
    ruleset: Ruleset, held_count: int, surplus: int, notice: Notice, counter: int
) -> None:
    tiles = draw(full_bag(ruleset.tile_set), 7 + surplus, SEED, counter)
    if surplus > 7 + surplus - held_count:
        return
    held, new = tiles[:held_count], tiles[held_count:]
    if len(new) < surplus:
        return
    found = overdraw(held, new, notice, seed=SEED, counter=counter, ruleset=ruleset)
    assert found.surplus == surplus
    assert found == overdraw(held, new, notice, seed=SEED, counter=counter, ruleset=ruleset)
    if found.arbiter:
        assert (found.shown, found.choose) == ((), 0)
        return
    returned = found.shown
    if found.choose:
        assert found.seen_by_opponent
        returned = found.shown[: found.choose]
        check_returned(returned, found.shown, found.choose, found.article)
    assert len(returned) == surplus
    assert len(without(tiles, returned)) == 7


def describe_surplus(ruleset: Ruleset, notice: Notice, *, surplus: int = 1) -> tuple[int, bool, int, set[str]]:
    """Return the number of shown tiles, whether the opponent sees them, the number to choose, and their source."""
    held, new = ("A", "B", "C", "D"), ("M", "N", "O", "P", "R")[: 3 + surplus]
    found = overdraw(held, new, notice, seed=SEED, counter=1, ruleset=ruleset)
    pool = {"new"} if set(found.shown) <= set(new) else {"rack"}
    return len(found.shown), found.seen_by_opponent, found.choose, pool


def test_unracked_surplus_is_taken_at_random_from_the_new_tiles_or_chosen_from_two_more() -> None:
    assert describe_surplus(UF, APART, surplus=2) == (2, False, 0, {"new"})
    assert describe_surplus(UF, replace(APART, seen=True)) == (1, True, 0, {"new"})
    assert describe_surplus(FISC, replace(APART, seen=True)) == (1, False, 0, {"new"})
    assert describe_surplus(FISE, APART) == (1, False, 0, {"new"})
    assert describe_surplus(PES, APART) == (3, True, 1, {"new"})


def test_what_lies_apart_is_taken_from_what_lies_apart_and_what_is_mixed_from_everything() -> None:
    held, new = tuple("ABCD"), tuple("MNOP")
    for ruleset in (UF, FISC, FISE, PES):
        by_opponent = () if ruleset is FISE else (False,)
        for by_drawer, passed in itertools.product((True, *by_opponent), (False, True)):
            for racked, among in ((False, set(new)), (True, {*held, *new})):
                notice = Notice(racked=racked, seen=False, by_drawer=by_drawer, turn_passed=passed)
                taken: set[str] = set()
                for counter in range(60):
                    taken.update(overdraw(held, new, notice, seed=SEED, counter=counter, ruleset=ruleset).shown)
                assert taken == among, (ruleset.name, notice)


@given(st.integers(0, 200))
def test_racked_surplus_comes_out_of_the_whole_rack(counter: int) -> None:
    rack = ("A", "B", "C", "D"), ("M", "N", "O", "P", "R")
    uf = overdraw(*rack, MIXED, seed=SEED, counter=counter, ruleset=UF)
    assert (len(uf.shown), uf.choose, uf.seen_by_opponent) == (2, 0, True)
    for ruleset in (FISC, FISE, PES):
        found = overdraw(*rack, MIXED, seed=SEED, counter=counter, ruleset=ruleset)
        assert (len(found.shown), found.choose, found.seen_by_opponent) == (4, 2, True)


def test_fise_treats_tiles_that_were_seen_as_racked() -> None:
    assert describe_surplus(FISE, replace(APART, seen=True))[:3] == (3, True, 1)


@pytest.mark.parametrize("passed", [False, True])
@pytest.mark.parametrize("racked", [False, True])
def test_under_fise_a_surplus_costs_the_next_turn_where_the_opponent_notices_it(*, racked: bool, passed: bool) -> None:
    rack = ("A", "B", "C", "D", "E"), ("M", "N", "O")
    own = Notice(racked=racked, seen=racked, turn_passed=passed)
    found = overdraw(*rack, replace(own, by_drawer=False), seed=SEED, counter=1, ruleset=FISE)
    assert (found.turn_lost, found.choose, len(found.shown), found.article) == (True, 1, 8, "FISE 28")
    assert overdraw(*rack, own, seed=SEED, counter=1, ruleset=FISE).article == f"FISE 28.{1 + racked}"
    again = overdraw(*rack, replace(own, own_turn=True), seed=SEED, counter=1, ruleset=FISE)
    assert (again.arbiter, again.article) == (True, "FISE 48")


def test_a_surplus_that_the_opponent_notices_after_the_press_is_the_judges_where_a_club_reads_fisc_so() -> None:
    rack, late = (("A", "B", "C", "D", "E"), ("M", "N", "O")), replace(MIXED, by_drawer=False, turn_passed=True)
    judge = with_options(FISC, {"surplus_late": "arbiter"})
    found = overdraw(*rack, late, seed=SEED, counter=1, ruleset=judge)
    assert (found.arbiter, found.article) == (True, "FISC I.7.3")
    assert not overdraw(*rack, replace(late, turn_passed=False), seed=SEED, counter=1, ruleset=judge).arbiter
    for ruleset in (FISC, PES):
        found = overdraw(*rack, late, seed=SEED, counter=1, ruleset=ruleset)
        assert (found.turn_lost, found.arbiter, len(found.shown), found.choose) == (False, False, 3, 1)


def test_rulesets_on_old_records_take_a_surplus_found_after_the_press_out_of_the_whole_rack() -> None:
    old = replace(UF, overdraw=replace(UF.overdraw, late="as-racked"))
    late = Notice(racked=False, seen=False, by_drawer=False, turn_passed=True)
    taken = {
        overdraw(tuple("ABCD"), tuple("MNOP"), late, seed=SEED, counter=n, ruleset=old).shown[0] for n in range(60)
    }
    assert taken == set("ABCDMNOP")


def test_only_tiles_shown_and_as_many_as_are_over_can_be_chosen() -> None:
    found = overdraw(tuple("ABCDE"), tuple("MNO"), MIXED, seed=SEED, counter=1, ruleset=FISC)
    for wrong in ([], list(found.shown[:2]), ["Z"]):
        with pytest.raises(Refusal, check=lambda refusal: refusal.article == "FISC I.7.3"):
            check_returned(wrong, found.shown, found.choose, found.article)


@pytest.mark.parametrize(("held", "new"), [("ABCD", "MNO"), ("ABCDEFGHI", "M")])
def test_what_is_no_surplus_is_not_treated_as_one(held: str, new: str) -> None:
    with pytest.raises(ValueError, match="are no surplus over 7"):
        overdraw(held, new, MIXED, seed=SEED, counter=1, ruleset=FISC)


def test_holding_too_many_on_purpose_is_counted_in_the_game_and_in_the_tournament() -> None:
    assert [expulsion_due(game, tournament, FISE) for game, tournament in ((1, 1), (1, 2), (2, 2), (1, 3))] == [
        False,
        False,
        True,
        True,
    ]
    assert not any(expulsion_due(9, 9, ruleset) for ruleset in (UF, FISC, PES))


@given(rulesets, st.integers(1, 7), st.integers(1, 10), notices)
def test_what_is_missing_is_drawn_as_far_as_the_bag_goes(
    ruleset: Ruleset, lacking: int, bag: int, notice: Notice
) -> None:
    tiles = full_bag(ruleset.tile_set)
    rack, rest = tiles[: 7 - lacking], tiles[10 : 10 + bag]
    if ruleset is FISE and notice.own_turn:
        with pytest.raises(Refusal, check=lambda refusal: refusal.article == "FISE 29"):
            underdraw(rack, rest, notice, ruleset)
        as_before = with_options(FISE, {"underdraw_late": "as-drawn"})
        assert underdraw(rack, rest, notice, as_before).shown == (notice.racked or notice.seen)
        assert underdraw(rack, rest, notice, with_options(FISE, {"underdraw_late": "arbiter"})).arbiter
        return
    found = underdraw(rack, rest, notice, ruleset)
    assert found.missing == min(lacking, bag)
    assert found.arbiter == (ruleset in (FISC, PES))
    assert found.shown == (ruleset is FISE and (notice.racked or notice.seen))


def test_a_full_rack_or_an_empty_bag_lacks_nothing() -> None:
    for rack, bag in (("A" * 7, "B"), ("A", "")):
        with pytest.raises(ValueError, match="has no missing tile"):
            underdraw(rack, bag, MIXED, FISE)


def test_a_tile_from_the_floor_goes_into_the_bag_unless_seven_are_left_or_nobody_listens() -> None:
    assert found_tiles_go_in(1, 30, PES)
    assert found_tiles_go_in(1, 8, PES)
    assert not found_tiles_go_in(1, 7, PES)
    assert found_tiles_go_in(1, 7, with_options(PES, {"tiles_found": "after"}))
    assert found_tiles_go_in(1, 0, load_ruleset("box"))
    for ruleset in (UF, FISC, FISE):
        with pytest.raises(Refusal) as refused:
            found_tiles_go_in(1, 30, ruleset)
        assert refused.value.article == ruleset.law.tiles_checked


@given(st.integers(0, 20), st.integers(1, 7))
def test_an_exchange_that_took_of_the_last_seven_took_too_many(bag: int, exchanged: int) -> None:
    assert taken_too_many(exchanged, bag, PES) == max(0, exchanged - max(0, bag - 7))


@given(st.integers(1, 7), st.data())
def test_after_an_illegal_exchange_the_opponent_chooses_what_the_player_keeps(
    exchanged: int, data: st.DataObject
) -> None:
    revealed = draw(full_bag(PES.tile_set), 10 + exchanged, SEED, 1)
    kept = data.draw(st.permutations(revealed))[:exchanged]
    check_kept(kept, revealed, exchanged, PES.article("exchange.illegal"))
    for wrong in (kept[1:], [*kept[1:], "Z"]):
        with pytest.raises(Refusal) as refused:
            check_kept(wrong, revealed, exchanged, PES.article("exchange.illegal"))
        assert refused.value.article == "PES Δ.β.iii"
