from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.kernel.refusal import Refusal
from faristol.rules import Ruleset, draw, full_bag, load_ruleset, ruleset_names, with_options, without
from faristol.rules.surplus import (
    Stage,
    check_kept,
    check_returned,
    expulsion_due,
    found_tiles_go_in,
    overdraw,
    taken_too_many,
    underdraw,
)

UF, FISC, FISE, PES = (load_ruleset(name) for name in ("uf-2007", "fisc-2023", "fise", "pes-2024"))
SEED = bytes(range(32))
rulesets = st.sampled_from([load_ruleset(name) for name in ruleset_names("classic", "multi")])


@given(rulesets, st.integers(0, 7), st.integers(1, 3), st.sampled_from(Stage), st.booleans(), st.integers(0, 99))
def test_a_surplus_goes_back_and_nothing_is_lost_on_the_way(
    ruleset: Ruleset, held_count: int, surplus: int, stage: Stage, saw: bool, counter: int
) -> None:
    tiles = draw(full_bag(ruleset.tile_set), 7 + surplus, SEED, counter)
    if surplus > 7 + surplus - held_count:
        return
    held, new = tiles[:held_count], tiles[held_count:]
    if len(new) < surplus:
        return
    found = overdraw(held, new, stage=stage, mover_saw=saw, seed=SEED, counter=counter, ruleset=ruleset)
    assert found.surplus == surplus
    assert found == overdraw(held, new, stage=stage, mover_saw=saw, seed=SEED, counter=counter, ruleset=ruleset)
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


def shown(ruleset: Ruleset, stage: Stage, *, saw: bool = False, surplus: int = 1) -> tuple[int, bool, int, set[str]]:
    """How many tiles are shown, whether the opponent sees them, how many are chosen, and from which tiles they are."""
    held, new = ("A", "B", "C", "D"), ("M", "N", "O", "P", "R")[: 3 + surplus]
    found = overdraw(held, new, stage=stage, mover_saw=saw, seed=SEED, counter=1, ruleset=ruleset)
    pool = {"new"} if set(found.shown) <= set(new) else {"rack"}
    return len(found.shown), found.seen_by_opponent, found.choose, pool


def test_unracked_surplus_is_taken_at_random_from_the_new_tiles_or_chosen_from_two_more() -> None:
    assert shown(UF, Stage.UNRACKED, surplus=2) == (2, False, 0, {"new"})
    assert shown(UF, Stage.UNRACKED, saw=True) == (1, True, 0, {"new"})
    assert shown(FISC, Stage.UNRACKED, saw=True) == (1, False, 0, {"new"})
    assert shown(FISE, Stage.UNRACKED) == (1, False, 0, {"new"})
    assert shown(PES, Stage.UNRACKED) == (3, True, 1, {"new"})


def test_what_lies_apart_is_taken_from_what_lies_apart_and_what_is_mixed_from_everything() -> None:
    held, new = tuple("ABCD"), tuple("MNOP")
    for ruleset in (UF, FISC, FISE, PES):
        taken: dict[Stage, set[str]] = {stage: set() for stage in (Stage.UNRACKED, Stage.RACKED)}
        for stage, faces in taken.items():
            for counter in range(60):
                found = overdraw(held, new, stage=stage, mover_saw=False, seed=SEED, counter=counter, ruleset=ruleset)
                faces.update(found.shown)
        assert taken == {Stage.UNRACKED: set(new), Stage.RACKED: {*held, *new}}


@given(st.integers(0, 200))
def test_racked_surplus_comes_out_of_the_whole_rack(counter: int) -> None:
    rack = ("A", "B", "C", "D"), ("M", "N", "O", "P", "R")
    uf = overdraw(*rack, stage=Stage.RACKED, mover_saw=True, seed=SEED, counter=counter, ruleset=UF)
    assert (len(uf.shown), uf.choose, uf.seen_by_opponent) == (2, 0, True)
    for ruleset in (FISC, FISE, PES):
        found = overdraw(*rack, stage=Stage.RACKED, mover_saw=True, seed=SEED, counter=counter, ruleset=ruleset)
        assert (len(found.shown), found.choose, found.seen_by_opponent) == (4, 2, True)


def test_fise_treats_tiles_that_were_seen_as_racked() -> None:
    assert shown(FISE, Stage.UNRACKED, saw=True)[:3] == (3, True, 1)


def test_a_surplus_found_late_costs_the_turn_under_fise_and_is_the_judges_under_fisc() -> None:
    rack = ("A", "B", "C", "D", "E"), ("M", "N", "O")
    late = overdraw(*rack, stage=Stage.LATE, mover_saw=True, seed=SEED, counter=1, ruleset=FISE)
    assert (late.turn_lost, late.choose, len(late.shown), late.article) == (True, 1, 8, "FISE 28")
    judge = overdraw(*rack, stage=Stage.LATE, mover_saw=True, seed=SEED, counter=1, ruleset=FISC)
    assert (judge.arbiter, judge.article) == (True, "FISC I.7.3")
    assert not overdraw(*rack, stage=Stage.LATE, mover_saw=True, seed=SEED, counter=1, ruleset=PES).turn_lost


def test_only_tiles_shown_and_as_many_as_are_over_can_be_chosen() -> None:
    found = overdraw(
        tuple("ABCDE"), tuple("MNO"), stage=Stage.RACKED, mover_saw=True, seed=SEED, counter=1, ruleset=FISC
    )
    for wrong in ([], list(found.shown[:2]), ["Z"]):
        with pytest.raises(Refusal, check=lambda refusal: refusal.article == "FISC I.7.3"):
            check_returned(wrong, found.shown, found.choose, found.article)


@pytest.mark.parametrize(("held", "new"), [("ABCD", "MNO"), ("ABCDEFGHI", "M")])
def test_what_is_no_surplus_is_not_treated_as_one(held: str, new: str) -> None:
    with pytest.raises(ValueError, match="are no surplus over 7"):
        overdraw(held, new, stage=Stage.RACKED, mover_saw=False, seed=SEED, counter=1, ruleset=FISC)


def test_holding_too_many_on_purpose_is_counted_in_the_game_and_in_the_tournament() -> None:
    assert [expulsion_due(game, tournament, FISE) for game, tournament in ((1, 1), (1, 2), (2, 2), (1, 3))] == [
        False,
        False,
        True,
        True,
    ]
    assert not any(expulsion_due(9, 9, ruleset) for ruleset in (UF, FISC, PES))


@given(rulesets, st.integers(1, 7), st.integers(1, 10), st.sampled_from(Stage), st.booleans())
def test_what_is_missing_is_drawn_as_far_as_the_bag_goes(
    ruleset: Ruleset, lacking: int, bag: int, stage: Stage, seen: bool
) -> None:
    tiles = full_bag(ruleset.tile_set)
    found = underdraw(tiles[: 7 - lacking], tiles[10 : 10 + bag], stage=stage, seen=seen, ruleset=ruleset)
    assert found.missing == min(lacking, bag)
    assert found.arbiter == (ruleset in (FISC, PES))
    assert found.shown == (ruleset is FISE and (stage is not Stage.UNRACKED or seen))


def test_a_full_rack_or_an_empty_bag_lacks_nothing() -> None:
    for rack, bag in (("A" * 7, "B"), ("A", "")):
        with pytest.raises(ValueError, match="lacks nothing"):
            underdraw(rack, bag, stage=Stage.RACKED, seen=True, ruleset=FISE)


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
