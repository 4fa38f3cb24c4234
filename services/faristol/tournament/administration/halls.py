"""Halls, and fixed tables of players. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from google.protobuf.message import Message

from faristol.kernel.errors import check_range
from faristol.kernel.names import check_name
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.administration.divisions import check_tables
from faristol.tournament.conditions import check_open, find_registered_player
from faristol.tournament.rounds.tables import check_halls, most_tables
from faristol.tournament.situation import PairingCommand, Situation, Undo, as_before, set_as_before
from faristol.tournament.state import HallRange


def set_halls(situation: Situation, request: pb.SetHallsRequest) -> list[Message]:
    """Set the halls and their tables from the next round on. Without halls, tables are numbered from 1.

    ``top_tables`` is the number of first pairings that sit at the first tables, regardless of earlier tables. Raises
    ``Invalid`` if halls share a name or a table, or if a plan has rows without tables. Raises ``Refusal`` if a fixed
    table is in no hall, or if another division has a table.
    """
    halls = [replace(HallRange.of(hall), name=check_name("halls", hall.name, empty=True)) for hall in request.halls]
    check_open(situation.state)
    most = most_tables(situation.ruleset)
    check_halls(halls, most)
    check_range("top_tables", request.top_tables, 0, most)
    for player in situation.state.players:
        if player.table is not None and not any(player.table in hall for hall in halls):
            raise Refusal(
                "TABLE_NEEDED",
                N_("{player} has table {table}, which would not be in any hall: release it first."),
                {"player": player.player_id, "table": player.table},
                subject=f"players/{player.player_id}",
            )
    check_tables(halls, situation.divisions)
    return [situation.event(events.HallsSet, request, halls=[hall.message() for hall in halls])]


def fix_table(situation: Situation, request: pb.FixTableRequest) -> list[Message]:
    """Fix the table of a player from the next round on, such as one with wheelchair access.

    Raises ``Refusal`` if the table is in no hall or another player has it.
    """
    state, table = situation.state, request.table
    player = find_registered_player(state, request.player_id)
    if not any(table in hall for hall in state.halls):
        raise Refusal(
            "NO_SUCH_TABLE",
            N_("There is no table {table}; there are: {tables}."),
            {
                "table": table,
                "tables": ", ".join(f"{hall.first_table}–{hall.last_table}" for hall in state.halls) or "–",
            },
        )
    for other in state.players:
        if other.table == table:
            raise Refusal(
                "TABLE_TAKEN",
                N_("Table {table} is already assigned to {player}."),
                {"table": table, "player": other.player_id},
            )
    return [situation.event(events.TableFixed, player_id=player.player_id, table=table)]


def release_table(situation: Situation, request: pb.ReleaseTableRequest) -> list[Message]:
    """Release the fixed table of a player."""
    player = find_registered_player(situation.state, request.player_id)
    if player.table is None:
        raise Refusal("NO_OWN_TABLE", N_("{player} has no fixed table."), {"player": player.player_id})
    return [situation.event(events.TableReleased, player_id=player.player_id, table=player.table)]


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.SetHallsRequest: PairingCommand(set_halls, divisions=True, rests_on=(events.HallsSet,)),
    pb.FixTableRequest: PairingCommand(fix_table, of_tables=True),
    pb.ReleaseTableRequest: PairingCommand(release_table, of_tables=True),
}

_table_before = set_as_before(
    "player_id", (events.TableFixed, events.TableReleased), (pb.FixTableRequest, pb.ReleaseTableRequest)
)

UNDO: Mapping[type[Message], Undo] = {
    events.HallsSet: Undo(as_before(pb.SetHallsRequest), thing=("halls",)),
    events.TableFixed: Undo(_table_before, thing=("table", "player_id")),
    events.TableReleased: Undo(pb.FixTableRequest, thing=("table", "player_id")),
}
