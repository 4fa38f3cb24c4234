"""The events that a hall sends: their copy into the record, and those that are kept aside.

Problem. A hall decides for hours without the championship, on a machine that can be stolen. Its events arrive late,
repeatedly, or after its tables were taken back. The holder of its laptop can send any bytes.

Idea. The check of a batch needs only the record: the signature of the hall, the owner and epoch in each game's stream,
the versions and hashes of what is there, and the state of each table. A batch that no honest hall sends is refused as
a whole. What an honest hall sends too late, and what a table cannot take, is stored with its signature, for an arbiter.

Invariants:

- A hall adds events only to tables that it has, in the epoch in which it has them, and only of the kinds that a table
  has. It opens no table, and hands none over.
- Ownership is guarded in the append: a table that is taken back at the same time gets no further event of the hall.
- The state of each table takes its new events, and they name its players only (``plausibility``).
- An event that is wrong has an effect on its own table only. From its command on, the events of that table are kept
  aside, also those of later batches: its stream cannot go on without it.
- No event that a hall signed is lost: it is in its stream, or it is kept aside (``asides``), or it is refused and the
  hall sends it again.
- Times lie between the hand-over and now, with a tolerance of ``CLOCK_TOLERANCE_NS`` for wrong clocks.

Rejected: to execute the commands of a hall again. Rules would be applied a second time, to other times, and the record
would not have the events that players saw.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store import Conflict, Guard, Record, load
from faristol.event_store.append.copies import CommandKnown, Copied, Divergence, InvalidCopy
from faristol.event_store.event import microseconds
from faristol.event_store.long_work import LongWork
from faristol.event_store.stored import Stored
from faristol.game.duplicate_game.lexicons import Lexicons
from faristol.game.halls.asides import Asides
from faristol.game.halls.batches import (
    CLOCK_TOLERANCE_NS,
    OF_NO_GAME,
    Fork,
    Forks,
    Pushed,
    add_fork,
    is_unknown,
    parse,
    read_batch,
    time_of,
)
from faristol.game.halls.following import SentEvents
from faristol.game.halls.model import Halls, evolve, halls_stream
from faristol.game.halls.plausibility import Implausible
from faristol.game.halls.pushables import Pushable, load_pushables
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.hall.v1 import events_pb2 as events
from faristol.pb.hall.v1 import hall_pb2 as pb

MAX_PUSH_ATTEMPTS = 16
"""Attempts at a copy while the record moves."""

UNKNOWN_EVENT = "EVENT_UNKNOWN"
"""Reason of the refusal of an event of a later version of the program."""


class Pushes:
    """Takes batches of hall cells."""

    def __init__(
        self, record: Record, lexicons: Lexicons, now: Callable[[], datetime], sent: SentEvents | None = None
    ) -> None:
        """``lexicons`` are those with which the scores of duplicate games are computed again.

        Events are added to ``sent`` before they are in the record.
        """
        self._sent = sent or SentEvents()
        self._record = record
        self._lexicons = lexicons
        self._now = now
        self._asides = Asides(record, now)
        self._turn = asyncio.Semaphore(1)
        """Held by one batch at a time: if many halls come back at once, other calls wait for one batch at most."""

    async def take(self, request: pb.PushEventsRequest) -> pb.PushEventsResponse:
        """Copy the events of a batch, and keep aside those of tables that cannot take them.

        Raises ``Invalid`` for a batch that no honest hall sends. Raises ``Refusal`` if events before it are missing, if
        this version does not know an event, or if too many events of the hall are kept aside.
        """
        async with self._turn:
            return await self._take(request)

    async def _take(self, request: pb.PushEventsRequest) -> pb.PushEventsResponse:
        halls = (await load(self._record, halls_stream(request.tournament_id), Halls(), evolve)).state
        pushed, forks = await read_batch(self._record, request, halls, microseconds(self._now()) * 1_000)
        copied, versions = await self._copy(pushed, forks, halls)
        kept = await self._asides.keep(pushed, forks)
        return pb.PushEventsResponse(
            position=max(copied.position, kept),
            versions=[pb.StreamVersion(stream=name, version=at) for name, at in sorted(versions.items())],
            aside=[
                pb.AsideTable(game_id=game_id, reason=fork.reason, stream=fork.stream, version=fork.version)
                for game_id, fork in sorted(forks.items())
                if game_id != OF_NO_GAME
            ],
        )

    async def _copy(self, pushed: Pushed, forks: Forks, halls: Halls) -> tuple[Copied, Mapping[str, int]]:
        """Copy the events of a batch, and add to ``forks`` the tables that cannot take theirs.

        Return the versions of the streams of the others, too.
        """
        attempts = 0
        while attempts < MAX_PUSH_ATTEMPTS:
            there = await self._load(pushed)
            _find_early(pushed, there, forks)
            _find_lost(pushed, there, halls, forks)
            _check_known(pushed, forks)
            accepted = pushed.without(forks)
            guards = _guards(pushed, there, accepted)
            checked = await _check_ahead(pushed, there, accepted)
            check = partial(_check_added, pushed, there, checked)
            self._sent.add(pushed.key, accepted)
            try:
                copied = await self._record.copy(pushed.part(accepted), guards, check, known=pushed.kept_commands())
                for each in checked.values():
                    each.cache()
                return copied, there.versions_after(accepted)
            except _Wrong as wrong:
                add_fork(forks, *wrong.fork)
            except Divergence as divergence:
                add_fork(forks, *_fork_of(divergence, pushed, there, halls))
            except CommandKnown as known:
                add_fork(forks, *pushed.fork_at(known.event, known.reason, events.ASIDE_REASON_COMMAND_KNOWN))
            except InvalidCopy as invalid:
                add_fork(forks, *pushed.fork_at(invalid.event, invalid.reason, events.ASIDE_REASON_INVALID))
            except Conflict as conflict:
                attempts += 1
                await self._check_gaps(accepted, conflict)
        raise Refusal("RECORD_BUSY", N_("The tables change too fast at the moment: send the events again."))

    async def _load(self, pushed: Pushed) -> _Present:
        """Load the tables of a batch. Raises ``Invalid`` for one that the hall never had."""
        names, tournament_id = set(pushed.games.values()) - {OF_NO_GAME}, pushed.request.tournament_id
        at = microseconds(self._now()) * 1_000
        rulings = pushed.list_rulings()
        tables = await load_pushables(self._record, self._lexicons, tournament_id, names, rulings, at)
        for game_id in sorted(names):
            table = tables.get(game_id)
            if table is None or table.hall != pushed.request.hall:
                raise _refuse_table(game_id, N_("the table of {game} is not in this hall"))
            if table.tournament_id != tournament_id or not table.handed_at:
                raise _refuse_table(game_id, N_("the table of {game} was not handed over to this hall"))
        last = await self._record.last_events(pushed.games.keys())
        return _Present(tables, {stream: event.version for stream, event in last.items()})

    async def _check_gaps(self, accepted: Sequence[Stored], conflict: Conflict) -> None:
        """Raise ``Refusal`` if the batch begins after a gap; return if the record has only moved."""
        last = await self._record.last_events({event.stream for event in accepted})
        first: dict[str, int] = {}
        for event in accepted:
            first.setdefault(event.stream, event.version)
        for stream, version in first.items():
            here = last[stream].version if stream in last else 0
            if version > here + 1:
                raise Refusal(
                    "EVENTS_MISSING",
                    N_("The championship has {stream} up to version {here}: send the events after it first."),
                    {"stream": stream, "here": here},
                ) from conflict


@dataclass(frozen=True, slots=True)
class _Checked:
    """Events that a table can take."""

    table: Pushable
    events: Sequence[Stored]
    after: object
    """State after them."""

    def cache(self) -> None:
        """Cache the state once the events are in the record, so that its readers need not fold them again."""
        versions = dict(self.table.versions)
        for event in self.events:
            if event.stream in versions:
                if event.version != versions[event.stream] + 1:
                    return  # the stream has moved since the table was loaded
                versions[event.stream] = event.version
        self.table.cache(self.after, versions)


@dataclass(frozen=True, slots=True)
class _Present:
    """What the championship has of a batch."""

    tables: Mapping[str, Pushable]
    heads: Mapping[str, int]
    """Versions of the streams of the batch that exist."""

    def has(self, event: Stored) -> bool:
        """Check whether there is an event at the version of this one."""
        return event.version <= self.heads.get(event.stream, 0)

    def versions_after(self, copied: Iterable[Stored]) -> dict[str, int]:
        """Return the versions of the streams of events that were copied."""
        versions: dict[str, int] = {}
        for event in copied:
            known = versions.get(event.stream, self.heads.get(event.stream, 0))
            versions[event.stream] = max(known, event.version)
        return versions


class _Wrong(Exception):
    """An event of a batch that its table cannot take."""

    def __init__(self, game_id: str, fork: Fork) -> None:
        super().__init__(fork.problem)
        self.fork = game_id, fork


def _find_early(pushed: Pushed, there: _Present, forks: Forks) -> None:
    """Add the tables with events that are earlier than their hand-over."""
    for event in pushed.without(forks):
        table = there.tables.get(pushed.games[event.stream])
        if table is None or is_unknown(event):
            continue
        earliest = table.handed_at - CLOCK_TOLERANCE_NS
        if min(event.recorded_at * 1_000, time_of(event) or earliest) < earliest:
            problem = "its time is before the table was handed over"
            add_fork(forks, *pushed.fork_at(event, problem, events.ASIDE_REASON_INVALID))


def _find_lost(pushed: Pushed, there: _Present, halls: Halls, forks: Forks) -> None:
    """Add the tables of which the hall may not add events, unless all of these are in the record already.

    The copy compares those that may be there: a repeated batch is no loss.
    """
    for game_id in set(pushed.games.values()):
        table = there.tables.get(game_id)
        new = next((event for event in pushed.of(game_id) if not there.has(event)), pushed.unknown.get(game_id))
        if new is None:
            continue
        before = halls.find_fork(pushed.key, game_id, pushed.epochs.get(game_id, 0))
        if table is not None and (loss := _find_loss(pushed, game_id, table, halls)):
            add_fork(forks, game_id, Fork(loss))
        elif before is not None:
            # The stream cannot go on after the events that were kept aside with an earlier batch.
            _, fork = pushed.fork_at(new, before.problem, before.reason)
            add_fork(forks, game_id, replace(fork, stream=before.stream, version=before.version))


def _find_loss(pushed: Pushed, game_id: str, table: Pushable, halls: Halls) -> events.AsideReason.ValueType | None:
    """Return the reason why the hall may not add events to a table; None if it may."""
    joined = halls.joined.get(pushed.request.hall)
    if table.owner_key != pushed.key or table.epoch != pushed.epochs.get(game_id, 0):
        return events.ASIDE_REASON_NOT_OWNER
    return None if joined is not None and joined.key == pushed.key else events.ASIDE_REASON_RELEASED


def _fork_of(divergence: Divergence, pushed: Pushed, there: _Present, halls: Halls) -> tuple[str, Fork]:
    """Return the fork of a table whose stream has another event; after a loss of the table, that is the reason."""
    game_id, fork = pushed.fork_at(divergence.event, str(divergence), events.ASIDE_REASON_DIVERGENCE)
    table = there.tables.get(game_id)
    loss = _find_loss(pushed, game_id, table, halls) if table is not None else None
    return game_id, replace(fork, reason=loss) if loss else fork


def _check_known(pushed: Pushed, forks: Forks) -> None:
    """Raise ``Refusal`` for an event that this version of the program does not know, at a table that the hall has."""
    for game_id, event in pushed.unknown.items():
        if event in pushed.without(forks):
            raise Refusal(
                UNKNOWN_EVENT,
                N_("The championship does not know {type}, an event of {game}: update it, or take the table back."),
                {"type": event.type[:128], "game": game_id[:128] or pushed.request.hall},
            )


async def _check_ahead(pushed: Pushed, there: _Present, accepted: Sequence[Stored]) -> Mapping[str, _Checked]:
    """Apply the events that a copy will probably add to their tables. Return those that a table can take, by game.

    It takes most of the time of a batch. So it comes before the transaction, in which no other call can append, and
    other calls go on between two tables.
    """
    work = LongWork()
    new: dict[str, list[Stored]] = {}
    for event in accepted:
        if not there.has(event):
            new.setdefault(pushed.games[event.stream], []).append(event)
    taken: dict[str, _Checked] = {}
    for game_id, of_table in new.items():
        if (table := there.tables.get(game_id)) is not None:
            await work.let_others()
            try:
                after = table.check([parse(event) for event in of_table])
            except Implausible:
                continue  # unless the copy finds another fault first, the check in its transaction does
            taken[game_id] = _Checked(table, of_table, after)
    return taken


async def _check_added(
    pushed: Pushed,
    there: _Present,
    checked: Mapping[str, _Checked],
    connection: AsyncConnection,
    added: Sequence[Stored],
) -> None:
    """Apply the events that a copy adds to their tables. Raises ``_Wrong`` for one that a table cannot take.

    It runs in the transaction of the copy, which knows the events that are new, and undoes it. Those that were
    ``checked`` before it are not applied again.
    """
    of_tables: dict[str, list[Stored]] = {}
    for event in added:
        of_tables.setdefault(pushed.games[event.stream], []).append(event)
    for game_id, table in there.tables.items():
        of_table = of_tables.get(game_id, [])
        for event in of_table:
            if event.version <= table.versions.get(event.stream, 0):
                raise Conflict(event.stream, event.version - 1, table.versions[event.stream])
        if game_id in checked and [each.hash for each in of_table] == [each.hash for each in checked[game_id].events]:
            continue
        try:
            table.check([parse(event) for event in of_table])
        except Implausible as implausible:
            wrong = of_table[implausible.place]
            raise _Wrong(*pushed.fork_at(wrong, implausible.problem, events.ASIDE_REASON_INVALID)) from implausible


def _guards(pushed: Pushed, there: _Present, accepted: Iterable[Stored]) -> list[Guard]:
    """Return guards on the streams that state the owner of a table."""
    games = {pushed.games[event.stream] for event in accepted} & there.tables.keys()
    tables = [there.tables[game_id] for game_id in sorted(games)]
    return [Guard(table.stream, table.versions[table.stream]) for table in tables]


def _refuse_table(game_id: str, text: str) -> Invalid:
    """Return the refusal of a batch for one of its tables."""
    return Invalid("batch", text, {"game": game_id[:128]})
