"""Tables in the record: load a table from its two streams, settle it, and write both streams in one append.

The game and clock services share this package: each of them writes game and clock together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Any

from google.protobuf.message import Message

from faristol.event_store import Decision, Guard, Loaded, Record, Write
from faristol.event_store.backends.databases import FAILURES
from faristol.host.ruleset_store import rules_of
from faristol.kernel.bounded import split_batches
from faristol.kernel.cases import case_ids_of
from faristol.kernel.times import Instant, instant, occurred_at
from faristol.rules import Ruleset
from faristol.table import Table, evolve, of_clock, ownership
from faristol.table.clock import Clock
from faristol.table.decide import settle
from faristol.table.game.state import Game, Phase
from faristol.table.views import Ruling, watch_case

TABLE_BATCH_SIZE = 64
"""Number of tables that one statement reads."""

GAME, CLOCK = "game-", "clock-"
"""Prefixes of the names of a table's streams; the id of the game follows."""


def game_stream(game_id: str) -> str:
    """Return the name of the stream of a game."""
    return f"{GAME}{game_id}"


def clock_stream(game_id: str) -> str:
    """Return the name of the stream of the clock of a game."""
    return f"{CLOCK}{game_id}"


def game_of(stream: str) -> str:
    """Return the id of the game of a game stream or clock stream."""
    return stream.partition("-")[2]


@dataclass(frozen=True, slots=True)
class Halves:
    """Game and clock of a table, with the versions of their streams."""

    game: Game = field(default_factory=Game)
    clock: Clock = field(default_factory=Clock)
    versions: Mapping[str, int] = field(default_factory=dict)
    position: int = 0
    """Position up to which the record has no other events of these streams."""


@dataclass(frozen=True, slots=True)
class Settled:
    """A table after all its consequences, whether the record has them yet or not."""

    table: Table
    """The state with the missing events applied."""
    missing: Sequence[Message]
    """The consequences that the record does not have yet."""
    versions: Mapping[str, int]
    """Versions of the streams of the game and of the clock, without the missing events."""
    guards: Sequence[Guard] = ()
    """Streams of the case of a challenge that the settlement read."""
    recorded: Table | None = None
    """The state in the record, without the missing events; None for a table that is being opened."""

    @property
    def game(self) -> Game:
        """The game of the table."""
        return self.table.game

    @property
    def is_own(self) -> bool:
        """Whether this cell decides at the table: no other writes its streams."""
        return self.table.is_own

    def moment(self, request: Any, now: Callable[[], datetime]) -> Instant:
        """Return the moment of a command: the one that its request states, or now, but not before the last event."""
        at = instant(occurred_at(request, now))
        return at if request.HasField("occurred_at") else max(at, self.table.last_at)

    def with_consequences(self, new_events: Sequence[Message]) -> list[Message]:
        """Return ``new_events`` and the events that follow from them at the table."""
        return [*new_events, *settle(self.table.after(new_events))]

    def decision(self, new_events: Sequence[Message] = ()) -> Decision:
        """Return a decision that writes the missing events, then ``new_events``, each to its stream, if any.

        Raises ``Refusal`` if there are any and another cell has the table.
        """
        events = [*self.missing, *new_events]
        if not events:
            return Decision()
        if not ownership.is_permitted(self.table, events):
            raise ownership.refuse_foreign(self.table)
        game = self.game
        writes = [
            Write(
                stream,
                self.versions[stream],
                list(part),
                game.tournament_id,
                concerned=game.player_ids if stream.startswith(GAME) else (),
            )
            for stream, part in _parts(game.game_id, events)
        ]
        written = {write.stream for write in writes}
        read = [Guard(stream, version) for stream, version in self.versions.items() if stream not in written]
        return Decision(writes, [*read, *self.guards])


def build_table_opening(
    ruleset: Ruleset, new_events: Sequence[Message], then: Callable[[Table], Sequence[Message]] = lambda _: ()
) -> Sequence[Write]:
    """Return the writes that open a table with ``new_events``, their consequences, and those that ``then`` adds."""
    table = Table(ruleset).after(new_events)
    game_id = table.game.game_id
    versions = {game_stream(game_id): 0, clock_stream(game_id): 0}
    consequences = settle(table)
    further = then(table.after(consequences))
    return Settled(table, [*new_events, *consequences, *further], versions).decision().writes


async def load_table(record: Record, game_id: str, *, rulings: bool = True, cached: bool = False) -> Settled | None:
    """Load a table and settle it; return None if the game does not exist.

    With ``cached``, the record is not read if no append was notified since this process last read its end. A decision
    on that state may get a ``Conflict``, and a refusal may be wrong: its caller decides again on the state in the
    record.

    Without ``rulings`` a pending challenge stays pending even if its case has a ruling: players see a ruling only when
    it is in the table's own stream.

    Raises ``Refusal`` if the ruleset that the table pins is not available.
    """
    age = math.inf if cached and record.has_read_notified() else 0
    halves = await _halves(record, [game_id], age=age)
    return await _load_settled(record, game_id, halves[game_id], rulings=rulings)


