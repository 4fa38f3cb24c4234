"""The plays of a recorded game once more on a board: where their tiles lay, and how their scores come about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.rules import Board, Placement, Ruleset, Square, Tile
from faristol.rules.scoring import PlayScore, score_play

WITHDRAWN = (pb.ENTRY_KIND_PHONY, pb.ENTRY_KIND_WITHDRAWN)
PLAYS = (pb.ENTRY_KIND_PLAY, *WITHDRAWN)
"""Lines of a sheet that are plays, whether they stand or not."""


def settled_blanks(answer: pb.GetGameResponse) -> Mapping[tuple[int, int], str]:
    """What lies on each square in the end: the blanks as they were settled."""
    return {(tile.row, tile.column): tile.face for tile in answer.board}


def laid(placements: Sequence[game.Placement], settled: Mapping[tuple[int, int], str] | None = None) -> list[Placement]:
    """The tiles of a play, blanks as they were ``settled``; as they were declared when None."""
    faces = settled or {}
    return [
        Placement(Square(tile.row, tile.column), Tile(faces.get((tile.row, tile.column), tile.face), tile.blank))
        for tile in placements
    ]


def explained(answer: pb.GetGameResponse, ruleset: Ruleset) -> Iterator[tuple[pb.Entry, PlayScore]]:
    """Every play whose turn is over with what it scores, word by word and square by square.

    The score on the record may be another: a withdrawn play has none, and a correction or the book's own rule for a
    missed centre stands above the arithmetic.
    """
    board, settled = Board(), settled_blanks(answer)
    for entry in answer.entries:
        if entry.kind not in PLAYS or not entry.complete:
            continue
        stands = entry.kind == pb.ENTRY_KIND_PLAY
        tiles = laid(entry.placements, settled if stands else None)
        yield entry, score_play(board, tiles, ruleset)
        if stands:
            board = board.place(tiles)
