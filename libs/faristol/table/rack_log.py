"""The racks of a game that is over, turn by turn, out of its facts. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from google.protobuf.message import Message

from faristol.pb.game.v1 import events_pb2 as events
from faristol.rules import Board
from faristol.table.game.evolution import evolve
from faristol.table.game.state import Game

_BEGIN = (events.PlayPlaced, events.Exchanged, events.Passed, events.CannotPlay, events.TurnLost)
"""What a player does with a rack, or loses the turn with."""


class Held(NamedTuple):
    """A rack as a player held it when the turn was played."""

    turn: int
    player_id: str
    faces: tuple[str, ...]
    """``?`` for a blank, in the order of code points."""
    board: Board
    """The board before the turn."""


def racks_of(facts: Iterable[Message]) -> list[Held]:
    """The rack before each turn of a table whose bag the system holds, in order.

    Of a play that was taken back, what came after it in its turn counts: another play, or the loss of the turn.
    """
    game = Game()
    found: dict[tuple[int, str], Held] = {}
    for fact in facts:
        if isinstance(fact, _BEGIN):
            key = (fact.turn, fact.player_id)
            found[key] = Held(*key, tuple(sorted(game.racks.get(fact.player_id, ()))), game.board)
        game = evolve(game, fact)
    return sorted(found.values(), key=lambda held: held.turn)
