"""The timer that publishes drafts at their announced times. It asks the record again when a time has come."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from faristol.consumers.due_timer import MINUTES_TIMER_READ_DELAY_SECONDS, TIMER_READ_DELAY_SECONDS, DueTimer
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

PUBLICATION_RETRY_SECONDS = 15.0
"""Retry interval of a publication that is refused, in seconds."""

SCHEDULING_TYPES = types_of((events.PublicationScheduled,))
"""Events that set the time of a publication."""

ACTOR = "pairing.timer"

_COMMAND_NAMESPACE = uuid.UUID("6d1f3a4e-0e0e-4c53-8a51-2f2f1d6f8a77")
_log = logging.getLogger(__name__)


class PublicationTimer(DueTimer):
    """The writer of publications that are due."""

    start_types = SCHEDULING_TYPES
    work = "the publication of drafts"
    read_delay_seconds = MINUTES_TIMER_READ_DELAY_SECONDS

    def __init__(self, record: Record, now: Callable[[], datetime]) -> None:
        super().__init__(record)
        self._now = now
        self._refused: dict[str, str] = {}
        """The reason of the last refusal, by tournament; it is logged once."""

    def keys_of(self, found: Sequence[Recorded]) -> Iterable[str]:
        """Return the tournaments in which a time was set."""
        return (event.tournament for event in found if event.type in SCHEDULING_TYPES)

    async def check(self, key: str) -> float | None:
        """Publish a due draft, and forget its last refusal if no further check is needed."""
        wait = await self.publish_if_due(key)
        if wait is None:
            self._refused.pop(key, None)
        return wait

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
            return TIMER_READ_DELAY_SECONDS
        return None
