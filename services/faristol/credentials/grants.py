"""Decisions to grant, revoke and list credentials. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.access_control.credential import Credential, Scope
from faristol.access_control.errors import EXPIRED, REVOKED, Denied, Unauthenticated
from faristol.access_control.roles import (
    DIRECTOR,
    FEDERATION,
    JUDGE,
    MAY_GIVE,
    OPERATOR,
    PLAYER,
    ROLE_NAMES,
)
from faristol.access_control.state import Access, GrantedCredential, to_message
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.names import OFFICIAL
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import to_timestamp
from faristol.pb.access.v1 import events_pb2 as events

LINK_INVALID = N_("this link is not valid")
UNKNOWN_IN_HALL = N_(
    "this hall does not know this link: if it was made a moment ago, retry in some seconds; without a connection, the "
    "director of the hall grants another one"
)
PIN_WRONG = N_("the PIN is not valid for table {table}")
MAX_CREDENTIAL_LIFETIME = timedelta(days=400)
"""Maximum lifetime of a credential: a season."""
MAX_SESSION_LIFETIME = timedelta(hours=16)
"""Maximum lifetime of a session: a day of a tournament."""
EMPTY_ACCESS = Access()
"""The state without any credential."""


def may_name(giver: Credential | None, state: Access, subject: str) -> bool:
    """Check whether the giver may grant credentials to a known subject.

    A token acts under the name of its subject. A subject with a past or present credential that the giver could not
    grant is therefore excluded.
    """
    held = _list_credentials(state, subject)
    if giver is None or giver.role in (FEDERATION, OPERATOR):
        return True
    return bool(held) and all(other.role in MAY_GIVE[giver.role] and other.scope.within(giver.scope) for other in held)


def known_official(giver: Credential | None, state: Access, scope: Scope, same_name: Iterable[str]) -> str:
    """Return the subject id of the known official that a giver names; empty for a new official.

    ``same_name`` has the ids of all officials with the name. The giver may name the official. The official holds a
    credential in a tournament of the scope, or in all if the scope has none. The same name elsewhere is a different
    person, unless a federation uses one id in both tournaments. A giver thus cannot find out which names other
    tournaments use.
    """
    for subject in same_name:
        held = [credential.scope for credential in _list_credentials(state, subject)]
        if any(_overlap(each, scope) for each in held) and may_name(giver, state, subject):
            return subject
    return ""


def _overlap(held: Scope, wanted: Scope) -> bool:
    if not wanted.tournaments:
        return not held.tournaments
    return any(map(held.touches, wanted.tournaments))


def check_subject(giver: Credential | None, state: Access, credential: Credential) -> None:
    """Check that the giver may grant a credential to a given subject id. Raises ``Denied``.

    A judge may be new, with an id that a director chose.
    """
    subject = credential.subject
    is_new_judge = (
        credential.role == JUDGE and not subject.startswith(OFFICIAL) and not _list_credentials(state, subject)
    )
    if not is_new_judge and not may_name(giver, state, subject):
        text = N_("the caller may not set an id for {subject}: omit the id and give the name")
        raise Denied("OTHER_PERSON", text, {"subject": subject})


def _list_credentials(state: Access, subject: str) -> list[Credential]:
    return [granted.credential for granted in state.granted.values() if granted.credential.subject == subject]


GRANTABLE_FORMS = frozenset({events.FORM_TOKEN, events.FORM_LINK, events.FORM_PIN})
"""Forms in which a caller grants a credential."""


def grant(
    giver: Credential | None, credential: Credential, form: events.Form.ValueType, state: Access = EMPTY_ACCESS
) -> list[Message]:
    """Grant a credential. ``giver`` is None if the process requires no credentials.

    ``state`` limits the lifetime by that of the giver. Raises ``Denied`` for more rights than the giver has,
    ``Invalid`` for invalid fields.
    """
    if form not in GRANTABLE_FORMS:
        raise Invalid("form", N_("is not given; expected a token, a link or a PIN"))
    _check(credential, form)
    ancestors: Sequence[str] = ()
    if giver is not None:
        until = gives_until(state, giver)
        giver.check_may_give(credential, may_outlive=until is None or credential.expires_at <= until)
        ancestors = (*giver.ancestors, giver.credential_id)
    return [events.CredentialGranted(credential=to_message(credential), form=form, ancestor_ids=ancestors)]


def gives_until(state: Access, giver: Credential) -> datetime | None:
    """Return the latest expiry that a caller can grant: that of their credential, or of the one behind their session.

    Returns None for a federation or operator, who sign in for a day and appoint for a season.
    """
    if giver.role in (FEDERATION, OPERATOR):
        return None
    by = find_granted(state, giver)
    return by.credential.expires_at if by else giver.expires_at


def find_granted(state: Access, caller: Credential) -> GrantedCredential | None:
    """Return the credential by which a caller has signed in, or the caller's own; None if it was not granted here."""
    by = state.granted.get(caller.ancestors[-1]) if caller.ancestors else None
    if by is not None and any(session == caller.credential_id for session, _ in by.sessions):
        return by
    return state.granted.get(caller.credential_id)


