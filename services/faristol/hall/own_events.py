"""The events of a hall's record that the hall wrote itself, told from the copied ones. Pure.

A record does not mark copied events. But the events of a table have one writer at a time, and each change of the writer
is an event of the game. So the hall wrote what follows the hand-over to its key in its own record, up to the return or
the taking back. Clocks follow their game, and so do cases on which the lexicon rules. The fold begins at the first
position of the record. The slips of a hall in a duplicate game are like a table, with a stream of their own.
"""

from __future__ import annotations

from collections.abc import Mapping

from faristol.event_store.stored import Stored
from faristol.host import duplicate_store, table_store
from faristol.host.halls.kept import kept_stream
from faristol.kernel.event_types import types_of
from faristol.pb.game.v1 import duplicate_events_pb2 as duplicate_events
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.hall.v1 import events_pb2 as hall_events
from faristol.pb.lexicon.v1 import events_pb2 as case_events

OF_NO_TABLE = "", 0
"""Game and epoch of a command that the hall keeps."""

_KEPT = hall_events.HallCommandKept.DESCRIPTOR.full_name
_HANDED_OVER: Mapping[str, type[game_events.TableHandedOver | duplicate_events.SlipsHandedOver]] = {
    kind.DESCRIPTOR.full_name: kind for kind in (game_events.TableHandedOver, duplicate_events.SlipsHandedOver)
}
_RETURNED = game_events.TableReturned.DESCRIPTOR.full_name
_TAKEN_BACK = types_of((game_events.TableTakenBack, duplicate_events.SlipsTakenBack))
_CASE_OPENED = case_events.CaseOpened.DESCRIPTOR.full_name


def game_of(stream: str) -> str:
    """Return the id of the game in the name of a stream of a game or a clock, or the name of slips without its kind.

    It is empty for any other stream.
    """
    if stream.startswith(duplicate_store.SLIPS):
        return stream.removeprefix(duplicate_store.SLIPS)
    return table_store.game_of(stream) if stream.startswith((table_store.GAME, table_store.CLOCK)) else ""


class OwnEvents:
    """A fold of the hall's record that finds the events of tables while they belong to the hall."""

    def __init__(self, key: bytes) -> None:
        """``key`` is the public key of the hall."""
        self._key = key
        self._epochs: dict[str, int] = {}
        """Epochs of the tables that the hall has, by the ids of their games."""
        self._games_of_cases: dict[str, str] = {}

    def take(self, event: Stored) -> tuple[str, int] | None:
        """Apply the next event of the record. Return its game and epoch if the hall wrote it, otherwise None.

        A command that the hall keeps has ``OF_NO_TABLE``: it is sent even if the table is lost.
        """
        if event.type == _KEPT and event.stream == kept_stream(event.tournament, self._key):
            return OF_NO_TABLE
        game_id = self.game_of(event)
        if not game_id:
            return None
        if event.type in _HANDED_OVER:
            handed_over = _HANDED_OVER[event.type].FromString(event.payload)
            if handed_over.key == self._key:
                self._epochs[game_id] = handed_over.epoch
            return None
        if event.type in _TAKEN_BACK:
            self._epochs.pop(game_id, None)
            return None
        if game_id not in self._epochs:
            return None
        own = game_id, self._epochs[game_id]
        if event.type == _RETURNED:
            del self._epochs[game_id]
        return own

    def game_of(self, event: Stored) -> str:
        """Return the id of the game of an event of a table; empty for any other stream."""
        if event.type == _CASE_OPENED:
            opened = case_events.CaseOpened.FromString(event.payload)
            if not opened.panel:  # a case for judges is written by the championship
                self._games_of_cases[event.stream] = opened.game_id
        return game_of(event.stream) or self._games_of_cases.get(event.stream, "")
