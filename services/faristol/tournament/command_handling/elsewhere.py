"""Results of tables on which the cell of a hall decides: players and scorers enter them there, not in the championship.

A director or an arbiter may enter such a result, such as by telephone. It takes the table back from the hall, which
the others must not cause.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from faristol.access_control.roles import PLAYER, SCORER
from faristol.event_store import Record
from faristol.host.halls.elsewhere import check_decides_here
from faristol.host.security.authorization import caller
from faristol.host.table_store import load_table
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.state import TournamentState

_AT_TABLES = frozenset((PLAYER, SCORER))
"""Roles of callers who enter results at their tables only."""


async def check_entered_here(record: Record, state: TournamentState, request: Any) -> None:
    """Check that a result may be entered here. Raises ``Refusal`` for a table on which the cell of a hall decides.

    A result that is known is confirmed or disputed here.
    """
    credential = caller()
    if record.owner_key or credential is None or credential.role not in _AT_TABLES:
        return
    for game_id in _games_of(request):
        found = state.find_game(game_id)
        if found is None or game_id in found[0].results:
            continue
        table = await load_table(record, game_id)
        if table is not None:
            await check_decides_here(record, table)


def _games_of(request: Any) -> Iterable[str]:
    """Return the games whose results a request enters."""
    match request:
        case pb.ReportResultRequest() | pb.EnterResultRequest():
            return (request.game_id,)
        case pb.EnterResultsRequest():
            return [each.game_id for each in request.results]
        case _:
            return ()
