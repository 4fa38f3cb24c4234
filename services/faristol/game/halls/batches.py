"""A batch of a hall: its signature, its form, the tables of its streams, and the events that no table can have.

A fault that no honest hall has, such as a wrong signature or the table of another hall, refuses the batch as a whole. A
fault of one event concerns the table of that event only (``Fork``): the events of other tables go on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass

from google.protobuf.message import DecodeError, Message

from faristol.event_store import Record, UnreadableEvent
from faristol.event_store.append.copies import Batch, InvalidCopy, check_batch
from faristol.event_store.append.decision import MAX_DECISION_EVENTS
from faristol.event_store.long_work import LongWork
from faristol.event_store.stored import Stored
from faristol.event_store.upcasters import message_class, upcasters
from faristol.game.halls.model import Halls
from faristol.game.halls.rulings import CASE_KINDS, RULINGS
from faristol.host.duplicate_store import SLIPS
from faristol.host.halls import wire
from faristol.host.halls.identity import CASE
from faristol.host.halls.kept import kept_stream, part_id
from faristol.host.table_store import CLOCK, GAME, game_of
from faristol.kernel.errors import Invalid
from faristol.kernel.event_types import occurred_at, on_streams, types_of
from faristol.kernel.refusal import N_
from faristol.kernel.times import Instant, instant
from faristol.pb.game.v1 import duplicate_events_pb2 as duplicate_events
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.hall.v1 import events_pb2 as events
from faristol.pb.hall.v1 import hall_pb2 as pb
from faristol.pb.lexicon.v1 import events_pb2 as lexicon_events

CLOCK_TOLERANCE_NS = 2 * 60 * 60 * 1_000_000_000
"""Difference between the clocks of a hall and of the championship with which events are accepted, in nanoseconds."""

KINDS: Mapping[str, Collection[type[Message]]] = {
    GAME: on_streams("game")
    - {game_events.GameOpened, game_events.TableHandedOver, game_events.TableTakenBack, game_events.DrawsCommitted},
    CLOCK: on_streams("clock"),
    CASE: frozenset(CASE_KINDS),
    SLIPS: on_streams("slips")
    - {duplicate_events.HallSeated, duplicate_events.SlipsHandedOver, duplicate_events.SlipsTakenBack},
}
"""The events that a hall may append, by the prefix of their streams. Judges are at the championship, so a hall appends
only rulings of the lexicon to cases."""

RULING_TYPES = types_of((*RULINGS, *CASE_KINDS))
"""Events on which challenges depend."""

MAX_INSTANT = 2**63 - 1
"""Later than each time."""

RETURNED_TYPES = types_of([game_events.TableReturned])

OF_NO_GAME = ""
"""Stands for the game of the stream of the commands that a hall keeps: they are taken even if their tables are lost."""


@dataclass(frozen=True, slots=True)
class Fork:
    """Why events of a table are kept aside, from one of the batch on."""

    reason: events.AsideReason.ValueType
    begin: int = 0
    """Index in the batch of the first event of the table that is kept aside."""
    stream: str = ""
    """Stream of the event because of which they are; empty if all events of the table are."""
    version: int = 0
    problem: str = ""
    """What is wrong with that event, for programmers, in English."""


Forks = MutableMapping[str, Fork]
"""Forks by game."""


@dataclass(frozen=True, slots=True)
class Pushed:
    """A batch after the checks that need no table."""

    key: bytes
    """The key that signed it."""
    request: pb.PushEventsRequest
    batch: Batch
    epochs: Mapping[str, int]
    games: Mapping[str, str]
    """Game by stream."""
    unknown: Mapping[str, Stored]
    """Games with an event that this version of the program does not know, and the first of these events."""

    def of(self, game_id: str, fork: Fork | None = None) -> list[Stored]:
        """Return the events of a table; with a fork, those that are kept aside."""
        begin = fork.begin if fork else 0
        return [event for event in self.batch.events[begin:] if self.games[event.stream] == game_id]

    def without(self, forks: Mapping[str, Fork]) -> list[Stored]:
        """Return the events that are not kept aside."""
        return [event for place, event in enumerate(self.batch.events) if not self._is_aside(place, event, forks)]

    def part(self, events: Sequence[Stored]) -> Batch:
        """Return some of the events as a batch, with what is beside them."""
        return wire.part_of(self.batch, events)

    def fork_at(self, wrong: Stored, problem: str, reason: events.AsideReason.ValueType) -> tuple[str, Fork]:
        """Return the game of an event, and the fork that begins with the events of its command."""
        every, game_id = self.batch.events, self.games[wrong.stream]
        begin = next(
            place for place, event in enumerate(every) if (event.stream, event.version) == (wrong.stream, wrong.version)
        )
        while wrong.command_id and begin and every[begin - 1].command_id == wrong.command_id:
            begin -= 1
        return game_id, Fork(reason, begin, wrong.stream[:128], wrong.version, problem)

    def kept_commands(self) -> set[str]:
        """Return the ids of the commands that the hall keeps, which may have been sent to the championship too."""
        return {event.command_id for event in self.of(OF_NO_GAME)}

    def list_rulings(self) -> Mapping[str, list[Message]]:
        """Return the events of cases and the rulings of the batch, by game."""
        found: dict[str, list[Message]] = {}
        for event in self.batch.events:
            if event.type in RULING_TYPES and not find_problem(event, self.request.tournament_id, MAX_INSTANT):
                found.setdefault(self.games[event.stream], []).append(parse(event))
        return found

    def _is_aside(self, place: int, event: Stored, forks: Mapping[str, Fork]) -> bool:
        fork = forks.get(self.games[event.stream])
        return fork is not None and place >= fork.begin


def add_fork(forks: Forks, game_id: str, fork: Fork) -> None:
    """Add a fork, unless the table has one that begins earlier."""
    known = forks.get(game_id)
    if known is None or fork.begin < known.begin:
        forks[game_id] = fork


async def read_batch(
    record: Record, request: pb.PushEventsRequest, halls: Halls, now: Instant
) -> tuple[Pushed, dict[str, Fork]]:
    """Read a batch, and return it with the tables of which it has impossible events.

    Raises ``Invalid`` for a batch that no honest hall sends.
    """
    if len(request.batch) > wire.MAX_BATCH_BYTES:
        raise Invalid("batch", N_("expected at most {most} bytes"), {"most": wire.MAX_BATCH_BYTES})
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
    if len(message.events) > MAX_DECISION_EVENTS:
        raise Invalid("batch", N_("expected at most {most} events"), {"most": MAX_DECISION_EVENTS})
    work = LongWork()
    batch = wire.to_batch(message.events, message.answers)
    await work.let_others()
    games = await _find_games(record, batch.events, kept_stream(request.tournament_id, key), halls)
    unknown: dict[str, Stored] = {}
    for event in batch.events:
        if is_unknown(event):
            unknown.setdefault(games[event.stream], event)
    epochs = {each.game_id: each.epoch for each in message.epochs}
    pushed = Pushed(key, request, batch, epochs, games, unknown)
    forks: dict[str, Fork] = {}
    await work.let_others()
    _find_malformed(pushed, forks)
    await work.let_others()
    _find_impossible(pushed, now + CLOCK_TOLERANCE_NS, forks)
    await work.let_others()
    return pushed, forks


def _find_malformed(pushed: Pushed, forks: Forks) -> None:
    """Add the tables with malformed events, or with incomplete commands."""
    while True:
        try:
            check_batch(pushed.part(pushed.without(forks)))
        except InvalidCopy as invalid:
            add_fork(forks, *pushed.fork_at(invalid.event, invalid.reason, events.ASIDE_REASON_INVALID))
        else:
            return


def _find_impossible(pushed: Pushed, latest: Instant, forks: Forks) -> None:
    """Add the tables with events of another kind, after the return of the table, or in the future."""
    returned: set[str] = set()
    for event in pushed.without(forks):
        game_id = pushed.games[event.stream]
        if game_id == OF_NO_GAME:
            problem = _find_kept_problem(event, pushed.request)
        elif game_id in returned:
            problem = "it comes after the return of the table"
        else:
            problem = find_problem(event, pushed.request.tournament_id, latest)
        if problem:
            add_fork(forks, *pushed.fork_at(event, problem, events.ASIDE_REASON_INVALID))
        if event.type in RETURNED_TYPES:
            returned.add(game_id)


def find_problem(event: Stored, tournament_id: str, latest: Instant) -> str:
    """Return why a hall cannot have written an event of a table by a time; empty if it can, or if it is unknown."""
    if event.tournament != tournament_id:
        return "it belongs to a different tournament"
    if is_unknown(event):
        return ""  # the hall sends it again until this version of the program knows it
    try:
        message = parse(event)
    except UnreadableEvent as error:
        return str(error)
    kinds = next((kinds for prefix, kinds in KINDS.items() if event.stream.startswith(prefix)), ())
    if type(message) not in kinds or (isinstance(message, CASE_KINDS) and event.stream != f"{CASE}{message.case_id}"):
        return f"{event.type} is not an event of a table in play"
    return "its time is in the future" if max(event.recorded_at * 1_000, time_of(event)) > latest else ""


def _find_kept_problem(event: Stored, request: pb.PushEventsRequest) -> str:
    """Return why an event is not a command that the hall keeps; empty if it is, or if it is unknown."""
    if is_unknown(event):
        return ""
    try:
        message = parse(event)
    except UnreadableEvent as error:
        return str(error)
    if not isinstance(message, events.HallCommandKept) or event.tournament != request.tournament_id:
        return f"{event.type} is not a command that this hall keeps"
    try:
        own = {event.command_id, part_id(event.command_id, message.game_id)}
    except ValueError:
        return "the id of its command is no UUID"
    is_own = message.hall == request.hall and message.command_id in own
    return "" if is_own else "it is a command of another hall, or has another id"


async def _find_games(record: Record, every: Iterable[Stored], own: str, halls: Halls) -> dict[str, str]:
    """Return the games of the streams. Raises ``Invalid`` for a stream that is not one of a table."""
    games: dict[str, str] = {}
    for event in every:
        if event.stream in games:
            continue
        if event.stream == own:
            games[own] = OF_NO_GAME
        elif event.stream.startswith((GAME, CLOCK)):
            games[event.stream] = game_of(event.stream)
        elif event.stream.startswith(SLIPS):
            games[event.stream] = event.stream.removeprefix(SLIPS)
        elif event.stream.startswith(CASE):
            games[event.stream] = halls.game_of_case(event.stream) or await _find_game_of_case(record, event)
        else:
            raise _refuse_stream(event)
    return games


async def _find_game_of_case(record: Record, event: Stored) -> str:
    """Return the game of the first event of a case in a batch. Raises ``Invalid`` for one that opens no case."""
    first: Message | None = None
    try:
        first = parse(event) if event.version == 1 else await record.first_event(event.stream)
    except UnreadableEvent as error:
        raise _refuse_stream(event) from error
    if not isinstance(first, lexicon_events.CaseOpened):
        raise _refuse_stream(event)
    return first.game_id


def _refuse_stream(event: Stored) -> Invalid:
    params: dict[str, str | int] = {"stream": event.stream[:128], "version": event.version}
    return Invalid("batch", N_("event {version} of {stream} is not in the stream of a table"), params)


def is_unknown(event: Stored) -> bool:
    """Check whether an event is of a type or a version that a later version of the program has added."""
    try:
        message_class(event.type)
    except UnreadableEvent:
        return True
    return event.schema_version > upcasters.version(event.type)


def time_of(event: Stored) -> Instant:
    """Return the time at which an event happened; 0 if it states none. Raises ``UnreadableEvent``."""
    happened = occurred_at(parse(event))
    return 0 if happened is None else instant(happened)


def parse(event: Stored) -> Message:
    """Return the message of an event. Raises ``UnreadableEvent`` for an unknown type or malformed bytes."""
    return upcasters.message(event.type, event.schema_version, event.payload)
