"""Tables that go to a hall cell and back: the decisions on all of them, in one append."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from google.protobuf.message import Message

from faristol.event_store import Decision, Guard, Record, Write, load
from faristol.game.halls.model import Halls
from faristol.host.table_store import Settled, load_tables
from faristol.kernel.errors import NotFound
from faristol.kernel.times import Instant
from faristol.rules import salt_seed
from faristol.table import Table, ownership
from faristol.table.game.state import Phase
from faristol.table.views import TableTournament, watch_tournament


async def load_tournament(record: Record, tournament_id: str) -> TableTournament:
    """Load a tournament as its tables see it. Raises ``NotFound``."""
    tournament = (await load(record, f"tournament-{tournament_id}", TableTournament(), watch_tournament)).state
    if not tournament.tournament_id:
        raise NotFound("tournament", tournament_id)
    return tournament


def unfinished_games(tournament: TableTournament, hall: str) -> list[str]:
    """Return the games of a hall that have no result in the tournament, in the order of rounds and tables."""
    return [
        pairing.game_id
        for _, pairings in sorted(tournament.pairings.items())
        for pairing in pairings
        if pairing.hall == hall and pairing.game_id not in tournament.over
    ]


async def load_open_tables(record: Record, game_ids: Collection[str]) -> Mapping[str, Settled]:
    """Load tables that have been opened; the others are omitted. Raises the exceptions of a table."""
    tables: dict[str, Settled] = {}
    for game_id, settled in (await load_tables(record, game_ids)).items():
        if isinstance(settled, Exception):
            raise settled
        if settled is not None:
            tables[game_id] = settled
    return tables


def decide_each(
    tables: Mapping[str, Settled], decide: Callable[[Settled], Sequence[Message]]
) -> tuple[Decision, list[str]]:
    """Return the decisions on tables as one, and the games that they change."""
    writes: list[Write] = []
    guards: list[Guard] = []
    changed: list[str] = []
    for game_id, settled in sorted(tables.items()):
        new_events = decide(settled)
        if not new_events:
            continue
        decision = settled.decision(settled.with_consequences(new_events))
        writes += decision.writes
        guards += decision.guards
        changed.append(game_id)
    return Decision(writes, guards), changed


def hand_over_seated(halls: Halls, at: Instant, table: Table) -> list[Message]:
    """Return the event that hands a new table over to the cell of its hall; none if its hall has no cell."""
    joined = halls.joined.get(table.game.hall)
    return ownership.hand_over(table, joined.hall, joined.key, at) if joined else []


def with_salt(tournament: TableTournament, halls: Halls) -> TableTournament:
    """Return the tournament with the seed of its tables: a hall that has the tournament's seed cannot derive it."""
    return replace(tournament, seed=salt_seed(tournament.seed, halls.draw_salt))


def is_final(settled: Settled) -> bool:
    """Check whether the result of a table is final."""
    return settled.game.phase is Phase.FINAL


def is_in_play(settled: Settled, key: bytes) -> bool:
    """Check whether the hall with this key has a table whose result is not final."""
    return settled.game.owner_key == key and not is_final(settled)
