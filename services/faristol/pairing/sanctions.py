"""gRPC in: sanctions that reach beyond a game."""

from __future__ import annotations

from google.protobuf.message import Message

from faristol.pairing import decide, identity, pinning
from faristol.pairing.commands import Commands, Context
from faristol.pairing.model import Tournament
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing


class Sanctions(Commands):
    """Warnings, sanctions and expulsion."""

    async def WarnPlayer(self, request: pairing.WarnPlayerRequest, context: Context) -> pairing.WarnPlayerResponse:
        """Warn a player."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)
        arbiter_id = await self.arbiter(request, context)

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
                arbiter_id=arbiter_id,
                note=note,
                at=at,
                now=self._runtime.now(),
            ),
            answer,
            pairing.WarnPlayerResponse,
        )

    async def ExpelPlayer(self, request: pairing.ExpelPlayerRequest, context: Context) -> pairing.ExpelPlayerResponse:
        """Expel a player from the tournament."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)
        arbiter_id = await self.arbiter(request, context)
        return await self.act(
            context,
            request,
            lambda state: decide.expel(
                state,
                pinning.ruleset_of(state),
                player_id=request.player_id,
                arbiter_id=arbiter_id,
                decided_by=request.decided_by,
                note=note,
                at=at,
                now=self._runtime.now(),
            ),
            lambda position, _: pairing.ExpelPlayerResponse(position=position),
            pairing.ExpelPlayerResponse,
        )

    async def LiftExpulsion(
        self, request: pairing.LiftExpulsionRequest, context: Context
    ) -> pairing.LiftExpulsionResponse:
        """Take an expulsion back."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)
        return await self.act_among_divisions(
            context,
            request,
            lambda state, divisions: decide.lift_expulsion(
                state,
                pinning.ruleset_of(state),
                divisions=divisions,
                player_id=request.player_id,
                decided_by=request.decided_by,
                note=note,
                at=at,
                now=self._runtime.now(),
            ),
            lambda position, _: pairing.LiftExpulsionResponse(position=position),
            pairing.LiftExpulsionResponse,
        )

    async def SanctionPlayer(
        self, request: pairing.SanctionPlayerRequest, context: Context
    ) -> pairing.SanctionPlayerResponse:
        """Impose a sanction beside the tables."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)
        arbiter_id = await self.arbiter(request, context)
        after: list[int] = []

        def facts_of(state: Tournament) -> list[Message]:
            facts = decide.sanction(
                state,
                pinning.ruleset_of(state),
                player_id=request.player_id,
                kind=request.kind,
                game=request.game_id,
                points=request.points,
                rounds=request.rounds,
                arbiter_id=arbiter_id,
                decided_by=request.decided_by,
                note=note,
                at=at,
                now=self._runtime.now(),
            )
            changed = [fact.round for fact in facts if isinstance(fact, events.ResultCorrected)]
            after[:] = [one.number for one in state.played if changed and one.number > changed[0]]
            return facts

        return await self.act(
            context,
            request,
            facts_of,
            lambda position, _: pairing.SanctionPlayerResponse(position=position, rounds_after=after),
            pairing.SanctionPlayerResponse,
        )

    async def LiftSanction(
        self, request: pairing.LiftSanctionRequest, context: Context
    ) -> pairing.LiftSanctionResponse:
        """Take a warning, a sanction or an expulsion back."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)
        return await self.act_on(
            context,
            request,
            lambda state, facts, divisions: decide.lift(
                state,
                pinning.ruleset_of(state),
                facts,
                request.version,
                divisions=divisions,
                decided_by=request.decided_by,
                note=note,
                at=at,
                now=self._runtime.now(),
            ),
            lambda position, _: pairing.LiftSanctionResponse(position=position),
            pairing.LiftSanctionResponse,
        )
