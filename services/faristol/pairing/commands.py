"""The commands on a tournament, feature by feature, and what undoes the facts that they lead to. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from google.protobuf.message import Message

from faristol.pairing.administration import (
    amendment,
    announcements,
    byes,
    check_in,
    confirmations,
    corrections,
    data_requests,
    description,
    halls,
    postponements,
    prizes,
    publication,
    registration,
    result_entry,
    tournaments,
    withdrawal,
)
from faristol.pairing.discipline import appeals, expulsions, rulings, sanctions, warnings
from faristol.pairing.identity import checked_note
from faristol.pairing.rounds import course, pairing, pairs
from faristol.pairing.situation import Command, Undo
from faristol.pairing.teams import entries

M = TypeVar("M", bound=Message)

ACTS: Mapping[type[Message], Command] = {
    **tournaments.COMMANDS,
    **description.COMMANDS,
    **publication.COMMANDS,
    **data_requests.COMMANDS,
    **check_in.COMMANDS,
    **withdrawal.COMMANDS,
    **byes.COMMANDS,
    **halls.COMMANDS,
    **announcements.COMMANDS,
    **prizes.COMMANDS,
    **entries.COMMANDS,
    **pairs.COMMANDS,
    **pairing.COMMANDS,
    **course.COMMANDS,
    **result_entry.COMMANDS,
    **corrections.COMMANDS,
    **confirmations.COMMANDS,
    **postponements.COMMANDS,
    **rulings.COMMANDS,
    **warnings.COMMANDS,
    **expulsions.COMMANDS,
    **sanctions.COMMANDS,
    **appeals.COMMANDS,
}
"""How each command is decided; ``undo`` adds its own."""

UNDO: Mapping[type[Message], Undo] = {
    **tournaments.UNDO,
    **description.UNDO,
    **publication.UNDO,
    **registration.UNDO,
    **amendment.UNDO,
    **check_in.UNDO,
    **withdrawal.UNDO,
    **byes.UNDO,
    **halls.UNDO,
    **announcements.UNDO,
    **entries.UNDO,
    **pairs.UNDO,
    **pairing.UNDO,
    **confirmations.UNDO,
    **postponements.UNDO,
    **rulings.UNDO,
    **sanctions.UNDO,
    **appeals.UNDO,
}
"""What undoes each fact. What is not here stands: a round that began, and a result, which is corrected."""


def tidied(request: M) -> M:
    """A request as it is decided on: with its note, where it has one, as notes are kept.

    Raises ``Invalid`` for a note that is too long or cannot be shown.
    """
    asked: Any = type(request)()
    asked.CopyFrom(request)
    if getattr(request, "note", ""):
        asked.note = checked_note("note", asked.note)
    return asked  # type: ignore[no-any-return] # a message of the same type
