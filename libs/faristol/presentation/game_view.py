"""Game as drawn on its page: squares, lines of the scoresheet, clocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation import labels, outcome
from faristol.presentation.ruleset_lookup import tile_values
from faristol.rules.board import BOARD_SIZE, CENTRE, PREMIUMS, ROW_NAMES, Direction, Premium, Square
from faristol.rules.notation import Start, word_tiles, write_word


@dataclass(frozen=True, slots=True)
class BoardCell:
    """Square of the board."""

    name: str
    """Coordinates: ``H8``."""
    premium: str
    """CSS class: ``tw``, ``dw``, ``tl``, ``dl`` or empty."""
    title: str
    """Name of the premium, to be translated."""
    mark: str
    """Mark of the premium, to be translated."""
    centre: bool
    face: str
    """Face of the tile; empty for a free square."""
    value: int
    """Points of the tile; 0 for a blank."""
    blank: bool
    last: bool
    """True if it belongs to the last play."""


@dataclass(frozen=True, slots=True)
class SheetLine:
    """Line of the scoresheet."""

    entry: pb.Entry
    side: int
    """Index of the player at the table, from 0."""
    name: str
    label: str
    """Label of its kind, to be translated."""
    word: str
    """Main word, with letters of blanks in parentheses (FISC I.9)."""
    others: Sequence[str]
    """Other words formed."""
    tiles: str
    """Tiles left on the rack."""
    live: bool
    """True for the incomplete last line of a running game."""
    differ: bool
    """True if the players wrote different scores on their sheets."""


@dataclass(frozen=True, slots=True)
class Side:
    """Player's part of the scoresheet."""

    of: pb.SheetSide
    name: str
    lines: Sequence[SheetLine]

    @property
    def total(self) -> int:
        """Points after the last complete line."""
        return next((line.entry.total for line in reversed(self.lines) if line.entry.complete), 0)


@dataclass(frozen=True, slots=True)
class ClockView:
    """Player's clock; times in milliseconds."""

    allowance: int
    """Allowance for the game, or for a turn if turns are timed."""
    used: int
    """Used part of the allowance."""
    running: bool
    since: int
    """Start of the running period, since 1970."""
    absent: bool
    """True if the player is not at the table."""


@dataclass(frozen=True, slots=True)
class Word:
    """Word on the board, for screen readers."""

    coordinates: str
    """First square, ``H8``."""
    across: bool
    text: str


def build_page_values(played: pb.GetGameResponse, language: str) -> dict[str, Any]:
    """Return the template values of a game for its page, its frame on other sites, and its video overlay."""
    sides = sheet(played)
    return {
        "game": played,
        "board": board(played),
        "words": words(played.board),
        "lines": lines(played),
        "sides": sides,
        "rows": rows(sides),
        "clocks": clocks(played),
        "names": {seat.player_id: seat.name for seat in played.seats},
        "kept": outcome.is_kept(played),
        "outcome": list(outcome.outcome(played, language)),
        "how_lost": outcome.how_lost,
        "position": played.position,
    }


def board(answer: pb.GetGameResponse) -> list[tuple[str, list[BoardCell]]]:
    """Return the rows of the board, each with its letter."""
    return squares(answer.board, last_placed(answer), tile_values(answer.ruleset))


def words(placed: Iterable[game.Placement]) -> list[Word]:
    """Return the words of a board: first those across, then those down, each from top to bottom and left to right."""
    tiles = {(tile.row, tile.column): tile for tile in placed}
    found = []
    for across in (True, False):
        step = (0, 1) if across else (1, 0)
        for row, column in sorted(tiles):
            if (row - step[0], column - step[1]) in tiles:
                continue
            at, faces = (row, column), []
            while at in tiles:
                tile = tiles[at]
                faces.append(f"({tile.face})" if tile.blank else tile.face)
                at = (at[0] + step[0], at[1] + step[1])
            if len(faces) > 1:
                found.append(Word(str(Square(row, column)), across, "".join(faces)))
    return found


