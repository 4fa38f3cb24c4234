"""gRPC in: which special prizes there are."""

from __future__ import annotations

from faristol.pairing.commands import Commands, Context
from faristol.pairing.decide.prizes import offer_prizes
from faristol.pb.pairing.v1 import pairing_pb2 as pairing


class Prizes(Commands):
    """The special prizes of a tournament."""

    async def OfferPrizes(self, request: pairing.OfferPrizesRequest, context: Context) -> pairing.OfferPrizesResponse:
        """Say which special prizes there are."""
        at = self.at(request)
        return await self.act(
            context,
            request,
            lambda state: offer_prizes(state, prizes=request.prizes, at=at, now=self._runtime.now()),
            lambda position, _: pairing.OfferPrizesResponse(position=position),
            pairing.OfferPrizesResponse,
        )
