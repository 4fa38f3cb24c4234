"""The state of a registration, folded from its events. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum

from google.protobuf.message import Message

from faristol.kernel.times import to_datetime
from faristol.pb.pairing.v1 import registration_events_pb2 as events
from faristol.pb.pairing.v1 import registration_pb2 as pb
from faristol.tournament.state.player import with_item

PREFIX = "registration-"


def registration_stream(tournament_id: str) -> str:
    """Return the name of the stream of a tournament's registration."""
    return f"{PREFIX}{tournament_id}"


class EntryPhase(Enum):
    """State of an entry. The value is that of the contract."""

    RECEIVED = pb.ENTRY_STATE_RECEIVED
    WAITING = pb.ENTRY_STATE_WAITING
    ACCEPTED = pb.ENTRY_STATE_ACCEPTED
    REJECTED = pb.ENTRY_STATE_REJECTED
    WITHDRAWN = pb.ENTRY_STATE_WITHDRAWN


UNDECIDED = frozenset({EntryPhase.RECEIVED, EntryPhase.WAITING})
"""Phases before a decision of the director."""

ENDED = frozenset({EntryPhase.REJECTED, EntryPhase.WITHDRAWN})
"""Phases of entries that do not stand."""


@dataclass(frozen=True, slots=True)
class EntryOfForm:
    """An entry."""

    number: int
    player_id: str
    """Id of the entrant, or of the known person after a merge."""
    category: str
    listing: events.EntryListing.ValueType
    language: str
    phase: EntryPhase
    received_at: datetime
    confirmed: bool
    first_id: str
    """Id of the entrant at the reception."""
    asked: bool = False
    """Whether a question of the director is open."""

    @property
    def is_undecided(self) -> bool:
        """Whether the director has not decided."""
        return self.phase in UNDECIDED


@dataclass(frozen=True, slots=True)
class RegistrationState:
    """The registration of a tournament. The default is a tournament without a form."""

    settings: events.RegistrationSet | None = None
    entries: tuple[EntryOfForm, ...] = ()

    @property
    def waiting(self) -> Iterator[EntryOfForm]:
        """The waiting list, in its order."""
        return (entry for entry in self.entries if entry.phase is EntryPhase.WAITING)

    @property
    def held_count(self) -> int:
        """The number of places that undecided entries hold. Accepted entrants are players of the tournament."""
        return sum(entry.phase is EntryPhase.RECEIVED for entry in self.entries)

    def find(self, number: int) -> EntryOfForm | None:
        """Return the entry with a number, or None."""
        return self.entries[number - 1] if 1 <= number <= len(self.entries) else None

    def of_player(self, player_id: str) -> EntryOfForm | None:
        """Return the accepted entry of a player, or None."""
        found = (each for each in self.entries if each.player_id == player_id and each.phase is EntryPhase.ACCEPTED)
        return next(found, None)

    def change_entry(self, number: int, **values: object) -> RegistrationState:
        """Return the state with other values of an entry."""
        return replace(self, entries=with_item(self.entries, number, **values))


def evolve_registration(state: RegistrationState, event: Message) -> RegistrationState:
    """Return the state after an event. Raises ``TypeError`` for an event of another stream."""
    match event:
        case events.RegistrationSet():
            return replace(state, settings=event)
        case events.EntryReceived():
            entry = EntryOfForm(
                event.entry,
                event.player_id,
                event.category,
                event.listing,
                event.language,
                EntryPhase.WAITING if event.waiting else EntryPhase.RECEIVED,
                to_datetime(event.occurred_at),
                event.confirmed,
                event.player_id,
            )
            return replace(state, entries=(*state.entries, entry))
        case events.EntryAsked():
            return state.change_entry(event.entry, asked=True)
        case events.EntryAnswered():
            return state.change_entry(event.entry, asked=False)
        case events.EntryAccepted():
            return state.change_entry(event.entry, phase=EntryPhase.ACCEPTED, player_id=event.player_id, asked=False)
        case events.EntryRejected():
            return state.change_entry(event.entry, phase=EntryPhase.REJECTED, asked=False)
        case events.EntryWithdrawn():
            return state.change_entry(event.entry, phase=EntryPhase.WITHDRAWN, asked=False)
        case events.EntryReinstated():
            phase = EntryPhase.WAITING if event.waiting else EntryPhase.RECEIVED
            return state.change_entry(event.entry, phase=phase)
        case events.EntryMovedUp():
            return state.change_entry(event.entry, phase=EntryPhase.RECEIVED)
        case events.EntrantCleared():
            return state
        case _:
            raise TypeError(f"{event.DESCRIPTOR.full_name} is no event of a registration")
