"""A Catalan lexicon of four words, and the settings of a service that has it."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from faristol.host import Settings
from faristol.rules.tiles import load_tile_set
from faristol.words import About, InstalledLexicon, Library

ABOUT = About("catalan", "first", "CC0-1.0", "written for the tests", datetime.date(2024, 2, 29))
WORDS = {("S", "O", "L"), ("A", "NY"), ("C", "O", "L·L", "A"), ("C", "O", "L", "L", "A")}


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "lexicons")


@pytest.fixture
def catalan(library: Library) -> InstalledLexicon:
    return library.install("catalan", WORDS, tile_set=load_tile_set("ca-100"), about=ABOUT)


@pytest.fixture
def settings(library: Library) -> Settings:
    return Settings.model_validate({"lexicons": library.path})
