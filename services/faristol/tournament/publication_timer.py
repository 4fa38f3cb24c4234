"""The timer that publishes drafts at their announced times.

The timer has no state of its own: it reads the events that set, cancel or end a publication time, and asks the record
again when a time has come. A process that starts reads them again, so no publication is lost with a process. Several
processes may run a timer: the expected version lets one of them write.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable, Sequence
from datetime import datetime

from faristol.consumers.stopped import is_transient
from faristol.event_store import AppendCommand, Conflict, Decision, Metadata, Record, Recorded, load
from faristol.host.ruleset_store import rules_of
from faristol.kernel.event_types import types_of
from faristol.kernel.refusal import Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.command_handling.outcome import write_of
from faristol.tournament.rounds.drafts import publish
from faristol.tournament.situation import Situation
from faristol.tournament.state import TournamentState, evolve, stream

PUBLICATION_POLL_SECONDS = 1.0
"""Poll interval without publication times, in seconds."""
PUBLICATION_READ_DELAY_SECONDS = 0.05
"""Delay after a notification before events are read, in seconds."""
PUBLICATION_RETRY_SECONDS = 15.0
"""Retry interval of a publication that is refused, in seconds."""
PUBLICATION_BATCH_EVENTS = 1_000
"""Events per read."""

SCHEDULING_TYPES = types_of((events.PublicationScheduled,))
"""Events that set the time of a publication."""

ACTOR = "pairing.timer"

_COMMAND_NAMESPACE = uuid.UUID("6d1f3a4e-0e0e-4c53-8a51-2f2f1d6f8a77")
_log = logging.getLogger(__name__)


class PublicationTimer:
    """The writer of publications that are due."""

    def __init__(self, record: Record, now: Callable[[], datetime]) -> None:
        self._record = record
        self._now = now
        self._position = 0
        self._checks: dict[str, float] = {}
        """Time of the next check of each tournament with a publication time, in loop time."""
        self._refused: dict[str, str] = {}
        """The reason of the last refusal, by tournament; it is logged once."""

    async def run(self) -> None:
        """Publish drafts until cancelled. Retries while the database is unavailable."""
        begun = False
        while True:
            wait = PUBLICATION_POLL_SECONDS
            try:
                await (self._read() if begun else self._begin())
                begun = True
                wait = await self._look()
            except Exception as problem:
                if not is_transient(problem):
                    raise
                _log.warning("the publication of drafts is delayed: %r", problem)
            await self._record.news.wait(max(0.001, wait), self._position)
            await asyncio.sleep(min(PUBLICATION_READ_DELAY_SECONDS, wait))

    async def _begin(self) -> None:
        """Find the tournaments in which a time was ever set, by reading only those events."""
        here, position = await self._record.last_position(), 0
        while found := await self._record.read(
            position, limit=PUBLICATION_BATCH_EVENTS, types=SCHEDULING_TYPES, up_to=here
        ):
            self._take(found)
            position = found[-1].position
        self._position = here

    async def _read(self) -> None:
        """Find the tournaments in which a time was set since the last read."""
        more = True
        while more:
            found = await self._record.recent.after(
                self._position, limit=PUBLICATION_BATCH_EVENTS, age=PUBLICATION_READ_DELAY_SECONDS
            )
            self._take([event for event in found if event.type in SCHEDULING_TYPES])
            self._position = found[-1].position if found else self._position
            more = len(found) == PUBLICATION_BATCH_EVENTS

    def _take(self, scheduled: Sequence[Recorded]) -> None:
        now = asyncio.get_running_loop().time()
        self._checks |= {event.tournament: now for event in scheduled}

    async def _look(self) -> float:
        """Check the tournaments that are due; return the seconds until the next check, at most the poll interval."""
        loop = asyncio.get_running_loop()
        for tournament_id in [each for each, at in self._checks.items() if at <= loop.time()]:
            wait = await self.publish_if_due(tournament_id)
            if wait is None:
                del self._checks[tournament_id]
                self._refused.pop(tournament_id, None)
            else:
                self._checks[tournament_id] = loop.time() + wait
        left = min(self._checks.values(), default=loop.time() + PUBLICATION_POLL_SECONDS) - loop.time()
        return max(0.0, min(PUBLICATION_POLL_SECONDS, left))

    async def publish_if_due(self, tournament_id: str) -> float | None:
        """Publish the draft of a tournament if it is due. Return the seconds until its next check, None for none."""
        loaded = await load(self._record, stream(tournament_id), TournamentState(), evolve)
        state, now = loaded.state, self._now()
        draft = state.draft
        if draft is None or draft.publish_at is None or state.over or state.removed:
            return None
        if draft.publish_at > now:
            return min((draft.publish_at - now).total_seconds(), PUBLICATION_RETRY_SECONDS)
        request = pb.PublishRoundRequest(tournament_id=tournament_id, round=draft.number)
        try:
            situation = Situation(state, now=now, rules=await rules_of(self._record, state.ruleset))
            new_events = publish(situation, request)
        except Refusal as refusal:
            reason = f"round {draft.number}: {refusal}"
            if self._refused.get(tournament_id) != reason:
                _log.warning("the draft of %s is due and cannot be published: %s", tournament_id, reason)
            self._refused[tournament_id] = reason
            return PUBLICATION_RETRY_SECONDS
        command_id = str(uuid.uuid5(_COMMAND_NAMESPACE, f"{tournament_id}:{loaded.version}"))
        try:
            await self._record.append(
                Decision([write_of(loaded, new_events)]),
                Metadata(actor=ACTOR, role="service"),
                command=AppendCommand(command_id, lambda _: b""),
            )
        except Conflict:
            return PUBLICATION_READ_DELAY_SECONDS
        return None
