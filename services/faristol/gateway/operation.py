"""What follows the record, for everybody: as JSON and as a page.

What an event that cannot be taken says, and of which game it is, is not for everybody while that game runs:
``faristol projection list`` shows it to who operates the cell.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from faristol.gateway.answers import Answer, moment
from faristol.kernel.refusal import N_
from faristol.pb.results.v1 import results_pb2 as pb

Kind = Literal["relay", "reaction", "projection"]
State = Literal["live", "stopped", "older", "building", "left_over"]

KINDS: Mapping[pb.ConsumerKind.ValueType, Kind] = {
    pb.CONSUMER_KIND_RELAY: "relay",
    pb.CONSUMER_KIND_REACTION: "reaction",
    pb.CONSUMER_KIND_PROJECTION: "projection",
}
STATES: Mapping[pb.ConsumerState.ValueType, State] = {
    pb.CONSUMER_STATE_LIVE: "live",
    pb.CONSUMER_STATE_STOPPED: "stopped",
    pb.CONSUMER_STATE_OLDER: "older",
    pb.CONSUMER_STATE_BUILDING: "building",
    pb.CONSUMER_STATE_LEFT_OVER: "left_over",
}
KIND_LABELS: Mapping[Kind, str] = {
    "relay": N_("relay to the bus"),
    "reaction": N_("reaction"),
    "projection": N_("projection"),
}
STATE_LABELS: Mapping[State, str] = {
    "live": N_("follows"),
    "stopped": N_("has stopped"),
    "older": N_("replaced by a newer version"),
    "building": N_("being built"),
    "left_over": N_("left over from a rebuild"),
}


class Parked(BaseModel):
    """A game or a tournament of which a consumer cannot take an event: that and the later ones wait, others go on."""

    tournament_id: str
    since: datetime
    position: int = Field(description="Of the event that was not taken.")
    attempts: int = Field(description="How often it was tried; it is tried again by itself, and taken in order.")

    @classmethod
    def of(cls, row: pb.ParkedKey) -> Parked:
        """From the contract's message."""
        return cls(
            tournament_id=row.tournament_id, since=moment(row.since), position=row.position, attempts=row.attempts
        )


class Consumer(BaseModel):
    """Something that follows the record."""

    name: str = Field(examples=["results@8"])
    kind: Kind
    state: State
    position: int = Field(description="Everything up to here is done.")
    lag: int = Field(description="Events that are still to come.")
    generation: int = Field(description="Generation of a projection's tables, from 1; 0 for the others.")
    stopped_since: datetime | None = Field(description="Since when it has stopped; null while it works.")
    parked_count: int = Field(description="How many games or tournaments wait because of an event of theirs.")
    parked: list[Parked] = Field(description="Those that wait, the oldest first; at most 100 of them.")

    @classmethod
    def of(cls, consumer: pb.Consumer) -> Consumer:
        """From the contract's message."""
        return cls(
            name=consumer.name,
            kind=KINDS[consumer.kind],
            state=STATES[consumer.state],
            position=consumer.position,
            lag=consumer.lag,
            generation=consumer.generation,
            stopped_since=moment(consumer.stopped.since) if consumer.HasField("stopped") else None,
            parked_count=consumer.parked_count,
            parked=[Parked.of(row) for row in consumer.parked],
        )


class Status(Answer):
    """Everything that follows the record."""

    consumers: list[Consumer]

    @classmethod
    def of(cls, answer: pb.GetStatusResponse) -> Status:
        """From the contract's message."""
        return cls(position=answer.position, consumers=[Consumer.of(consumer) for consumer in answer.consumers])
