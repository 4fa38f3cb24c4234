"""What players and officials do at a table, on its game and on its clock. Pure: the table is settled.

Every decision gives the facts to write, or raises ``Refusal`` with the article that stands against it.
"""

from __future__ import annotations

from collections.abc import Mapping

from google.protobuf.message import Message

from faristol.kernel.facts import dated
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
    scores,
    surplus,
)
from faristol.table.decide.typed_tiles import read_typed_tiles

GAME: Mapping[type[Message], Decide] = {
    **entries.COMMANDS,
    **plays.COMMANDS,
    **scores.COMMANDS,
    **draws.COMMANDS,
    **exchanges.COMMANDS,
    **challenges.COMMANDS,
    **surplus.COMMANDS,
    **officials.COMMANDS,
    **ends.COMMANDS,
}
"""How each command of the game service is decided."""

CLOCK: Mapping[type[Message], Decide] = {**presses.COMMANDS, **arbitration.COMMANDS, **attendance.COMMANDS}
"""How each command of the clock service is decided."""

_COMMANDS = {**GAME, **CLOCK}


def decide(table: Table, request: Message, at: Instant) -> list[Message]:
    """The facts that ``request`` leads to at ``at``; what follows from them is not among them.

    Raises ``Refusal`` when it cannot be done, ``Invalid`` when it makes no sense, or is before the last fact of the
    table, and ``KeyError`` for a message that is no command.
    """
    check_not_before(at, table.last_at)
    return dated(_COMMANDS[type(request)](table, read_typed_tiles(request, table.ruleset.tile_set), at), at)
