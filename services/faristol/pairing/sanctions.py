"""gRPC in: sanctions that reach beyond a game."""

from __future__ import annotations

from google.protobuf.message import Message

from faristol.pairing import decide, identity, pinning
from faristol.pairing.commands import Commands, Context
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing


class Sanctions(Commands):
    """Warnings and expulsion."""

    async def WarnPlayer(  # noqa: N802
        self, request: pairing.WarnPlayerRequest, context: Context
    ) -> pairing.WarnPlayerResponse:
        """Warn a player."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)

        def answer(position: int, facts: list[Message]) -> pairing.WarnPlayerResponse:
            (fact,) = facts
            assert isinstance(fact, events.PlayerWarned)
            return pairing.WarnPlayerResponse(
                position=position, count=fact.count, expulsion_proposed=fact.expulsion_proposed
            )

        return await self.act(
            context,
            request,
            lambda state: decide.warn(
                state,
                pinning.ruleset_of(state),
                player_id=request.player_id,
                arbiter_id=request.arbiter_id,
                note=note,
                at=at,
                now=self._runtime.now(),
            ),
            answer,
            pairing.WarnPlayerResponse,
        )

    async def ExpelPlayer(  # noqa: N802
        self, request: pairing.ExpelPlayerRequest, context: Context
    ) -> pairing.ExpelPlayerResponse:
        """Expel a player from the tournament."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)
        return await self.act(
            context,
            request,
            lambda state: decide.expel(
                state,
                pinning.ruleset_of(state),
                player_id=request.player_id,
                arbiter_id=request.arbiter_id,
                decided_by=request.decided_by,
                note=note,
                at=at,
                now=self._runtime.now(),
            ),
            lambda position, _: pairing.ExpelPlayerResponse(position=position),
            pairing.ExpelPlayerResponse,
        )

    async def LiftExpulsion(  # noqa: N802
        self, request: pairing.LiftExpulsionRequest, context: Context
    ) -> pairing.LiftExpulsionResponse:
        """Take an expulsion back."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)
        return await self.act(
            context,
            request,
            lambda state: decide.lift_expulsion(
                state,
                player_id=request.player_id,
                decided_by=request.decided_by,
                note=note,
                at=at,
                now=self._runtime.now(),
            ),
            lambda position, _: pairing.LiftExpulsionResponse(position=position),
            pairing.LiftExpulsionResponse,
        )