def squares(
    placed: Iterable[game.Placement], laid: Iterable[game.Placement], values: Mapping[str, int]
) -> list[tuple[str, list[BoardCell]]]:
    """Return the rows of a board with the tiles ``placed``, and ``laid`` by the last play, each with its letter."""
    tiles = {(tile.row, tile.column): tile for tile in placed}
    last = {(tile.row, tile.column) for tile in laid}
    return [
        (
            ROW_NAMES[row],
            [_cell(Square(row, column), tiles.get((row, column)), values, last) for column in range(BOARD_SIZE)],
        )
        for row in range(BOARD_SIZE)
    ]


def last_placed(answer: pb.GetGameResponse) -> Sequence[game.Placement]:
    """Return the tiles of the last play on the board."""
    plays = (entry for entry in reversed(answer.entries) if entry.kind == pb.ENTRY_KIND_PLAY)
    play = next(plays, None)
    return play.placements if play else ()


def lines(answer: pb.GetGameResponse) -> list[SheetLine]:
    """Return the lines of the scoresheet."""
    seats = [seat.player_id for seat in answer.seats]
    names = {seat.player_id: seat.name for seat in answer.seats}
    blanks = {Square(tile.row, tile.column) for tile in answer.board if tile.blank}
    over = not answer.turn_player_id
    return [
        SheetLine(
            entry=entry,
            side=seats.index(entry.player_id),
            name=names[entry.player_id],
            label=labels.ENTRY_KINDS[entry.kind],
            word=_word(entry.words[0], entry, blanks) if entry.words else "",
            others=[_word(word, entry, blanks) for word in entry.words[1:]],
            tiles=" ".join(entry.faces),
            live=not entry.complete and not over,
            differ=len({(written.score, written.total) for written in entry.written}) > 1,
        )
        for entry in answer.entries
    ]


def sheet(answer: pb.GetGameResponse) -> list[Side]:
    """Return the scoresheet by player, in the form of the rules; empty if the rules are not installed."""
    if not answer.HasField("sheet"):
        return []
    every = lines(answer)
    names = {seat.player_id: seat.name for seat in answer.seats}
    return [
        Side(side, names[side.player_id], [line for line in every if line.entry.player_id == side.player_id])
        for side in answer.sheet.sides
    ]


def rows(sides: Sequence[Side]) -> list[tuple[SheetLine | None, ...]]:
    """Return the lines of all players side by side, padded with None."""
    return list(zip_longest(*(side.lines for side in sides)))


def clocks(answer: pb.GetGameResponse | pb.WatchedTable) -> dict[str, ClockView]:
    """Return the clocks by player."""
    return {
        side.player_id: ClockView(
            allowance=answer.turn_ms or answer.allowance_ms,
            used=side.turn_used_ms if answer.turn_ms else side.used_ms,
            running=side.running,
            since=side.running_since.ToMilliseconds() if side.running else 0,
            absent=side.absent,
        )
        for side in answer.clocks
    }


def clock_text(clock: ClockView) -> str:
    """Format the time left when a clock last stopped, ``24:07``; overtime has a minus sign."""
    left = clock.allowance - clock.used
    return minutes(left) if left >= 0 else "−" + minutes(-left)


def minutes(milliseconds: int) -> str:
    """Format a time in minutes and seconds, rounded up: ``2:05``."""
    seconds = -(-milliseconds // 1000)
    return f"{seconds // 60}:{seconds % 60:02}"


def _cell(
    square: Square, tile: game.Placement | None, values: Mapping[str, int], last: set[tuple[int, int]]
) -> BoardCell:
    premium = PREMIUMS[square]
    css, title, mark = labels.PREMIUMS[premium] if premium is not Premium.NONE else ("", "", "")
    return BoardCell(
        name=str(square),
        premium=css,
        title=title,
        mark=mark,
        centre=square == CENTRE,
        face=tile.face if tile else "",
        value=values.get(tile.face, 0) if tile and not tile.blank else 0,
        blank=bool(tile and tile.blank),
        last=square in last,
    )


def _word(word: game.ScoredWord, entry: pb.Entry, blanks: set[Square]) -> str:
    start = Start(Square(word.row, word.column), Direction.ACROSS if word.across else Direction.DOWN)
    laid = {Square(tile.row, tile.column): tile.blank for tile in entry.placements}
    own = {square for square, blank in laid.items() if blank}
    return write_word(word_tiles(word.word.faces, start, own | (blanks - laid.keys())))
