"""The users of the demonstration and their credentials: director, scorers, collectors, players."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field

import grpc

from faristol.client.credentials import acting
from faristol.client.services import Api
from faristol.pb.access.v1 import access_pb2 as pb
from faristol.pb.access.v1 import events_pb2 as events
from faristol.pb.access.v1 import needs_pb2 as needs

DIRECTOR_LIFETIME_SECONDS = 24 * 3_600
"""Lifetime of the director's credential, in seconds; others get half of it."""


@dataclass(frozen=True)
class UserCalls:
    """Calls with the credentials of users, or without any if the services require none.

    The operator of the demonstration appoints the director. Scorers sign in at their table by a link from the director;
    players get a token.
    """

    api: Api
    tournament_id: str
    _tokens: dict[tuple[object, ...], str] = field(default_factory=dict)

    @asynccontextmanager
    async def director(self) -> AsyncIterator[None]:
        """Call services as the director within the block."""
        if ("director",) not in self._tokens:
            asked = await self._is_asked()
            request = self._grant(needs.ROLE_DIRECTOR, name="Directora", lifetime_seconds=DIRECTOR_LIFETIME_SECONDS)
            given = await self.api.call(request) if asked else pb.GrantCredentialResponse()
            self._tokens["director",] = given.token
        with acting(self._tokens["director",]):
            yield

    def scorer(self, table: int) -> AbstractAsyncContextManager[None]:
        """Call services as the scorer of a table within the block."""
        return self._calling_as_granted(
            self._grant(needs.ROLE_SCORER, name=f"Taula {table}", tables=[table], form=events.FORM_LINK)
        )

    def collector(self, hall: str) -> AbstractAsyncContextManager[None]:
        """Call services as a collector of a hall, a scorer of its slips, within the block."""
        return self._calling_as_granted(self._grant(needs.ROLE_SCORER, name=f"Sala {hall}", halls=[hall]))

    def player(self, player_id: str) -> AbstractAsyncContextManager[None]:
        """Call services as a player within the block."""
        return self._calling_as_granted(self._grant(needs.ROLE_PLAYER, player_id=player_id))

    @asynccontextmanager
    async def _calling_as_granted(self, request: pb.GrantCredentialRequest) -> AsyncIterator[None]:
        """Call services with a credential from the director, granted at the first use."""
        who = request.role, request.name, request.player_id
        async with self.director():
            if self._tokens["director",] and who not in self._tokens:
                given = await self.api.call(request)
                enter = pb.SignInRequest(command_id=str(uuid.uuid4()), code=given.code)
                self._tokens[who] = given.token or (await self.api.call(enter)).token
        with acting(self._tokens.get(who, "")):
            yield

    def _grant(
        self,
        role: needs.Role.ValueType,
        *,
        name: str = "",
        player_id: str = "",
        tables: Sequence[int] = (),
        halls: Sequence[str] = (),
        form: events.Form.ValueType = events.FORM_TOKEN,
        lifetime_seconds: int = DIRECTOR_LIFETIME_SECONDS // 2,
    ) -> pb.GrantCredentialRequest:
        return pb.GrantCredentialRequest(
            command_id=str(uuid.uuid4()),
            name=name,
            role=role,
            scope=events.Scope(tournament_ids=[self.tournament_id], tables=tables, halls=halls),
            player_id=player_id,
            lifetime_seconds=lifetime_seconds,
            form=form,
        )

    async def _is_asked(self) -> bool:
        """Check whether calls carry a credential. Without one, ``GetCaller`` is unauthenticated."""
        try:
            await self.api.call(pb.GetCallerRequest())
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.UNAUTHENTICATED:
                raise
            return False
        return True
