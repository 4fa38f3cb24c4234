"""The refusal of a command at a table of another cell, which names the place where the command is possible."""

from __future__ import annotations

from faristol.event_store import Record, load
from faristol.host.halls.kept import Keys, watch_keys
from faristol.host.table_store import Settled
from faristol.kernel.refusal import N_, Refusal
from faristol.table.ownership import refuse_foreign

OPEN_IT_THERE = N_("Table {table} is played in the hall {hall}, whose laptop decides on it: open {address} there.")


async def check_decides_here(record: Record, table: Settled) -> None:
    """Check that this cell decides at a table. Raises ``Refusal``, with the address of the hall's cell if known."""
    if not table.is_own:
        raise await refuse_elsewhere(record, table)


async def refuse_elsewhere(record: Record, table: Settled) -> Refusal:
    """Return the refusal of a decision at a table of another cell."""
    game = table.game
    refusal = refuse_foreign(table.table)
    if not game.owner_hall or record.owner_key:
        return refusal
    keys = (await load(record, f"halls-{game.tournament_id}", Keys(), watch_keys)).state
    address = keys.addresses.get(game.owner_hall, "") if keys.by_hall.get(game.owner_hall) == game.owner_key else ""
    if not address:
        return refusal
    return Refusal(refusal.reason, refusal.article, OPEN_IT_THERE, {**refusal.params, "address": address})
