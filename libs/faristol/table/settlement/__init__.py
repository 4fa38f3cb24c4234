"""Automatic events of a table, derived from its game, its clock, a ruling and the rules. Pure.

Every event is derived from only the state, one after another, until none is missing. So it does not matter which
process settles a table, when, and how often.
"""

from __future__ import annotations

from google.protobuf.message import Message

from faristol.table import Table
from faristol.table.settlement import clock, game
from faristol.table.views import Ruling


def settle(table: Table, ruling: Ruling | None = None) -> list[Message]:
    """Return the missing events of the table, of its game and its clock, in order of dependency.

    ``ruling`` is that on the pending challenge. The list is empty if no event is missing.
    """
    new_events: list[Message] = []
    while missing := (
        game.missing(table.game, table.clock, ruling, table.ruleset)
        or clock.missing(table.clock, table.game, table.ruleset)
    ):
        new_events.extend(missing)
        table = table.after(missing)
    return new_events
