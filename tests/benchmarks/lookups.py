"""How fast words are looked up and plays are found."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from tests.benchmarks.figures import Figures

from faristol.rules.tiles import load_tile_set
from faristol.words import WordGraph
from faristol.words.generate import Grid, generate


def each(seconds: float, work: Callable[[], object]) -> float:
    """How often a second ``work`` can be done."""
    count, start = 0, time.perf_counter()
    while (passed_by := time.perf_counter() - start) < seconds:
        work()
        count += 1
    return count / passed_by


def word_figures(graph: WordGraph) -> Figures:
    """Look-ups, and plays found on an empty board and beside a long word."""
    sample = [word for number, word in enumerate(graph) if number % 500 == 0]
    look_ups = each(1.0, lambda: [graph.contains(word) for word in sample]) * len(sample)
    tile_set = load_tile_set("ca-100")
    squares = {(7, column): (face, False) for column, face in enumerate(("C", "A", "N", "T", "A", "R", "I", "A"))}
    grid = Grid.of(tile_set, squares)
    racks = {"no blank": ["A", "E", "I", "R", "S", "T", "L"], "two blanks": ["?", "?", "A", "E", "R", "S", "T"]}
    found: Figures = [("words: look-ups", look_ups, "per second")]
    for name, rack in racks.items():
        generate(graph, grid, rack)
        times: list[float] = []
        for _ in range(20):
            start = time.perf_counter()
            generate(graph, grid, rack)
            times.append((time.perf_counter() - start) * 1_000)
        found.append((f"words: plays, {name}, median", statistics.median(times), "ms"))
    return found
