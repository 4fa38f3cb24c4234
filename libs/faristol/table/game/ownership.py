"""Handover of a table to a hall cell and back: the cell that may append events to its streams, and the epoch."""

from __future__ import annotations

from collections.abc import Mapping

from google.protobuf.message import Message

from faristol.kernel.times import instant
from faristol.pb.game.v1 import events_pb2 as events
from faristol.table.game.state import Game
from faristol.table.game.turns import Change


def _apply_handed_over(game: Game, event: events.TableHandedOver) -> Game:
    return game.but(
        owner_key=event.key,
        owner_hall=event.hall,
        epoch=event.epoch,
        handed_at=instant(event.occurred_at),
        is_taken_back=False,
    )


def _apply_returned(game: Game, _: events.TableReturned) -> Game:
    return game.but(owner_key=b"", owner_hall="")


def _apply_taken_back(game: Game, event: events.TableTakenBack) -> Game:
    return game.but(owner_key=b"", owner_hall="", epoch=event.epoch, is_taken_back=True)


OWNERSHIP_CHANGES: Mapping[type[Message], Change] = {
    events.TableHandedOver: _apply_handed_over,
    events.TableReturned: _apply_returned,
    events.TableTakenBack: _apply_taken_back,
}
