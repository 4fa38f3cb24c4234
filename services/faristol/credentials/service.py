"""The access service over gRPC. The contract documents its methods."""

from __future__ import annotations

import hmac
import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from google.protobuf.message import Message

from faristol.access_control.credential import Credential, Scope
from faristol.access_control.errors import AccessError, Unauthenticated
from faristol.access_control.hall_codes import HALL_CODE_PREFIX, credential_in, is_known
from faristol.access_control.keyring import Keyring
from faristol.access_control.roles import DIRECTOR, FEDERATION, OPERATOR, PLAYER, ROLE_NAMES
from faristol.access_control.state import (
    ACCESS_STREAM,
    PIN_ATTEMPTS,
    Access,
    GrantedCredential,
    fold,
    scope_of,
    to_message,
)
from faristol.access_control.tokens import issue
from faristol.credentials import grants
from faristol.credentials.codes import DEVICE, PIN_DIGITS, code_of, credential_of, pin_of
from faristol.credentials.entries import find_entrant
from faristol.credentials.guessing import Counts
from faristol.credentials.halls import (
    DuplicateSeats,
    hall_code_of,
    is_for_hall,
    list_hall_codes,
    list_hall_credentials,
    load_cells,
)
from faristol.event_store import Decision, Loaded, Record, Write, load, load_at_once
from faristol.host import Runtime
from faristol.host.command_handler import canonical
from faristol.host.rpc.dispatch import Context, Dispatcher, no_commands
from faristol.host.security import audit
from faristol.host.security.actor import Actor, check_id, new_official
from faristol.host.security.authorization import caller
from faristol.host.security.visitor import visitor_of
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.event_types import OF_THE_CELL, methods_of
from faristol.kernel.names import OFFICIAL, check_name
from faristol.kernel.refusal import N_
from faristol.kernel.times import moment_of, to_timestamp
from faristol.pb.access.v1 import access_pb2 as pb
from faristol.pb.access.v1 import events_pb2 as events
from faristol.personal_data import people
from faristol.table.views import TableTournament, watch_tournament

if TYPE_CHECKING:
    from faristol.credentials.provider import Provider  # imported only with a provider: it needs an HTTP client

M = TypeVar("M", bound=Message)

ADDRESS_ATTEMPTS = 30
"""Number of wrong PINs of an address, at all tables, before a pause."""

LASTING_ROLES = frozenset({DIRECTOR, FEDERATION, OPERATOR})
"""Roles whose holders may do what cannot be undone: to grant them needs a recent sign-in."""

MAX_DEVICE_MARKS = 5
"""Limit of device marks checked: those of the device's last tables."""

DecisionAndAnswer = tuple[Decision, Callable[[int], Any]]


def service(runtime: Runtime, keyring: Keyring, provider: Provider | None = None) -> Dispatcher:
    """Build the dispatcher of the access service. Users can also sign in by ``provider``, if there is one."""
    methods = methods_of(AccessService(runtime, keyring, provider))
    return Dispatcher(pb.DESCRIPTOR.services_by_name["AccessService"], (), no_commands, methods)


