"""gRPC in: players who move between the divisions of a championship."""

from __future__ import annotations

from collections.abc import Callable

from faristol.pairing import decide, identity, pinning
from faristol.pairing.commands import Commands, Context, decision_of
from faristol.pairing.players import check_name_free
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.record import Decision, people


class Divisions(Commands):
    """What concerns two divisions at once."""

    async def MovePlayer(self, request: pairing.MovePlayerRequest, context: Context) -> pairing.MovePlayerResponse:
        """Move a player to another division, in one act on both."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)

        async def attempt() -> tuple[Decision, Callable[[int], pairing.MovePlayerResponse]]:
            leaving = await self.load(request.tournament_id)
            entering = await self.load(request.to_tournament_id, "to_tournament_id")
            others = (await self.other_divisions(leaving.state)).without(request.to_tournament_id)
            left, entered = decide.move(
                leaving.state,
                entering.state,
                pinning.ruleset_of(entering.state),
                player_id=request.player_id,
                divisions=others.tournaments,
                note=note,
                at=at,
                now=self._runtime.now(),
            )
            known = (await people.names(self._record, [request.player_id])).get(request.player_id)
            if known is not None and known.name:
                await check_name_free(self._record, known, entering.state, others.tournaments)
            writes = [
                *decision_of(request.tournament_id, leaving, left).writes,
                *decision_of(request.to_tournament_id, entering, entered).writes,
            ]
            return Decision(writes, others.guards), lambda position: pairing.MovePlayerResponse(position=position)

        async with self.in_turn(request.tournament_id):
            return await self.handle(context, request, attempt, response=pairing.MovePlayerResponse)
