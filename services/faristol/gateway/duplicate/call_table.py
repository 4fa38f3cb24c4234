"""What a rack and a play are called out as in a game: "Cervera, Alacant", "Hospitalet quatre" (FISC II.4)."""

from __future__ import annotations

from collections.abc import Iterable

from faristol.gateway.duplicate.models import start_of
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.rules.duplicate.call_names import CallNames
from faristol.rules.tiles import BLANK


def tiles_called(game: pb.GetDuplicateResponse, faces: Iterable[str]) -> str:
    """The tiles of a rack as they are called, in their order; empty where there is no table for the game."""
    table = table_of(game)
    return ", ".join(table.rack(faces)) if table else ""


def start_called(game: pb.GetDuplicateResponse, play: events.DuplicatePlay) -> str:
    """Where a play begins, as it is called; empty where there is no table for the game."""
    table = table_of(game)
    return table.start(start_of(play)) if table else ""


def table_of(game: pb.GetDuplicateResponse) -> CallNames | None:
    """The table of a game; None where there is none in the language of its tiles."""
    if not game.HasField("call_table"):
        return None
    names = {said.face: said.name for said in game.call_table.names}
    return CallNames(names, tuple(game.call_table.numbers), names.get(BLANK, BLANK))
