"""Replay of a game: board, scores and rack at each line of its scoresheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from faristol.gateway.api.racks import RacksByTurn
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.game_view import SheetLine, lines
from faristol.presentation.plays import PLAYS
from faristol.presentation.plays import settled_blanks as settled


@dataclass(frozen=True, slots=True)
class Step:
    """Game after some lines of its sheet."""

    number: int
    """Lines so far; 0 before the first."""
    line: SheetLine | None
    """Last line; None before the first."""
    tiles: Sequence[game.Placement]
    last: Sequence[game.Placement]
    """Tiles of that line, also if they were withdrawn."""
    scores: Mapping[str, int]
    """Points by player."""
    rack: Sequence[str] | None = None
    """Rack before that line; None if it is not public."""


def steps(answer: pb.GetGameResponse, racks: RacksByTurn | None = None) -> list[Step]:
    """Return the game before its first line and after each."""
    found: list[Step] = [Step(0, None, (), (), {seat.player_id: 0 for seat in answer.seats})]
    board: dict[tuple[int, int], game.Placement] = {}
    in_the_end = settled(answer)
    scores = dict(found[0].scores)
    for number, line in enumerate(lines(answer), 1):
        entry = line.entry
        laid = list(entry.placements) if entry.kind in PLAYS else []
        stands = entry.kind == pb.ENTRY_KIND_PLAY
        if stands:
            laid = [_settle_blank(tile, in_the_end) for tile in laid]
            board |= {(tile.row, tile.column): tile for tile in laid}
        shown = board if stands else board | {(tile.row, tile.column): tile for tile in laid}
        if entry.complete or line.live:
            scores[entry.player_id] = entry.total
        rack = racks.get((entry.turn, entry.player_id)) if racks and entry.turn else None
        found.append(Step(number, line, list(shown.values()), laid, dict(scores), rack))
    return found


def _settle_blank(tile: game.Placement, in_the_end: Mapping[tuple[int, int], str]) -> game.Placement:
    """Return a tile with the settled letter of its blank."""
    face = in_the_end.get((tile.row, tile.column), tile.face) if tile.blank else tile.face
    return game.Placement(row=tile.row, column=tile.column, face=face, blank=tile.blank)
