"""How events change a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.times import instant
from faristol.pb.game.v1 import events_pb2 as events
from faristol.table.game import draws, sheet, turns
from faristol.table.game.state import Game

_CHANGES: Mapping[type[Message], Callable[[Game, Any], Game]] = {**turns.CHANGES, **draws.CHANGES, **sheet.CHANGES}
"""What each event does to a table, but for the time."""

_UNTIMED = (events.RackPenalty, events.OutBonus, events.TimePenalty, events.ScoreAdjusted)
"""Events that name no moment."""


def evolve(game: Game, message: Message) -> Game:
    """``game`` after ``message``, a fact of its stream. Raises ``TypeError`` for any other message."""
    change = _CHANGES.get(type(message))
    if change is None:
        raise TypeError(f"{message.DESCRIPTOR.full_name} is no fact of a table: expected one of faristol.game.v1")
    game = change(game, message)
    if isinstance(message, _UNTIMED):
        return game
    at = instant(message.occurred_at)  # type: ignore[attr-defined] # every other event has it
    return game.but(last_at=at) if at > game.last_at else game


def fold(game: Game, facts: Iterable[Message]) -> Game:
    """``game`` after ``facts``."""
    return reduce(evolve, facts, game)
