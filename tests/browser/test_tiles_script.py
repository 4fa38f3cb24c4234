"""Scripts of pages count, read words and compare names as the services do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.async_api import Browser, Page
from tests.support.squares import neighbours
from tests.support.stage import open_stage

from faristol.gateway.consoles.scorer.about import rules as told
from faristol.kernel.refusal import Refusal
from faristol.presentation.names import search_words
from faristol.rules import CENTRE, Board, Direction, Placement, Ruleset, Tile, check_play, load_ruleset, score_play
from faristol.rules.notation import Notation
from faristol.rules.readings import word_readings
from faristol.rules.tiles import BLANK

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

COUNT = """async ([rules, cases]) => {
  const { counted, key } = await import("/static/tiles.js");
  const board = (tiles) => new Map(tiles.map((tile) => [key(tile.row, tile.column), tile]));
  return cases.map(([lies, laid]) => counted(board(lies), laid, rules)?.points ?? null);
}"""
READ = """async ([rules, lies, typed]) => {
  const { key, readings, startOf } = await import("/static/tiles.js");
  const board = new Map(lies.map((tile) => [key(tile.row, tile.column), tile]));
  return typed.map(([at, word]) => readings(word, startOf(at, rules), board, rules)
    .map((found) => found.map(({ face, blank }) => (blank ? `(${face})` : face)).join(" ")));
}"""


WORDS_OF = """async (names) => {
  const { wordsOf } = await import("/static/names.js");
  return names.map(wordsOf);
}"""
NAMES = ("Núria Puigdeŀlívol", "Άννα Ράπτη", "Aννα", "Łukasz Sørensen", "Sant-Feliu d’Or", "Æsa Groß", "Мария", "Isa I")


def tiles(placements: Any) -> list[dict[str, Any]]:
    return [
        {"row": square.row, "column": square.col, "face": tile.face, "blank": tile.blank} for square, tile in placements
    ]


def plays(ruleset: Ruleset, chance: Random, count: int) -> list[tuple[Board, list[Placement], int]]:
    """Return boards that grow, each with tiles that may be laid there, and their scores by the rules."""
    board = Board()
    found: list[tuple[Board, list[Placement], int]] = []
    while len(found) < count:
        square = chance.choice(list(neighbours(chance.choice(list(board))))) if board else CENTRE
        direction = chance.choice(list(Direction))
        laid: list[Placement] = []
        rack = chance.choices([*ruleset.tile_set.faces, BLANK], k=chance.randint(1, 7))
        for face in rack:
            while square in board:
                square = square.step(direction)
            if square.on_board:
                tile = Tile(chance.choice(ruleset.tile_set.faces), blank=True) if face == BLANK else Tile(face)
                laid.append(Placement(square, tile))
            square = square.step(direction)
        try:
            words = check_play(board, laid, rack=[tile.in_rack for _, tile in laid], ruleset=ruleset)
        except Refusal:
            continue
        found.append((board, laid, score_play(board, laid, ruleset, words).points))
        if len(board) < 60:
            board = board.place(laid)
    return found


async def test_the_scripts_count_and_read_as_the_services_do(browser: Browser, tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        page = await browser.new_page()
        await page.goto(f"{stage.running.http_address}/static/tiles.js")
        for name, words in TYPED.items():
            await check_rules(page, load_ruleset(name), words)
        assert await page.evaluate(WORDS_OF, list(NAMES)) == [list(search_words(name)) for name in NAMES]
        await page.close()


async def check_rules(page: Page, ruleset: Ruleset, words: Sequence[str]) -> None:
    rules, chance = told(ruleset), Random(7)
    found = plays(ruleset, chance, 60)
    cases = [[tiles(board.items()), tiles(laid)] for board, laid, _ in found]
    assert await page.evaluate(COUNT, [rules, cases]) == [points for _, _, points in found]
    lies = Board().place([Placement(CENTRE, Tile(ruleset.tile_set.faces[0]))])
    typed = [
        (at, word)
        for at in ("H8", "8 - H", "(G08)", "8Ｇ", "Η7", "Ή8", "8º H", "H8→", "⬇ 8H", "1OH", "l0A")
        for word in words
    ]
    read = await page.evaluate(READ, [rules, tiles(lies.items()), typed])
    for (at, word), ways in zip(typed, read, strict=True):
        expected = [
            " ".join(map(str, way)) for way in word_readings(word, Notation.FISC.read(at), lies, ruleset.tile_set)
        ]
        assert set(ways) <= set(expected), (at, word)
        assert bool(ways) is bool(expected), (at, word)


TYPED = {
    "fisc-2023": [
        "ACOL·LIR",
        "acol.lir",
        "a(NY)ada",
        "?quilla",
        ".vi",
        "aigua",
        "Ona",
        "CAnyA",
        "ç",
        "a q u i",
        "col•legi",
        "COL ‧LEGI",
        "C O L⋅ L E G I",
        "coŀlegi",
        "col-legi",
        "СASA",
        "ｃａｓａ",
        "cas´a",
        "ﬁ",
        "ª",
        "C O L . L",
        "COLꞏLEGI",
        "COL˙LEGI",
        "C-A-L-L-A",
        "casa.",
        "(N)YAM",
        "PI(N)(Y)A",
        "AL(L·)A",
        "A(Q)UI",
        "aNYs",
        "cas[a]",
        "CASⒶ",
        "CASA\u0332",
        "c*sa",
    ],
    "fise": [
        "CALLE",
        "c a l l e",
        "perro",
        "a(LL)á",
        "ñandú",
        "Chico",
        "?rr",
        ".la",
        "CHuRRO",
        "ÑANDÚ",
        "nãn",
        "СASA",
        "CA…",
        "(C)HICO",
        "LLana",
    ],
    "pes-2024": [
        "ΑΛΦΑ",
        "άλφα",
        "σάς",
        "(Ω)μέγα",
        ".βγ",
        "?ψ",
        "KAΛA",
        "vίκη",
        "τῷ",
        "ΛΟΓΟς",
        "'Αλφα",
        "καλα΄",
        "µέλι",
        "K A Λ A",
        "∆ΕΝ",
        "ϕως",
        "καλL",
    ],
}
"""Typed texts, by rules."""
