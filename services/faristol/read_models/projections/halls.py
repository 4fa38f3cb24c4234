"""The cells of halls, those that have not been heard, and the results that halls keep: how events change them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf.message import Message

from faristol.pb.hall.v1 import events_pb2 as halls
from faristol.read_models.storage.rows import StoredHallBehind, StoredHallCell, StoredKept, Tournament


def add_cell(tournament: Tournament, event: halls.HallJoined, position: int) -> None:
    """Add the cell of a hall, or set its address."""
    others = [each for each in tournament.hall_cells if each.hall != event.hall]
    tournament.hall_cells = tuple(sorted([*others, StoredHallCell(event.hall, event.address)]))


def remove_cell(tournament: Tournament, event: halls.HallReleased, position: int) -> None:
    """Remove the cell of a hall."""
    tournament.hall_cells = tuple(each for each in tournament.hall_cells if each.hall != event.hall)


def fall_behind(tournament: Tournament, event: halls.HallFellBehind, position: int) -> None:
    """Add a hall, or set the time of its last report."""
    others = [each for each in tournament.halls_behind if each.hall != event.hall]
    tournament.halls_behind = tuple(sorted([*others, StoredHallBehind(event.hall, event.since.ToNanoseconds())]))


def catch_up(tournament: Tournament, event: halls.HallCaughtUp, position: int) -> None:
    """Remove a hall."""
    tournament.halls_behind = tuple(each for each in tournament.halls_behind if each.hall != event.hall)


def keep_result(tournament: Tournament, event: halls.HallCommandKept, position: int) -> None:
    """Add the result of a command that a hall keeps, or remove that of the one which it withdraws."""
    if event.withdrawn_id:
        tournament.kept = tuple(each for each in tournament.kept if each.command_id != event.withdrawn_id)
        return
    kept = StoredKept(event.table, event.game_id, event.command_id, tuple(each.score for each in event.scores))
    tournament.kept = (*tournament.kept, kept)


def settle_result(
    tournament: Tournament, event: halls.HallCommandExecuted | halls.HallCommandRefused, position: int
) -> None:
    """Remove a command that the championship executed or refused."""
    tournament.kept = tuple(each for each in tournament.kept if each.command_id != event.command_id)


HALL_HANDLERS: Mapping[type[Message], Any] = {
    halls.HallJoined: add_cell,
    halls.HallReleased: remove_cell,
    halls.HallFellBehind: fall_behind,
    halls.HallCaughtUp: catch_up,
    halls.HallCommandKept: keep_result,
    halls.HallCommandExecuted: settle_result,
    halls.HallCommandRefused: settle_result,
}
"""The effect of an event with its position on the halls of a tournament."""
