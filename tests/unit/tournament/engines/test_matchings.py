from __future__ import annotations

from itertools import combinations, islice

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.examples import scale_examples

from faristol.tournament.engines.matchings import Edge, Matching, by_cost, cheapest, first_as_cheap

graphs = st.integers(0, 3).flatmap(
    lambda half: (
        st.dictionaries(st.sampled_from(list(combinations(range(2 * half), 2))), st.integers(0, 9))
        if half
        else st.just({})
    )
)


def perfect(nodes: list[int], costs: dict[Edge, int]) -> list[Matching]:
    """Return every perfect matching, by brute force."""
    found = combinations(sorted(costs), len(nodes) // 2)
    return [edges for edges in found if sorted(node for edge in edges for node in edge) == nodes]


@settings(max_examples=scale_examples(300), deadline=None)
@given(costs=graphs, more=st.integers(0, 1))
def test_every_perfect_matching_comes_once_and_the_cheapest_first(costs: dict[Edge, int], more: int) -> None:
    nodes = list(range(max((node for edge in costs for node in edge), default=-1) + 1 + more))

    found = list(by_cost(nodes, costs))

    assert sorted(found) == sorted(perfect(nodes, costs))
    totals = [sum(costs[edge] for edge in matching) for matching in found]
    assert totals == sorted(totals)


even_graphs = st.integers(1, 4).flatmap(
    lambda half: st.dictionaries(st.sampled_from(list(combinations(range(2 * half), 2))), st.integers(0, 2), min_size=1)
)


@settings(max_examples=scale_examples(300), deadline=None)
@given(costs=even_graphs)
def test_of_several_that_cost_as_little_the_first_by_its_edges_is_found(costs: dict[Edge, int]) -> None:
    nodes = list(range(max(node for edge in costs for node in edge) + 1))
    found = cheapest(nodes, costs)
    matchings = perfect(nodes, costs)
    if found is None:
        assert matchings == []
        return
    assert first_as_cheap(found, costs) == min(
        matchings, key=lambda matching: (sum(costs[edge] for edge in matching), matching)
    )


def test_the_first_of_many_that_cost_as_little_is_the_first_place_by_place() -> None:
    # All may meet all except neighbours, at the same cost.
    costs = {(low, high): 1 for low, high in combinations(range(60), 2) if high - low > 1}
    found = cheapest(range(60), costs)
    assert found is not None
    blocks = [(4 * block, 4 * block + 2, 4 * block + 1, 4 * block + 3) for block in range(15)]
    assert first_as_cheap(found, costs) == tuple(edge for a, b, c, d in blocks for edge in ((a, b), (c, d)))


def test_costs_may_be_larger_than_64_bits() -> None:
    costs = {(0, 1): 1 << 119, (2, 3): 0, (0, 2): (1 << 118) + 1, (1, 3): 1 << 118, (0, 3): 1 << 119, (1, 2): 1}

    assert cheapest(range(4), costs) == ((0, 1), (2, 3))


def test_no_nodes_are_matched_by_no_edges() -> None:
    assert cheapest([], {}) == ()


def test_an_odd_number_has_no_perfect_matching() -> None:
    assert cheapest([0, 1, 2], {(0, 1): 1, (1, 2): 1}) is None


def test_the_first_matchings_of_many_come_without_the_others() -> None:
    costs = {edge: sum(edge) % 7 for edge in combinations(range(20), 2)}

    assert len(list(islice(by_cost(range(20), costs), 5))) == 5
