from __future__ import annotations

import datetime

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.examples import scale_examples

from faristol.rules.tiles import load_tile_set
from faristol.words import About, Listing, WordGraph, build
from faristol.words.walk import CODES, LENGTHS, onward

ABOUT = About("proves", "first", "CC0-1.0", "hypothesis", datetime.date(2024, 2, 29))
FACES = ("A", "L", "L·L", "NY", "S")

words = st.sets(st.lists(st.sampled_from(FACES), min_size=2, max_size=15).map(tuple), min_size=1, max_size=30)


@settings(max_examples=scale_examples(50), deadline=None)
@given(words)
def test_every_node_knows_how_words_go_on(lexicon: set[tuple[str, ...]]) -> None:
    """By separate walks through the graph, from every prefix of every word."""
    tile_set = load_tile_set("ca-100")
    graph = WordGraph(build(lexicon, tile_set=tile_set, about=ABOUT))
    known = onward(graph)
    for word in lexicon:
        for length in range(len(word) + 1):
            rests = [other[length:] for other in lexicon if other[:length] == word[:length]]
            node = graph._end(word[:length])
            assert known[node, LENGTHS] == sum(1 << count for count in {len(rest) for rest in rests})
            codes = {tile_set.index[face] for rest in rests for face in rest}
            assert known[node, CODES] == sum(1 << code for code in codes)


def test_a_word_whose_layer_is_off_is_not_ahead(about: About) -> None:
    listed = {Listing("valencian"): [("A", "S", "A")]}
    graph = WordGraph(build([("A", "S")], tile_set=load_tile_set("ca-100"), about=about, listed=listed))
    assert onward(graph)[0, LENGTHS] == 1 << 2
    assert onward(graph.every_layer)[0, LENGTHS] == 1 << 2 | 1 << 3
    assert onward(graph) is onward(graph)