class AccessService:
    """The methods of the access service."""

    def __init__(self, runtime: Runtime, keyring: Keyring, provider: Provider | None) -> None:
        self._runtime = runtime
        self._record = runtime.record
        self._keyring = keyring
        self._provider = provider
        self._seats = DuplicateSeats(runtime.record)
        self._by_address, self._by_device = Counts(ADDRESS_ATTEMPTS), Counts(PIN_ATTEMPTS)

    async def grant(self, request: pb.GrantCredentialRequest, context: Context) -> pb.GrantCredentialResponse:
        """Grant a credential. The secret in the answer is not stored; every retry derives it again."""
        holder = _holder(request)
        command_id = canonical(request.command_id)
        player = check_id("player_id", request.player_id)
        who = self._subject(request, command_id)
        now = _whole_seconds(self._runtime.now())
        expires_at = _until(request, now)
        if request.role not in ROLE_NAMES:
            raise Invalid(
                "role", N_("is not given; expected one of {known}"), {"known": ", ".join(ROLE_NAMES.values())}
            )
        scope = scope_of(request.scope)
        if request.role in LASTING_ROLES and self._runtime.admission is not None:
            self._runtime.admission.check_recent(caller())

        async def attempt() -> DecisionAndAnswer:
            state = await self._load()
            given_to = (
                who
                if request.subject_id or request.role == PLAYER
                else await self._find_known_official(who, state, scope)
            )
            credential = Credential(command_id, given_to.actor_id, request.role, scope, now, expires_at, player=player)
            if request.subject_id and request.role != PLAYER:
                grants.check_subject(caller(), state.state, credential)
            new_events = grants.grant(caller(), credential, request.form, state.state)
            await _check_places(self._record, credential)
            given = to_message(credential)
            return self._decision(state, new_events, given_to), lambda position: pb.GrantCredentialResponse(
                credential=given, position=position
            )

        answer = await self._runtime.command_handler.handle(
            context, request, attempt, response=pb.GrantCredentialResponse
        )
        given = (await self._load()).state.granted[answer.credential.credential_id]
        if (giver := caller()) and given.credential.ancestors[-1:] != (giver.credential_id,):
            # A caller who repeats another's command must not get that secret.
            raise Invalid(
                "command_id", N_("was the id of another caller's command: expected a new UUID for each command")
            )
        given_as = events.Form.Name(given.form).removeprefix("FORM_").lower()
        what = f"gave the role {given.credential.role_name} by {given_as}, credential"
        audit.note_done(what, visitor_of(context), caller(), given.credential.credential_id)
        if given.form == events.FORM_TOKEN:
            # The holder did not sign in: the sign-in is that of the giver, or a stolen session could renew itself.
            token_of = replace(given.credential, auth_time=giver.signed_in if giver else None)
            answer.token = issue(token_of, self._keyring.signer(), self._record.record_id, holder=holder)
        elif given.form == events.FORM_LINK:
            answer.code = code_of(self._keyring, given.credential.credential_id)
            for tournament_id in given.credential.scope.tournaments:
                cells = await load_cells(self._record, tournament_id, self._seats)
                answer.hall_codes.extend(list_hall_codes(self._keyring, cells, given.credential))
        else:
            answer.pin = pin_of(self._keyring, given.credential.credential_id)
        return answer

    @staticmethod
    def _subject(request: pb.GrantCredentialRequest, command_id: str) -> Actor:
        """Return the subject of a new credential, with a name to store. A name without an id makes a new official."""
        subject = check_id("subject_id", request.subject_id)
        name = check_name("name", request.name, empty=True)
        if request.role == PLAYER:
            return Actor(request.player_id)
        if not subject and not name:
            raise Invalid("name", N_("is empty; expected the name or the id of the person who gets the credential"))
        if not subject:
            return new_official(name, command_id)
        return Actor(subject, name)

    async def _find_known_official(self, who: Actor, state: Loaded[Access], scope: Scope) -> Actor:
        """Return the known official with this name that the caller means, or ``who``."""
        async with self._record.reading() as connection:
            same_name = await people.officials(connection, who.name)
        known = grants.known_official(caller(), state.state, scope, same_name)
        return Actor(known) if known else who

    async def revoke(self, request: pb.RevokeCredentialRequest, context: Context) -> pb.RevokeCredentialResponse:
        """Revoke a credential."""
        at = to_timestamp(self._runtime.now())

        def decide_revocation(state: Access) -> list[Message]:
            return grants.revoke(caller(), state, request.credential_id, at)

        answer = await self._append(request, context, pb.RevokeCredentialResponse, decide_revocation)
        audit.note_done("ended credential", visitor_of(context), caller(), request.credential_id)
        return answer

    async def sign_out(self, request: pb.SignOutRequest, context: Context) -> pb.SignOutResponse:
        """Sign out the caller."""
        at = to_timestamp(self._runtime.now())
        new_events = grants.sign_out(self._caller(), at, this_device_alone=request.this_device_alone)
        answer = await self._append(request, context, pb.SignOutResponse, lambda state: new_events)
        audit.note_done("signed out", visitor_of(context), caller())
        return answer

    async def _append(
        self,
        request: Any,
        context: Context,
        response: type[M],
        decided: Callable[[Access], list[Message]],
        who: Actor | None = None,
    ) -> M:
        """Append the decided events, store the name of ``who``, and answer with the position."""

        async def attempt() -> DecisionAndAnswer:
            state = await self._load()
            return self._decision(state, decided(state.state), who), lambda position: response(position=position)

        return await self._runtime.command_handler.handle(context, request, attempt, response=response)

    async def sign_in(self, request: pb.SignInRequest, context: Context) -> pb.SignInResponse:
        """Sign in a device by a link or a PIN.

        The stored answer has only data of the record. The token is issued only to a caller with the code or PIN, even
        if the command id repeats.
        """
        if request.WhichOneof("by") == "open_id":
            return await self._sign_in_by_open_id(request, context)
        try:
            if request.WhichOneof("by") == "entry_key":
                return await self._sign_in_by_entry(request, context)
            return await self._sign_in_here(request, context)
        except AccessError as error:
            at = f" at table {request.pin.table} of {request.pin.tournament_id!r}" if request.HasField("pin") else ""
            audit.note_refused(f"to sign in by {request.WhichOneof('by')}{at}", error.reason, visitor_of(context))
            raise

    async def _sign_in_here(self, request: pb.SignInRequest, context: Context) -> pb.SignInResponse:
        now = _whole_seconds(self._runtime.now())
        is_right = await self._check_of(request)
        is_known, counts, key = await self._find_pin_counter(request, context)
        if counts and (left := counts.pause(key, now)):
            raise grants.pin_locked(request.pin.table, left)
        try:
            answer = await self._signed_in(request, context, is_right, now, is_known=is_known)
        except AccessError as error:
            if counts and error.reason == "PIN_WRONG":
                counts.add_wrong(key, now)
            raise
        if counts:
            counts.add_right(key)
        return answer

    async def _find_pin_counter(self, request: pb.SignInRequest, context: Context) -> tuple[bool, Counts | None, str]:
        """Return whether the device was at the table before, and the counter and key of its wrong PINs.

        Devices signed in by one credential share a count; other devices are counted by address.
        """
        if request.WhichOneof("by") != "pin":
            return False, None, ""
        state = (await self._load()).state
        for mark in request.pin.marks[:MAX_DEVICE_MARKS]:
            by = credential_of(self._keyring, mark, DEVICE)
            if grants.was_at(state, by, request.pin.tournament_id, request.pin.table):
                return True, self._by_device, by
        return False, self._by_address, visitor_of(context).address

    async def _signed_in(
        self,
        request: pb.SignInRequest,
        context: Context,
        is_right: Callable[[str], bool],
        now: datetime,
        *,
        is_known: bool,
    ) -> pb.SignInResponse:
        if await self._was_wrong(request, is_right):
            # The answer to another attempt is not the answer to this one, which counts as an attempt.
            request.command_id = str(uuid.uuid4())
        session_id = self._session_id(request.command_id)

        def signed_in(state: Access) -> list[Message]:
            if request.WhichOneof("by") == "code":
                found = self._find_by_code(state, request.code)
                if not found and self._record.owner_key and credential_in(request.code):
                    raise Unauthenticated("CODE_UNKNOWN", grants.UNKNOWN_IN_HALL)
                return grants.by_link(state, found, session_id, now)
            place = request.pin.tournament_id, request.pin.table
            return grants.by_pin(state, *place, is_right, session_id, now, is_known=is_known)

        answer = await self._append(request, context, pb.SignInResponse, signed_in)
        granted = _session(await self._load(), session_id)
        if granted is None or not is_right(granted.credential.credential_id):
            raise Unauthenticated("PIN_WRONG", grants.PIN_WRONG, {"table": request.pin.table})
        session = _session_of(granted, session_id, now)
        answer.credential.CopyFrom(to_message(session))
        answer.token = issue(session, self._keyring.signer(), self._record.record_id)
        audit.note_done(f"signed in by {request.WhichOneof('by')}", visitor_of(context), session)
        if granted.credential.scope.tables:
            answer.mark = code_of(self._keyring, granted.credential.credential_id, DEVICE)
        return answer

    async def _sign_in_by_entry(self, request: pb.SignInRequest, context: Context) -> pb.SignInResponse:
        """Sign in a browser as the player of an accepted entry."""
        now = _whole_seconds(self._runtime.now())
        credential = await find_entrant(self._runtime, self._keyring, request.entry_key, now)
        request.command_id = str(uuid.uuid4())  # the id of another's command must not yield their session
        session_id = self._session_id(request.command_id)

        def signed_in(state: Access) -> list[Message]:
            return grants.by_entry(state, credential, session_id, now)

        answer = await self._append(request, context, pb.SignInResponse, signed_in)
        granted = _session(await self._load(), session_id)
        assert granted is not None, "the session was appended"
        session = _session_of(granted, session_id, now)
        answer.credential.CopyFrom(to_message(session))
        answer.token = issue(session, self._keyring.signer(), self._record.record_id)
        audit.note_done("signed in by entry_key", visitor_of(context), session)
        return answer

    async def _sign_in_by_open_id(self, request: pb.SignInRequest, context: Context) -> pb.SignInResponse:
        """Sign in a browser for a person whom the provider identified."""
        provider = self._known_provider()
        try:
            person = await provider.person(request.open_id)
        except AccessError as error:
            audit.note_refused(f"to sign in by {provider.openid.issuer}", error.reason, visitor_of(context))
            raise
        # A code is valid once, so there is no retry. The id of another's command must not yield their session.
        request.command_id = str(uuid.uuid4())
        now = _whole_seconds(self._runtime.now())
        # The id depends neither on the name, which may be erased, nor visibly on the provider's id.
        subject = OFFICIAL + self._keyring.digest("openid", f"{provider.openid.issuer}\0{person.subject}").hex()[:12]
        session_id, until = self._session_id(request.command_id), now + grants.MAX_SESSION_LIFETIME
        credential = Credential(session_id, subject, person.role, person.scope, now, until)
        new_events = grants.by_open_id(credential)
        who = Actor(subject, person.name)
        answer = await self._append(request, context, pb.SignInResponse, lambda state: new_events, who)
        answer.credential.CopyFrom(to_message(credential))
        answer.token = issue(credential, self._keyring.signer(), self._record.record_id)
        audit.note_done("signed in by open_id", visitor_of(context), credential)
        return answer

    async def get_provider(self, request: pb.GetProviderRequest, context: Context) -> pb.GetProviderResponse:
        """Return the name of the OpenID Connect provider, or an empty string."""
        return pb.GetProviderResponse(name=self._provider.openid.name if self._provider else "")

    async def start_sign_in(self, request: pb.StartSignInRequest, context: Context) -> pb.StartSignInResponse:
        """Start a sign-in by the provider."""
        return await self._known_provider().start(request.redirect_uri)

    def _known_provider(self) -> Provider:
        if self._provider is None:
            raise NotFound("provider", "OpenID Connect")
        return self._provider

    def _session_id(self, command_id: str) -> str:
        """Derive the id of a session from its command id, without revealing it."""
        return str(uuid.UUID(bytes=self._keyring.digest("session", canonical(command_id))[:16]))

    async def _was_wrong(self, request: pb.SignInRequest, is_right: Callable[[str], bool]) -> bool:
        """Check whether a command id was used before with a different code or PIN."""
        if not await self._record.find_answer(canonical(request.command_id)):
            return False
        granted = _session(await self._load(), self._session_id(request.command_id))
        return granted is None or not is_right(granted.credential.credential_id)

    def _find_by_code(self, state: Access, code: str) -> str:
        """Return the credential id of the code of a link, or of a code at this hall; empty for an invalid code."""
        if not code.startswith(HALL_CODE_PREFIX):
            return credential_of(self._keyring, code)
        credential_id, key = credential_in(code), self._record.owner_key
        if is_known(state, code):
            return credential_id
        # A browser in a hall does not know by which cell a link was made, and hashes those of the hall too.
        is_own = key and credential_id and hmac.compare_digest(code, hall_code_of(self._keyring, credential_id, key))
        return credential_id if is_own else ""

    async def _check_of(self, request: pb.SignInRequest) -> Callable[[str], bool]:
        """Return a function that checks the code or PIN against a credential id. Raises ``Invalid``."""
        match request.WhichOneof("by"):
            case "code":
                found = self._find_by_code((await self._load()).state, request.code)
                return lambda credential_id: credential_id == found
            case "pin":
                pin = request.pin.pin
                if len(pin) != PIN_DIGITS or not pin.isascii() or not pin.isdecimal():
                    raise Invalid("pin.pin", N_("expected six digits"))
                return lambda credential_id: pin == pin_of(self._keyring, credential_id)
            case _:
                raise Invalid("by", N_("has neither a code nor a PIN"))

    async def list_credentials(
        self, request: pb.ListCredentialsRequest, context: Context
    ) -> pb.ListCredentialsResponse:
        """List the credentials that the caller may revoke.

        Raises ``NotFound`` for tournaments outside the caller's scope.
        """
        holder, tournament = caller(), request.tournament_id
        if holder and tournament and not holder.scope.touches(tournament):
            raise NotFound("tournament", tournament)
        state = (await self._load()).state
        now = self._runtime.now()
        answer = pb.ListCredentialsResponse()
        for granted in grants.visible(caller(), state):
            credential = granted.credential
            of = not tournament or tournament in credential.scope.tournaments
            over = state.has_ended(credential) or now > credential.expires_at
            if of and (request.ended or not over):
                answer.credentials.append(_line(state, granted, now))
        known = await people.names(self._record, {line.credential.subject_id for line in answer.credentials})
        for line in answer.credentials:
            if person := known.get(line.credential.subject_id):
                line.name = person.name
        return answer

    async def get_caller(self, request: pb.GetCallerRequest, context: Context) -> pb.GetCallerResponse:
        """Return the credential and the name of the caller."""
        credential = self._caller()
        known = await people.names(self._record, [credential.subject])
        name = known[credential.subject].name if credential.subject in known else credential.name
        signed_in_at = to_timestamp(credential.signed_in)
        answer = pb.GetCallerResponse(credential=to_message(credential), name=name, signed_in_at=signed_in_at)
        if until := grants.gives_until((await self._load()).state, credential):
            answer.gives_until.FromDatetime(until)
        return answer

    async def get_hall_code(self, request: pb.GetHallCodeRequest, context: Context) -> pb.GetHallCodeResponse:
        """Return the code of the caller at the cell of a hall; none if the hall does not know the caller."""
        cells, state = await load_cells(self._record, request.tournament_id, self._seats), (await self._load()).state
        key, address = cells.keys.by_hall.get(request.hall), cells.keys.addresses.get(request.hall, "")
        by = grants.find_granted(state, self._caller())
        if key is None or not address or by is None or not is_for_hall(by, cells, request.hall):
            return pb.GetHallCodeResponse()
        code = hall_code_of(self._keyring, by.credential.credential_id, key)
        return pb.GetHallCodeResponse(code=pb.HallCode(hall=request.hall, address=address, code=code))

    async def list_hall_credentials(
        self, request: pb.ListHallCredentialsRequest, context: Context
    ) -> pb.ListHallCredentialsResponse:
        """Return the credentials of a hall for its cell.

        Raises ``NotFound`` unless that has joined, with the key of the request if there is one.
        """
        cells = await load_cells(self._record, request.tournament_id, self._seats)
        joined = cells.keys.by_hall.get(request.hall)
        if joined is None or request.key not in (b"", joined):
            raise NotFound("hall", request.hall)
        loaded, now = await self._load(), _whole_seconds(self._runtime.now())
        answer = pb.ListHallCredentialsResponse(digest=cells.digest_with(loaded.version))
        if answer.digest != request.known_digest:
            found = await list_hall_credentials(self._record, self._keyring, loaded.state, cells, request.hall, now)
            answer.MergeFrom(found)
        return answer

    def _caller(self) -> Credential:
        credential = caller()
        if credential is None:  # a process without credentials
            raise Unauthenticated("NO_CREDENTIAL", N_("the call has no credential"))
        return credential

    async def _load(self) -> Loaded[Access]:
        return await load_at_once(self._record, ACCESS_STREAM, Access(), fold)

    def _decision(self, state: Loaded[Access], new_events: list[Message], who: Actor | None = None) -> Decision:
        writes = [Write(ACCESS_STREAM, state.version, new_events, OF_THE_CELL)] if new_events else []
        return Decision(writes, also=who.remember if new_events and who and who.name else None)


