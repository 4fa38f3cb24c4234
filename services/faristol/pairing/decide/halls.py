"""Halls, and players who have a table of their own. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import to_timestamp
from faristol.pairing import conditions, seating
from faristol.pairing.decide.divisions import check_tables
from faristol.pairing.model import Hall, Tournament
from faristol.pb.pairing.v1 import events_pb2 as events


def set_halls(
    state: Tournament,
    *,
    halls: Sequence[Hall],
    top_tables: int,
    at: datetime | None,
    now: datetime,
    divisions: Sequence[Tournament] = (),
) -> list[Message]:
    """Say which tables there are, from the next round on; none for tables that are numbered from 1 without end.

    ``top_tables`` is how many of the first pairings sit at the first tables, whoever sat where. Raises ``Invalid`` for
    halls that share a name or a table, ``Refusal`` while a player has a table of their own that would be in none, and
    for tables of the other ``divisions`` of the championship.
    """
    if state.over:
        raise conditions.over(state)
    seating.check_halls(halls)
    if not 0 <= top_tables <= seating.MOST_TABLES:
        raise Invalid(
            "top_tables",
            N_("is {given}; expected 0 to {most}"),
            {"given": top_tables, "most": seating.MOST_TABLES},
        )
    for player in state.players:
        if player.table is not None and not any(player.table in hall for hall in halls):
            raise Refusal(
                "TABLE_NEEDED",
                "",
                N_("{player} has table {table}, which would be in no hall: release it first."),
                {"player": player.player_id, "table": player.table},
                subject=f"players/{player.player_id}",
            )
    check_tables(halls, divisions)
    return [
        events.HallsSet(
            halls=[hall.message() for hall in halls],
            top_tables=top_tables,
            occurred_at=to_timestamp(conditions.moment(state, at, now)),
        )
    ]


def fix_table(state: Tournament, *, player_id: str, table: int, at: datetime | None, now: datetime) -> list[Message]:
    """Give a player a table of their own, such as one that a wheelchair reaches, from the next round on.

    Raises ``Refusal`` for a table that is in no hall, and for one that another player has.
    """
    player = conditions.registered(state, player_id)
    if not any(table in hall for hall in state.halls):
        raise Refusal(
            "NO_SUCH_TABLE",
            "",
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
                "",
                N_("Table {table} is {player}’s already."),
                {"table": table, "player": other.player_id},
            )
    occurred_at = to_timestamp(conditions.moment(state, at, now))
    return [events.TableFixed(player_id=player.player_id, table=table, occurred_at=occurred_at)]


def release_table(state: Tournament, *, player_id: str, at: datetime | None, now: datetime) -> list[Message]:
    """Let a player sit anywhere again."""
    player = conditions.registered(state, player_id)
    if player.table is None:
        raise Refusal("NO_OWN_TABLE", "", N_("{player} has no table of their own."), {"player": player_id})
    occurred_at = to_timestamp(conditions.moment(state, at, now))
    return [events.TableReleased(player_id=player_id, table=player.table, occurred_at=occurred_at)]
