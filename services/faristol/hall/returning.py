"""The return of tables from the hall to the championship, after their round is closed.

The championship can then reopen a game or rule on an appeal by itself, also when the laptop is packed away. A table
with a kept command stays in the hall until the championship has decided on it: a command needs the hall to have the
table.
"""

from __future__ import annotations

from collections.abc import Iterable

from google.protobuf.message import Message

from faristol.consumers import Reaction
from faristol.event_store import Decision, Guard, Record, Recorded, Write, load
from faristol.host.halls.kept import kept_stream, read_pending
from faristol.host.table_store import Settled, load_tables
from faristol.kernel.event_types import occurred_at, types_of
from faristol.kernel.times import instant
from faristol.pb.hall.v1 import events_pb2 as hall_events
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.table.game.state import Phase
from faristol.table.ownership import return_table
from faristol.table.views import TableTournament, watch_tournament

RETURN_TYPES = types_of(
    (
        pairing_events.RoundClosed,
        pairing_events.ResultRecorded,  # of a postponed game, after its round is closed
        hall_events.HallCommandExecuted,
        hall_events.HallCommandRefused,
    )
)


def watch_closed(closed: frozenset[int], event: Message) -> frozenset[int]:
    """Return the closed rounds after an event of the tournament."""
    return closed | {event.round} if isinstance(event, pairing_events.RoundClosed) else closed


def return_tables(record: Record) -> Reaction:
    """Build the reaction of a hall that returns tables of closed rounds which need the hall no longer."""

    async def react(event: Recorded) -> Decision | None:
        stream = f"tournament-{event.tournament}"
        closed = (await load(record, stream, frozenset[int](), watch_closed)).state
        tournament = (await load(record, stream, TableTournament(), watch_tournament)).state
        games = _games_of(event.message, tournament, closed)
        if not games:
            return None
        pending = {kept.game_id for _, kept in await read_pending(record, event.tournament, record.owner_key)}
        happened = occurred_at(event.message)
        at = instant(happened) if happened is not None else 0
        writes: list[Write] = []
        guards: list[Guard] = []
        for settled in (await load_tables(record, games - pending)).values():
            if isinstance(settled, Exception):
                raise settled
            if settled is not None and _is_returnable(settled):
                decision = settled.decision(return_table(settled.table, at))
                writes += decision.writes
                guards += decision.guards
        if not writes:
            return None
        # A command that is kept at the same time needs its table: then this is decided again.
        name = kept_stream(event.tournament, record.owner_key)
        last = (await record.last_events([name])).get(name)
        return Decision(writes, [*guards, Guard(name, last.version if last else 0)])

    return Reaction("hall.return", RETURN_TYPES, react)


def _games_of(event: Message, tournament: TableTournament, closed: Iterable[int]) -> set[str]:
    """Return the games of closed rounds that an event concerns: all of the round that it closes, or one."""
    games = {
        pairing.game_id
        for number in closed
        if not isinstance(event, pairing_events.RoundClosed) or number == event.round
        for pairing in tournament.pairings.get(number, ())
    }
    return games if isinstance(event, pairing_events.RoundClosed) else games & {getattr(event, "game_id", "")}


def _is_returnable(settled: Settled) -> bool:
    return settled.is_own and settled.game.phase is Phase.FINAL
