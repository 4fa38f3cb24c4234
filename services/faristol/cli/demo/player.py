"""How a player of the demonstration decides. Pure: the same table and the same lots give the same act."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from faristol.rules.tiles import BLANK, TileSet
from faristol.words import WordGraph
from faristol.words.generate import Candidate, Grid, Laid, generate

Lot = Callable[..., int]

BLUFF_PERCENT = 5
CATCH_PERCENT = 75
"""Of a hundred phonies, how many are challenged."""
DOUBT_PERCENT = 2
"""Of a hundred good plays, how many are challenged all the same."""
POOR_SCORE = 9
"""Below this, tiles are exchanged when there are some to be had."""
CHOICES = 4
"""A player sees the best so many plays and takes one of them."""

DRAWING = timedelta(seconds=4)
PRESSING = timedelta(seconds=2)
DOUBTING = timedelta(seconds=6)
SIGNING = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Play:
    """Lay these tiles."""

    tiles: tuple[Laid, ...]


@dataclass(frozen=True, slots=True)
class Exchange:
    """Exchange these faces."""

    faces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pass:
    """Pass."""


def choose(graph: WordGraph, grid: Grid, rack: Sequence[str], bag_left: int, lot: Lot) -> Play | Exchange | Pass:
    """What to do on one's turn. ``lot`` gives the numbers that luck and temper have in it."""
    candidates = generate(graph, grid, rack)
    if not candidates:
        return _exchange(grid.tile_set, rack, bag_left) if bag_left else Pass()
    if lot("bluff") % 100 < BLUFF_PERCENT and (phony := _phony(graph, grid, candidates[0], rack)):
        return Play(phony)
    if candidates[0].score < POOR_SCORE and bag_left >= len(rack):
        return _exchange(grid.tile_set, rack, bag_left)
    return Play(candidates[lot("choice") % min(CHOICES, len(candidates))].tiles)


def doubts(graph: WordGraph, words: Sequence[tuple[str, ...]], lot: Lot) -> tuple[tuple[str, ...], ...]:
    """The words of the opponent's play that a player challenges; none when it is let stand."""
    phonies = tuple(word for word in words if not graph.contains(word))
    if phonies and lot("catch") % 100 < CATCH_PERCENT:
        return phonies
    if not phonies and lot("doubt") % 100 < DOUBT_PERCENT:
        return (words[0],)
    return ()


def thinking(lot: Lot) -> timedelta:
    """How long a turn takes. Some players are slow enough to overrun their time (FISC I.11)."""
    slowness = 60 + lot("temper") % 90
    return timedelta(milliseconds=(15_000 + lot("thinking") % 110_000) * slowness // 100)


def _exchange(tile_set: TileSet, rack: Sequence[str], bag_left: int) -> Exchange:
    """Keep the blank and one of each of the cheap tiles, and exchange as many of the rest as the bag has."""
    kept: set[str] = set()
    given_up: list[str] = []
    for face in sorted(rack):
        cheap = face == BLANK or tile_set.values[face] == 1
        if cheap and (face == BLANK or face not in kept):
            kept.add(face)
        else:
            given_up.append(face)
    return Exchange(tuple((given_up or sorted(rack))[:bag_left]))


def _phony(graph: WordGraph, grid: Grid, play: Candidate, rack: Sequence[str]) -> tuple[Laid, ...] | None:
    """The same squares with other tiles of the rack, so that the main word is none."""
    blanks = {index for index, tile in enumerate(play.tiles) if tile.is_blank}
    if blanks:
        return None
    for faces in _arrangements([face for face in rack if face != BLANK], len(play.tiles)):
        tiles = tuple(
            Laid(tile.row, tile.col, face, is_blank=False) for tile, face in zip(play.tiles, faces, strict=True)
        )
        if not graph.contains(_main_word(grid, play, tiles)):
            return tiles
    return None


def _arrangements(faces: list[str], count: int) -> Iterator[tuple[str, ...]]:
    """Some ways to lay ``count`` of these faces, the sensible-looking ones: the rack turned round."""
    for start in range(len(faces)):
        turned = faces[start:] + faces[:start]
        yield tuple(turned[:count])


def _main_word(grid: Grid, play: Candidate, tiles: Sequence[Laid]) -> tuple[str, ...]:
    laid = {(tile.row, tile.col): tile.face for tile in tiles}
    row, col = play.row, play.col
    word: list[str] = []
    for _ in play.word:
        code = int(grid.codes[row, col])
        word.append(laid[row, col] if (row, col) in laid else grid.tile_set.faces[code])
        row, col = (row, col + 1) if play.across else (row + 1, col)
    return tuple(word)
