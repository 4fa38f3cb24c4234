"""Special prizes. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_
from faristol.kernel.times import to_timestamp
from faristol.pairing import conditions
from faristol.pairing.model import Tournament
from faristol.pb.pairing.v1 import events_pb2 as events


def offer_prizes(
    state: Tournament, *, prizes: Sequence[events.PrizeKind.ValueType], at: datetime | None, now: datetime
) -> list[Message]:
    """Say which special prizes there are, in place of those that were there before (PES ΣΤ).

    Raises ``Invalid`` for a prize named twice or not known, ``Refusal`` when the tournament is over.
    """
    if state.over:
        raise conditions.over(state)
    known = [number for number in events.PrizeKind.values() if number]
    if not set(prizes) <= set(known) or len(set(prizes)) < len(prizes):
        names = ", ".join(events.PrizeKind.Name(number) for number in known)
        raise Invalid("prizes", N_("expected some of {known}, each once"), {"known": names})
    return [events.PrizesOffered(prizes=prizes, occurred_at=to_timestamp(conditions.moment(state, at, now)))]
