"""Pages name existing files, and each begins with the question that it answers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
DECISIONS = ROOT / "docs" / "decisions"
DOCS = sorted(page for page in (ROOT / "docs").rglob("*.md") if page.parent != DECISIONS or page.name == "README.md")
PATH = re.compile(r"`((?:libs|services|apps|proto|tests|docs|deploy)/[\w./-]*)(?:<\w+>)?`|\]\((docs/[\w.-]+)\)")
GENERATED = ("libs/faristol/pb",)
LISTED = (
    "libs/faristol",
    "libs/faristol/event_store",
    "libs/faristol/host",
    "services/faristol/tournament",
    "services/faristol/read_models",
    "services/faristol/gateway",
    "apps/faristol",
)


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "README.md", "docs/architecture.md"])
def test_every_path_that_a_page_names_is_there(page: str) -> None:
    named = {found[1] or found[2] for found in PATH.finditer((ROOT / page).read_text(encoding="utf-8"))}
    assert named
    assert [path for path in sorted(named) if not (ROOT / path).exists() and path not in GENERATED] == []


def test_the_map_lists_every_package_and_the_folders_of_large_ones() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    packages = page.partition("## The packages")[2].partition("## The path of a play")[0]
    listed = set(re.findall(r"`([\w./-]+)`", packages))
    folders = [folder for parent in LISTED for folder in (ROOT / parent).iterdir() if (folder / "__init__.py").exists()]
    assert {str(folder.relative_to(ROOT)) for folder in folders} - listed == set()


def test_the_map_counts_the_modules_that_a_play_passes() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    way, _, after = page.partition("## The path of a play")[2].partition("From the request to the page there are ")
    modules = re.findall(r"`([\w./-]+\.py)`", way)
    assert len(modules) == len(set(modules)) == int(after.partition(" Python modules")[0])


def test_every_name_that_the_map_gives_is_in_its_file() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"`([A-Za-z_]+)` in `([\w./-]+)`", page)
    assert named
    for name, path in named:
        found = ROOT / path
        if found.suffix in {".py", ".js"}:
            given = re.compile(rf"^\s*(?:const |def |async def )?{name}\b(?:\(|.* = )", re.MULTILINE)
            assert given.search(found.read_text(encoding="utf-8")), f"{name} is not in {path}"


@pytest.mark.parametrize("page", DOCS, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_begins_with_the_question_that_it_answers(page: Path) -> None:
    assert re.match(r"# .+\?\n\n\S", page.read_text(encoding="utf-8"))


def test_every_page_is_of_one_of_four_kinds_in_the_index() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)$", index, re.MULTILINE) == ["Tutorials", "How-tos", "Reference", "Explanation"]
    linked = re.findall(r"\]\(([\w./-]+\.md)\)", index)
    assert len(linked) == len(set(linked))
    assert {(ROOT / "docs" / page).resolve() for page in linked} >= {*DOCS} - {ROOT / "docs" / "README.md"}
    for page in linked:
        title = (ROOT / "docs" / page).read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        assert f"[{title}]({page})" in index


@pytest.mark.parametrize("page", sorted(DECISIONS.glob("0*.md")), ids=lambda page: page.stem)
def test_a_decision_says_its_context_what_was_decided_what_follows_and_what_was_rejected(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert re.match(rf"# {int(page.name[:4])}\. .+\n\nStatus: .+\.\n", text)
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == [
        "Context",
        "Decision",
        "Consequences",
        "Rejected alternatives",
    ]
    assert f"]({page.name})" in (DECISIONS / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", [ROOT / "README.md", *DOCS], ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_to_a_file(page: Path) -> None:
    linked = re.findall(r"\]\((?!https?:)([\w./-]+)(?:#[\w-]+)?\)", page.read_text(encoding="utf-8"))
    assert [name for name in linked if not (page.parent / name).exists()] == []


def test_the_readme_is_a_screen_until_the_map() -> None:
    before = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Where things are")[0]
    assert len(before.splitlines()) <= 50