def _check(credential: Credential, form: events.Form.ValueType) -> None:
    scope = credential.scope
    if not timedelta(0) < credential.expires_at - credential.issued_at <= MAX_CREDENTIAL_LIFETIME:
        raise Invalid(
            "lifetime_seconds",
            N_("expected 1 to {most} seconds"),
            {"most": int(MAX_CREDENTIAL_LIFETIME.total_seconds())},
        )
    if credential.role == PLAYER and not (credential.player and len(scope.tournaments) == 1):
        raise Invalid(
            "player_id",
            N_("the role of a player requires the id of a tournament in the scope, and the id of the player"),
        )
    if (scope.halls or scope.tables) and not scope.tournaments:
        raise Invalid("scope.tournament_ids", N_("halls and tables require the id of their tournament"))
    if any(table < 1 for table in scope.tables):
        raise Invalid("scope.tables", N_("tables are numbered from 1"))
    if credential.role in (FEDERATION, OPERATOR) and credential.scope.tournaments:
        text = N_("the role {role} covers all tournaments: expected no scope")
        raise Invalid("scope.tournament_ids", text, {"role": ROLE_NAMES[credential.role]})
    if form == events.FORM_PIN and not (len(scope.tournaments) == 1 and scope.tables):
        raise Invalid("scope.tables", N_("a PIN is for a table: expected one tournament and one or more of its tables"))


def revoke(caller: Credential | None, state: Access, credential_id: str, at: Timestamp) -> list[Message]:
    """Revoke a credential. Returns an empty list if it is already revoked.

    Raises ``NotFound`` if it is unknown or the caller may not revoke it. Raises ``Refusal`` if a director would revoke
    the last director's credential of a tournament.
    """
    granted = state.granted.get(credential_id)
    if granted is None or not _may_end(caller, granted.credential):
        raise NotFound("credential", credential_id)
    if credential_id in state.revoked:
        return []
    if caller is not None and caller.role == DIRECTOR and _is_last_director(state, granted.credential, at):
        raise Refusal(
            "LAST_DIRECTOR",
            N_(
                "{tournament} has no other director: give the role to another person first, or have the federation "
                "revoke it."
            ),
            {"tournament": ", ".join(sorted(granted.credential.scope.tournaments))},
        )
    return [events.CredentialRevoked(credential_id=credential_id, occurred_at=at)]


def _is_last_director(state: Access, credential: Credential, at: Timestamp) -> bool:
    if credential.role != DIRECTOR:
        return False
    others = [
        granted.credential
        for granted in state.granted.values()
        if granted.credential.role == DIRECTOR
        and granted.credential.credential_id != credential.credential_id
        and granted.credential.expires_at.timestamp() > at.seconds
        and not state.has_ended(granted.credential)
        and credential.credential_id not in granted.credential.ancestors
    ]
    return not any(credential.scope.within(other.scope) for other in others)


def _may_end(caller: Credential | None, credential: Credential) -> bool:
    """Check whether the caller holds a credential or could have granted it."""
    if caller is None or credential.credential_id == caller.credential_id:
        return True
    return credential.role in MAY_GIVE[caller.role] and credential.scope.within(caller.scope)


def sign_out(caller: Credential, at: Timestamp, *, this_device_alone: bool = False) -> list[Message]:
    """Sign out a caller: end all their tokens, but no links and PINs, or only the token of the call."""
    return [
        events.SignedOut(
            subject_id=caller.subject,
            occurred_at=at,
            credential_id=caller.credential_id,
            this_device_alone=this_device_alone,
        )
    ]


