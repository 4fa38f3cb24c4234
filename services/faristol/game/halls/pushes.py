"""The events that a hall sends: their checks, their copy into the record, and those that are kept aside.

Problem. A hall decides for hours without the championship, on a machine that can be stolen. Its events arrive late,
repeatedly, or after its tables were taken back. The holder of its laptop can send any bytes.

Idea. The check of a batch needs only the record: the signature of the hall, the owner and epoch in each game's stream,
the versions and hashes of what is there. A batch that no honest hall sends is refused as a whole. What an honest hall
sends too late is stored with its signature, for an arbiter.

Invariants:

- A hall adds events only to tables that it has, in the epoch in which it has them, and only of the kinds that a table
  has. It opens no table, and hands none over.
- Ownership is guarded in the append: a table that is taken back at the same time gets no further event of the hall.
- The state of each table takes its new events, and they name its players only (``plausibility``).
- No event that a hall signed is lost: it is in its stream, or it is kept aside.
- Times lie between the hand-over and now, with a tolerance of ``CLOCK_TOLERANCE_NS`` for wrong clocks.

Rejected: to execute the commands of a hall again. Rules would be applied a second time, to other times, and the record
would not have the events that players saw.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from google.protobuf.message import DecodeError, Message
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store import Conflict, Decision, Guard, Metadata, Record, UnreadableEvent, Write, load
from faristol.event_store.append.copies import Batch, Divergence, InvalidCopy, check_batch
from faristol.event_store.event import microseconds
from faristol.event_store.stored import Stored
from faristol.event_store.upcasters import upcasters
from faristol.game.duplicate_game.lexicons import Lexicons
from faristol.game.halls.model import Halls, evolve, halls_stream
from faristol.game.halls.plausibility import Implausible
from faristol.game.halls.pushables import Pushable, load_pushables
from faristol.game.halls.tables import load_tournament
from faristol.host.duplicate_store import SLIPS
from faristol.host.halls import wire
from faristol.host.halls.identity import CASE
from faristol.host.halls.kept import kept_stream, part_id
from faristol.host.table_store import CLOCK, GAME, game_of
from faristol.kernel.errors import Invalid
from faristol.kernel.event_types import occurred_at, on_streams, types_of
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import Instant, instant, to_timestamp
from faristol.pb.game.v1 import duplicate_events_pb2 as duplicate_events
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.hall.v1 import events_pb2 as events
from faristol.pb.hall.v1 import hall_pb2 as pb
from faristol.pb.lexicon.v1 import events_pb2 as lexicon_events

MAX_BATCH_BYTES = 512 * 1024
"""Bytes of a batch: kept aside, it is one event."""

MAX_PUSH_ATTEMPTS = 16
"""Attempts at a copy while the record moves."""

CLOCK_TOLERANCE_NS = 2 * 60 * 60 * 1_000_000_000
"""Difference between the clocks of a hall and of the championship with which events are accepted, in nanoseconds."""

KINDS: Mapping[str, Collection[type[Message]]] = {
    GAME: on_streams("game")
    - {game_events.GameOpened, game_events.TableHandedOver, game_events.TableTakenBack, game_events.DrawsCommitted},
    CLOCK: on_streams("clock"),
    CASE: on_streams("case"),
    SLIPS: on_streams("slips")
    - {duplicate_events.HallSeated, duplicate_events.SlipsHandedOver, duplicate_events.SlipsTakenBack},
}
"""The events that a hall may append, by the prefix of their streams."""

RETURNED_TYPES = types_of([game_events.TableReturned])

OF_NO_GAME = ""
"""Stands for the game of the stream of the commands that a hall keeps: they are taken even if their tables are lost."""

_UNREADABLE = N_("event {version} of {stream} cannot be copied: {problem}")


@dataclass(frozen=True, slots=True)
class _Pushed:
    """A batch after the checks that need no table."""

    key: bytes
    """The key that signed it."""
    request: pb.PushEventsRequest
    batch: Batch
    epochs: Mapping[str, int]
    games: Mapping[str, str]
    """Game by stream."""

    def of(self, game_id: str) -> list[Stored]:
        """Return the events of a table."""
        return [event for event in self.batch.events if self.games[event.stream] == game_id]


@dataclass(frozen=True, slots=True)
class _Fork:
    """The reason why events of a table are kept aside, and where its stream differs."""

    reason: events.AsideReason.ValueType
    stream: str = ""
    version: int = 0


class Pushes:
    """Takes batches of hall cells."""

    def __init__(self, record: Record, lexicons: Lexicons, now: Callable[[], datetime]) -> None:
        """``lexicons`` are those with which the scores of duplicate games are computed again."""
        self._record = record
        self._lexicons = lexicons
        self._now = now
        self._turn = asyncio.Semaphore(1)
        """Held by one batch at a time: if many halls come back at once, other calls wait for one batch at most."""

    async def take(self, request: pb.PushEventsRequest) -> pb.PushEventsResponse:
        """Copy the events of a batch, and keep aside those of tables that the hall no longer has.

        Raises ``Invalid`` for a batch that no honest hall sends, and ``Refusal`` if events before it are missing.
        """
        async with self._turn:
            return await self._take(request)

    async def _take(self, request: pb.PushEventsRequest) -> pb.PushEventsResponse:
        halls = (await load(self._record, halls_stream(request.tournament_id), Halls(), evolve)).state
        pushed = await self._read(request, halls)
        players = (await load_tournament(self._record, request.tournament_id)).players
        aside: dict[str, _Fork] = {}
        for _ in range(MAX_PUSH_ATTEMPTS):
            tables = await self._load_tables(pushed, players)
            forks = aside | self._find_forks(pushed, tables, halls)
            accepted = [event for event in pushed.batch.events if pushed.games[event.stream] not in forks]
            try:
                check = partial(_check_added, pushed, tables)
                copied = await self._record.copy(_part(pushed.batch, accepted), _guards(tables, forks), check)
            except Divergence as divergence:
                game_id = pushed.games[divergence.stream]
                if game_id == OF_NO_GAME:
                    raise _refuse_copy(divergence.stream, divergence.version, str(divergence)) from divergence
                reason = self._find_loss(pushed, game_id, tables[game_id], halls) or events.ASIDE_REASON_DIVERGENCE
                aside[game_id] = _Fork(reason, divergence.stream, divergence.version)
                continue
            except InvalidCopy as invalid:
                raise _refuse_copy(invalid.stream, invalid.version, invalid.reason) from invalid
            except Conflict as conflict:
                await self._check_gaps(accepted, conflict)
                continue
            kept = await self._keep_aside(pushed, tables, forks)
            versions = await self._versions(accepted)
            return pb.PushEventsResponse(
                position=max(copied.position, kept),
                versions=[pb.StreamVersion(stream=name, version=at) for name, at in sorted(versions.items())],
                aside=[
                    pb.AsideTable(game_id=game_id, reason=fork.reason, stream=fork.stream, version=fork.version)
                    for game_id, fork in sorted(forks.items())
                ],
            )
        raise Refusal("RECORD_BUSY", "", N_("The tables change too fast at the moment: send the events again."))

    async def _read(self, request: pb.PushEventsRequest, halls: Halls) -> _Pushed:
        """Check what needs no table: size, signature, form, kinds of events, and times. Raises ``Invalid``."""
        if len(request.batch) > MAX_BATCH_BYTES:
            raise Invalid("batch", N_("expected at most {most} bytes"), {"most": MAX_BATCH_BYTES})
        keys = halls.keys.get(request.hall, ())
        key = next((key for key in keys if wire.is_signed(key, request.batch, request.signature)), None)
        if key is None:
            raise Invalid("signature", N_("is not that of a cell that joined for this hall"))
        message = pb.HallBatch()
        try:
            message.ParseFromString(request.batch)
        except DecodeError as error:
            raise Invalid("batch", N_("cannot be read")) from error
        if (message.tournament_id, message.hall) != (request.tournament_id, request.hall) or not message.events:
            raise Invalid("batch", N_("expected events of this tournament and hall"))
        try:
            batch = check_batch(wire.to_batch(message.events, message.answers))
        except InvalidCopy as invalid:
            raise _refuse_copy(invalid.stream, invalid.version, invalid.reason) from invalid
        latest = microseconds(self._now()) * 1_000 + CLOCK_TOLERANCE_NS
        games: dict[str, str] = {}
        returned: set[str] = set()
        own = kept_stream(request.tournament_id, key)
        for event in batch.events:
            if event.stream == own:
                games[own] = OF_NO_GAME
            game_id = games[event.stream] = await self._game_of(event, games)
            if game_id in returned:
                raise _refuse(event, N_("event {version} of {stream} comes after the return of the table"))
            if event.type in RETURNED_TYPES:
                returned.add(game_id)
            happened = _read_kind(event, request, is_kept=event.stream == own)
            if max(event.recorded_at * 1_000, happened) > latest:
                raise _refuse(event, N_("event {version} of {stream} has a time in the future"))
        return _Pushed(key, request, batch, {each.game_id: each.epoch for each in message.epochs}, games)

    async def _game_of(self, event: Stored, known: Mapping[str, str]) -> str:
        """Return the game of the stream of an event. Raises ``Invalid`` for a stream that is not one of a table."""
        if event.stream in known:
            return known[event.stream]
        if event.stream.startswith((GAME, CLOCK)):
            return game_of(event.stream)
        if event.stream.startswith(SLIPS):
            return event.stream.removeprefix(SLIPS)
        first: Message | None = None
        if event.stream.startswith(CASE):
            first = _parse(event) if event.version == 1 else await self._record.first_event(event.stream)
        if not isinstance(first, lexicon_events.CaseOpened):
            raise _refuse(event, N_("event {version} of {stream} is not in the stream of a table"))
        return first.game_id

    async def _load_tables(self, pushed: _Pushed, players: Collection[str]) -> Mapping[str, Pushable]:
        """Load the tables of a batch. Raises ``Invalid`` for one that is not in the hall, or for times before it."""
        names = set(pushed.games.values()) - {OF_NO_GAME}
        at = microseconds(self._now()) * 1_000
        tables = await load_pushables(self._record, self._lexicons, names, players, at)
        for game_id in sorted(names):
            table = tables.get(game_id)
            if table is None or table.hall != pushed.request.hall:
                raise _refuse_table(game_id, N_("the table of {game} is not in this hall"))
            if table.tournament_id != pushed.request.tournament_id or not table.handed_at:
                raise _refuse_table(game_id, N_("the table of {game} was not handed over to this hall"))
            earliest = table.handed_at - CLOCK_TOLERANCE_NS
            for event in pushed.of(game_id):
                if min(event.recorded_at * 1_000, _time_of(event) or earliest) < earliest:
                    raise _refuse(event, N_("event {version} of {stream} has a time before the table was handed over"))
        return tables

    def _find_forks(self, pushed: _Pushed, tables: Mapping[str, Pushable], halls: Halls) -> dict[str, _Fork]:
        """Return the tables of which the hall may not add events, unless all of these are in the record already."""
        forks: dict[str, _Fork] = {}
        for game_id, table in tables.items():
            reason = self._find_loss(pushed, game_id, table, halls)
            # The copy compares events that may be there: a repeated batch is no loss.
            if reason and not all(self._is_there(event, table) for event in pushed.of(game_id)):
                forks[game_id] = _Fork(reason)
        return forks

    @staticmethod
    def _find_loss(pushed: _Pushed, game_id: str, table: Pushable, halls: Halls) -> events.AsideReason.ValueType | None:
        """Return the reason why the hall may not add events to a table; None if it may."""
        joined = halls.joined.get(pushed.request.hall)
        if table.owner_key != pushed.key or table.epoch != pushed.epochs.get(game_id, 0):
            return events.ASIDE_REASON_NOT_OWNER
        return None if joined is not None and joined.key == pushed.key else events.ASIDE_REASON_RELEASED

    @staticmethod
    def _is_there(event: Stored, table: Pushable) -> bool:
        return event.version <= table.versions.get(event.stream, 0)

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
                    "",
                    N_("The championship has {stream} up to version {here}: send the events after it first."),
                    {"stream": stream, "here": here},
                ) from conflict

    async def _versions(self, accepted: Iterable[Stored]) -> dict[str, int]:
        last = await self._record.last_events({event.stream for event in accepted})
        return {stream: event.version for stream, event in last.items()}

    async def _keep_aside(self, pushed: _Pushed, tables: Mapping[str, Pushable], forks: Mapping[str, _Fork]) -> int:
        """Store the batch for each of these tables with an event that is not kept yet; return the position."""
        request, stream = pushed.request, halls_stream(pushed.request.tournament_id)
        while True:
            loaded = await load(self._record, stream, Halls(), evolve)
            number = len(loaded.state.aside)
            new = [
                events.EventsKeptAside(
                    hall=request.hall,
                    game_id=game_id,
                    epoch=pushed.epochs.get(game_id, 0),
                    reason=fork.reason,
                    batch=request.batch,
                    signature=request.signature,
                    key=pushed.key,
                    events=len(pushed.of(game_id)),
                    occurred_at=to_timestamp(self._now()),
                )
                for game_id, fork in sorted(forks.items())
                if not {(event.event_id, event.hash) for event in pushed.of(game_id)}
                <= loaded.state.kept_events(game_id)
            ]
            if not new:
                return 0
            for place, event in enumerate(new, number + 1):
                event.number = place
            try:
                written = Write(stream, loaded.version, new, request.tournament_id)
                return (await self._record.append(Decision([written]), Metadata())).position
            except Conflict:
                continue


async def _check_added(
    pushed: _Pushed,
    tables: Mapping[str, Pushable],
    connection: AsyncConnection,
    added: Sequence[Stored],
) -> None:
    """Apply the events that a copy adds to their tables. Raises ``Invalid`` for one that a table cannot take.

    It runs in the transaction of the copy, which knows the events that are new, and undoes it.
    """
    for game_id, table in tables.items():
        of_table = [
            event for event in added if pushed.games[event.stream] == game_id and not event.stream.startswith(CASE)
        ]
        for event in of_table:
            if event.version <= table.versions[event.stream]:
                raise Conflict(event.stream, event.version - 1, table.versions[event.stream])
        try:
            table.check([_parse(event) for event in of_table])
        except Implausible as implausible:
            wrong = of_table[implausible.place]
            raise _refuse_copy(wrong.stream, wrong.version, implausible.problem) from implausible


def _read_kind(event: Stored, request: pb.PushEventsRequest, *, is_kept: bool) -> Instant:
    """Return the time of an event; 0 without one. Raises ``Invalid`` for one that a hall may not send."""
    if event.tournament != request.tournament_id:
        raise _refuse(event, N_("event {version} of {stream} belongs to a different tournament"))
    message = _parse(event)
    if is_kept:
        if not isinstance(message, events.HallCommandKept) or not _is_of_hall(message, event, request.hall):
            raise _refuse(event, N_("event {version} of {stream} is not a command that this hall keeps: {type}"))
        return _time_of(event)
    kinds = next((kinds for prefix, kinds in KINDS.items() if event.stream.startswith(prefix)), ())
    if type(message) not in kinds:
        raise _refuse(event, N_("event {version} of {stream} is not an event of a table in play: {type}"))
    return _time_of(event)


def _is_of_hall(kept: events.HallCommandKept, event: Stored, hall: str) -> bool:
    """Check whether a kept command states this hall, and the command of its event or its part of that."""
    try:
        own = {event.command_id, part_id(event.command_id, kept.game_id)}
    except ValueError:  # no UUID
        return False
    return kept.hall == hall and kept.command_id in own


def _time_of(event: Stored) -> Instant:
    """Return the time at which an event happened; 0 if it states none."""
    happened = occurred_at(_parse(event))
    return 0 if happened is None else instant(happened)


def _parse(event: Stored) -> Message:
    """Return the message of an event. Raises ``Invalid`` for an unknown type or malformed bytes."""
    try:
        return upcasters.message(event.type, event.schema_version, event.payload)
    except UnreadableEvent as error:
        raise _refuse_copy(event.stream, event.version, str(error)) from error


def _part(batch: Batch, accepted: Sequence[Stored]) -> Batch:
    commands = {event.command_id for event in accepted}
    answers = {command: answer for command, answer in batch.answers.items() if command in commands}
    return Batch(
        accepted,
        {event.event_id: batch.notes[event.event_id] for event in accepted if event.event_id in batch.notes},
        answers,
    )


def _guards(tables: Mapping[str, Pushable], forks: Collection[str]) -> list[Guard]:
    """Return guards on the games whose owner was checked."""
    return [
        Guard(table.stream, table.versions[table.stream]) for game_id, table in tables.items() if game_id not in forks
    ]


def _refuse(event: Stored, text: str) -> Invalid:
    """Return the refusal of a batch for one of its events."""
    return Invalid("batch", text, {"stream": event.stream[:128], "version": event.version, "type": event.type[:128]})


def _refuse_table(game_id: str, text: str) -> Invalid:
    """Return the refusal of a batch for one of its tables."""
    return Invalid("batch", text, {"game": game_id[:128]})


def _refuse_copy(stream: str, version: int, problem: str) -> Invalid:
    """Return the refusal of a batch for bytes that no record has. The problem is for programmers, in English."""
    return Invalid("batch", _UNREADABLE, {"stream": stream[:128], "version": version, "problem": problem})
