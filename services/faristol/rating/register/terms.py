"""The terms of entry of a tournament, for a search in the register: its first day, the required licence. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from google.protobuf.message import Message

from faristol.pb.pairing.v1 import events_pb2 as pairing_events


@dataclass(frozen=True, slots=True)
class TournamentTerms:
    """The terms of entry of a tournament."""

    starts_on: str = ""
    """First day, such as ``2026-11-28``; empty if not set."""
    licence_kind: str = ""
    """Kind of the licence that it requires; empty for any kind."""


def note_terms(terms: TournamentTerms, event: Message) -> TournamentTerms:
    """Return the terms after one more event of the tournament."""
    if isinstance(event, pairing_events.TournamentDescribed):
        return replace(terms, starts_on=event.starts_on)
    if isinstance(event, pairing_events.LicenceRequirementSet):
        return replace(terms, licence_kind=event.kind)
    return terms
