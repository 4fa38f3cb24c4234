from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.event_store.integrity.merkle import EMPTY, Tree, cover, leaf, node, stand_in

CONTENTS = [
    bytes.fromhex(leaf)
    for leaf in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
]
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
"""Of the trees over the first one, two, … of the contents, as Certificate Transparency publishes them."""

contents = st.lists(st.binary(min_size=1, max_size=8), min_size=1, max_size=40)


def root(shown: list[bytes]) -> bytes:
    tree = Tree()
    for content in shown:
        tree.add(content)
    return tree.root()


def compute_root(shown: list[bytes]) -> bytes:
    """Return the definition of RFC 6962, word for word."""
    if not shown:
        return hashlib.sha256().digest()
    if len(shown) == 1:
        return leaf(shown[0])
    split = 1 << (len(shown) - 1).bit_length() - 1
    return node(compute_root(shown[:split]), compute_root(shown[split:]))


@pytest.mark.parametrize("size", range(1, 9))
def test_roots_are_those_of_certificate_transparency(size: int) -> None:
    assert root(CONTENTS[:size]).hex() == ROOTS[size - 1]


def test_a_tree_without_leaves_has_a_root() -> None:
    assert Tree().root() == EMPTY == compute_root([])


@given(contents)
def test_a_tree_that_grew_is_the_tree_of_the_definition(shown: list[bytes]) -> None:
    assert root(shown) == compute_root(shown)


@given(contents, st.data())
def test_any_leaves_can_be_replaced_by_what_stands_in_for_them(shown: list[bytes], data: st.DataObject) -> None:
    own = data.draw(st.lists(st.booleans(), min_size=len(shown), max_size=len(shown)))
    tree = Tree()
    place = 0
    while place < len(shown):
        stop = place + 1
        while stop < len(shown) and own[stop] == own[place]:
            stop += 1
        if own[place]:
            for content in shown[place:stop]:
                tree.add(content)
        else:
            hashes = stand_in(shown, place, stop)
            assert len(hashes) <= 2 * len(shown).bit_length()
            for (_, level), digest in zip(cover(place, stop), hashes, strict=True):
                tree.graft(level, digest)
        place = stop
    assert tree.root() == root(shown)


@given(contents, st.data())
def test_another_leaf_gives_another_root(shown: list[bytes], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(shown) - 1))
    other = data.draw(st.binary(min_size=1, max_size=8).filter(lambda content: content != shown[place]))
    assert root([*shown[:place], other, *shown[place + 1 :]]) != root(shown)


@given(contents)
def test_another_order_or_number_gives_another_root(shown: list[bytes]) -> None:
    assert root([*shown, shown[-1]]) != root(shown)
    assert root(shown[:-1]) != root(shown)
    if shown[::-1] != shown:
        assert root(shown[::-1]) != root(shown)


@given(st.integers(0, 500), st.integers(0, 500))
def test_a_cover_is_of_whole_subtrees_side_by_side(start: int, length: int) -> None:
    place = start
    for first, level in cover(start, start + length):
        assert first == place
        assert first % (1 << level) == 0
        place += 1 << level
    assert place == start + length


def test_a_subtree_cannot_begin_just_anywhere() -> None:
    tree = Tree()
    tree.add(b"one")
    with pytest.raises(ValueError, match=r"no subtree of 2 leaves begins after 1"):
        tree.graft(1, bytes(32))
