"""Tiles for requests: the tiles that a rack holds or can hold, and plays that it allows. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from faristol.rules import CENTRE, Direction, Placement, Square, Tile
from faristol.rules.board import BOARD_SIZE
from faristol.rules.tiles import BLANK
from faristol.table import Table
from faristol.table.decide.draws import unseen
from faristol.table.game.state import UNENTERED_TILE


def rack_of(table: Table, player_id: str) -> tuple[str, ...]:
    """Return a possible rack of the player: the known tiles, and unseen ones for those not entered."""
    rack = table.game.racks.get(player_id, ())
    known = [face for face in rack if face != UNENTERED_TILE]
    hidden = len(rack) - len(known)
    return (*known, *(unseen(table.game, table.ruleset)[:hidden] if hidden else ()))


def racks_of_a_kind(table: Table, player_id: str) -> Iterator[tuple[str, ...]]:
    """Yield the rack if it is known; otherwise possible racks of only vowels and of only consonants."""
    rack = table.game.racks.get(player_id, ())
    known = [face for face in rack if face != UNENTERED_TILE]
    if len(known) == len(rack):
        yield tuple(rack)
        return
    vowels = table.ruleset.tile_set.vowels
    others = unseen(table.game, table.ruleset)
    for is_vowel in (True, False):
        alike = [face for face in others if face != BLANK and (face in vowels) is is_vowel]
        yield (*known, *alike[: len(rack) - len(known)])
    yield rack_of(table, player_id)


def plays_of(table: Table, player_id: str) -> Iterator[list[Placement]]:
    """Yield plays of few tiles on allowed squares, and those that complete the tiles laid in this turn.

    A tile beside another is a play in any book, and so is a word through the centre. Words are not validated.
    """
    laid = table.game.course.laid
    rack = [face for face in rack_of(table, player_id) if face]
    tiles = _as_laid(table, rack)
    for row, col in _places(table):
        for direction in Direction:
            for ordered in (tiles, tiles[::-1]):
                yield from _through(table, Square(row, col), direction, ordered)
    if laid:
        yield from _completions(table, laid, tiles)


def _as_laid(table: Table, rack: Sequence[str]) -> list[Tile]:
    """Return the tiles of a rack as they can be laid: blanks last, with letters already stated in the turn."""
    stated = table.game.course.said
    tiles = [Tile(face) for face in rack if face != BLANK]
    letters = [*stated, *table.ruleset.tile_set.faces[:1] * len(rack)]
    blanks = [face for face in rack if face == BLANK]
    return [*tiles, *(Tile(letter, blank=True) for letter, _ in zip(letters, blanks, strict=False))]


def _places(table: Table) -> Iterator[Square]:
    """Yield empty squares for the start of a play: the centre, or the neighbours of tiles."""
    board = table.game.board
    if not board:
        yield CENTRE
        return
    for square in board:
        for direction in Direction:
            for step in (1, -1):
                beside = square.step(direction, step)
                if beside.on_board and beside not in board:
                    yield beside


def _through(table: Table, start: Square, direction: Direction, tiles: Sequence[Tile]) -> Iterator[list[Placement]]:
    board, least = table.game.board, table.ruleset.first_move.tiles_min
    count = least if not board else 1
    if len(tiles) >= count:
        yield [Placement(start.step(direction, place), tiles[place]) for place in range(count)]


def _completions(table: Table, laid: Sequence[Placement], tiles: Sequence[Tile]) -> Iterator[list[Placement]]:
    """Yield plays in one line with the tiles already laid in place, and as many others as the rack has."""
    board, there = table.game.board, dict(laid)
    rest = list(tiles)
    for _, tile in laid:
        found = next((each for each in rest if each.in_rack == tile.in_rack), None)
        if found is None:
            return
        rest.remove(found)
    first = min(there)
    for direction in Direction:
        line = [_square(first, direction, place) for place in range(BOARD_SIZE)]
        if not set(there) <= set(line):
            continue
        free = [square for square in line if square not in board]
        own = sorted(free.index(square) for square in there)
        for size in range(len(laid), len(laid) + len(rest) + 1):
            for begin in range(max(0, own[-1] - size + 1), min(own[0], len(free) - size) + 1):
                others = iter(rest)
                yield [Placement(square, there.get(square) or next(others)) for square in free[begin : begin + size]]


def _square(through: Square, direction: Direction, place: int) -> Square:
    return Square(through.row, place) if direction is Direction.ACROSS else Square(place, through.col)
