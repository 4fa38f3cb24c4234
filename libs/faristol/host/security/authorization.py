"""Authentication and authorization of calls, before their bodies run."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from datetime import datetime, timedelta
from typing import Any

import grpc
from google.protobuf.message import Message
from sqlalchemy.exc import SQLAlchemyError

from faristol.access_control.credential import Credential
from faristol.access_control.decide import (
    GamePlace,
    Places,
    check_recent,
    check_role,
    check_scope,
    check_sign_in,
    may_judge,
    may_know,
)
from faristol.access_control.errors import EXPIRED, REVOKED, AccessError, Unauthenticated
from faristol.access_control.keyring import Keyring
from faristol.access_control.needs import Needs, values_of_all
from faristol.access_control.state import ACCESS_STREAM, Access, fold
from faristol.access_control.tokens import SKEW, Verified, verify
from faristol.duplicate_game.start import MAX_EVENT_SEATS
from faristol.event_store import Record, load_at_once
from faristol.host.observability.rate_limited_log import RateLimitedLog
from faristol.host.rpc.metadata import AUTHORIZATION, OwnServiceInterceptor, metadata_of
from faristol.host.rpc.streams import until_ended_by
from faristol.host.security import audit
from faristol.host.security.visitor import visitor_of
from faristol.kernel.bounded import store_bounded
from faristol.kernel.refusal import N_
from faristol.pb.game.v1 import duplicate_events_pb2 as duplicate_events
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import events_pb2 as case_events

REVOCATION_POLL_SECONDS = 1.0
"""Seconds between two reads of the revocations."""

AUTHORIZATION_CACHE_SIZE = 4_096
"""Number of tokens, and of places, that a process caches."""

_log = logging.getLogger(__name__)

CLOCK = "the clock of this machine is behind that of the access service"
_clocks = RateLimitedLog(lambda message, _: _log.warning("%s", message), every_seconds=60.0)

_caller: ContextVar[tuple[Credential | None] | None] = ContextVar("faristol_caller", default=None)
"""The caller's credential in a tuple if the process checks credentials; None if it does not."""


def caller() -> Credential | None:
    """Return the credential of the current call's caller; None for the public, or if the process checks none."""
    asked = _caller.get()
    return asked[0] if asked else None


def is_asked() -> bool:
    """Check whether the process requires credentials. If not, a call's own statement of its caller is trusted."""
    return _caller.get() is not None


