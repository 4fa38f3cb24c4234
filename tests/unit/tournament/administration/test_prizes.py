from __future__ import annotations

import dataclasses

import pytest
from tests.support.halls import Hall, decide_command

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb


def test_prizes_are_offered_in_the_order_in_which_they_are_named() -> None:
    hall = Hall({"a": 1500, "b": 1400})
    (event,) = hall.decide(pb.OfferPrizesRequest(prizes=[events.PRIZE_KIND_SPREAD, events.PRIZE_KIND_BINGOS]))
    assert isinstance(event, events.PrizesOffered)
    assert list(event.prizes) == [events.PRIZE_KIND_SPREAD, events.PRIZE_KIND_BINGOS]


@pytest.mark.parametrize("prizes", [[events.PRIZE_KIND_UNSPECIFIED], [events.PRIZE_KIND_BINGOS] * 2, [99]])
def test_a_prize_that_is_none_or_named_twice_is_refused(prizes: list[events.PrizeKind.ValueType]) -> None:
    hall = Hall({"a": 1500, "b": 1400})
    with pytest.raises(Invalid, match="PRIZE_KIND_HIGH_PLAY"):
        hall.decide(pb.OfferPrizesRequest(prizes=prizes))


def test_no_prize_is_offered_once_the_standings_are_published() -> None:
    hall = Hall({"a": 1500, "b": 1400})
    with pytest.raises(Refusal):
        decide_command(dataclasses.replace(hall.state, over=True), pb.OfferPrizesRequest(prizes=[]), now=hall.now)