async def _check_places(record: Record, credential: Credential) -> None:
    """Check that the tournaments of a scope exist, and that the player is in one of them.

    Without tournaments in the scope, the player may be in any. Raises ``NotFound``.
    """
    players: set[str] = set()
    for tournament_id in sorted(credential.scope.tournaments):
        tournament = (await load(record, f"tournament-{tournament_id}", TableTournament(), watch_tournament)).state
        if not tournament.tournament_id:
            raise NotFound("tournament", tournament_id)
        players |= tournament.players
    if credential.player and credential.scope.tournaments and credential.player not in players:
        raise NotFound("player", credential.player)


def _session(state: Loaded[Access], session_id: str) -> GrantedCredential | None:
    """Return the credential by which a device was signed in."""
    every = state.state.granted.values()
    return next((granted for granted in every if any(session == session_id for session, _ in granted.sessions)), None)


def _session_of(granted: GrantedCredential, session_id: str, now: datetime) -> Credential:
    """Return the credential of a session that was started by a link or a PIN."""
    given = granted.credential
    expires_at = next(until for session, until in granted.sessions if session == session_id)
    ancestors = (*given.ancestors, given.credential_id)
    return Credential(
        session_id, given.subject, given.role, given.scope, now, expires_at, player=given.player, ancestors=ancestors
    )


