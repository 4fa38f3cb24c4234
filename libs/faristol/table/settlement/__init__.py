"""What follows at a table by itself, from its game, its clock, a ruling and the rules. Pure.

Every fact is found from the state alone, one after another, until none is missing. So it does not matter who settles a
table, when, and how often.
"""

from __future__ import annotations

from google.protobuf.message import Message

from faristol.table import Table
from faristol.table.settlement import clock, game
from faristol.table.views import Ruling


def settle(table: Table, ruling: Ruling | None = None) -> list[Message]:
    """The facts that the table lacks, of its game and of its clock, each after what it follows from.

    ``ruling`` is that on the challenge that is pending. The list is empty when nothing is missing.
    """
    facts: list[Message] = []
    while missing := (
        game.missing(table.game, table.clock, ruling, table.ruleset)
        or clock.missing(table.clock, table.game, table.ruleset)
    ):
        facts.extend(missing)
        table = table.after(missing)
    return facts
