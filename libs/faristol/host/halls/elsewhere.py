"""The refusal of a command on what another cell decides, which names the place where the command is possible."""

from __future__ import annotations

from faristol.duplicate_game.hall import Hall
from faristol.duplicate_game.ownership import SLIPS_HANDED_OVER
from faristol.event_store import Record, load
from faristol.host.halls.kept import Keys, watch_keys
from faristol.host.table_store import Settled
from faristol.kernel.refusal import N_, Refusal
from faristol.table.ownership import refuse_foreign

OPEN_IT_THERE = N_("Table {table} is played in the hall {hall}, whose laptop decides on it: open {address} there.")

SLIPS_THERE = N_("The hall {hall} has its slips on its own computer: open {address} there.")


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
    return await _with_address(record, refusal, OPEN_IT_THERE, game.tournament_id, (game.owner_hall, game.owner_key))


async def refuse_slips_elsewhere(record: Record, refusal: Refusal, tournament_id: str, hall: Hall) -> Refusal:
    """Return a refusal on slips of a hall in a duplicate game, with the address of its cell if that has them."""
    if refusal.reason != SLIPS_HANDED_OVER or record.owner_key:
        return refusal
    return await _with_address(record, refusal, SLIPS_THERE, tournament_id, (hall.owner_hall, hall.owner_key))


async def _with_address(
    record: Record, refusal: Refusal, text: str, tournament_id: str, owner: tuple[str, bytes]
) -> Refusal:
    """Return a refusal with a text that names the address of the owner, a hall and its key, if that is known."""
    hall, key = owner
    keys = (await load(record, f"halls-{tournament_id}", Keys(), watch_keys)).state
    address = keys.addresses.get(hall, "") if keys.by_hall.get(hall) == key else ""
    if not address:
        return refusal
    return Refusal(refusal.reason, text, {**refusal.params, "address": address}, article=refusal.article)
