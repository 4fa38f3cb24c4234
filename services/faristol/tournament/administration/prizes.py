"""Special prizes. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.conditions import check_open
from faristol.tournament.situation import PairingCommand, Situation


def offer_prizes(situation: Situation, request: pb.OfferPrizesRequest) -> list[Message]:
    """Set the special prizes, replacing all earlier ones (PES ΣΤ).

    Raises ``Invalid`` if a prize is unknown or listed twice, ``Refusal`` if the tournament is over.
    """
    check_open(situation.state)
    prizes, known = request.prizes, [number for number in events.PrizeKind.values() if number]
    if not set(prizes) <= set(known) or len(set(prizes)) < len(prizes):
        names = ", ".join(events.PrizeKind.Name(number) for number in known)
        raise Invalid("prizes", N_("expected one or more of {known}, each once"), {"known": names})
    return [events.PrizesOffered(prizes=prizes, occurred_at=situation.occurred_at)]


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.OfferPrizesRequest: PairingCommand(offer_prizes, of_tables=True, rests_on=(events.PrizesOffered,))
}
