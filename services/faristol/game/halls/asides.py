"""Events of halls that are kept aside: their storage, with a limit, and their description for an arbiter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from opentelemetry import metrics

from faristol.event_store import Conflict, Decision, Metadata, Record, Write, load
from faristol.event_store.stored import Stored, of_recorded
from faristol.game.halls.batches import OF_NO_GAME, Fork, Pushed
from faristol.game.halls.model import AsideEvents, Halls, evolve, halls_stream
from faristol.host.duplicate_store import SLIPS
from faristol.host.halls import wire
from faristol.host.halls.identity import CASE
from faristol.host.halls.kept import kept_stream
from faristol.host.table_store import CLOCK, GAME, clock_stream, game_of, game_stream
from faristol.kernel.likeness import like
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import to_timestamp
from faristol.pb.hall.v1 import events_pb2 as events
from faristol.pb.hall.v1 import hall_pb2 as pb

MAX_ASIDE_EVENTS = 20_000
"""Events of a hall that are kept aside without a verdict: more than a round of 100 tables has."""
MAX_ASIDE_BYTES = 32 * 1024 * 1024
"""Bytes of the batches that have them."""
ASIDE_FULL = "ASIDE_FULL"
"""Reason of the refusal of further ones."""

MAX_LISTED_EVENTS = 5_000
"""Events in one list of all that were kept aside, on each side: later entries have their number only."""
MAX_COMMAND_EVENTS = 64
"""Events before the end of a command in which its own are searched."""

_events = metrics.get_meter("faristol.game").create_counter(
    "faristol.hall.aside", unit="{event}", description="events of halls that were kept aside, or refused as too many"
)


class Asides:
    """The events of halls that are kept aside in a record."""

    def __init__(self, record: Record, now: Callable[[], datetime]) -> None:
        self._record = record
        self._now = now

    async def keep(self, pushed: Pushed, forks: Mapping[str, Fork]) -> int:
        """Store the batch for each of these tables with an event that is not kept yet; return the position.

        Raises ``Refusal`` if the hall has too many such events without a verdict.
        """
        request = pushed.request
        stream = halls_stream(request.tournament_id)
        while True:
            loaded = await load(self._record, stream, Halls(), evolve)
            new = self._build(pushed, forks, loaded.state)
            if not new:
                return 0
            count = sum(event.events for event in new)
            had, had_bytes = loaded.state.measure_undecided(pushed.key)
            if had + count > MAX_ASIDE_EVENTS or had_bytes + len(request.batch) > MAX_ASIDE_BYTES:
                _events.add(count, {"outcome": "refused"})
                raise Refusal(
                    ASIDE_FULL,
                    N_(
                        "The championship keeps {count} events of the hall {hall} aside, and accepts no more: an "
                        "arbiter must decide on them first."
                    ),
                    {"count": had, "hall": request.hall},
                )
            try:
                written = Write(stream, loaded.version, new, request.tournament_id)
                appended = await self._record.append(Decision([written]), Metadata())
            except Conflict:
                continue
            _events.add(count, {"outcome": "kept"})
            return appended.position

    def _build(self, pushed: Pushed, forks: Mapping[str, Fork], halls: Halls) -> list[events.EventsKeptAside]:
        """Return the events to write; the first one has the bytes of the batch."""
        request, number = pushed.request, len(halls.aside) + 1
        new: list[events.EventsKeptAside] = []
        for game_id, fork in sorted(forks.items()):
            late = pushed.of(game_id, fork)
            if {(event.event_id, event.hash) for event in late} <= halls.kept_events(game_id):
                continue
            kept = events.EventsKeptAside(
                number=number + len(new),
                hall=request.hall,
                game_id=game_id,
                epoch=pushed.epochs.get(game_id, 0),
                reason=fork.reason,
                signature=request.signature,
                key=pushed.key,
                events=len(late),
                occurred_at=to_timestamp(self._now()),
                stream=fork.stream,
                version=fork.version,
                problem=fork.problem,
            )
            if new:
                kept.same_as = number
            else:
                kept.batch = request.batch
            new.append(kept)
        return new

    async def describe_all(self, tournament_id: str) -> list[pb.KeptAside]:
        """Describe all events that were kept aside in a tournament, each beside what the championship has."""
        halls = (await load(self._record, halls_stream(tournament_id), Halls(), evolve)).state
        described: list[pb.KeptAside] = []
        left, left_here = MAX_LISTED_EVENTS, MAX_LISTED_EVENTS
        for kept in halls.aside.values():
            sent = late_events(halls, kept, tournament_id)
            here = await self._read_here(kept.event, sent) if left_here else []
            event = kept.event
            described.append(
                like(
                    pb.KeptAside,
                    event,
                    events=sent[:left],
                    here=[wire.to_event(each) for each in here[:left_here]],
                    kept_at=event.occurred_at,
                    verdict=kept.verdict,
                    count=event.events,
                )
            )
            left, left_here = max(0, left - len(sent)), max(0, left_here - len(here))
        return described

    async def _read_here(self, kept: events.EventsKeptAside, sent: Sequence[pb.HallEvent]) -> list[Stored]:
        """Return what the championship has: the table at the versions of these events, or their command."""
        if kept.reason == events.ASIDE_REASON_COMMAND_KNOWN:
            wrong = next((each for each in sent if (each.stream, each.version) == (kept.stream, kept.version)), None)
            return await self._read_command(wire.to_batch([wrong], ()).events[0].command_id) if wrong else []
        first = {each.stream: each.version for each in reversed(sent)}
        return [
            of_recorded(found)
            for stream in (game_stream(kept.game_id), clock_stream(kept.game_id), f"{SLIPS}{kept.game_id}")
            if stream in first
            for found in await self._record.read_stream(stream, max(0, first[stream] - 1))
        ]

    async def _read_command(self, command_id: str) -> list[Stored]:
        """Return the last events of a command that the championship executed."""
        answer = await self._record.find_answer(command_id)
        if answer is None:
            return []
        before = max(0, answer.position - MAX_COMMAND_EVENTS)
        found = await self._record.read(before, limit=MAX_COMMAND_EVENTS, up_to=answer.position)
        return [of_recorded(event) for event in found if event.metadata.command_id == command_id]


def late_events(halls: Halls, kept: AsideEvents, tournament_id: str) -> list[pb.HallEvent]:
    """Return the events of a table that were kept aside under one number, in the order of the hall."""
    own, game_id = kept_stream(tournament_id, kept.event.key), kept.event.game_id

    def is_of_table(stream: str) -> bool:
        if game_id == OF_NO_GAME:
            return stream == own
        if stream.startswith((GAME, CLOCK)):
            return game_of(stream) == game_id
        if stream.startswith(SLIPS):
            return stream == f"{SLIPS}{game_id}"
        return stream.startswith(CASE) and halls.game_of_case(stream) == game_id

    sent = [event for event in pb.HallBatch.FromString(kept.batch).events if is_of_table(event.stream)]
    return sent[-kept.event.events :]
