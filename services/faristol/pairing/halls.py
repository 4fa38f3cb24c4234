"""gRPC in: halls and tables."""

from __future__ import annotations

from faristol.pairing import decide, identity
from faristol.pairing.commands import Commands, Context
from faristol.pairing.model import Hall
from faristol.pb.pairing.v1 import pairing_pb2 as pairing


class Halls(Commands):
    """Halls, and players who have a table of their own."""

    async def SetHalls(self, request: pairing.SetHallsRequest, context: Context) -> pairing.SetHallsResponse:
        """Say which tables there are."""
        at = self.at(request)
        halls = [
            Hall(identity.checked_name("halls", hall.name, empty=True), hall.first_table, hall.last_table)
            for hall in request.halls
        ]
        return await self.act_among_divisions(
            context,
            request,
            lambda state, divisions: decide.set_halls(
                state,
                halls=halls,
                top_tables=request.top_tables,
                divisions=divisions,
                at=at,
                now=self._runtime.now(),
            ),
            lambda position, _: pairing.SetHallsResponse(position=position),
            pairing.SetHallsResponse,
        )

    async def FixTable(self, request: pairing.FixTableRequest, context: Context) -> pairing.FixTableResponse:
        """Give a player a table of their own."""
        at = self.at(request)
        return await self.act(
            context,
            request,
            lambda state: decide.fix_table(
                state, player_id=request.player_id, table=request.table, at=at, now=self._runtime.now()
            ),
            lambda position, _: pairing.FixTableResponse(position=position),
            pairing.FixTableResponse,
        )

    async def ReleaseTable(
        self, request: pairing.ReleaseTableRequest, context: Context
    ) -> pairing.ReleaseTableResponse:
        """Let a player sit anywhere again."""
        at = self.at(request)
        return await self.act(
            context,
            request,
            lambda state: decide.release_table(state, player_id=request.player_id, at=at, now=self._runtime.now()),
            lambda position, _: pairing.ReleaseTableResponse(position=position),
            pairing.ReleaseTableResponse,
        )
