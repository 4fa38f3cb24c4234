from __future__ import annotations

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from faristol.tournament.rounds.tables import cheapest_assignment

MATRICES = st.integers(0, 6).flatmap(
    lambda size: st.lists(st.lists(st.integers(0, 12), min_size=size, max_size=size), min_size=size, max_size=size)
)


def cost_of(costs: list[list[int]], columns: tuple[int, ...]) -> int:
    return sum(row[column] for row, column in zip(costs, columns, strict=True))


@given(MATRICES)
def test_no_other_assignment_costs_less(costs: list[list[int]]) -> None:
    found = cheapest_assignment(costs)

    assert sorted(found) == list(range(len(costs)))
    assert cost_of(costs, found) == min(cost_of(costs, other) for other in permutations(range(len(costs))))


def test_many_rows_find_the_columns_that_cost_nothing() -> None:
    size = 300
    costs = [[abs(row * 7 % size - column) ** 2 for column in range(size)] for row in range(size)]

    assert cost_of(costs, cheapest_assignment(costs)) == 0
