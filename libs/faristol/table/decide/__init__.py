"""Decisions at a table, on its game and its clock: on commands of players and officials, and automatic ones. Pure.

Every decision on a command returns the events to write, or raises ``Refusal`` with the article that forbids it.

The settlement derives automatic events from only the state, a ruling and the rules, one after another, until none is
missing. So it does not matter which process settles a table, when, and how often.
"""

from __future__ import annotations

from collections.abc import Mapping

from google.protobuf.message import Message

from faristol.kernel.event_types import set_occurred_at
from faristol.kernel.times import Instant, check_not_before
from faristol.table import Decide, Table
from faristol.table.decide import (
    arbitration,
    attendance,
    challenges,
    draws,
    ends,
    entries,
    exchanges,
    officials,
    plays,
    presses,
    score_sheets,
    surplus,
)
from faristol.table.decide.typed_tiles import read_typed_tiles
from faristol.table.ownership import check_own
from faristol.table.settlement import clock, game
from faristol.table.views import Ruling

GAME_COMMANDS: Mapping[type[Message], Decide] = {
    **entries.COMMANDS,
    **plays.COMMANDS,
    **score_sheets.COMMANDS,
    **draws.COMMANDS,
    **exchanges.COMMANDS,
    **challenges.COMMANDS,
    **surplus.COMMANDS,
    **officials.COMMANDS,
    **ends.COMMANDS,
}
"""The decision on each command of the game service."""

CLOCK_COMMANDS: Mapping[type[Message], Decide] = {**presses.COMMANDS, **arbitration.COMMANDS, **attendance.COMMANDS}
"""The decision on each command of the clock service."""

_COMMANDS = {**GAME_COMMANDS, **CLOCK_COMMANDS}


def decide(table: Table, request: Message, at: Instant) -> list[Message]:
    """Return the events of ``request`` at ``at``, without those that ``settle`` adds. The table is settled.

    Raises ``Refusal`` if the rules forbid it or another cell has the table. Raises ``Invalid`` if it is malformed or
    earlier than the last event of the table, and ``KeyError`` for a message that is not a command.
    """
    check_own(table)
    check_not_before(at, table.last_at)
    return set_occurred_at(_COMMANDS[type(request)](table, read_typed_tiles(request, table.ruleset.tile_set), at), at)


def settle(table: Table, ruling: Ruling | None = None) -> list[Message]:
    """Return the missing events of the table, of its game and its clock, in order of dependency.

    ``ruling`` is that on the pending challenge. The list is empty if no event is missing, and if another cell has the
    table.
    """
    new_events: list[Message] = []
    while table.is_own and (
        missing := game.missing(table.game, table.clock, ruling, table.ruleset)
        or clock.missing(table.clock, table.game, table.ruleset)
    ):
        new_events.extend(missing)
        table = table.after(missing)
    return new_events
