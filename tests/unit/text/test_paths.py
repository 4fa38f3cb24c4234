"""The pages for engineers name files that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PATH = re.compile(r"`((?:libs|services|proto|tests|docs|deploy)/[\w./-]*)(?:<\w+>)?`|\]\((docs/[\w.-]+)\)")
GENERATED = ("libs/faristol/pb",)


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "README.md", "docs/architecture.md"])
def test_every_path_that_a_page_names_is_there(page: str) -> None:
    named = {found[1] or found[2] for found in PATH.finditer((ROOT / page).read_text(encoding="utf-8"))}
    assert named
    assert [path for path in sorted(named) if not (ROOT / path).exists() and path not in GENERATED] == []


def test_at_least_fifteen_changes_say_where_they_are_made() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    changes = re.findall(r"^\| .* \| .*`.* \|$", page.partition("## Where do I change")[2], re.MULTILINE)
    assert len(changes) >= 15