async def load_tables(
    record: Record, game_ids: Collection[str], *, age: float = 0
) -> Mapping[str, Settled | Exception | None]:
    """Load many tables; the value of each is the result of ``load_table``, or the exception that it would raise.

    Events that were appended less than ``age`` seconds ago may be missing: a decision on such a state may get a
    ``Conflict``. Raises the exceptions of the database.
    """
    asked = sorted(game_ids)
    found: dict[str, Settled | Exception | None] = {}
    for some in split_batches(asked, TABLE_BATCH_SIZE):
        try:
            halves = await _halves(record, some, age=age)
        except FAILURES:
            raise
        except Exception:  # noqa: BLE001 # one of them is unreadable: load each by itself
            halves = {}
        for game_id in some:
            try:
                found[game_id] = await (
                    _load_settled(record, game_id, halves[game_id])
                    if game_id in halves
                    else load_table(record, game_id)
                )
            except FAILURES:
                raise
            except Exception as error:  # noqa: BLE001 # it belongs to that table, so it becomes its value
                found[game_id] = error
    return found


async def _load_settled(record: Record, game_id: str, halves: Halves, *, rulings: bool = True) -> Settled | None:
    if not halves.versions[game_stream(game_id)]:
        return None
    ruleset, loss = await rules_of(record, halves.game.ruleset), record.loss_of(game_id)
    table = Table(ruleset, halves.game, halves.clock, record.owner_key, loss)
    ruling: Ruling | None = None
    guards: Sequence[Guard] = ()
    if rulings and table.game.phase is Phase.CHALLENGED:
        ruling, guards = await _ruling(record, table.game)
    missing = settle(table, ruling)
    return Settled(table.after(missing), missing, halves.versions, guards, table)


async def load_other_games(record: Record, game_ids: Sequence[str]) -> Mapping[str, Loaded[Game]]:
    """Load games that a decision on another game reads."""
    found: dict[str, Loaded[Game]] = {}
    for some in split_batches(game_ids, TABLE_BATCH_SIZE):
        for game_id, each in (await _halves(record, some)).items():
            found[game_id] = Loaded(each.game, each.versions[game_stream(game_id)])
    return found


async def _halves(record: Record, game_ids: Sequence[str], *, age: float = 0) -> dict[str, Halves]:
    """Return the states of games and clocks: the cached folds plus the events appended since, from one read.

    The events come from the latest ones of all streams if those reach back far enough: consumers of this process then
    need no further read for them, and concurrent loads share one. Otherwise they come from the streams.
    """
    known = {game_id: _find_cached(record, game_id) for game_id in game_ids}
    versions = {stream: version for halves in known.values() for stream, version in halves.versions.items()}
    new_events: dict[str, list[tuple[str, Message]]] = {}
    position = record.recent.last_position
    recent = await record.recent.since(min((halves.position for halves in known.values()), default=0), age=age)
    if recent is None:
        for stream, event in await record.events_after(versions):
            new_events.setdefault(game_of(stream), []).append((stream, event))
    else:
        for each in recent:
            if each.version > versions.get(each.stream, each.version):
                new_events.setdefault(game_of(each.stream), []).append((each.stream, each.message))
        position = recent[-1].position if recent else position
    return {
        game_id: _fold_since(record, game_id, halves, new_events.get(game_id, ()), position)
        for game_id, halves in known.items()
    }


def _find_cached(record: Record, game_id: str) -> Halves:
    """Return the cached fold, or empty halves at version 0."""
    game, clock = game_stream(game_id), clock_stream(game_id)
    known = record.folds.last(_halves, game)
    return known.state if known else Halves(versions={game: 0, clock: 0})


def _fold_since(
    record: Record, game_id: str, halves: Halves, events: Sequence[tuple[str, Message]], position: int
) -> Halves:
    """Apply the events up to ``position`` to a cached fold, and cache the result."""
    if not events and position <= halves.position:
        return halves
    state, versions = (halves.game, halves.clock), dict(halves.versions)
    for stream, event in events:
        state = evolve(state, event)
        versions[stream] += 1
    halves = Halves(*state, versions, max(position, halves.position))
    record.folds.keep(_halves, game_stream(game_id), Loaded(halves, sum(versions.values())))
    return halves


def cache_table(record: Record, table: Table, versions: Mapping[str, int]) -> None:
    """Cache the state of a table at versions of its two streams, so that their events are not folded again."""
    halves = Halves(table.game, table.clock, versions)
    record.folds.keep(_halves, game_stream(table.game.game_id), Loaded(halves, sum(versions.values())))


async def _ruling(record: Record, game: Game) -> tuple[Ruling | None, Sequence[Guard]]:
    """Return the ruling on the last challenge, or on its appeal, and guards on the streams of both cases."""
    known = case_ids_of(game.game_id, game.seed, game.challenges, appeal=game.course.appealed)
    streams = [f"case-{case_id}" for case_id in known]
    rulings: dict[str, Ruling | None] = dict.fromkeys(streams)
    versions = dict.fromkeys(streams, 0)
    for stream, event in await record.events_after(versions):
        rulings[stream] = watch_case(rulings[stream], event)
        versions[stream] += 1
    ruling = next(filter(None, rulings.values()), None)
    return ruling, [Guard(stream, version) for stream, version in versions.items()]


def _parts(game_id: str, events: Sequence[Message]) -> Iterator[tuple[str, Iterator[Message]]]:
    """Split the events of a table, in order, into runs of one stream."""
    for is_clock, part in groupby(events, of_clock):
        yield clock_stream(game_id) if is_clock else game_stream(game_id), part
