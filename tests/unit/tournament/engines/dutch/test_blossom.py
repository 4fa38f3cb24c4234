"""Matchings are optimal, also after every change."""

from __future__ import annotations

import numpy as np
import pytest

from faristol.tournament.engines.dutch import blossom
from faristol.tournament.engines.dutch.graph import NONE, Graph, new_graph


def best(graph: Graph) -> tuple[int, ...] | None:
    """Return the greatest weight of a matching that leaves out only optional vertices, by trying them all."""
    count, components = graph.dual.shape
    found: tuple[int, ...] | None = None

    def extend(vertex: int, used: int, total: tuple[int, ...]) -> None:
        nonlocal found
        while vertex < count and (used >> vertex & 1 or not graph.alive[vertex]):
            vertex += 1
        if vertex == count:
            found = total if found is None else max(found, total)
            return
        if graph.optional[vertex]:
            extend(vertex + 1, used | 1 << vertex, total)
        for other in range(vertex + 1, count):
            if not used >> other & 1 and graph.edge[vertex, other] and graph.alive[other]:
                more = tuple(first + int(two) for first, two in zip(total, graph.weight[vertex, other], strict=True))
                extend(vertex + 1, used | 1 << vertex | 1 << other, more)

    extend(0, 0, (0,) * components)
    return found


def read_matching(graph: Graph) -> tuple[int, ...]:
    total = np.zeros(graph.dual.shape[1], np.int64)
    for vertex, mate in enumerate(graph.mate):
        if mate == NONE:
            assert graph.optional[vertex] or not graph.alive[vertex]
            continue
        assert graph.mate[mate] == vertex
        assert graph.edge[vertex, mate]
        if mate > vertex:
            total += graph.weight[vertex, mate]
    return tuple(int(component) for component in total)


@pytest.mark.parametrize("seed", range(8))
def test_a_matching_is_the_best_and_stays_so(seed: int) -> None:
    random = np.random.default_rng(seed)
    solved = 0
    for _ in range(60):
        count, components, most = (int(random.integers(low, high)) for low, high in ((2, 9), (1, 4), (1, 5)))
        weight = random.integers(-most, most + 1, (count, count, components)).astype(np.int64)
        weight += weight.transpose(1, 0, 2)
        edge = np.triu(random.random((count, count)) < random.choice([0.4, 0.7, 1.0]), 1)
        optional = random.random(count) < random.choice([0.0, 0.0, 0.4])
        graph = new_graph(weight, edge | edge.T, optional)
        complete = blossom.solve(graph)
        for _ in range(5):
            expected = best(graph)
            assert complete == (expected is not None)
            if expected is None:
                break
            assert read_matching(graph) == expected
            solved += 1
            vertex = int(random.integers(count))
            if graph.alive[vertex]:
                complete = change(graph, vertex, random)
    assert solved > 60


def change(graph: Graph, vertex: int, random: np.random.Generator) -> bool:
    """Change the weights of a vertex, or remove it with its mate."""
    mate = int(graph.mate[vertex])
    if random.random() < 0.5 and mate != NONE:
        blossom.remove(graph, vertex)
        blossom.remove(graph, mate)
    else:
        blossom.release(graph, vertex)
        row = random.integers(-3, 4, len(graph.mate))
        graph.weight[vertex, :, -1] = graph.weight[:, vertex, -1] = row
        blossom.reweigh(graph, vertex)
    return bool(blossom.mend(graph))


def test_circles_within_circles_are_found() -> None:
    """Five players who may all meet, twice over, joined by one edge: the matching must use the bridge."""
    edge = np.zeros((10, 10), np.bool_)
    edge[:5, :5] = edge[5:, 5:] = True
    np.fill_diagonal(edge, False)
    edge[2, 7] = edge[7, 2] = True
    graph = new_graph(np.zeros((10, 10, 1), np.int64), edge, np.zeros(10, np.bool_))
    assert blossom.solve(graph)
    assert graph.mate[2] == 7
    blossom.remove(graph, 2)
    assert not blossom.mend(graph)
