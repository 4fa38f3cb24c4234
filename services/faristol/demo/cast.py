"""Who plays in the demonstration, each with a credential of their own: a director, scorers, players."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field

import grpc

from faristol.client.credentials import acting
from faristol.client.services import Api, call
from faristol.pb.access.v1 import access_pb2 as pb
from faristol.pb.access.v1 import events_pb2 as events
from faristol.pb.access.v1 import needs_pb2 as needs

LASTS = 12 * 3_600
"""Seconds for which the director is appointed; who has a credential from the director has it half as long."""


@dataclass(frozen=True)
class Cast:
    """Acts by credentials where services ask for them, and without any where they ask nobody.

    The director is appointed by whoever runs the demonstration; scorers sign in at their table by a link from the
    director, and players get a token.
    """

    api: Api
    tournament_id: str
    _tokens: dict[tuple[object, ...], str] = field(default_factory=dict)

    @asynccontextmanager
    async def director(self) -> AsyncIterator[None]:
        """Act as the director."""
        if ("director",) not in self._tokens:
            asked = await self._is_asked()
            request = self._grant(needs.ROLE_DIRECTOR, name="Directora", lifetime_seconds=LASTS)
            given = await call(self.api.access.GrantCredential, request) if asked else pb.GrantCredentialResponse()
            self._tokens["director",] = given.token
        with acting(self._tokens["director",]):
            yield

    def scorer(self, table: int) -> AbstractAsyncContextManager[None]:
        """Act as the scorer of a table."""
        return self._let_in(
            self._grant(needs.ROLE_SCORER, name=f"Taula {table}", tables=[table], form=events.FORM_LINK)
        )

    def collector(self, hall: str) -> AbstractAsyncContextManager[None]:
        """Act as a collector of a hall: who types its slips."""
        return self._let_in(self._grant(needs.ROLE_SCORER, name=f"Sala {hall}", halls=[hall]))

    def player(self, player_id: str) -> AbstractAsyncContextManager[None]:
        """Act as a player."""
        return self._let_in(self._grant(needs.ROLE_PLAYER, player_id=player_id))

    @asynccontextmanager
    async def _let_in(self, request: pb.GrantCredentialRequest) -> AsyncIterator[None]:
        """Act by a credential from the director, who is asked for it once."""
        who = request.role, request.name, request.player_id
        async with self.director():
            if self._tokens["director",] and who not in self._tokens:
                given = await call(self.api.access.GrantCredential, request)
                enter = pb.SignInRequest(command_id=str(uuid.uuid4()), code=given.code)
                self._tokens[who] = given.token or (await call(self.api.access.SignIn, enter)).token
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
        lifetime_seconds: int = LASTS // 2,
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
        """Whether services ask who calls."""
        try:
            await call(self.api.access.GetCaller, pb.GetCallerRequest())
        except grpc.aio.AioRpcError as problem:
            if problem.code() is not grpc.StatusCode.UNAUTHENTICATED:
                raise
            return False
        return True
