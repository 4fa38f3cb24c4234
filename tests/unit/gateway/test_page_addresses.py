"""The scheme of page addresses: one module defines it, and routes, headers and the service worker follow it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from fastapi import APIRouter
from fastapi.routing import APIRoute

from faristol.gateway.app import PUBLIC, ROUTES
from faristol.gateway.cache.resources import CACHED_ROUTES
from faristol.gateway.pages.alternatives import ALTERNATIVE_PATHS
from faristol.presentation.page_addresses import (
    duplicate_path,
    expand_short_path,
    game_path,
    player_path,
    round_path,
    tournament_path,
)

ROOT = Path(__file__).parents[3]
GATEWAY = ROOT / "services" / "faristol" / "gateway"
DEFINED_IN = ROOT / "libs" / "faristol" / "presentation" / "page_addresses.py"
SUBJECTS = "/(t|g|tournaments|games|players|duplicate)/"
STARTS = ("/t/", "/g/", "/tournaments/", "/games/", "/players/", "/duplicate/")
EXAMPLES = {"tournament_id": "lliga", "game_id": "lliga-r1-t1", "player_id": "anna", "team_id": "reus", "number": "2"}


def routes_of(parts: Sequence[APIRouter] = ROUTES) -> Iterator[APIRoute]:
    for part in parts:
        yield from (route for route in part.routes if isinstance(route, APIRoute))


def is_page(path: str) -> bool:
    return path.startswith(STARTS) and not path.startswith(("/t/", "/g/"))


def fill(path: str) -> str:
    return re.sub(r"\{(\w+)(:\w+)?\}", lambda found: EXAMPLES.get(found[1], "x"), path)


def test_the_address_of_a_page_is_encoded_and_below_its_subject() -> None:
    assert tournament_path("lliga") == "/tournaments/lliga"
    assert tournament_path("lliga", "standings", "anna") == "/tournaments/lliga/standings/anna"
    assert round_path("lliga", 2) == "/tournaments/lliga/round/2"
    assert game_path("lliga-r1-t1", "replay") == "/games/lliga-r1-t1/replay"
    assert player_path("anna") == "/players/anna"
    assert duplicate_path("lliga-r1", "players", "anna") == "/duplicate/lliga-r1/players/anna"
    assert tournament_path("a/b?c", "d#e") == "/tournaments/a%2Fb%3Fc/d%23e"


@pytest.mark.parametrize(
    "path", [tournament_path("x"), round_path("x", 1), game_path("x"), player_path("x"), duplicate_path("x")]
)
def test_a_page_answers_at_each_address(path: str) -> None:
    assert [route for route in routes_of() if "GET" in (route.methods or ()) and route.path_regex.match(path)]


def test_a_short_path_expands_to_that_of_the_page() -> None:
    expected = {
        "/t/lliga": tournament_path("lliga"),
        "/t/lliga/r/2": round_path("lliga", 2),
        "/t/lliga/r": "/tournaments/lliga/round",
        "/t/r/r/r": "/tournaments/r/round/r",
        "/g/r/r": game_path("r", "r"),
        "/t/": "/tournaments/",
    }
    assert {path: expand_short_path(path) for path in expected} == expected
    for path in ("/", "/t", "/g", "/tt/x", "/players/x", "/tournaments/x/r/1", ""):
        assert expand_short_path(path) == path


def test_no_page_of_a_tournament_or_a_game_is_outside_of_the_scheme() -> None:
    outside = {
        route.path
        for route in routes_of()
        if {"{tournament_id}", "{game_id}", "{player_id}"} & set(re.findall(r"\{\w+\}", route.path))
        and not route.path.startswith(("/api/", "/tournaments/{tournament_id}", "/games/{game_id}"))
    }
    assert {
        path
        for path in outside
        if not path.startswith(("/players/{player_id}", "/duplicate/{game_id}", "/seasons/{season_id}"))
    } == set()
    known = {route.path for route in routes_of()}
    assert {path for path in CACHED_ROUTES if path not in known} == set()
    assert {path for path in ALTERNATIVE_PATHS if path not in known} == set()


def test_the_service_worker_keeps_the_public_pages_alone() -> None:
    script = (GATEWAY / "static" / "worker.js").read_text(encoding="utf-8")
    listed = script.partition("const PUBLIC = [")[2].partition("];")[0]
    patterns = [re.compile(found.replace(r"\/", "/")) for found in re.findall(r"^  /(.+)/,$", listed, re.MULTILINE)]
    assert len(patterns) > 5

    def is_kept(path: str) -> bool:
        return any(pattern.search(fill(path)) for pattern in patterns)

    public = {route.path for route in routes_of(PUBLIC) if is_page(route.path)}
    pages = {path for path in CACHED_ROUTES if path in public and "." not in path}
    not_for_readers = {"/games/{game_id}/embed", "/games/{game_id}/overlay"}  # in a frame, or in a streaming program
    assert {path for path in pages if not is_kept(path)} == not_for_readers
    private = {route.path for route in routes_of() if is_page(route.path)} - public
    assert len(private) > 20
    assert {path for path in private if is_kept(path)} == set()


def test_no_other_module_and_no_template_builds_such_an_address() -> None:
    built = [
        f"{path.relative_to(ROOT)}:{line}"
        for folder in ("libs", "services", "apps")
        for path in (ROOT / folder).rglob("*.py")
        if path != DEFINED_IN and "/pb/" not in path.as_posix()
        for line in _lines_that_build(path.read_text(encoding="utf-8"))
    ]
    in_template, in_script = re.compile(rf"(?<!v1){SUBJECTS}(\{{\{{|%s|\" ~)"), re.compile(rf"[`\"']{SUBJECTS}")
    for pattern, files in ((in_template, "templates/**/*.html"), (in_script, "static/*.js")):
        for path in GATEWAY.glob(files):
            built += [f"{path.name}: {found[0]}" for found in pattern.finditer(path.read_text(encoding="utf-8"))]
    assert built == []


def _lines_that_build(source: str) -> Iterator[int]:
    """Yield the lines of strings with a filled place that begin with the address of a page."""
    if not any(start in source for start in STARTS):
        return
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]) if text.startswith(STARTS):
                if "{" not in text:
                    yield node.lineno
            case ast.JoinedStr(values=[ast.FormattedValue(value=site), ast.Constant(value=str(text)), *_]):
                is_of_api = isinstance(site, ast.Name) and site.id.strip("_") == "API"
                if text.startswith(STARTS) and not is_of_api:
                    yield node.lineno
            case ast.BinOp(op=ast.Mod(), left=ast.Constant(value=str(text))) if text.startswith(STARTS):
                yield node.lineno
