"""The sharing of money: every unit is given, by each rule."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.rules.prizes import Limit, PrizeEntrant, PrizeList, Sharing, award, share


def entrants(points: Sequence[int], *, tied: Sequence[int] = ()) -> list[PrizeEntrant]:
    """Return players in order, with these points; those at the places ``tied`` have the rank of the one before."""
    ranks: list[int] = []
    for place in range(len(points)):
        ranks.append(ranks[-1] if place in tied and points[place] == points[place - 1] else place)
    return [PrizeEntrant(f"p{place + 1}", points[place], ranks[place]) for place in range(len(points))]


@st.composite
def fields(draw: st.DrawFn) -> list[PrizeEntrant]:
    points = sorted(draw(st.lists(st.integers(0, 4), max_size=12)), reverse=True)
    tied = draw(st.sets(st.integers(1, 11)))
    return entrants(points, tied=sorted(tied))


money = st.lists(st.integers(0, 100_000), max_size=10).map(lambda amounts: sorted(amounts, reverse=True))


@given(fields(), money, st.sampled_from(Sharing))
def test_the_money_given_and_left_over_is_the_money_offered(
    field: list[PrizeEntrant], amounts: list[int], sharing: Sharing
) -> None:
    shares, left_over = share(field, amounts, (), sharing)
    assert sum(each.amount for each in shares) + left_over == sum(amounts)
    assert left_over == sum(amounts[len(field) :]) or not field


@given(fields(), money, st.sampled_from((Sharing.EQUAL, Sharing.HORT)))
def test_a_share_is_that_of_exact_fractions_to_one_unit(
    field: list[PrizeEntrant], amounts: list[int], sharing: Sharing
) -> None:
    got = {each.player_id: each.amount for each in share(field, amounts, (), sharing)[0]}
    first = 0
    for _, group_ in groupby(field, key=lambda entrant: entrant.points):
        group = list(group_)
        places = [Fraction(amount) for amount in [*amounts, *[0] * len(field)][first : first + len(group)]]
        mean = sum(places, Fraction()) / len(group)
        done = 0
        for _, equals_ in groupby(group, key=lambda entrant: entrant.rank):
            equals = list(equals_)
            own = sum(places[done : done + len(equals)], Fraction()) / len(equals)
            exact = mean if sharing is Sharing.EQUAL else own / 2 + mean / 2
            for player in equals:
                assert abs(got.get(player.player_id, 0) - exact) < 2
            done += len(equals)
        first += len(group)


def test_hort_gives_half_by_the_ranking_and_half_in_equal_shares() -> None:
    # Prizes of 1000, 600 and 400 euros, three players with equal points: half of each prize by place is 500, 300 and
    # 200; the other halves are 1000 together, 333.33 each, and the cent left over is the first player's.
    shares, left_over = share(entrants([5, 5, 5, 4]), [100_000, 60_000, 40_000], (), Sharing.HORT)
    assert [each.amount for each in shares] == [83_334, 63_333, 53_333]
    assert left_over == 0


def test_players_behind_the_prizes_share_them_with_players_of_equal_points() -> None:
    assert [each.amount for each in share(entrants([5, 4, 4, 4]), [100, 50], (), Sharing.EQUAL)[0]] == [100, 17, 17, 16]
    assert [each.amount for each in share(entrants([5, 4, 4, 4]), [100, 50], (), Sharing.NONE)[0]] == [100, 50]


def test_players_whom_no_tie_break_separates_divide_their_places_and_draw_lots_for_things() -> None:
    shares, _ = share(entrants([5, 5, 3], tied=[1]), [101, 50, 7], ["cup", "medal"], Sharing.NONE)
    assert [(each.place, each.amount, each.things, each.by_lot) for each in shares] == [
        (1, 76, ("cup", "medal"), True),
        (1, 75, ("cup", "medal"), True),
        (3, 7, (), False),
    ]


@given(st.lists(st.tuples(fields(), money, st.booleans()), max_size=4), st.sampled_from(Sharing))
def test_a_person_has_one_counted_prize_and_no_money_is_lost(
    given_lists: list[tuple[list[PrizeEntrant], list[int], bool]], sharing: Sharing
) -> None:
    lists = [PrizeList(number, *each[:2], apart=each[2]) for number, each in enumerate(given_lists, 1)]
    for limit in (Limit.FIRST_LIST, Limit.MOST_MONEY):
        outcomes = award(lists, sharing, limit)
        counted = [
            each.share.player_id
            for of, outcome in zip(lists, outcomes, strict=True)
            if not of.apart
            for each in outcome.awards
        ]
        assert len(counted) == len(set(counted))
        for of, outcome in zip(lists, outcomes, strict=True):
            assert sum(each.share.amount for each in outcome.awards) + outcome.left_over == sum(of.amounts)


@given(st.lists(st.tuples(fields(), money), max_size=4), st.sampled_from(Sharing))
def test_a_player_who_gives_a_prize_up_has_one_of_at_least_its_money(
    given_lists: list[tuple[list[PrizeEntrant], list[int]]], sharing: Sharing
) -> None:
    lists = [PrizeList(number, *each) for number, each in enumerate(given_lists, 1)]
    for outcome in award(lists, sharing, Limit.MOST_MONEY):
        for each in outcome.awards:
            assert all(lost.amount <= each.share.amount for lost in each.given_up)


@given(fields().filter(bool), money, st.sampled_from(Sharing), st.data())
def test_no_prize_is_smaller_when_another_player_leaves_the_list(
    field: list[PrizeEntrant], amounts: list[int], sharing: Sharing, data: st.DataObject
) -> None:
    gone = data.draw(st.sampled_from(field))
    before = {each.player_id: each.amount for each in share(field, amounts, (), sharing)[0]}
    after = {each.player_id: each.amount for each in share([e for e in field if e != gone], amounts, (), sharing)[0]}
    assert all(after.get(player, 0) >= amount for player, amount in before.items() if player != gone.player_id)


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (Limit.SEVERAL, {1: [("p1", 300), ("p2", 100)], 2: [("p2", 200), ("p3", 50)]}),
        (Limit.FIRST_LIST, {1: [("p1", 300), ("p2", 100)], 2: [("p3", 200), ("p4", 50)]}),
        (Limit.MOST_MONEY, {1: [("p1", 300), ("p3", 100)], 2: [("p2", 200), ("p4", 50)]}),
    ],
)
def test_the_limit_decides_the_prize_that_a_player_keeps(
    limit: Limit, expected: dict[int, list[tuple[str, int]]]
) -> None:
    field = entrants([6, 5, 4, 3])
    lists = [PrizeList(1, field, [300, 100]), PrizeList(2, field[1:], [200, 50])]
    outcomes = award(lists, Sharing.NONE, limit)
    assert {
        each.number: [(won.share.player_id, won.share.amount) for won in each.awards] for each in outcomes
    } == expected


def test_a_player_who_takes_no_prize_is_passed_over() -> None:
    (outcome,) = award([PrizeList(1, entrants([6, 5]), [9, 4])], Sharing.NONE, Limit.SEVERAL, {"p1"})
    assert [(each.share.player_id, each.share.place, each.share.amount) for each in outcome.awards] == [("p2", 1, 9)]
    assert outcome.left_over == 4
