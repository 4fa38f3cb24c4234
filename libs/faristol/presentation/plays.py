"""Replay of recorded plays on a board: tile positions, and the arithmetic of scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.rules import Board, Placement, Ruleset, Square, Tile
from faristol.rules.scoring import PlayScore, score_play

WITHDRAWN = (pb.ENTRY_KIND_PHONY, pb.ENTRY_KIND_WITHDRAWN)
PLAYS = (pb.ENTRY_KIND_PLAY, *WITHDRAWN)
"""Kinds of entries that are plays, withdrawn or not."""


def settled_blanks(answer: pb.GetGameResponse) -> Mapping[tuple[int, int], str]:
    """Return the final letter of each occupied square, with blanks as settled."""
    return {(tile.row, tile.column): tile.face for tile in answer.board}


def to_placements(
    placements: Sequence[game.Placement], settled: Mapping[tuple[int, int], str] | None = None
) -> list[Placement]:
    """Return the tiles of a play, with blanks as ``settled``, by default as declared."""
    faces = settled or {}
    return [
        Placement(Square(tile.row, tile.column), Tile(faces.get((tile.row, tile.column), tile.face), tile.blank))
        for tile in placements
    ]


def score_plays(answer: pb.GetGameResponse, ruleset: Ruleset) -> Iterator[tuple[pb.Entry, PlayScore]]:
    """Yield every play of a completed turn with its score, word by word and square by square.

    The recorded score may differ: a withdrawn play has none, and a correction or the rule for a missed centre overrides
    the arithmetic.
    """
    board, settled = Board(), settled_blanks(answer)
    for entry in answer.entries:
        if entry.kind not in PLAYS or not entry.complete:
            continue
        stands = entry.kind == pb.ENTRY_KIND_PLAY
        tiles = to_placements(entry.placements, settled if stands else None)
        yield entry, score_play(board, tiles, ruleset)
        if stands:
            board = board.place(tiles)
