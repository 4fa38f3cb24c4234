"""Requests of players from their phones, and absent players."""

from __future__ import annotations

import pytest
from tests.support.halls import Hall

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.players.requests import list_open_rounds

BYE, WITHDRAWAL = events.PLAYER_REQUEST_KIND_BYE, events.PLAYER_REQUEST_KIND_WITHDRAWAL


def build_hall(**acts: int) -> Hall:
    hall = Hall({f"p{number}": 2000 - number for number in range(1, 7)})
    if acts:
        hall.carry_out(pb.SetPlayerActsRequest(**acts))  # type: ignore[arg-type] # fields of the request
    return hall


def refusal_of(hall: Hall, request: pb.LodgePlayerRequestRequest | pb.SettleAbsencesRequest) -> Refusal:
    with pytest.raises(Refusal) as refused:
        hall.decide(request)
    return refused.value


def test_one_answer_grants_the_bye_that_a_player_asked_for() -> None:
    hall = build_hall()
    hall.carry_out(pb.LodgePlayerRequestRequest(player_id="p1", kind=BYE, round=3))
    assert list_open_rounds(hall.state, "p1") == []  # the one request is pending
    hall.carry_out(pb.AnswerPlayerRequestRequest(request=1, granted=True))
    player = hall.state.player("p1")
    assert player is not None
    assert set(player.byes) == {3}
    with pytest.raises(Refusal) as refused:
        hall.decide(pb.AnswerPlayerRequestRequest(request=1, refused=True))
    assert refused.value.reason == "REQUEST_ANSWERED"


def test_a_request_for_a_bye_that_the_director_granted_meanwhile_can_still_be_granted() -> None:
    hall = build_hall()
    hall.carry_out(pb.LodgePlayerRequestRequest(player_id="p1", kind=BYE, round=3))
    hall.carry_out(pb.GrantByeRequest(player_id="p1", round=3, kind=events.BYE_KIND_ZERO_POINT))
    (answered,) = hall.decide(pb.AnswerPlayerRequestRequest(request=1, granted=True))
    assert isinstance(answered, events.PlayerRequestAnswered)
    assert answered.granted


def test_a_request_is_as_the_organiser_allows() -> None:
    ask = pb.LodgePlayerRequestRequest(player_id="p1", kind=BYE, round=2)
    leave = pb.LodgePlayerRequestRequest(player_id="p1", kind=WITHDRAWAL)
    assert refusal_of(build_hall(most_byes=0, check_in=1), ask).reason == "BYES_AT_DESK"
    at_desk = build_hall(most_byes=1, leaving=events.LEAVING_OPTION_DESK)
    assert refusal_of(at_desk, leave).reason == "LEAVE_AT_DESK"
    once = build_hall()
    once.carry_out(ask)
    assert refusal_of(once, ask).reason == "REQUEST_WAITS"
    other = pb.LodgePlayerRequestRequest(player_id="p1", kind=BYE, round=3)
    assert refusal_of(once, other).reason == "BYES_USED"
    once.carry_out(leave)
    assert refusal_of(once, leave).reason == "REQUEST_WAITS"


def test_a_player_takes_back_the_own_request_and_no_other() -> None:
    hall = build_hall()
    hall.carry_out(pb.LodgePlayerRequestRequest(player_id="p1", kind=BYE, round=2))
    with pytest.raises(Refusal) as refused:
        hall.decide(pb.TakeBackPlayerRequestRequest(player_id="p2", request=1))
    assert refused.value.reason == "NO_REQUEST"
    hall.carry_out(pb.TakeBackPlayerRequestRequest(player_id="p1", request=1))
    assert list_open_rounds(hall.state, "p1") == [1, 2, 3, 4, 5]


def test_a_player_who_may_leave_alone_is_withdrawn_at_once_and_is_paired_no_more() -> None:
    hall = build_hall(most_byes=1, leaving=events.LEAVING_OPTION_DIRECT)
    hall.carry_out(pb.LodgePlayerRequestRequest(player_id="p1", kind=WITHDRAWAL))
    player = hall.state.player("p1")
    assert player is not None
    assert player.withdrawn == 1


def test_players_check_in_from_their_phones_only_if_the_organiser_allows_it() -> None:
    with pytest.raises(Refusal) as refused:
        build_hall().decide(pb.ConfirmPresenceRequest(player_id="p1"))
    assert refused.value.reason == "CHECK_IN_AT_DESK"
    hall = build_hall(most_byes=1, check_in=1)
    hall.carry_out(pb.ConfirmPresenceRequest(player_id="p1"))
    player = hall.state.player("p1")
    assert player is not None
    assert player.checked_in


@pytest.mark.parametrize(
    ("treatment", "kind"),
    [
        (pb.ABSENCE_TREATMENT_HALF_POINT_BYE, events.BYE_KIND_HALF_POINT),
        (pb.ABSENCE_TREATMENT_ZERO_POINT_BYE, events.BYE_KIND_ZERO_POINT),
    ],
)
def test_one_command_gives_all_absent_players_a_bye_in_the_next_round(
    treatment: pb.AbsenceTreatment.ValueType, kind: events.ByeKind.ValueType
) -> None:
    hall = build_hall()
    found = hall.decide(pb.SettleAbsencesRequest(player_ids=["p2", "p5"], treatment=treatment, arbiter_id="eva"))
    assert [(each.player_id, each.round, each.kind) for each in found if isinstance(each, events.ByeGranted)] == [
        ("p2", 1, kind),
        ("p5", 1, kind),
    ]


def test_absent_players_are_left_out_all_or_none() -> None:
    hall = build_hall()
    out = pb.ABSENCE_TREATMENT_LEAVE_OUT
    hall.carry_out(pb.SettleAbsencesRequest(player_ids=["p2", "p5"], treatment=out, arbiter_id="eva"))
    assert [each.player_id for each in hall.state.players if each.withdrawn] == ["p2", "p5"]
    again = pb.SettleAbsencesRequest(player_ids=["p1", "p2"], treatment=out, arbiter_id="eva")
    assert refusal_of(hall, again).reason == "WITHDRAWN"
    with pytest.raises(Invalid) as wrong:
        hall.decide(pb.SettleAbsencesRequest(treatment=out, arbiter_id="eva"))
    assert wrong.value.field == "player_ids"


def test_absent_players_of_a_started_round_lose_their_games_and_a_table_without_players_is_decided_once() -> None:
    hall = build_hall()
    hall.pair(1)
    hall.carry_out(pb.StartRoundRequest(round=1))
    table = hall.state.played[0].pairings[0]
    absent = [*table.player_ids, hall.state.played[0].pairings[1].player_ids[0]]
    forfeit = pb.ABSENCE_TREATMENT_FORFEIT
    found = hall.decide(pb.SettleAbsencesRequest(player_ids=absent, treatment=forfeit, arbiter_id="eva"))
    results = [each for each in found if isinstance(each, events.ResultRecorded)]
    assert [each.game_id for each in results] == [each.game_id for each in hall.state.played[0].pairings[:2]]
    assert results[0].lost_by_all
