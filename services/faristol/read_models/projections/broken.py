"""Errors for a record that cannot be folded."""

from __future__ import annotations

from google.protobuf.message import Message


class Broken(Exception):
    """An event that cannot follow those before it, or that is unknown.

    Its tournament is parked and the status reports it: skipping the event would make results wrong.
    """


class Unknown(Broken):
    """An event that the contract says changes read models, and for which the fold has no function."""

    def __init__(self, fold: str, event: Message) -> None:
        super().__init__(f"{fold} does not know the event {event.DESCRIPTOR.full_name}")
