"""The credentials of a cell, folded from the events of the stream `access-cell`, and pauses after wrong PINs. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import NamedTuple

from google.protobuf.message import Message

from faristol.access_control.credential import Credential, Scope
from faristol.kernel.times import to_datetime, to_timestamp
from faristol.pb.access.v1 import events_pb2 as events

FIRST_PIN_PAUSE = timedelta(minutes=1)
"""Pause after the first wrong PIN that is not free; each further wrong PIN doubles it."""

MAX_PIN_PAUSE = timedelta(hours=1)

PIN_RESET_DELAY = timedelta(hours=3)
"""Time without a wrong PIN after which the count restarts."""


class Guesses(NamedTuple):
    """Wrong PINs that are counted together."""

    wrong: int
    last: datetime

    def free_from(self, free: int) -> datetime:
        """Return when the next PIN is accepted; from the ``free``-th wrong one on (at least 1), there is a pause."""
        if self.wrong < free:
            return self.last
        doublings = min(self.wrong - free, 10)  # reaches the longest pause; more could overflow
        pause: timedelta = FIRST_PIN_PAUSE * (1 << doublings)
        return self.last + min(pause, MAX_PIN_PAUSE)


def one_more(before: Guesses | None, at: datetime) -> Guesses:
    """Count a wrong PIN. The count restarts if the last one is more than ``PIN_RESET_DELAY`` ago."""
    if before is None or at - before.last > PIN_RESET_DELAY:
        return Guesses(1, at)
    return Guesses(before.wrong + 1, max(at, before.last))


ACCESS_STREAM = "access-cell"
PIN_ATTEMPTS = 10
"""Wrong PINs at a table before the next one has to wait; a new PIN there resets the count."""


@dataclass(frozen=True, slots=True)
class GrantedCredential:
    """A credential that was granted."""

    credential: Credential
    form: events.Form.ValueType
    sessions: tuple[tuple[str, datetime], ...] = ()
    """Devices signed in by it: the id of each one's own credential, and its expiry."""
    hall_code_digest: bytes = b""
    """In the cell of a hall, for a credential of its championship: the digest of the code by which it signs in."""


@dataclass(frozen=True, slots=True)
class Access:
    """Credentials granted and credentials ended early."""

    granted: Mapping[str, GrantedCredential] = field(default_factory=dict)
    """Granted credentials by id, in the order of granting."""
    revoked: Mapping[str, datetime] = field(default_factory=dict)
    """Time of each revocation by the id of the credential."""
    signed_out: frozenset[str] = frozenset()
    """Ids of tokens whose holders signed out. Credentials that they gave to others remain valid."""
    refused: Mapping[tuple[str, int], Guesses] = field(default_factory=dict)
    """Wrong PINs since the last new PIN, by tournament and table."""

    def has_ended(self, credential: Credential) -> bool:
        """Check whether a credential was signed out, or it or one of its ancestors was revoked."""
        return not credential.ids.isdisjoint(self.revoked) or credential.credential_id in self.signed_out

    def pause(self, tournament: str, table: int, now: datetime) -> timedelta:
        """Return the time that a new device must wait at a table for a PIN to be accepted; 0 if one is accepted now."""
        wrong = self.refused.get((tournament, table))
        return max(timedelta(0), wrong.free_from(PIN_ATTEMPTS) - now) if wrong else timedelta(0)

    def pins_at(self, tournament: str, table: int, now: datetime) -> list[GrantedCredential]:
        """List the valid PINs at a table."""
        return [
            granted
            for granted in self.granted.values()
            if granted.form == events.FORM_PIN
            and tournament in granted.credential.scope.tournaments
            and table in granted.credential.scope.tables
            and now <= granted.credential.expires_at
            and not self.has_ended(granted.credential)
        ]


def fold(state: Access, past_events: Iterable[Message]) -> Access:
    """Return the state after further events. Raises ``TypeError`` for a message that is not an event of access."""
    granted, revoked = dict(state.granted), dict(state.revoked)
    refused, signed_out = dict(state.refused), set(state.signed_out)
    for event in past_events:
        match event:
            case events.CredentialGranted():
                credential = of_message(event.credential, tuple(event.ancestor_ids))
                granted[credential.credential_id] = GrantedCredential(
                    credential, event.form, hall_code_digest=event.hall_code_digest
                )
                for tournament in credential.scope.tournaments if event.form == events.FORM_PIN else ():
                    for table in credential.scope.tables:
                        refused.pop((tournament, table), None)
            case events.SignedIn():
                before = granted[event.credential_id]
                session = (event.session_id, to_datetime(event.expires_at))
                granted[event.credential_id] = replace(before, sessions=(*before.sessions, session))
            case events.PinRefused():
                place = event.tournament_id, event.table
                refused[place] = one_more(refused.get(place), to_datetime(event.occurred_at))
            case events.CredentialRevoked():
                revoked.setdefault(event.credential_id, to_datetime(event.occurred_at))
            case events.SignedOut():
                everywhere = () if event.this_device_alone else _held_by(granted.values(), event.subject_id)
                signed_out.update(everywhere, [event.credential_id])
            case _:
                raise TypeError(f"{event.DESCRIPTOR.full_name} is not an event of access")
    ended = frozenset(signed_out)
    return Access(MappingProxyType(granted), MappingProxyType(revoked), ended, MappingProxyType(refused))


def _held_by(granted: Iterable[GrantedCredential], subject: str) -> Iterator[str]:
    """Yield the ids of the tokens of a holder. Links and PINs are omitted, so new devices can still sign in."""
    for given in granted:
        if given.credential.subject == subject:
            if given.form in (events.FORM_TOKEN, events.FORM_OPEN_ID):
                yield given.credential.credential_id
            yield from (session for session, _ in given.sessions)


def of_message(message: events.Credential, ancestors: tuple[str, ...] = ()) -> Credential:
    """Convert a message of the contract to a credential, without the name of the holder."""
    return Credential(
        message.credential_id,
        message.subject_id,
        message.role,
        scope_of(message.scope),
        to_datetime(message.issued_at),
        to_datetime(message.expires_at),
        player=message.player_id,
        ancestors=ancestors,
    )


def scope_of(message: events.Scope) -> Scope:
    """Convert a message of the contract to a scope."""
    return Scope(
        frozenset(message.tournament_ids),
        frozenset(message.halls),
        frozenset(message.tables),
        frozenset(message.languages),
    )


def to_message(credential: Credential) -> events.Credential:
    """Convert a credential to a message of the contract."""
    scope = credential.scope
    return events.Credential(
        credential_id=credential.credential_id,
        subject_id=credential.subject,
        role=credential.role,
        scope=events.Scope(
            tournament_ids=sorted(scope.tournaments),
            halls=sorted(scope.halls),
            tables=sorted(scope.tables),
            languages=sorted(scope.languages),
        ),
        issued_at=to_timestamp(credential.issued_at),
        expires_at=to_timestamp(credential.expires_at),
        player_id=credential.player,
    )
