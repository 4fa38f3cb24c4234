"""Requests of players for correction or erasure of their data, and the answers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from google.protobuf.message import Message
from tests.support.halls import Hall, decide_command

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.players.data_requests import answer
from faristol.tournament.situation import Situation
from faristol.tournament.state import DataRequest

CORRECTION, ERASURE = events.DATA_REQUEST_KIND_CORRECTION, events.DATA_REQUEST_KIND_ERASURE


@pytest.fixture
def hall() -> Hall:
    return Hall({"anna": 2000, "biel": 1900})


def lodge(hall: Hall, player_id: str = "anna", kind: Any = CORRECTION, note: str = "Puig, not Puit") -> None:
    hall.carry_out(pb.LodgeDataRequestRequest(player_id=player_id, kind=kind, note=note))


def answer_request(hall: Hall, **given: Any) -> list[Message]:
    situation = Situation(hall.state, now=hall.now, past_events=hall.events)
    return answer(situation, pb.AnswerDataRequestRequest(**given))


def test_requests_are_counted_in_the_tournament_and_one_of_a_kind_waits_at_a_time(hall: Hall) -> None:
    lodge(hall)
    lodge(hall, "biel")
    lodge(hall, kind=ERASURE, note="")
    assert hall.state.data_requests == (
        DataRequest("anna", CORRECTION),
        DataRequest("biel", CORRECTION),
        DataRequest("anna", ERASURE),
    )
    with pytest.raises(Refusal) as again:
        lodge(hall)
    assert again.value.reason == "REQUEST_WAITS"
    (event,) = hall.do(answer_request(hall, request=1, refused=True, note="says right"))
    assert isinstance(event, events.DataRequestAnswered)
    assert (event.player_id, event.kind, event.granted) == ("anna", CORRECTION, False)
    lodge(hall)
    assert [asked.waits for asked in hall.state.data_requests] == [False, True, True, True]


def test_a_request_can_be_lodged_after_the_final_standings(hall: Hall) -> None:
    over = replace(hall.state, over=True)
    asked = pb.LodgeDataRequestRequest(player_id="anna", kind=ERASURE)
    (event,) = decide_command(over, asked, events=hall.events)
    assert isinstance(event, events.DataRequestLodged)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"player_id": "anna"}, "kind"),
        ({"player_id": "anna", "kind": CORRECTION}, "note"),
    ],
)
def test_a_request_says_what_it_is_for(hall: Hall, given: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid) as wrong:
        hall.carry_out(pb.LodgeDataRequestRequest(**given))
    assert wrong.value.field == field


def test_a_person_who_does_not_play_asks_for_nothing(hall: Hall) -> None:
    with pytest.raises(Refusal) as refused:
        lodge(hall, "carla")
    assert refused.value.reason == "NOT_REGISTERED"


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"request": 1}, "refused"),
        ({"request": 1, "corrected": True, "refused": True, "note": "x"}, "refused"),
        ({"request": 1, "refused": True}, "note"),
        ({"request": 1, "erased": True}, "erased"),
        ({"request": 2, "corrected": True}, "corrected"),
        ({"request": 1, "refused": True, "note": "x", "name": "Anna"}, "name"),
        ({"request": 2, "erased": True, "club": ""}, "club"),
    ],
)
def test_an_answer_is_one_and_of_the_kind_that_was_asked(hall: Hall, given: dict[str, Any], field: str) -> None:
    lodge(hall)
    lodge(hall, kind=ERASURE)
    with pytest.raises(Invalid) as wrong:
        answer_request(hall, **given)
    assert wrong.value.field == field


def test_what_is_answered_or_was_never_asked_is_not_answered(hall: Hall) -> None:
    lodge(hall)
    hall.do(answer_request(hall, request=1, corrected=True))
    for number, reason in ((1, "REQUEST_ANSWERED"), (0, "NO_REQUEST"), (2, "NO_REQUEST")):
        with pytest.raises(Refusal) as refused:
            answer_request(hall, request=number, corrected=True)
        assert refused.value.reason == reason
