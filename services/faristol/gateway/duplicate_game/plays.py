"""Plays of duplicate games in the notation of their slips."""

from __future__ import annotations

from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.rules.board import Direction, Square
from faristol.rules.notation import Notation, Start, word_tiles


def coordinates_of(play: events.DuplicatePlay) -> str:
    """Return the coordinates of a play: ``H8`` across and ``15G`` down (FISC II.2)."""
    return Notation.FISC.write(start_of(play))


def main_word(play: events.DuplicatePlay) -> str:
    """Return the main word of a play, with letters of blanks in parentheses."""
    blanks = {Square(tile.row, tile.column) for tile in play.placements if tile.blank}
    return " ".join(map(str, word_tiles(play.faces, start_of(play), blanks)))


def start_of(play: events.DuplicatePlay) -> Start:
    """Return the first square and direction of a play."""
    return Start(Square(play.row, play.column), Direction.ACROSS if play.across else Direction.DOWN)
