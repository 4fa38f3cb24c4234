from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from faristol.tournament.prefix import Prefix


@given(st.lists(st.integers()), st.integers(0, 12), st.slices(12))
def test_a_prefix_equals_the_copied_slice_in_every_access(items: list[int], length: int, part: slice) -> None:
    prefix, copy = Prefix(items, length), items[:length]

    assert list(prefix) == copy
    assert list(reversed(prefix)) == copy[::-1]
    assert len(prefix) == len(copy)
    assert prefix[part] == copy[part]
    assert [prefix[index] for index in range(-len(copy), len(copy))] == copy * 2
