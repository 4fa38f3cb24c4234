"""Values of personal details, made from the properties of each in the contract."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from faristol.kernel.details import DETAILS, PUBLIC_DETAILS, Detail, Value
from faristol.kernel.names import is_storable

MAX_DRAWN_CHARACTERS = 20

_TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=MAX_DRAWN_CHARACTERS).filter(
    lambda text: is_storable(text, least=1)
)


def values_of(detail: Detail) -> st.SearchStrategy[Value]:
    """Return valid, known values of a detail."""
    pattern = detail.options.pattern
    texts = st.from_regex(re.compile(pattern, re.ASCII), fullmatch=True) if pattern else _TEXTS
    return texts.map(detail.parse)


def value_sets(details: Mapping[str, Detail] = DETAILS) -> st.SearchStrategy[dict[str, Any]]:
    """Return sets of values by name: each has the required details, and some of the others."""
    required = {name: values_of(detail) for name, detail in details.items() if detail.options.required}
    others = {name: values_of(detail) for name, detail in details.items() if not detail.options.required}
    return st.fixed_dictionaries(required, optional=others)


PUBLIC_VALUE_SETS = value_sets(PUBLIC_DETAILS)


def example_of(detail: Detail, number: int = 0) -> Value:
    """Return one of two valid values of a detail that occur nowhere else in a record."""
    if detail.options.pattern:
        return next(value for value in _PATTERNED_VALUES[number::2] if re.fullmatch(detail.options.pattern, str(value)))
    return f"{detail.name} {'xyz'[number] * 3} example".replace("_", " ")


_PATTERNED_VALUES: tuple[Value, ...] = ("QXZ", "ZXQ", 1931, 1933, "qx@z.example", "zx@q.example")


def examples(number: int = 0) -> dict[str, Any]:
    """Return an example of every detail by name."""
    return {name: example_of(detail, number) for name, detail in DETAILS.items()}
