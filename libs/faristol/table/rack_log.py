"""The racks of a finished game, turn by turn, computed from its events. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from google.protobuf.message import Message

from faristol.pb.game.v1 import events_pb2 as events
from faristol.rules import Board
from faristol.table.game.evolution import evolve
from faristol.table.game.state import Game

_BEGIN = (events.PlayPlaced, events.Exchanged, events.Passed, events.CannotPlay, events.TurnLost)
"""Actions of a player with a rack, and the loss of a turn."""


class RackAtTurn(NamedTuple):
    """A rack at the time its turn was played."""

    turn: int
    player_id: str
    faces: tuple[str, ...]
    """``?`` for a blank, in the order of code points."""
    board: Board
    """The board before the turn."""


def racks_of(past_events: Iterable[Message]) -> list[RackAtTurn]:
    """Return the rack before each turn of a table whose bag the system holds, in order.

    After a play that was taken back, the next action in its turn counts: another play, or the loss of the turn.
    """
    game = Game()
    found: dict[tuple[int, str], RackAtTurn] = {}
    for event in past_events:
        if isinstance(event, _BEGIN):
            key = (event.turn, event.player_id)
            found[key] = RackAtTurn(*key, tuple(sorted(game.racks.get(event.player_id, ()))), game.board)
        game = evolve(game, event)
    return sorted(found.values(), key=lambda held: held.turn)
