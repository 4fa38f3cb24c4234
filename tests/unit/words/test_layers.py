from __future__ import annotations

import datetime
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.rules.tiles import load_tile_set
from faristol.words import About, LexiconError, Library, Listing, WordGraph, build
from faristol.words.plays import Grid, generate

CATALAN = load_tile_set("ca-100")
Word = tuple[str, ...]
WORDS = st.sets(st.lists(st.sampled_from(("A", "L", "L·L", "NY")), min_size=1, max_size=4).map(tuple), max_size=12)
LISTED = st.dictionaries(
    st.builds(Listing, st.sampled_from(("", "balearic", "valencian")), st.sampled_from(("", "dcvb", "gdlc"))),
    WORDS,
    max_size=5,
)


def spell_words(*texts: str) -> list[Word]:
    return [CATALAN.spell(text) or () for text in texts]


def build_graph(about: About, *base: str, **layers: str) -> WordGraph:
    listed = {Listing(layer): spell_words(*texts.split()) for layer, texts in layers.items()}
    return WordGraph(build(spell_words(*base), tile_set=CATALAN, about=about, listed=listed))


def test_words_of_a_layer_are_in_where_it_is_switched_on_and_nowhere_else(about: About) -> None:
    graph = build_graph(about, "sol", balearic="al·lot sol", valencian="xic")
    assert set(graph) == set(spell_words("sol"))
    assert set(graph.with_layers(["balearic"])) == set(spell_words("sol", "al·lot"))
    everything = graph.with_layers(["valencian", "balearic"])
    assert set(everything) == set(spell_words("sol", "al·lot", "xic"))
    assert [len(graph), len(graph.with_layers(["balearic"])), len(everything)] == [1, 2, 3]
    assert set(everything.with_layers([])) == set(graph) == set(spell_words("sol"))
    assert everything.digest == graph.digest


@given(WORDS, LISTED, st.sets(st.sampled_from(("balearic", "valencian"))))
def test_a_lexicon_holds_what_its_layers_say_and_knows_every_listing(
    base: set[Word], listed: Mapping[Listing, set[Word]], layers: set[str]
) -> None:
    about = About("altres", "second", "CC0-1.0", "hypothesis", datetime.date(2024, 3, 1))
    graph = WordGraph(build(base, tile_set=CATALAN, about=about, listed=listed))
    has = {layer for (layer, _), words in listed.items() if words} - {""}
    chosen = graph.with_layers(layers & has)
    expected = base.union(*(words for (layer, _), words in listed.items() if layer in {"", *layers}))
    assert set(chosen) == expected
    assert len(chosen) == len(expected)
    for word in base.union(*listed.values()):
        listings = {listing for listing, words in listed.items() if word in words} | (
            {Listing()} if word in base else set()
        )
        assert set(chosen.listings(word)) == listings
        assert (word in chosen) == (word in expected)
        assert chosen.listings((*word, "NY", "NY", "NY", "NY")) == ()


def test_plays_are_found_in_the_layers_that_are_switched_on(about: About) -> None:
    graph = build_graph(about, "sol", balearic="los")
    rack = ["S", "O", "L"]

    def words(lexicon: WordGraph) -> set[str]:
        return {"".join(play.word) for play in generate(lexicon, Grid.of(CATALAN, {}), rack)}

    assert words(graph) == {"SOL"}
    assert words(graph.with_layers(["balearic"])) == {"SOL", "LOS"}


def test_a_layer_that_the_lexicon_does_not_have_is_refused_with_those_that_it_has(about: About) -> None:
    with pytest.raises(LexiconError, match="has no layer 'aranese'; it has: balearic, valencian"):
        build_graph(about, "sol", valencian="xic", balearic="al·lot").with_layers(["aranese", "balearic"])
    with pytest.raises(LexiconError, match="it has: none"):
        build_graph(about, "sol").with_layers(["balearic"])


@pytest.mark.parametrize("layer", ["Balear", "illes balears", "-", "../x"])
def test_a_layer_needs_a_name_that_everyone_can_type(layer: str, about: About) -> None:
    with pytest.raises(ValueError, match="is not a valid name of a layer"):
        build([], tile_set=CATALAN, about=about, listed={Listing(layer): spell_words("sol")})


def test_a_build_does_not_depend_on_the_order_of_words_or_layers(about: About) -> None:
    first = {Listing("b"): spell_words("sol", "any"), Listing("a", "gdlc"): spell_words("sol")}
    second = {Listing("a", "gdlc"): spell_words("sol"), Listing("b"): spell_words("any", "sol", "any")}
    words = spell_words("quinze", "any")
    assert build(words, tile_set=CATALAN, about=about, listed=first) == build(
        reversed(words), tile_set=CATALAN, about=about, listed=second
    )


def test_an_installed_lexicon_keeps_its_layers(about: About, tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.install(
        "proves",
        spell_words("sol"),
        tile_set=CATALAN,
        about=about,
        listed={Listing("balearic", "dcvb"): spell_words("al·lot")},
    )
    assert library.list()[0].header.layers == ("balearic",)
    assert library.open("proves").listings(("A", "L·L", "O", "T")) == (("balearic", "dcvb"),)
