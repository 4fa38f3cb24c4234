from __future__ import annotations

import hashlib
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.rules import derive_seed, draw, exchange, full_bag, load_tile_set, without
from faristol.rules.draws.bag import _below, free_exchange

CATALAN = full_bag(load_tile_set("ca-100"))
SEED = bytes(range(32))

seeds = st.binary(min_size=32, max_size=32)
counters = st.integers(0, 2**64 - 1)
bags = st.lists(st.sampled_from(CATALAN), max_size=60)


def recheck(bag: list[str], n: int, seed: bytes, counter: int) -> list[str]:
    """Return the draw as a reader would compute it from the description in the module."""
    row, block = sorted(bag), 0
    drawn: list[str] = []
    while len(drawn) < n:
        text = b"faristol.draw.v1" + seed + counter.to_bytes(8, "big") + block.to_bytes(8, "big")
        number = int(hashlib.sha256(text).hexdigest()[:16], 16)
        block += 1
        if number < 2**64 // len(row) * len(row):
            drawn.append(row.pop(number % len(row)))
    return drawn


@given(bags, seeds, counters, st.data())
def test_anyone_can_make_a_draw_again_from_the_description(
    bag: list[str], seed: bytes, counter: int, data: st.DataObject
) -> None:
    n = data.draw(st.integers(0, len(bag)))
    assert list(draw(bag, n, seed, counter)) == recheck(bag, n, seed, counter)


def test_a_draw_never_changes_from_one_release_to_the_next() -> None:
    assert draw(CATALAN, 7, SEED, 0) == ("E", "I", "I", "I", "A", "T", "S")
    assert draw(CATALAN, 7, SEED, 1) == ("I", "X", "Ç", "E", "C", "A", "E")


@given(bags, seeds, counters, st.randoms(use_true_random=False), st.data())
def test_no_tile_is_made_or_lost_and_the_listing_of_the_bag_does_not_matter(
    bag: list[str], seed: bytes, counter: int, shuffle: Random, data: st.DataObject
) -> None:
    n = data.draw(st.integers(0, len(bag)))
    drawn = draw(bag, n, seed, counter)
    assert Counter(drawn) + Counter(without(bag, drawn)) == Counter(bag)
    shuffled = list(bag)
    shuffle.shuffle(shuffled)
    assert draw(shuffled, n, seed, counter) == drawn


@given(bags, seeds, counters, st.data())
def test_an_exchange_draws_before_it_returns(bag: list[str], seed: bytes, counter: int, data: st.DataObject) -> None:
    aside = data.draw(st.lists(st.sampled_from(CATALAN), max_size=min(7, len(bag))))
    drawn, after = exchange(bag, aside, seed, counter)
    assert len(drawn) == len(aside)
    assert not Counter(drawn) - Counter(bag)
    assert Counter(after) + Counter(drawn) == Counter(bag) + Counter(aside)


@given(seeds, counters)
def test_no_tile_set_aside_comes_back_in_the_same_exchange(seed: bytes, counter: int) -> None:
    drawn, after = exchange(["A"] * 7, ["X"] * 7, seed, counter)
    assert (drawn, after) == (("A",) * 7, ("X",) * 7)


def test_every_tile_is_as_likely_as_the_others() -> None:
    drawn = Counter(draw("ABCDE", 1, SEED, counter)[0] for counter in range(5000))
    assert all(850 < count < 1150 for count in drawn.values())
    assert len(drawn) == 5


def test_numbers_that_would_favour_the_first_tiles_are_skipped() -> None:
    # 2**64 leaves 1 when divided by 3: the last number would make the first of three tiles likelier than the others.
    assert _below(3, iter([2**64 - 1, 5])) == 2
    assert _below(3, iter([2**64 - 2, 5])) == (2**64 - 2) % 3


def test_draws_differ_by_counter_and_by_seed() -> None:
    assert len({draw(CATALAN, 7, SEED, counter) for counter in range(50)}) == 50
    assert draw(CATALAN, 7, derive_seed(SEED, "table 1"), 0) != draw(CATALAN, 7, derive_seed(SEED, "table 2"), 0)
    assert derive_seed(SEED, "table 1") == derive_seed(SEED, "table 1")
    assert len(derive_seed(b"", "table 1")) == 32


@pytest.mark.parametrize(
    ("n", "seed", "counter", "problem"),
    [
        (4, SEED, 0, "4 tiles cannot be drawn from a bag of 3"),
        (-1, SEED, 0, "-1 tiles"),
        (1, b"short", 0, "a seed has 32 bytes, not 5"),
        (1, SEED, -1, "numbered from 0"),
        (1, SEED, 2**64, "numbered from 0"),
    ],
)
def test_a_draw_that_cannot_be_made_says_why(n: int, seed: bytes, counter: int, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        draw("ABC", n, seed, counter)


def test_what_is_not_there_cannot_be_taken_away() -> None:
    with pytest.raises(ValueError, match=r"not among the tiles: A$"):
        without("AB", "AA")


@pytest.mark.parametrize(("name", "size"), [("ca-100", 100), ("es-100", 100), ("en-100", 100), ("el-104", 104)])
def test_a_full_bag_holds_the_whole_set(name: str, size: int) -> None:
    tile_set = load_tile_set(name)
    assert len(full_bag(tile_set)) == size
    assert Counter(full_bag(tile_set)) == Counter(tile_set.counts)


@given(st.lists(st.sampled_from(CATALAN), max_size=60), st.lists(st.sampled_from(CATALAN), max_size=7), seeds, counters)
def test_a_rack_changed_for_nothing_is_drawn_from_the_bag_with_the_rack_in_it(
    bag: list[str], rack: list[str], seed: bytes, counter: int
) -> None:
    drawn, left = free_exchange(bag, rack, seed, counter)
    assert drawn == draw([*bag, *rack], len(rack), seed, counter)
    assert Counter(drawn) + Counter(left) == Counter(bag) + Counter(rack)


def test_a_tile_of_the_old_rack_can_come_back_at_once_when_nothing_is_lost_by_it() -> None:
    assert free_exchange([], ["A", "E"], SEED, 1).drawn in {("A", "E"), ("E", "A")}
