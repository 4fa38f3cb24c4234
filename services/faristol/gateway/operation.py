"""What follows the record, for who operates a cell: as JSON and as a page."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from faristol.gateway.schemas import Answer, moment
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.rules.refusal import N_

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
    "stopped": N_("stands still"),
    "older": N_("replaced by a newer version"),
    "building": N_("being built"),
    "left_over": N_("left over from a rebuild"),
}


class Stopped(BaseModel):
    """Why a consumer stands still."""

    position: int = Field(description="Position of the event that it cannot take.")
    event_id: str
    type: str = Field(examples=["faristol.game.v1.PlayPlaced"])
    stream: str
    error: str
    since: datetime
    attempts: int = Field(description="How often it was tried.")


class Consumer(BaseModel):
    """Something that follows the record."""

    name: str = Field(examples=["results@1"])
    kind: Kind
    state: State
    position: int = Field(description="Everything up to here is done.")
    lag: int = Field(description="Events that are still to come.")
    generation: int = Field(description="Generation of a projection's tables, from 1; 0 for the others.")
    stopped: Stopped | None

    @classmethod
    def of(cls, one: pb.Consumer) -> Consumer:
        """From the contract's message."""
        stopped = one.stopped
        return cls(
            name=one.name,
            kind=KINDS[one.kind],
            state=STATES[one.state],
            position=one.position,
            lag=one.lag,
            generation=one.generation,
            stopped=Stopped(
                position=stopped.position,
                event_id=stopped.event_id,
                type=stopped.type,
                stream=stopped.stream,
                error=stopped.error,
                since=moment(stopped.since),
                attempts=stopped.attempts,
            )
            if one.HasField("stopped")
            else None,
        )


class Status(Answer):
    """Everything that follows the record."""

    consumers: list[Consumer]

    @classmethod
    def of(cls, answer: pb.GetStatusResponse) -> Status:
        """From the contract's message."""
        return cls(position=answer.position, consumers=[Consumer.of(one) for one in answer.consumers])
