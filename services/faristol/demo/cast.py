"""Who plays in the demonstration, each with a credential of their own: a director, scorers, players."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
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

    @asynccontextmanager
    async def scorer(self, table: int) -> AsyncIterator[None]:
        """Act as the scorer of a table."""
        async with self.director():
            if self._tokens["director",] and ("scorer", table) not in self._tokens:
                request = self._grant(needs.ROLE_SCORER, name=f"Taula {table}", form=events.FORM_LINK)
                request.scope.tables.append(table)
                code = (await call(self.api.access.GrantCredential, request)).code
                enter = pb.SignInRequest(command_id=str(uuid.uuid4()), code=code)
                self._tokens["scorer", table] = (await call(self.api.access.SignIn, enter)).token
        with acting(self._tokens.get(("scorer", table), "")):
            yield

    @asynccontextmanager
    async def collector(self, hall: str) -> AsyncIterator[None]:
        """Act as a collector of a hall: who types its slips."""
        async with self.director():
            if self._tokens["director",] and ("collector", hall) not in self._tokens:
                request = self._grant(needs.ROLE_SCORER, name=f"Sala {hall}")
                request.scope.halls.append(hall)
                self._tokens["collector", hall] = (await call(self.api.access.GrantCredential, request)).token
        with acting(self._tokens.get(("collector", hall), "")):
            yield

    @asynccontextmanager
    async def player(self, player_id: str) -> AsyncIterator[None]:
        """Act as a player."""
        async with self.director():
            if self._tokens["director",] and ("player", player_id) not in self._tokens:
                request = self._grant(needs.ROLE_PLAYER, player_id=player_id)
                self._tokens["player", player_id] = (await call(self.api.access.GrantCredential, request)).token
        with acting(self._tokens.get(("player", player_id), "")):
            yield

    def _grant(
        self,
        role: needs.Role.ValueType,
        *,
        name: str = "",
        player_id: str = "",
        form: events.Form.ValueType = events.FORM_TOKEN,
        lifetime_seconds: int = LASTS // 2,
    ) -> pb.GrantCredentialRequest:
        return pb.GrantCredentialRequest(
            command_id=str(uuid.uuid4()),
            name=name,
            role=role,
            scope=events.Scope(tournament_ids=[self.tournament_id]),
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
