"""What every answer of the JSON has, and what many have.

Fields are named as in ``proto/faristol/results/v1``; points are numbers.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TypeVar

from google.protobuf.timestamp_pb2 import Timestamp
from pydantic import BaseModel, Field

from faristol.pb.game.v1 import events_pb2 as game


def moment(timestamp: Timestamp) -> datetime:
    """A timestamp as a moment in UTC."""
    return timestamp.ToDatetime(tzinfo=UTC)


class Answer(BaseModel):
    """What every answer has."""

    position: int = Field(description="Position in the record up to which this holds; follow the stream from here.")


A = TypeVar("A", bound=Answer)


class Pin(BaseModel):
    """A document pinned by its content."""

    name: str = Field(description="Name of a ruleset or of a lexicon.", examples=["fisc-2023"])
    digest: str = Field(description="SHA-256 of the content, in lower-case hexadecimal.")

    @classmethod
    def of(cls, pin: game.Pin) -> Pin:
        """From the contract's message."""
        return cls(name=pin.name, digest=pin.digest)


TEAM = Field(description="The player's team; empty where there are no teams.")
CATEGORY = Field(description="Class of competition that the player is in, as `U18`; empty for none.")
MATCH = Field(description="The match between two teams, by its number in the round; 0 where there are no teams.")
DIVISION = Field(description="The division that the tournament is; empty where it is none.")
