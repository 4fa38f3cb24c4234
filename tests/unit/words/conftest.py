from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from faristol.rules.tiles import load_tile_set
from faristol.words import About, Library, WordGraph, build

MakeGraph = Callable[..., WordGraph]


@pytest.fixture
def about() -> About:
    return About(
        name="proves",
        edition="first",
        licence="CC0-1.0",
        source="written for the tests",
        date=datetime.date(2024, 2, 29),
    )


@pytest.fixture
def make_graph(about: About) -> MakeGraph:
    """Return a graph of words given as faces or as text that the set spells."""

    def make(words: Iterable[str | tuple[str, ...]], tile_set: str = "ca-100") -> WordGraph:
        tiles = load_tile_set(tile_set)
        spelled = (tiles.spell(word) if isinstance(word, str) else word for word in words)
        return WordGraph(build([word for word in spelled if word], tile_set=tiles, about=about))

    return make


@pytest.fixture(scope="session")
def catalan(lexicons: Path) -> WordGraph:
    """Return the Catalan lexicon that the set-up installs; tests that need it are skipped if it is missing."""
    return Library(lexicons).open("catalan")
