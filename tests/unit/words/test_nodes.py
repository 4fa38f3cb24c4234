from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.words.nodes import FINAL_BIT, Nodes, minimise

WORDS = st.sets(st.binary(min_size=1, max_size=6).map(lambda raw: bytes(byte % 4 for byte in raw)))


def suffixes(words: set[bytes], prefix: bytes) -> frozenset[bytes]:
    return frozenset(word[len(prefix) :] for word in words if word.startswith(prefix))


def list_words(nodes: Nodes, node: int = 0) -> set[bytes]:
    words = {b""} if nodes.marks[node] & FINAL_BIT else set()
    edge = nodes.first[node]
    for code in range(62):
        if nodes.marks[node] >> code & 1:
            words |= {bytes([code]) + rest for rest in list_words(nodes, nodes.edges[edge])}
            edge += 1
    return words


@given(WORDS)
def test_the_graph_spells_its_words_and_nothing_else(words: set[bytes]) -> None:
    assert list_words(minimise(sorted(words))) == words


@given(WORDS)
def test_no_smaller_graph_would_do(words: set[bytes]) -> None:
    prefixes = {word[:length] for word in words for length in range(len(word) + 1)} | {b""}
    assert len(minimise(sorted(words)).marks) == len({suffixes(words, prefix) for prefix in prefixes})


@pytest.mark.parametrize("words", [[b"\x02", b"\x01"], [b"\x01", b"\x01"], [b""]])
def test_words_out_of_order_repeated_or_empty_are_refused(words: list[bytes]) -> None:
    with pytest.raises(ValueError, match="sorted and differ"):
        minimise(words)


def test_progress_ends_with_everything_done() -> None:
    reports: list[tuple[int, int]] = []
    minimise([b"\x00", b"\x01"], progress=lambda done, total: reports.append((done, total)))
    assert reports == [(0, 2), (2, 2)]
