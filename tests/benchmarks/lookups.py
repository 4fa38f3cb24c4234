"""Measure the search for words and for plays."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from functools import partial

from tests.benchmarks.figures import Figures

from faristol.rules.board import Board
from faristol.rules.tiles import BLANK
from faristol.words import Library, WordGraph
from faristol.words.plays import Grid, best, generate

POSITION_COUNT = 160


def each(seconds: float, work: Callable[[], object]) -> float:
    """Return how often a second ``work`` can be done."""
    count, start = 0, time.perf_counter()
    while (passed_by := time.perf_counter() - start) < seconds:
        work()
        count += 1
    return count / passed_by


def milliseconds(times: int, work: Callable[[], object]) -> list[float]:
    """Return the processor time of ``work`` for each of several runs."""
    taken: list[float] = []
    for _ in range(times):
        start = time.thread_time()
        work()
        taken.append((time.thread_time() - start) * 1_000)
    return taken


def word_figures(library: Library, name: str) -> Figures:
    """Measure the opening, look-ups, and all plays of positions from games. Raises ``MissingLexiconError`` without a
    lexicon.
    """
    graph = library.open(name)
    sample = [word for number, word in enumerate(graph) if number % 500 == 0]
    look_ups = each(1.0, lambda: [graph.contains(word) for word in sample]) * len(sample)
    opening = statistics.median(milliseconds(20, lambda: library.open(name)))
    played = positions(graph, POSITION_COUNT)
    racks = {
        "no blank": [(board, rack) for board, rack in played if BLANK not in rack],
        "two blanks": [(board, [BLANK, BLANK, *rack[:5]]) for board, rack in played[::4] if BLANK not in rack],
    }
    found: Figures = [
        (f"words: opening {len(graph):,} strings, median", opening, "ms"),
        ("words: look-ups", look_ups, "per second"),
    ]
    for tiles, at in racks.items():
        means: list[float] = []
        for which, find in (("all plays", generate), ("best play", best)):
            grids = [(Grid.of(graph.tile_set, board), rack) for board, rack in at]
            times = [min(milliseconds(3, partial(find, graph, grid, rack))) for grid, rack in grids]
            means.append(statistics.mean(times))
            what = f"words: {which} of {len(at)} positions, {tiles}"
            found.append((f"{what}, median", statistics.median(times), "ms"))
            found.append((f"{what}, p95", quantile(times, 0.95), "ms"))
            found.append((what, 1_000 / means[-1], "racks/s"))
        found.append((f"words: best play, {tiles}, against all plays", means[0] / means[1], "times as fast"))
    return found


def positions(graph: WordGraph, count: int) -> list[tuple[Board, list[str]]]:
    """Return boards and racks as they come when one hand plays game after game, always the best play."""
    lot = random.Random(2024)
    met: list[tuple[Board, list[str]]] = []
    while len(met) < count:
        bag = [face for face, copies in graph.tile_set.counts.items() for _ in range(copies)]
        lot.shuffle(bag)
        board, rack = Board(), [bag.pop() for _ in range(7)]
        while plays := generate(graph, Grid.of(graph.tile_set, board), rack):
            met.append((board, list(rack)))
            board = board.place(plays[0].placements)
            for _, tile in plays[0].placements:
                rack.remove(tile.in_rack)
            rack += [bag.pop() for _ in range(min(7 - len(rack), len(bag)))]
            if not rack:
                break
    return met[:count]


def quantile(values: list[float], part: float) -> float:
    """Return the value that ``part`` of the values are not above."""
    return sorted(values)[min(int(len(values) * part), len(values) - 1)]
