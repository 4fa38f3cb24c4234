"""The decisions of a player in the demonstration. Pure: the same table and lots give the same decision."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice

from faristol.kernel.refusal import Refusal
from faristol.pb.game.v1 import events_pb2
from faristol.pb.game.v1 import game_pb2 as pb
from faristol.rules.board import Placement, Tile
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.rules.tiles import BLANK, TileSet
from faristol.rules.turns import all_alike, check_pass, exchange_limit
from faristol.words import WordGraph
from faristol.words.plays import Candidate, Grid, best

Lot = Callable[..., int]

BLUFF_PERCENT = 5
CATCH_PERCENT = 75
"""Share of phonies that are challenged."""
DOUBT_PERCENT = 2
"""Share of valid plays that are challenged."""
EXCHANGE_BELOW_POINTS = 9
"""Tiles are exchanged for plays below this score, if the bag has enough."""
CANDIDATE_PLAY_COUNT = 4
"""Number of best plays that a player chooses from."""
EXCHANGE_TURN_LIMIT = 20
"""Turns of a player after which no tiles are exchanged. A game that only passes can end (FM 7) thus ends."""

STOPPING = timedelta(seconds=1)
WRITING = timedelta(seconds=2)
DRAWING = timedelta(seconds=4)
PRESSING = timedelta(seconds=2)
DOUBTING = timedelta(seconds=6)
SIGNING = timedelta(minutes=1)


Act = pb.PlacePlayRequest | pb.ExchangeRequest | pb.FreeExchangeRequest | pb.PassRequest | pb.DeclareCannotPlayRequest
"""The command of a turn, without its player and time."""


@dataclass(frozen=True, slots=True)
class PlayerView:
    """The view of the player on turn."""

    grid: Grid
    rack: Sequence[str]
    """Faces, ``?`` for a blank."""
    bag_left: int
    turns: int
    """The player's earlier turns."""


def choose(
    graph: WordGraph, ruleset: Ruleset, sight: PlayerView, lot: Lot, plays: Sequence[Candidate] | None = None
) -> Act:
    """Choose the command of a turn, as the rules allow. ``lot`` returns random numbers by subject.

    ``plays`` are those of ``find_plays``, which is called without them.
    """
    grid, rack = sight.grid, sight.rack
    law = ruleset.free_exchange
    # A smaller bag may hold only alike tiles, and the exchange would repeat without end.
    if law.allowed and sight.bag_left >= max(law.bag_min, len(rack)) and all_alike(rack, ruleset):
        return pb.FreeExchangeRequest()  # the whole rack, without loss of the turn (UF 14.2, FM 6)
    limit = exchange_limit(sight.bag_left, ruleset) if sight.turns < EXCHANGE_TURN_LIMIT else 0
    if plays is None:
        plays = find_plays(graph, grid, rack, across=ruleset.first_move.direction == "across")
    if not plays:
        return _exchange(grid.tile_set, rack, limit) if limit else _give_up(sight.bag_left, ruleset)
    if lot("bluff") % 100 < BLUFF_PERCENT and (phony := _phony(graph, grid, plays[0], rack)):
        return _laying(phony)
    if plays[0].score < EXCHANGE_BELOW_POINTS and limit >= len(rack):
        return _exchange(grid.tile_set, rack, limit)
    return _laying(plays[lot("choice") % len(plays)].placements)


def _laying(laid: Sequence[Placement]) -> pb.PlacePlayRequest:
    return pb.PlacePlayRequest(
        placements=[
            events_pb2.Placement(row=square.row, column=square.col, face=tile.face, blank=tile.blank)
            for square, tile in laid
        ]
    )


def find_plays(graph: WordGraph, grid: Grid, rack: Sequence[str], *, across: bool) -> list[Candidate]:
    """Return at most ``CANDIDATE_PLAY_COUNT`` best plays.

    The first play of a game goes across if the rules require it, which ``across`` says (FM 1).
    """
    turned = across and not (grid.codes >= 0).any()
    candidates = best(
        graph, grid, rack, 2 * CANDIDATE_PLAY_COUNT if turned else CANDIDATE_PLAY_COUNT
    )  # each play also exists down
    return list(islice((play for play in candidates if play.across or not turned), CANDIDATE_PLAY_COUNT))


def _give_up(bag_left: int, ruleset: Ruleset) -> pb.PassRequest | pb.DeclareCannotPlayRequest:
    """Return the command of a turn without play and exchange: a pass, or a declaration if none is allowed (FM 7, 9)."""
    try:
        check_pass(bag_left, ruleset)
    except Refusal:
        return pb.DeclareCannotPlayRequest()
    return pb.PassRequest()


def doubts(graph: WordGraph, words: Sequence[tuple[str, ...]], lot: Lot) -> tuple[tuple[str, ...], ...]:
    """Return the challenged words of the opponent's play; an empty tuple if it is not challenged."""
    phonies = tuple(word for word in words if not graph.contains(word))
    if phonies and lot("catch") % 100 < CATCH_PERCENT:
        return phonies
    if not phonies and lot("doubt") % 100 < DOUBT_PERCENT:
        return (words[0],)
    return ()


def thinking(lot: Lot) -> timedelta:
    """Return the duration of a turn. Some players are slow enough to exceed their time (FISC I.11)."""
    slowness = 60 + lot("temper") % 90
    return timedelta(milliseconds=(15_000 + lot("thinking") % 110_000) * slowness // 100)


def _exchange(tile_set: TileSet, rack: Sequence[str], bag_left: int) -> pb.ExchangeRequest:
    """Keep the blanks and one of each cheap tile, and exchange as many of the others as the limit allows."""
    kept: set[str] = set()
    given_up: list[str] = []
    for face in sorted(rack):
        cheap = face == BLANK or tile_set.values[face] == 1
        if cheap and (face == BLANK or face not in kept):
            kept.add(face)
        else:
            given_up.append(face)
    return pb.ExchangeRequest(faces=(given_up or sorted(rack))[:bag_left])


def _phony(graph: WordGraph, grid: Grid, play: Candidate, rack: Sequence[str]) -> tuple[Placement, ...] | None:
    """Return the same squares with other tiles of the rack, so that the main word is a phony."""
    if any(tile.blank for _, tile in play.placements):
        return None
    for faces in _arrangements([face for face in rack if face != BLANK], len(play.placements)):
        tiles = tuple(Placement(square, Tile(face)) for (square, _), face in zip(play.placements, faces, strict=True))
        if not graph.contains(_main_word(grid, play, tiles)):
            return tiles
    return None


def _arrangements(faces: list[str], count: int) -> Iterator[tuple[str, ...]]:
    """Yield plausible arrangements of ``count`` faces: the rotations of the rack."""
    for start in range(len(faces)):
        turned = faces[start:] + faces[:start]
        yield tuple(turned[:count])


def _main_word(grid: Grid, play: Candidate, tiles: Sequence[Placement]) -> tuple[str, ...]:
    laid: Mapping[tuple[int, int], str] = {square: tile.face for square, tile in tiles}
    row, col = play.row, play.col
    word: list[str] = []
    for _ in play.word:
        code = int(grid.codes[row, col])
        word.append(laid[row, col] if (row, col) in laid else grid.tile_set.faces[code])
        row, col = (row, col + 1) if play.across else (row + 1, col)
    return tuple(word)
