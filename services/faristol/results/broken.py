"""The fault of a record that cannot be folded."""

from __future__ import annotations

from google.protobuf.message import Message


class Broken(Exception):
    """An event that cannot follow those before it, or that nobody knows.

    Its tournament is parked, and the status says so: an event that was skipped would be a result that is wrong.
    """


class Unknown(Broken):
    """An event of which a fold does not know what it changes: the contract says that it does, or it is none."""

    def __init__(self, fold: str, event: Message) -> None:
        super().__init__(f"{fold} does not know the event {event.DESCRIPTOR.full_name}")
