"""From the written word of a file to the tiles laid."""

from __future__ import annotations

from faristol.rules.board import ROW_NAMES, Board, Placement, Square, Tile
from faristol.rules.gcg.game import Play
from faristol.rules.gcg.problem import Wrong
from faristol.rules.gcg.tiles import BoardTile, read_word, write_tile
from faristol.rules.notation import Notation
from faristol.rules.tiles import TileSet


def square_name(square: Square) -> str:
    """Return the GCG name of a square, column first: row 7, column 0 is ``A8``."""
    return f"{ROW_NAMES[square.col]}{square.row + 1}"


def placements(play: Play, board: Board, tile_set: TileSet) -> tuple[Placement, ...]:
    """Return the tiles that the play lays on ``board``.

    Raises ``Wrong`` if the word leaves the board, does not fit its tiles, or is only a part of the word on the board.
    """
    marks = read_word(play.word, tile_set)
    start, direction = play.start
    place = Notation.GCG.write(play.start)
    if not start.step(direction, len(marks) - 1).on_board:
        room = next(size for size in range(len(marks), 0, -1) if start.step(direction, size - 1).on_board)
        raise Wrong("OFF_BOARD", f"{place} {play.word} has {len(marks)} squares", f"{room} at most from {place}")
    laid = []
    for step, mark in enumerate(marks):
        square = start.step(direction, step)
        there = board.get(square)
        match mark:
            case BoardTile(face):
                _check_through(square, there, face)
            case Tile():
                if there is not None and there.face == mark.face:
                    continue  # some programs repeat the letters of tiles on the board
                if there is not None:
                    name, tile = square_name(square), write_tile(there)
                    message = f"{play.word} lays {write_tile(mark)} on {name}, where {tile} lies"
                    raise Wrong("SQUARE_TAKEN", message, "a dot for a tile that lies there already")
                laid.append(Placement(square, mark))
    for square in (start.step(direction, -1), start.step(direction, len(marks))):
        if len(marks) > 1 and square in board:
            message = (
                f"{place} {play.word} is a part of a word: {write_tile(board[square])} lies on {square_name(square)}"
            )
            raise Wrong("WORD_INCOMPLETE", message, "the whole word, with a dot for each tile that lies there already")
    return tuple(laid)


def _check_through(square: Square, there: Tile | None, face: str | None) -> None:
    if there is None:
        raise Wrong("GAP", f"{square_name(square)} is empty", "a tile there: the word goes through it")
    if face is not None and there.face != face:
        name = square_name(square)
        raise Wrong("OTHER_TILE", f"the word goes through {face} on {name}", f"{write_tile(there)}, which lies there")
