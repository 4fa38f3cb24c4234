"""One game as its page draws it: squares, lines of the scoresheet, clocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from faristol.gateway import labels
from faristol.gateway.mode import tile_values
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.rules.board import CENTRE, PREMIUMS, ROW_NAMES, SIZE, Direction, Premium, Square
from faristol.rules.notation import Start, word_tiles, write_word


@dataclass(frozen=True, slots=True)
class Cell:
    """A square of the board as it is drawn."""

    name: str
    """``H8``."""
    premium: str
    """``tw``, ``dw``, ``tl``, ``dl`` or empty."""
    title: str
    """Name of the premium, to be translated."""
    mark: str
    """Its mark, to be translated."""
    centre: bool
    face: str
    """What the tile shows; empty for a free square."""
    value: int
    """Points of the tile; 0 for a blank."""
    blank: bool
    last: bool
    """It came with the last play."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the scoresheet as it is drawn."""

    entry: pb.Entry
    side: int
    """Place of the player among those of the table, from 0."""
    name: str
    label: str
    """What it is, to be translated."""
    word: str
    """The main word, letters of blanks in parentheses (FISC I.9)."""
    others: Sequence[str]
    """The other words formed."""
    tiles: str
    """Tiles left on the rack."""
    live: bool
    """It is the last line of a running game, and not complete yet."""
    differ: bool
    """The players wrote different scores on their sheets."""


@dataclass(frozen=True, slots=True)
class Side:
    """A player's part of the scoresheet."""

    of: pb.SheetSide
    name: str
    lines: Sequence[Line]

    @property
    def total(self) -> int:
        """Points after the last line that counts."""
        return next((line.entry.total for line in reversed(self.lines) if line.entry.complete), 0)


@dataclass(frozen=True, slots=True)
class Clock:
    """A player's clock as it is drawn; times in milliseconds."""

    allowance: int
    """What the player has for the game, or for a turn where turns are timed."""
    used: int
    """What has been used of it."""
    running: bool
    since: int
    """Since when it runs, from 1970."""
    absent: bool
    """The player is not at the table."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word on the board, for who cannot see it."""

    coordinates: str
    """Where it begins, ``H8``."""
    across: bool
    text: str


def board(answer: pb.GetGameResponse) -> list[tuple[str, list[Cell]]]:
    """The rows of the board, each with its letter."""
    return squares(answer.board, last_placed(answer), tile_values(answer.ruleset))


def words(placed: Iterable[game.Placement]) -> list[Word]:
    """The words of a board, those across before those down, each from top to bottom and left to right."""
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
) -> list[tuple[str, list[Cell]]]:
    """The rows of a board with tiles ``placed``, those of the last play ``laid``, each row with its letter."""
    tiles = {(tile.row, tile.column): tile for tile in placed}
    last = {(tile.row, tile.column) for tile in laid}
    return [
        (ROW_NAMES[row], [_cell(Square(row, column), tiles.get((row, column)), values, last) for column in range(SIZE)])
        for row in range(SIZE)
    ]


def last_placed(answer: pb.GetGameResponse) -> Sequence[game.Placement]:
    """The tiles of the last play that is on the board."""
    plays = (entry for entry in reversed(answer.entries) if entry.kind == pb.ENTRY_KIND_PLAY)
    play = next(plays, None)
    return play.placements if play else ()


def lines(answer: pb.GetGameResponse) -> list[Line]:
    """The scoresheet."""
    seats = [seat.player_id for seat in answer.seats]
    names = {seat.player_id: seat.name for seat in answer.seats}
    blanks = {Square(tile.row, tile.column) for tile in answer.board if tile.blank}
    over = not answer.turn_player_id
    return [
        Line(
            entry=entry,
            side=seats.index(entry.player_id),
            name=names[entry.player_id],
            label=labels.KINDS[entry.kind],
            word=_word(entry.words[0], entry, blanks) if entry.words else "",
            others=[_word(word, entry, blanks) for word in entry.words[1:]],
            tiles=" ".join(entry.faces),
            live=not entry.complete and not over,
            differ=len({(written.score, written.total) for written in entry.written}) > 1,
        )
        for entry in answer.entries
    ]


def sheet(answer: pb.GetGameResponse) -> list[Side]:
    """The scoresheet in the form of the rules, player by player; none where the rules are not installed any more."""
    if not answer.HasField("sheet"):
        return []
    every = lines(answer)
    names = {seat.player_id: seat.name for seat in answer.seats}
    return [
        Side(side, names[side.player_id], [line for line in every if line.entry.player_id == side.player_id])
        for side in answer.sheet.sides
    ]


def rows(sides: Sequence[Side]) -> list[tuple[Line | None, ...]]:
    """The lines of all players side by side, as a sheet of paper has them; None below a player's last."""
    return list(zip_longest(*(side.lines for side in sides)))


def clocks(answer: pb.GetGameResponse | pb.WatchedTable) -> dict[str, Clock]:
    """The clocks by player."""
    return {
        side.player_id: Clock(
            allowance=answer.turn_ms or answer.allowance_ms,
            used=side.turn_used_ms if answer.turn_ms else side.used_ms,
            running=side.running,
            since=side.running_since.ToMilliseconds() if side.running else 0,
            absent=side.absent,
        )
        for side in answer.clocks
    }


def clock_text(clock: Clock) -> str:
    """The time left when a clock last stopped, ``24:07``; with a minus sign when it is overtime."""
    left = clock.allowance - clock.used
    return minutes(left) if left >= 0 else "−" + minutes(-left)


def minutes(milliseconds: int) -> str:
    """A time as minutes and seconds, a second begun counted whole: ``2:05``."""
    seconds = -(-milliseconds // 1000)
    return f"{seconds // 60}:{seconds % 60:02}"


def _cell(square: Square, tile: game.Placement | None, values: Mapping[str, int], last: set[tuple[int, int]]) -> Cell:
    premium = PREMIUMS[square]
    css, title, mark = labels.PREMIUMS[premium] if premium is not Premium.NONE else ("", "", "")
    return Cell(
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
