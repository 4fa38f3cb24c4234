from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from faristol.text import catalogs
from faristol.text.catalogs import read_catalog

CATALOG = """msgid ""
msgstr "Content-Type: text/plain; charset=utf-8\\n"

msgid "tile"
msgstr "{}"
"""


@pytest.fixture
def catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    path = tmp_path / "faristol.po"
    path.write_text(CATALOG.format("fitxa"), encoding="utf-8")
    return path


def test_a_catalog_is_compiled_once(catalog: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_catalog(catalog).gettext("tile") == "fitxa"
    monkeypatch.delattr(catalogs, "_compile")
    assert read_catalog(catalog).gettext("tile") == "fitxa"


def test_a_changed_catalog_is_compiled_again_in_place_of_the_one_before(catalog: Path) -> None:
    read_catalog(catalog)
    catalog.write_text(CATALOG.format("ficha"), encoding="utf-8")
    assert read_catalog(catalog).gettext("tile") == "ficha"
    assert len([*catalog.parent.glob("__pycache__/*")]) == 1


def test_a_catalog_is_read_from_a_folder_that_is_not_writable(catalog: Path) -> None:
    (catalog.parent / "__pycache__").write_text("a file, so that it cannot be a folder", encoding="utf-8")
    assert read_catalog(catalog).gettext("tile") == "fitxa"


@pytest.mark.parametrize("damage", [lambda _: b"", lambda whole: whole[:-9], lambda whole: whole[:-9] + bytes(9)])
def test_a_damaged_compiled_catalog_is_compiled_again(catalog: Path, damage: Callable[[bytes], bytes]) -> None:
    read_catalog(catalog)
    (stored,) = catalog.parent.glob("__pycache__/*")
    compiled = stored.read_bytes()
    stored.write_bytes(damage(compiled))
    assert read_catalog(catalog).gettext("tile") == "fitxa"
    assert stored.read_bytes() == compiled


def test_a_compiled_catalog_is_not_stored_where_compiled_code_is_not(
    catalog: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert read_catalog(catalog).gettext("tile") == "fitxa"
    assert not (catalog.parent / "__pycache__").exists()
