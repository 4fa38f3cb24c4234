"""What stands on the rating list of a tournament, a stream of the rating service, that its director is told. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from google.protobuf.message import Message

from faristol.pb.rating.v1 import events_pb2 as events


def ratings_stream(tournament_id: str) -> str:
    """The stream of the rating list of a tournament."""
    return f"ratings-{tournament_id}"


def rating_system(facts: Sequence[Message]) -> str:
    """The system that was chosen, or that the list is published by; empty while nobody has said."""
    said = (
        fact.system
        for fact in reversed(facts)
        if isinstance(fact, events.RatingSystemChosen | events.RatingListPublished)
    )
    return next(said, "")
