"""Call names of racks and plays in a game: "Cervera, Alacant", "Hospitalet quatre" (FISC II.4)."""

from __future__ import annotations

from collections.abc import Iterable

from faristol.gateway.duplicate_game.plays import start_of
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.rules.duplicate_game.call_names import CallNames
from faristol.rules.tiles import BLANK


def tiles_called(game: pb.GetDuplicateResponse, faces: Iterable[str]) -> str:
    """Return the call names of a rack in its order; empty if the game has no call table."""
    table = table_of(game)
    return ", ".join(table.rack(faces)) if table else ""


def start_called(game: pb.GetDuplicateResponse, play: events.DuplicatePlay) -> str:
    """Return the call name of the first square of a play; empty if the game has no call table."""
    table = table_of(game)
    return table.start(start_of(play)) if table else ""


def table_of(game: pb.GetDuplicateResponse) -> CallNames | None:
    """Return the call table of a game; None if the language of its tiles has none."""
    if not game.HasField("call_table"):
        return None
    names = {each.face: each.name for each in game.call_table.names}
    return CallNames(names, tuple(game.call_table.numbers), names.get(BLANK, BLANK))
