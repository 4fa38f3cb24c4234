"""The mutations of the campaign of mutants, and the parts that it does not change."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.campaigns.mutants.mutation import mutations


def _list_mutations(source: str) -> list[str]:
    return [mutation.apply_to(source.encode()).decode() for mutation in mutations(source.encode())]


def test_a_boundary_is_moved() -> None:
    assert _list_mutations("late = used < 25\n") == ["late = used <= 25\n", "late = used < 26\n"]


def test_a_condition_is_turned_round() -> None:
    assert _list_mutations("if late: go()\n") == ["if (not (late)): go()\n", "if late: pass\n"]


def test_a_step_is_left_out() -> None:
    assert _list_mutations("racks += drawn\n") == ["pass\n"]


def test_letters_of_many_bytes_before_the_place_do_not_move_it() -> None:
    assert _list_mutations('word = "ΛΌΓΟΣ·l·l", a + b\n') == ['word = "ΛΌΓΟΣ·l·l", a - b\n']


def test_an_operator_between_brackets_is_found() -> None:
    assert _list_mutations("x = (a) and (\n    b\n)\n") == ["x = (a) or (\n    b\n)\n"]


def test_texts_types_and_imports_are_left_alone() -> None:
    source = (
        "from a import b\n"
        "def f(x: int | None = None) -> Literal[1]:\n"
        '    """1 < 2"""\n'
        '    raise Refusal("NO", N_("{n} tiles"), {"n": 1})\n'
    )
    assert _list_mutations(source) == []


def test_what_only_asserts_is_left_alone() -> None:
    assert _list_mutations("assert a < b\n") == []
    assert _list_mutations("pairs = zip(a, b, strict=True)\n") == []
    assert _list_mutations("pairs = zip(a, b, strict=False)\n") == ["pairs = zip(a, b, strict=True)\n"]


@given(st.integers(0, 9), st.sampled_from(["<", "<=", ">", ">=", "==", "!=", "+", "-", "*", "//", "and", "or"]))
def test_every_mutation_is_another_program(number: int, operator: str) -> None:
    source = f"def f(a, b):\n    return a {operator} b if b else {number}\n"
    changed = _list_mutations(source)
    assert len(set(changed)) == len(changed) >= 2
    assert source not in changed
