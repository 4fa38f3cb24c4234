"""The commands on a tournament by feature, and the undo of their events. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, TypeVar

from google.protobuf.message import Message

from faristol.tournament.administration import (
    announcements,
    description,
    finalisation,
    halls,
    prizes,
    publication,
    qualification,
    shadows,
    tournaments,
)
from faristol.tournament.byes import requested as requested_byes
from faristol.tournament.command_handling.identity import checked_note
from faristol.tournament.discipline import appeals, expulsions, rulings, sanctions, warnings
from faristol.tournament.messages import screens, sending, slots
from faristol.tournament.players import (
    absences,
    amendment,
    check_in,
    data_requests,
    licences,
    registration,
    requests,
    withdrawal,
)
from faristol.tournament.results import confirmations, corrections, entry, postponements, reports
from faristol.tournament.rounds import course, drafts, imported, pairing, pairs
from faristol.tournament.situation import PairingCommand, Undo
from faristol.tournament.teams import entries

M = TypeVar("M", bound=Message)

_FEATURES: tuple[Any, ...] = (
    *(tournaments, description, publication, finalisation, shadows, halls, announcements, prizes, qualification),
    *(registration, licences, amendment, data_requests, check_in, withdrawal, requested_byes, requests, absences),
    *(entries, pairs, pairing, drafts, course, imported),
    *(entry, corrections, confirmations, reports, postponements),
    *(rulings, warnings, expulsions, sanctions, appeals),
    *(sending, screens, slots),
)
"""Modules with ``COMMANDS``, with ``UNDO``, or with both."""

BASE_COMMANDS: Mapping[type[Message], PairingCommand] = {
    request: command for feature in _FEATURES for request, command in getattr(feature, "COMMANDS", {}).items()
}
"""The decision of each command. ``undo`` adds its own."""

UNDO: Mapping[type[Message], Undo] = {
    event: undo for feature in _FEATURES for event, undo in getattr(feature, "UNDO", {}).items()
}
"""The undo of each type of event. Other events cannot be undone: a round started, and results, which are corrected."""


def normalize_note(request: M) -> M:
    """Return a copy of a request with its note normalized.

    Raises ``Invalid`` if the note is too long or cannot be displayed.
    """
    asked: Any = deepcopy(request)
    if getattr(request, "note", ""):
        asked.note = checked_note("note", asked.note)
    return asked  # type: ignore[no-any-return] # a message of the same type
