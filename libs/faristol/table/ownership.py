"""The cell that decides at a table: the championship, or the cell of its hall. Pure.

Problem. A hall goes on without a connection, so the championship cannot ask whether a table has changed. If both
decided on it, its streams would have two histories.

Idea. A table has one owner, which its own stream states. The championship hands it over to the key of a hall cell, the
hall returns it, or the director takes it back. Each cell compares the owner with its own key before every decision.

Invariants:

- A cell writes no event to a table that it does not own. The only exception is to take it back: then both may have
  written, and the later events of the hall are kept aside.
- The epoch rises with each hand-over and each take-back. It distinguishes events written before from those after.
- A hall cell that learns of a loss writes no further event to the table, though its own events come before that of the
  take-back, which its record therefore lacks (``Table.loss``).
"""

from __future__ import annotations

from collections.abc import Iterable

from google.protobuf.message import Message

from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import Instant, timestamp
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import events_pb2 as events
from faristol.table import Table
from faristol.table.clock import ARBITER_STOP_NUMBER
from faristol.table.game.state import Phase

TABLE_TAKEN_BACK = "TABLE_TAKEN_BACK"
"""Loss of a table: the championship decides on it, and keeps later events of the hall aside."""

HALL_RELEASED = "HALL_RELEASED"
"""Loss of all tables: the director released the cell of the hall."""


def check_own(table: Table) -> None:
    """Check that this cell decides at the table. Raises ``Refusal``, which names the hall that does."""
    if not table.is_own:
        raise refuse_foreign(table)


def refuse_foreign(table: Table) -> Refusal:
    """Return the refusal of a decision at a table of another cell."""
    game, is_hall = table.game, bool(table.cell_key)
    if table.loss == HALL_RELEASED:
        return Refusal(
            HALL_RELEASED,
            N_(
                "The director released this laptop of the hall {hall}: its tables are decided in the championship. "
                "Entries on this laptop have no effect there."
            ),
            {"hall": game.hall},
        )
    if table.loss or (is_hall and game.is_taken_back):
        return Refusal(
            TABLE_TAKEN_BACK,
            N_(
                "The championship decides on table {table} now, and no longer this hall: go on there, or ask the "
                "director. Entries on this laptop have no effect there."
            ),
            {"table": game.table},
        )
    if is_hall and game.owner_hall:
        return Refusal(
            "TABLE_HANDED_OVER",
            N_("Table {table} was handed over to another laptop of the hall {hall}, which decides on it now."),
            {"table": game.table, "hall": game.owner_hall},
        )
    if game.owner_hall:
        return Refusal(
            "TABLE_HANDED_OVER",
            N_("Table {table} was handed over to the hall {hall}: its devices decide until the table is returned."),
            {"table": game.table, "hall": game.owner_hall},
        )
    return Refusal(
        "TABLE_OF_CHAMPIONSHIP",
        N_("Table {table} belongs to the championship: this hall cannot change it."),
        {"table": game.table},
    )


def hand_over(table: Table, hall: str, key: bytes, at: Instant) -> list[Message]:
    """Return the event that hands the table over to a hall cell; none if it has the table already.

    Raises ``Refusal`` if the table is not seated in the hall, if its result is final, or if another cell has it.
    """
    game = table.game
    if game.owner_key == key:
        return []
    if not table.is_own and game.owner_hall == hall:
        raise Refusal(
            "TABLE_HANDED_OVER",
            N_("Table {table} was handed over to an earlier laptop of the hall {hall}: take it back first."),
            {"table": game.table, "hall": hall},
        )
    check_own(table)
    if game.hall != hall:
        raise Refusal(
            "OTHER_HALL",
            N_("Table {table} is not in the hall {hall}: it cannot be handed over to it."),
            {"table": game.table, "hall": hall},
        )
    if game.phase is Phase.FINAL:
        raise Refusal(
            "GAME_OVER",
            N_("The game is over: the table cannot be handed over to a hall."),
            article=table.ruleset.law.game_over,
        )
    at = max(at, table.last_at)
    return [events.TableHandedOver(hall=hall, key=key, epoch=game.epoch + 1, occurred_at=timestamp(at))]


def return_table(table: Table, at: Instant) -> list[Message]:
    """Return the event by which a hall returns the table to the championship.

    Raises ``Refusal`` if this cell does not have it, and while the game can still go on in the hall.
    """
    check_own(table)
    if not table.cell_key:
        return []
    if table.game.phase is not Phase.FINAL:
        raise Refusal("GAME_NOT_OVER", N_("Table {table} is not over: the hall keeps it."), {"table": table.game.table})
    return [events.TableReturned(epoch=table.game.epoch, occurred_at=timestamp(max(at, table.last_at)))]


def take_back(table: Table, note: str, at: Instant) -> list[Message]:
    """Return the event by which the championship takes a table back from a hall; none if no hall has it."""
    if not table.game.owner_key:
        return []
    at = max(at, table.last_at)
    return [events.TableTakenBack(epoch=table.game.epoch + 1, note=note, occurred_at=timestamp(at))]


def stop_clock(table: Table, director_id: str) -> list[Message]:
    """Return the event that stops the running clock of a table that a hall has, at its last event; none if none runs.

    It stays stopped until an arbiter resumes it: a player must not lose here on time that was played in the hall.
    """
    game, clock = table.game, table.clock
    if not clock.running or game.over or ARBITER_STOP_NUMBER in clock.open:
        return []
    return [
        clock_events.ClockNeutralised(
            player_id=clock.running,
            reason=clock_events.NEUTRALISATION_REASON_FORCE_MAJEURE,
            used_ms=clock.used_at(clock.running, table.last_at),
            occurred_at=timestamp(table.last_at),
            arbiter_id=director_id,
        )
    ]


def is_permitted(table: Table, new_events: Iterable[Message]) -> bool:
    """Check whether this cell may append events to the table: it owns it, or takes it back."""
    return table.is_own or any(isinstance(event, events.TableTakenBack) for event in new_events)
