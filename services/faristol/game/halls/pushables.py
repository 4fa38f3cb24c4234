"""Streams whose events a hall sends: its tables, and its slips in duplicate games, with the owner of their streams."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from google.protobuf.message import Message

from faristol.event_store import Record
from faristol.game.duplicate_game.lexicons import Lexicons
from faristol.game.halls.plausibility import apply_pushed
from faristol.game.halls.rulings import Surroundings
from faristol.game.halls.slips import PushedSlips, load_pushed
from faristol.game.halls.surroundings import load_surroundings
from faristol.host.duplicate_store import hall_stream
from faristol.host.table_store import Settled, cache_table, game_stream, load_tables
from faristol.kernel.times import Instant


def _ignore_state(_: object, __: Mapping[str, int]) -> None:
    """Ignore the state: the slips of a hall are folded once."""


@dataclass(frozen=True, slots=True)
class Pushable:
    """A table, or the slips of a hall in a duplicate game."""

    tournament_id: str
    hall: str
    owner_key: bytes
    epoch: int
    handed_at: Instant
    """Time at which it was handed over to the hall; 0 if it never was."""
    stream: str
    """Name of the stream that states its owner."""
    versions: Mapping[str, int]
    """Versions of its streams."""
    check: Callable[[Sequence[Message]], object]
    """Applies events that the hall adds, and returns the state after them.

    Raises ``Implausible`` for one that no honest hall writes.
    """
    cache: Callable[[Any, Mapping[str, int]], None] = _ignore_state
    """Caches the state at versions of its streams in the record."""


async def load_pushables(
    record: Record,
    lexicons: Lexicons,
    tournament_id: str,
    names: Collection[str],
    rulings: Mapping[str, Sequence[Message]],
    at: Instant,
) -> Mapping[str, Pushable]:
    """Load tables by the ids of their games, and slips by the names of their streams; unknown ones are omitted.

    ``rulings`` are the events on challenges that the hall sends, by game. Raises the exceptions of a table, and
    ``Refusal`` if the rules or the lexicon of a duplicate game are unavailable.
    """
    tables: dict[str, Settled] = {}
    for game_id, settled in (await load_tables(record, names)).items():
        if isinstance(settled, Exception):
            raise settled
        if settled is not None:
            tables[game_id] = settled
    around = await load_surroundings(record, tournament_id, tables, rulings)
    found = {game_id: _of_table(record, settled, around[game_id]) for game_id, settled in tables.items()}
    slips = await load_pushed(record, lexicons, [name for name in names if name not in found], at)
    return found | {name: _of_slips(each) for name, each in slips.items()}


def _of_table(record: Record, settled: Settled, around: Surroundings) -> Pushable:
    game, table = settled.game, settled.recorded
    assert table is not None, "the table was loaded from the record"
    return Pushable(
        game.tournament_id,
        game.hall,
        game.owner_key,
        game.epoch,
        game.handed_at,
        game_stream(game.game_id),
        settled.versions,
        lambda new_events: apply_pushed(table, new_events, around),
        partial(cache_table, record),
    )


def _of_slips(pushed: PushedSlips) -> Pushable:
    game, hall = pushed.situation.game, pushed.hall
    stream = hall_stream(game.game_id, pushed.number)
    return Pushable(
        game.tournament_id,
        hall.name,
        hall.owner_key,
        hall.epoch,
        hall.handed_at,
        stream,
        {stream: pushed.version},
        pushed.check,
    )
