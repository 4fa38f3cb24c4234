"""Consumers of the record, for the public: as JSON and as a page.

Details of a parked event and its game are not public during play. ``faristol projection list`` shows them to the
operator.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated

from pydantic import Field

from faristol.gateway.api.answers import Answer, Read, Shown, moment, word_of
from faristol.kernel.refusal import N_
from faristol.pb.results.v1 import results_pb2 as pb

Kind = Annotated[str, word_of(pb.ConsumerKind)]
State = Annotated[str, word_of(pb.ConsumerState)]
RecordState = Annotated[str, word_of(pb.RecordState)]

KIND_LABELS: Mapping[Kind, str] = {
    "relay": N_("outbox relay to the event bus"),
    "reaction": N_("reaction"),
    "projection": N_("projection"),
    "sealer": N_("seals the record"),
    "witness": N_("stores seals externally"),
}
STATE_LABELS: Mapping[State, str] = {
    "live": N_("up to date"),
    "stopped": N_("has stopped"),
    "older": N_("replaced by a newer generation"),
    "building": N_("being built"),
    "left_over": N_("left over from a rebuild"),
    "waiting": N_("waits"),
}


class Parked(Shown):
    """Game or tournament with an event that a consumer cannot process: its later events wait, others go on."""

    tournament_id: str
    since: datetime
    position: int = Field(description="Position of the failed event.")
    attempts: int = Field(description="Number of attempts; the event is retried automatically, in order.")


class Consumer(Shown):
    """Consumer of the record."""

    name: str = Field(examples=["results@5"])
    kind: Kind
    state: State
    position: int = Field(description="Position up to which all events are processed.")
    lag: int = Field(description="Number of events not yet processed.")
    generation: int = Field(description="Generation of a projection's tables, from 1; 0 for the others.")
    stopped_since: Annotated[
        datetime | None,
        Read(lambda consumer: moment(consumer.stopped.since) if consumer.HasField("stopped") else None),
    ] = Field(description="Time at which the consumer stopped; null while it runs.")
    parked_count: int = Field(description="Number of games or tournaments that are parked after a failed event.")
    parked: list[Parked] = Field(description="Parked streams, oldest first; at most 100.")


class WebhookNumbers(Shown):
    """Counts over all webhooks."""

    webhooks: int
    failing: int = Field(description="Webhooks whose last message failed; it is retried automatically.")
    stopped: int = Field(description="Webhooks that are stopped until an operator resumes them.")
    dead_letters: int = Field(description="Messages that a receiver refused and that were skipped.")


class Status(Answer):
    """Status of all consumers of the record."""

    consumers: list[Consumer]
    record: RecordState = Field(
        description="Whether the record accepts events: yes, no because its disk is full, or no for another reason."
    )
    webhooks: WebhookNumbers
