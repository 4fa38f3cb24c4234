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


def prize_list(**fields: object) -> pb.SetPrizeListRequest:
    return pb.SetPrizeListRequest(**{"name": "Final standings", **fields})  # type: ignore[arg-type] # fields


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"amounts": [100, 200]}, "amounts"),
        ({"amounts": [-1]}, "amounts"),
        ({"name": " "}, "name"),
        ({"born_from": 2010, "born_until": 2000}, "born_until"),
        ({"born_from": 12}, "born_from"),
        ({"place": 3}, "place"),
        ({"player_ids": ["a"]}, "player_ids"),
    ],
)
def test_a_prize_list_that_cannot_be_awarded_is_refused(fields: dict[str, object], wrong: str) -> None:
    with pytest.raises(Invalid) as problem:
        Hall({"a": 1500, "b": 1400}).decide(prize_list(**fields))
    assert problem.value.field == wrong


def test_a_prize_list_is_added_changed_removed_and_each_is_undone() -> None:
    hall = Hall({"a": 1500, "b": 1400})
    hall.carry_out(prize_list(amounts=[300, 100]))
    hall.carry_out(prize_list(name="Women", category="Women"))
    assert hall.state.prize_lists == (1, 2)
    hall.carry_out(prize_list(list=2, name="Women", place=1))
    assert hall.state.prize_lists == (2, 1)
    hall.carry_out(pb.UndoActRequest(version=len(hall.events)))
    assert hall.state.prize_lists == (1, 2)
    hall.carry_out(pb.RemovePrizeListRequest(list=1))
    hall.carry_out(pb.UndoActRequest(version=len(hall.events)))
    assert hall.state.prize_lists == (2, 3)  # added again as the last one, with a number of its own
    again = hall.events[-1]
    assert isinstance(again, events.PrizeListSet)
    assert (again.name, list(again.amounts)) == ("Final standings", [300, 100])


def test_rules_of_prizes_need_a_sharing_a_limit_and_a_currency() -> None:
    hall = Hall({"a": 1500, "b": 1400})
    rules = pb.SetPrizeRulesRequest(
        sharing=events.PRIZE_SHARING_HORT, limit=events.PRIZE_LIMIT_FIRST_LIST, currency="eur"
    )
    (event,) = hall.decide(rules)
    assert isinstance(event, events.PrizeRulesSet)
    assert event.currency == "EUR"
    for field in ("sharing", "limit", "currency"):
        other = pb.SetPrizeRulesRequest()
        other.CopyFrom(rules)
        other.ClearField(field)
        with pytest.raises(Invalid) as wrong:
            hall.decide(other)
        assert wrong.value.field == field
