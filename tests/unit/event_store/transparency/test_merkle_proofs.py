"""Proofs of RFC 6962 against its definitions, which are written out here by recursion."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.event_store.integrity import merkle
from faristol.event_store.transparency.merkle_proofs import (
    compute_included_root,
    is_consistent,
    list_consistency_ranges,
    list_inclusion_ranges,
    prove,
)
from faristol.event_store.transparency.tiles import (
    GrowingTiles,
    TileName,
    TileSource,
    format_tile_number,
    list_needed_tiles,
    list_tiles,
    parse_tile_path,
)

LEAVES = [hashlib.sha256(b"%d" % number).digest() for number in range(70_000)]


def tree_hash(leaves: Sequence[bytes]) -> bytes:
    """Return MTH of RFC 6962 over hashes of entries."""
    if not leaves:
        return hashlib.sha256().digest()
    if len(leaves) == 1:
        return leaves[0]
    left = 1
    while left * 2 < len(leaves):
        left *= 2
    return hashlib.sha256(b"\x01" + tree_hash(leaves[:left]) + tree_hash(leaves[left:])).digest()


def inclusion_path(index: int, leaves: Sequence[bytes]) -> list[bytes]:
    """Return PATH of RFC 6962, 2.1.1."""
    if len(leaves) <= 1:
        return []
    left = 1
    while left * 2 < len(leaves):
        left *= 2
    if index < left:
        return [*inclusion_path(index, leaves[:left]), tree_hash(leaves[left:])]
    return [*inclusion_path(index - left, leaves[left:]), tree_hash(leaves[:left])]


def consistency_proof(old: int, leaves: Sequence[bytes], *, is_whole: bool = True) -> list[bytes]:
    """Return SUBPROOF of RFC 6962, 2.1.2."""
    if old == len(leaves):
        return [] if is_whole else [tree_hash(leaves)]
    left = 1
    while left * 2 < len(leaves):
        left *= 2
    if old <= left:
        return [*consistency_proof(old, leaves[:left], is_whole=is_whole), tree_hash(leaves[left:])]
    return [*consistency_proof(old - left, leaves[left:], is_whole=False), tree_hash(leaves[:left])]


def tiles_of(size: int) -> TileSource:
    """Return the tiles of a tree, computed from their definition."""

    def read(tile: TileName) -> bytes:
        span = tile.entry_span
        first = tile.number * 256
        return b"".join(
            tree_hash(LEAVES[at * span : (at + 1) * span]) for at in range(first, first + tile.width_at(size))
        )

    return TileSource(read)


@given(st.data())
def test_proofs_equal_the_definitions_of_the_standard(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 300))
    index = data.draw(st.integers(0, size - 1))
    old = data.draw(st.integers(0, size))
    source = tiles_of(size)
    assert source.root(size) == tree_hash(LEAVES[:size])
    assert prove(list_inclusion_ranges(index, size), source) == inclusion_path(index, LEAVES[:size])
    expected = consistency_proof(old, LEAVES[:size]) if old else []
    assert prove(list_consistency_ranges(old, size), source) == expected


@given(st.data())
def test_a_valid_proof_is_accepted_and_each_change_of_it_is_not(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 80))
    index = data.draw(st.integers(0, size - 1))
    old = data.draw(st.integers(0, size))
    root, old_root = tree_hash(LEAVES[:size]), tree_hash(LEAVES[:old])
    path = inclusion_path(index, LEAVES[:size])
    assert compute_included_root(LEAVES[index], index, size, path) == root
    other = data.draw(st.integers(0, size - 1).filter(lambda number: number != index) if size > 1 else st.just(-1))
    if other >= 0:
        assert compute_included_root(LEAVES[index], other, size, path) != root
        assert compute_included_root(LEAVES[other], index, size, path) != root
        assert compute_included_root(LEAVES[index], index, size, path[:-1]) is None
    proof = consistency_proof(old, LEAVES[:size]) if old else []
    assert is_consistent(old, old_root, size, root, proof)
    assert not is_consistent(old, old_root, size, root, [*proof, bytes(32)])
    assert not is_consistent(old, bytes(32), size, root, proof)
    if old > 0:
        assert not is_consistent(old, old_root, size, bytes(32), proof)
    for at in range(len(proof)):
        assert not is_consistent(old, old_root, size, root, [*proof[:at], bytes(32), *proof[at + 1 :]])
        assert not is_consistent(old, old_root, size, root, proof[:at] + proof[at + 1 :])


@given(st.lists(st.integers(0, 700), max_size=4))
def test_tiles_that_grow_in_steps_are_those_of_the_whole_tree(steps: list[int]) -> None:
    stored: dict[TileName, bytes] = {}
    for step in steps:
        levels = {tile.level for tile in stored}
        last = {
            tile: stored[tile] for tile in (max(each for each in stored if each.level == level) for level in levels)
        }
        growing = GrowingTiles(last)
        for leaf in LEAVES[growing.size : growing.size + step]:
            growing.add(leaf)
        stored |= {tile: bytes(content) for tile, content in growing.changed.items()}
    size = sum(steps)
    source = tiles_of(size)
    assert sorted(stored) == sorted(list_tiles(size))
    if size:
        assert TileSource(stored.__getitem__).root(size) == source.root(size)


def test_a_tree_of_70_000_entries_has_the_tiles_of_the_standard() -> None:
    tiles = list(list_tiles(70_000))
    widths = [(tile.level, tile.number, tile.width_at(70_000)) for tile in tiles]
    assert sum(level == 0 and width == 256 for level, _, width in widths) == 273
    assert [each for each in widths if each[2] != 256] == [(0, 273, 112), (1, 1, 17), (2, 0, 1)]
    assert {(tile.level, tile.number) for tile in list_tiles(256)} == {(0, 0), (1, 0)}


def test_a_proof_reads_few_tiles_of_a_large_tree() -> None:
    ranges = list_inclusion_ranges(123_456, 1_000_000)
    assert len(ranges) == 20
    assert len(list_needed_tiles(ranges)) <= 6


@pytest.mark.parametrize("size", [1, 255, 256, 257, 65_536, 65_537, 70_000])
def test_the_root_of_tiles_is_the_root_of_the_entries(size: int) -> None:
    tree = merkle.Tree()
    for leaf in LEAVES[:size]:
        tree.graft(0, leaf)
    assert tiles_of(size).root(size) == tree.root()


@pytest.mark.parametrize(
    ("number", "path"), [(0, "000"), (7, "007"), (999, "999"), (1_000, "x001/000"), (1_234_067, "x001/x234/067")]
)
def test_the_path_of_a_tile_is_that_of_the_standard(number: int, path: str) -> None:
    assert format_tile_number(number) == path
    assert parse_tile_path(path) == (number, 256)
    assert parse_tile_path(f"{path}.p/17") == (number, 17)


@pytest.mark.parametrize(
    "path",
    ["", "0", "00", "0000", "x000/001", "001/002", "x001", "x001/x002", "001.p/0", "001.p/256", "001.p/01", "001.p/",
     "٠٠١", "-01", "x1/000"],
)  # fmt: skip
def test_other_paths_are_no_tile(path: str) -> None:
    assert parse_tile_path(path) is None
