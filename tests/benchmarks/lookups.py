"""How fast words are looked up and plays are found."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial

from tests.benchmarks.figures import Figures

from faristol.rules.tiles import load_tile_set
from faristol.words import Library
from faristol.words.generate import Grid, generate


def each(seconds: float, work: Callable[[], object]) -> float:
    """How often a second ``work`` can be done."""
    count, start = 0, time.perf_counter()
    while (passed_by := time.perf_counter() - start) < seconds:
        work()
        count += 1
    return count / passed_by


def milliseconds(times: int, work: Callable[[], object]) -> list[float]:
    """How long ``work`` took, each of so many times."""
    taken: list[float] = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append((time.perf_counter() - start) * 1_000)
    return taken


def word_figures(library: Library, name: str) -> Figures:
    """Opening, look-ups, and plays found beside a long word. Raises ``MissingLexiconError`` when it is not there."""
    graph = library.open(name)
    sample = [word for number, word in enumerate(graph) if number % 500 == 0]
    look_ups = each(1.0, lambda: [graph.contains(word) for word in sample]) * len(sample)
    tile_set = load_tile_set("ca-100")
    squares = {(7, column): (face, False) for column, face in enumerate(("C", "A", "N", "T", "A", "R", "I", "A"))}
    grid = Grid.of(tile_set, squares)
    racks = {"no blank": ["A", "E", "I", "R", "S", "T", "L"], "two blanks": ["?", "?", "A", "E", "R", "S", "T"]}
    opening = statistics.median(milliseconds(20, lambda: library.open(name)))
    found: Figures = [
        (f"words: opening {len(graph):,} strings, median", opening, "ms"),
        ("words: look-ups", look_ups, "per second"),
    ]
    for tiles, rack in racks.items():
        find = partial(generate, graph, grid, rack)
        find()
        found.append((f"words: plays, {tiles}, median", statistics.median(milliseconds(20, find)), "ms"))
    return found