class Admission:
    """Authenticates and authorizes callers for the methods of a process."""

    def __init__(
        self,
        record: Record,
        keyring: Keyring,
        now: Callable[[], datetime],
        sign_in_limit: timedelta = timedelta(),  # immutable
    ) -> None:
        """``sign_in_limit`` is the age of a sign-in that is recent enough for what cannot be undone; 0 for any."""
        self._sign_in_limit = sign_in_limit
        self._needs: Mapping[str, Needs] = {}
        self._record = record
        self._keyring = keyring
        self._now = now
        self._access = Access()
        self._verified: OrderedDict[str, Verified] = OrderedDict()
        self._games = _Found(record, ("game", "duplicate", "prepared"), self._place_of_game)
        self._cases = _Found(record, ("case",), self._place_of_case)

    def serve(self, needs: Mapping[str, Needs]) -> None:
        """Set the requirements of the methods that are served."""
        self._needs = needs

    async def read(self) -> None:
        """Read the revocations up to now."""
        self._access = (await load_at_once(self._record, ACCESS_STREAM, Access(), fold)).state

    async def keep_reading(self) -> None:
        """Read revocations and changed keys periodically, until cancelled."""
        while True:
            await asyncio.sleep(REVOCATION_POLL_SECONDS)
            await asyncio.to_thread(self._keyring.read_again)
            try:
                await self.read()
            except (SQLAlchemyError, OSError) as error:  # in this state, commands fail too
                _log.warning("revoked credentials cannot be read at the moment: %s", error)

    def _parse_credential(self, authorization: str) -> Credential | None:
        """Return the credential in the value of ``AUTHORIZATION``, not checked for revocation; None without a value.

        Raises ``Unauthenticated``.
        """
        if not authorization:
            return None
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise Unauthenticated("CREDENTIAL_INVALID", N_("expected `Bearer` and a token in `authorization`"))
        known = self._verified.get(token)
        if known is None or self._now() > known.credential.expires_at or not self._keyring.public(known.key):
            now = self._now()
            known = verify(token, self._keyring.public, self._record.record_id, now)
            if (behind := known.credential.issued_at - now) > SKEW:
                _clocks.tell(
                    CLOCK, f"{CLOCK} by {behind.total_seconds():.0f} s or more: a credential begins later than now"
                )
            store_bounded(self._verified, token, known, AUTHORIZATION_CACHE_SIZE)
        return known.credential

    async def admit(self, method: str, authorization: str, request: Message, context: Any) -> Credential | None:
        """Authorize a call and return the credential of its caller. ``context`` is gRPC's, with the origin of the call.

        Raises ``Unauthenticated`` or ``Denied``, and ``NotFound`` for a case that the caller may not know of.
        """
        needs = self._needs[method]
        credential: Credential | None = None
        try:
            credential = self._parse_credential(authorization)
            if credential is not None and self._access.has_ended(credential):
                raise Unauthenticated("CREDENTIAL_REVOKED", REVOKED)
            check_role(credential, needs, request)
            if credential is not None:
                check_scope(credential, needs, request, await self._places(needs, request))
                check_recent(credential, needs, request, self._now(), self._sign_in_limit)
        except AccessError as error:
            audit.note_refused(method, error.reason, visitor_of(context), credential)
            raise
        return credential

    def check_recent(self, credential: Credential | None) -> None:
        """Check that a caller has signed in recently, for a command that needs it by its content. Raises ``Denied``."""
        check_sign_in(credential, self._now(), self._sign_in_limit)

    async def end_of(self, credential: Credential | None) -> None:
        """Wait until a credential ends, then raise ``Unauthenticated``; without a credential, wait forever."""
        if credential is None:
            await asyncio.Event().wait()
            return
        while not self._access.has_ended(credential):
            await asyncio.sleep(REVOCATION_POLL_SECONDS)
            if self._now() > credential.expires_at:
                raise Unauthenticated("CREDENTIAL_EXPIRED", EXPIRED, {"time": credential.expires_at.isoformat()})
        raise Unauthenticated("CREDENTIAL_REVOKED", REVOKED)

    async def _places(self, needs: Needs, request: Message) -> Places:
        return Places(
            await self._games.of_all(values_of_all(request, needs.games)),
            await self._cases.of_all(values_of_all(request, (needs.case,))),
        )

    async def may_know(self, credential: Credential, tournament: str, game_id: str, case_id: str) -> bool:
        """Check whether the holder may receive a notification for officials, on a game, a case, or a tournament."""
        if case_id:
            return may_know(credential, tournament, await self._cases.of(case_id), of_case=True)
        place = await self._games.of(game_id) if game_id else None
        if game_id and place is None:
            return False
        return may_know(credential, tournament, place, of_case=False)

    async def is_for_caller(self, case_id: str) -> bool:
        """Check whether the caller may judge a case; true for a caller without a credential."""
        credential, place = caller(), await self._cases.of(case_id)
        return credential is None or (place is not None and may_judge(credential, place))

    async def _place_of_case(self, event: Message) -> GamePlace | None:
        assert isinstance(event, case_events.CaseOpened)
        game = await self._games.of(event.game_id)
        if game is None:
            return None
        return GamePlace(game.tournament, game.hall, game.table, game.players, event.language)

    async def _place_of_game(self, event: Message) -> GamePlace | None:
        if isinstance(event, duplicate_events.DuplicateOpened):
            players = await self._players_of_duplicate(event)
            return GamePlace(event.tournament_id, "", 0, players, everywhere=True)
        if isinstance(event, duplicate_events.GamePrepared | duplicate_events.EmbargoSet):
            return GamePlace(event.tournament_id, "", 0, frozenset(), everywhere=True)
        assert isinstance(event, game_events.GameOpened)
        return GamePlace(event.tournament_id, event.hall, event.table, frozenset(event.player_ids))

    async def _players_of_duplicate(self, opened: duplicate_events.DuplicateOpened) -> frozenset[str]:
        """Return the players of all halls: they are seated when the game is opened, and none is added later."""
        found: set[str] = set()
        for hall in opened.halls:
            parts = -(-hall.players // MAX_EVENT_SEATS)
            for seated in await self._record.first_events(f"slips-{opened.game_id}-h{hall.number}", parts):
                assert isinstance(seated, duplicate_events.HallSeated)
                found.update(seat.player_id for seat in seated.seats)
        return frozenset(found)


class _Found:
    """A cache of places by stream, from the first events, which never change."""

    def __init__(
        self, record: Record, kinds: Sequence[str], place_of: Callable[[Message], Awaitable[GamePlace | None]]
    ) -> None:
        self._record = record
        self._kinds = kinds
        self._place_of = place_of
        self._known: OrderedDict[str, GamePlace] = OrderedDict()

    async def of_all(self, stream_ids: Iterable[str]) -> dict[str, GamePlace]:
        """Return the places of those streams that exist."""
        return {stream_id: place for stream_id in stream_ids if (place := await self.of(stream_id))}

    async def of(self, stream_id: str) -> GamePlace | None:
        """Return the place of a stream; None if it does not exist."""
        if known := self._known.get(stream_id):
            return known
        event = None
        for kind in self._kinds:
            event = event or await self._record.first_event(f"{kind}-{stream_id}")
        place = await self._place_of(event) if event is not None else None
        if place is not None:
            store_bounded(self._known, stream_id, place, AUTHORIZATION_CACHE_SIZE)
        return place


class AccessInterceptor(OwnServiceInterceptor):
    """Authenticates and authorizes every call of Faristol's own services."""

    def __init__(self, admission: Admission) -> None:
        self._admission = admission

    def handler(self, handler: Any, details: grpc.HandlerCallDetails) -> Any:
        """Wrap the handler with the check of the credential."""
        method = details.method
        authorization = metadata_of(details.invocation_metadata, AUTHORIZATION)
        read, write = handler.request_deserializer, handler.response_serializer
        if handler.unary_unary:

            async def call(request: Any, context: Any) -> Any:
                _caller.set((await self._admission.admit(method, authorization, request, context),))
                return await handler.unary_unary(request, context)

            return grpc.unary_unary_rpc_method_handler(call, read, write)

        async def stream(request: Any, context: Any) -> Any:
            credential = await self._admission.admit(method, authorization, request, context)
            _caller.set((credential,))
            async for response in until_ended_by(
                self._admission.end_of(credential), handler.unary_stream(request, context)
            ):
                yield response
                _caller.set((credential,))  # the next response may be requested in another context

        return grpc.unary_stream_rpc_method_handler(stream, read, write)