def _line(state: Access, granted: GrantedCredential, now: datetime) -> pb.CredentialLine:
    credential = granted.credential
    places = ((tournament, table) for tournament in credential.scope.tournaments for table in credential.scope.tables)
    line = pb.CredentialLine(
        credential=to_message(credential),
        form=granted.form,
        sessions=sum(until >= now and session not in state.revoked for session, until in granted.sessions),
        locked=granted.form == events.FORM_PIN and any(state.pause(*place, now) for place in places),
    )
    ended = [state.revoked[ancestor] for ancestor in credential.ids if ancestor in state.revoked]
    if ended:
        line.revoked_at.FromDatetime(min(ended))
    return line


def _until(request: pb.GrantCredentialRequest, now: datetime) -> datetime:
    if request.HasField("expires_at"):
        return _whole_seconds(moment_of("expires_at", request.expires_at))
    try:
        return now + timedelta(seconds=request.lifetime_seconds)
    except OverflowError:
        raise Invalid("lifetime_seconds", N_("exceeds the maximum lifetime of a credential")) from None


def _holder(request: pb.GrantCredentialRequest) -> Ed25519PublicKey | None:
    if not request.holder_key:
        return None
    if request.form != events.FORM_TOKEN:
        raise Invalid("holder_key", N_("only a token can be delegated"))
    try:
        return Ed25519PublicKey.from_public_bytes(request.holder_key)
    except ValueError:
        raise Invalid("holder_key", N_("expected the 32 bytes of a public Ed25519 key")) from None


def _whole_seconds(now: datetime) -> datetime:
    """Truncate a time to whole seconds, as in tokens, so that a credential is the same everywhere."""
    return now.astimezone(UTC).replace(microsecond=0)