def by_open_id(credential: Credential) -> list[Message]:
    """Sign in a browser for a person whom an OpenID Connect provider identified. Raises ``Invalid``."""
    _check(credential, events.FORM_OPEN_ID)
    return [events.CredentialGranted(credential=to_message(credential), form=events.FORM_OPEN_ID)]


def by_link(state: Access, credential_id: str, session_id: str, now: datetime) -> list[Message]:
    """Sign in a device by a link, or by a code at this hall. Raises ``Unauthenticated``."""
    granted = state.granted.get(credential_id)
    if granted is None or (granted.form != events.FORM_LINK and not granted.hall_code_digest):
        raise Unauthenticated("CODE_UNKNOWN", LINK_INVALID)
    return [_signed_in(state, granted, session_id, now)]


def by_entry(state: Access, credential: Credential, session_id: str, now: datetime) -> list[Message]:
    """Sign in a device as the player of an accepted entry, and grant the credential the first time.

    Raises ``Unauthenticated`` if the credential was revoked or has expired.
    """
    granted = state.granted.get(credential.credential_id)
    if granted is not None:
        return [_signed_in(state, granted, session_id, now)]
    _check(credential, events.FORM_LINK)
    given = events.CredentialGranted(credential=to_message(credential), form=events.FORM_LINK)
    return [given, _signed_in(state, GrantedCredential(credential, events.FORM_LINK), session_id, now)]


def pin_locked(table: int, left: timedelta) -> Unauthenticated:
    """Return the refusal of any PIN during a pause, with the time ``left``."""
    text = N_(
        "too many wrong PINs: retry in {minutes} {minutes:minute|minutes}, or scan the QR code on the card "
        "of table {table}"
    )
    return Unauthenticated("PIN_LOCKED", text, {"minutes": -(-left // timedelta(minutes=1)), "table": table})


def was_at(state: Access, credential_id: str, tournament: str, table: int) -> bool:
    """Check whether a device's earlier credential covers a table and is not revoked."""
    granted = state.granted.get(credential_id)
    if granted is None or state.has_ended(granted.credential):
        return False
    scope = granted.credential.scope
    return tournament in scope.tournaments and table in scope.tables


def by_pin(
    state: Access,
    tournament: str,
    table: int,
    is_right: Callable[[str], bool],
    session_id: str,
    now: datetime,
    *,
    is_known: bool = False,
) -> list[Message]:
    """Sign in a device by a PIN. Wrong PINs are recorded by table and cause growing pauses.

    ``is_right`` checks the PIN against a credential id. A device that is ``is_known`` was at the table before: it is
    exempt from the pauses of the table, and its wrong PINs are counted elsewhere. Raises ``Unauthenticated`` during a
    pause, and for a PIN that is not recorded as wrong.
    """
    if not is_known and (left := state.pause(tournament, table, now)):
        raise pin_locked(table, left)
    given = state.pins_at(tournament, table, now)
    if not given:
        # No event is written if the table has no PIN to guess, so that an unauthenticated caller cannot fill the
        # record.
        raise Unauthenticated("PIN_WRONG", PIN_WRONG, {"table": table})
    for granted in given:
        if is_right(granted.credential.credential_id):
            return [_signed_in(state, granted, session_id, now)]
    if is_known:
        raise Unauthenticated("PIN_WRONG", PIN_WRONG, {"table": table})
    return [events.PinRefused(tournament_id=tournament, table=table, occurred_at=to_timestamp(now))]


def _signed_in(state: Access, granted: GrantedCredential, session_id: str, now: datetime) -> events.SignedIn:
    credential = granted.credential
    if state.has_ended(credential):
        raise Unauthenticated("CREDENTIAL_REVOKED", REVOKED)
    if now > credential.expires_at:
        raise Unauthenticated("CREDENTIAL_EXPIRED", EXPIRED, {"time": credential.expires_at.isoformat()})
    return events.SignedIn(
        credential_id=credential.credential_id,
        session_id=session_id,
        occurred_at=to_timestamp(now),
        expires_at=to_timestamp(min(now + MAX_SESSION_LIFETIME, credential.expires_at)),
    )


def visible(caller: Credential | None, state: Access) -> list[GrantedCredential]:
    """Return the credentials that the caller may revoke, the latest first."""
    return [granted for granted in reversed(tuple(state.granted.values())) if _may_end(caller, granted.credential)]
