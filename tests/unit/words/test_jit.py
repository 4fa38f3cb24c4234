from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from faristol.rules.tiles import load_tile_set
from faristol.words import About, WordGraph, build
from faristol.words.jit import IS_COMPILED, compile_function, compile_without_allocation
from faristol.words.plays import Grid, best, generate
from faristol.words.walk import popcount


def test_a_function_whose_code_cannot_be_kept_is_compiled_all_the_same() -> None:
    names: dict[str, Any] = {}
    exec(compile("def twice(number):\n    return 2 * number\n", "/nowhere/at/all.py", "exec"), names)
    twice: Callable[[int], int] = compile_function(names["twice"])
    assert twice(21) == 42


def test_a_function_is_compiled_anew_when_what_it_calls_in_another_file_has_changed(tmp_path: Path) -> None:
    head = "from faristol.words.jit import compile_function as compiled\n"
    asks = f"{head}from inner import add\n\n@compiled\ndef outer(number):\n    return add(number)\n"
    (tmp_path / "outer.py").write_text(asks, encoding="utf-8")
    for added in (1, 2):
        inner = f"{head}\n@compiled\ndef add(number):\n    return number + {added}\n"
        (tmp_path / "inner.py").write_text(inner, encoding="utf-8")
        answer = subprocess.check_output([sys.executable, "-c", "import outer; print(outer.outer(1))"], cwd=tmp_path)
        assert int(answer) == 1 + added


@pytest.mark.skipif(not IS_COMPILED, reason="numba is not installed")
def test_a_function_that_allocates_is_not_compiled_without_reference_counts() -> None:
    double: Callable[[Any], int] = compile_without_allocation(_sum_doubled)
    with pytest.raises(Exception, match="NRT required"):
        double(np.ones(3, dtype=np.int64))


def _sum_doubled(numbers: Any) -> int:
    return int((numbers * 2).sum())


def test_looking_words_up_does_not_bring_the_compiler_along() -> None:
    loaded = "import faristol.words, sys; print('numba' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", loaded], text=True) == "False\n"


def test_popcount_counts_bits_up_to_the_last_that_a_mark_has() -> None:
    for bits in (0, 1, 0b1011, 1 << 62, (1 << 63) - 1):
        assert popcount(bits) == bits.bit_count()


WITHOUT_NUMBA = """
import json, sys
sys.modules["numba"] = None
sys.path.insert(0, {root!r})
from faristol.words.jit import IS_COMPILED
from {module} import list_plays
assert not IS_COMPILED
print(json.dumps(list_plays()))
"""


def list_plays() -> list[list[str]]:
    """Return all plays, and the best ones, of some positions of a made lexicon."""
    chance = random.Random(11)
    tiles = load_tile_set("ca-100")
    words = {tuple(chance.choices("AEIOSRTNLC", k=chance.randint(2, 7))) for _ in range(3_000)}
    about = About("made", "1", "CC0-1.0", "made for a test", date(2024, 1, 6))
    graph = WordGraph(build(sorted(words), tile_set=tiles, about=about))
    listed = []
    for blanks in (0, 1, 2):
        squares: dict[tuple[int, int], tuple[str, bool]] = {}
        for _ in range(5):
            rack = [*chance.choices("AEIOSRTNLC", k=7 - blanks), *"?" * blanks]
            grid = Grid.of(tiles, squares)
            if blanks < 2:
                listed.append([str(play) for play in generate(graph, grid, rack)])
            found = best(graph, grid, rack, 4)
            listed.append([str(play) for play in found])
            for square, tile in found[0].placements if len(found) else ():
                squares[square] = tile.face, tile.blank
    return listed


def test_plays_without_the_compiler_are_those_with_it() -> None:
    code = WITHOUT_NUMBA.format(root=str(Path(__file__).parents[3]), module="tests.unit.words.test_jit")
    answer = subprocess.check_output([sys.executable, "-c", code], text=True)
    expected = list_plays()
    assert json.loads(answer) == expected
    assert sum(map(len, expected)) > 1_000
