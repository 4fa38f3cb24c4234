from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from faristol.words.jit import compile_function
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


def test_looking_words_up_does_not_bring_the_compiler_along() -> None:
    loaded = "import faristol.words, sys; print('numba' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", loaded], text=True) == "False\n"


def test_popcount_counts_bits_up_to_the_last_that_a_mark_has() -> None:
    for bits in (0, 1, 0b1011, 1 << 62, (1 << 63) - 1):
        assert popcount(bits) == bits.bit_count()
