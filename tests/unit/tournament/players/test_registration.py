from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from google.protobuf.message import Message
from tests.support.halls import FISC, Hall, hall_of
from tests.support.refusals import reason_and_article_of, reason_of

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.kernel.times import to_timestamp
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset, load_ruleset
from faristol.rules.ruleset.with_options import with_options
from faristol.tournament.rounds import readiness
from faristol.tournament.rounds.past import Past, past_of
from faristol.tournament.rounds.ranking import entrants
from faristol.tournament.rounds.systems import dutch_round

DUTCH = with_options(FISC, {"pairing": "dutch"})


def enter(hall: Hall, player_id: str, rating: int | None = 1500, number: int = 0) -> Sequence[Message]:
    return hall.carry_out(pb.RegisterPlayerRequest(player_id=player_id, rating=rating, round=number))


GIVEN_UP = pb.RUNNING_GAME_GIVEN_UP
PLAYED_OUT = pb.RUNNING_GAME_PLAYED_OUT


def withdraw(
    hall: Hall, player_id: str, running_game: pb.RunningGame.ValueType = pb.RUNNING_GAME_UNSPECIFIED
) -> events.PlayerWithdrawn:
    (event,) = hall.carry_out(pb.WithdrawPlayerRequest(player_id=player_id, running_game=running_game))
    assert isinstance(event, events.PlayerWithdrawn)
    return event


def grant(hall: Hall, player_id: str, number: int, kind: events.ByeKind.ValueType) -> None:
    hall.carry_out(pb.GrantByeRequest(player_id=player_id, round=number, kind=kind))


def in_round(hall: Hall, number: int) -> set[str]:
    played = hall.state.played[number - 1]
    return {player for table in played.pairings for player in table.player_ids} | (
        {played.bye} if played.bye else set()
    )


@pytest.mark.parametrize(("rounds", "last", "fictitious"), [(7, 3, 2), (8, 4, 3)])
def test_a_late_entry_comes_in_until_half_of_the_rounds_with_half_a_point_for_each_missed(
    rounds: int, last: int, fictitious: int
) -> None:
    # FISC I.4.
    hall = hall_of(12, rounds)
    for number in range(1, last):
        hall.play(number)

    (event,) = enter(hall, "late")

    assert isinstance(event, events.LateEntryAdmitted)
    assert (event.round, event.fictitious_half_points) == (last, fictitious)
    hall.play(last)
    assert reason_and_article_of(lambda: enter(hall, "later")) == ("TOO_LATE_TO_ENTER", "FISC I.4")


@pytest.mark.parametrize("ruleset", [FISC, DUTCH])
def test_fictitious_points_are_for_pairing_and_not_points_of_the_championship(ruleset: Ruleset) -> None:
    hall = hall_of(9, 7, ruleset)
    hall.play(1)
    hall.play(2)
    enter(hall, "late")

    late = next(entrant for entrant in entrants(hall.state, ruleset) if entrant.player_id == "late")

    assert (late.half_points, late.had_bye, late.opponents) == (2, False, frozenset())
    assert past_of(hall.state, ruleset, "late", 3) == (Past(), Past())
    numbered = {player.points for player in dutch_round(hall.state, ruleset, 3).players if player.unplayed == 2}
    assert numbered == {10}


def test_nobody_comes_in_late_where_each_meets_each() -> None:
    hall = hall_of(4, 3, with_options(load_ruleset("pes-2024"), {"pairing": "round-robin"}))
    hall.play(1)

    assert reason_of(lambda: enter(hall, "late")) == "REGISTRATION_CLOSED"


def test_who_withdraws_is_not_paired_any_more_and_who_is_reinstated_is() -> None:
    hall = hall_of(rounds=7)
    hall.play(1)
    assert withdraw(hall, "p3").round == 2
    hall.play(2)
    assert in_round(hall, 2) == {f"p{place}" for place in range(1, 9)} - {"p3"}

    hall.carry_out(pb.ReinstatePlayerRequest(player_id="p3"))
    hall.play(3)
    assert in_round(hall, 3) == {f"p{place}" for place in range(1, 9)}
    assert past_of(hall.state, FISC, "p3", 3)[1] == Past()


def test_who_comes_back_while_a_round_is_paired_misses_it_and_not_the_next() -> None:
    hall = hall_of(rounds=7)
    withdraw(hall, "p3")
    hall.pair(1)
    (back,) = hall.carry_out(pb.ReinstatePlayerRequest(player_id="p3"))
    assert isinstance(back, events.PlayerReinstated)
    assert back.round == 2
    hall.start(1)
    assert "p3" not in in_round(hall, 1)
    assert [hall.state.players[2].takes_part(number) for number in (1, 2)] == [False, True]


def test_who_comes_back_while_a_round_is_paired_is_in_it_when_it_is_paired_again() -> None:
    hall = hall_of(rounds=7)
    withdraw(hall, "p3")
    hall.pair(1)
    hall.carry_out(pb.ReinstatePlayerRequest(player_id="p3"))
    hall.carry_out(pb.UnpairRoundRequest(round=1))
    hall.pair(1)
    hall.start(1)
    assert "p3" in in_round(hall, 1)


def test_a_second_withdrawal_is_not_answered_as_the_first_was() -> None:
    hall = hall_of(rounds=7)
    hall.play(1)
    withdraw(hall, "p3")
    with pytest.raises(Refusal, match=r"^p3 has already withdrawn, from round 2 on\.$") as refused:
        withdraw(hall, "p3")
    assert refused.value.reason == "WITHDRAWN"


def test_the_round_that_is_paired_without_who_comes_back_is_named_until_it_starts() -> None:
    hall = hall_of(rounds=7)
    withdraw(hall, "p3")
    hall.pair(1)
    back = hall.decide(pb.ReinstatePlayerRequest(player_id="p3"))
    assert readiness.round_paired_without(hall.state, back) == 1
    hall.start(1)
    back = hall.decide(pb.ReinstatePlayerRequest(player_id="p3"))
    assert readiness.round_paired_without(hall.state, back) == 0


def test_who_had_the_bye_and_comes_back_before_the_round_begins_keeps_it() -> None:
    hall = hall_of(7, 7)
    hall.pair(1)
    bye = hall.state.played[0].bye
    assert bye is not None
    withdraw(hall, bye)
    hall.carry_out(pb.ReinstatePlayerRequest(player_id=bye))
    hall.start(1)
    assert next(player for player in hall.state.players if player.player_id == bye).takes_part(1)


def test_a_withdrawal_in_the_middle_of_a_round_names_the_game_that_is_left() -> None:
    hall = hall_of(rounds=7)
    hall.pair(1)
    hall.start(1)

    assert reason_of(lambda: withdraw(hall, "p5")) == "GAME_RUNNING"
    event = withdraw(hall, "p5", GIVEN_UP)

    assert (event.round, event.game_id) == (2, "open-r1-t1")


def test_a_game_that_is_played_out_is_not_left() -> None:
    hall = hall_of(rounds=7)
    hall.pair(1)
    hall.start(1)

    event = withdraw(hall, "p5", PLAYED_OUT)
    hall.report("open-r1-t1", 300, 400)

    assert (event.round, event.game_id) == (2, "")
    assert past_of(hall.state, FISC, "p5", 2)[0].half_points == 2


def test_a_postponed_game_is_not_being_played_and_is_not_started_with_who_has_left() -> None:
    hall = hall_of(rounds=7, ruleset=load_ruleset("pes-2024"))
    hall.pair(1)
    due = hall.now + timedelta(days=1)
    hall.carry_out(
        pb.PostponeGameRequest(
            game_id="open-r1-t1",
            player_ids=["p1", "p5"],
            scheduled_at=to_timestamp(due),
            postponed_to=to_timestamp(due + timedelta(days=1)),
            arbiter_id="eleni",
        )
    )
    hall.start(1)

    assert withdraw(hall, "p5").game_id == ""
    begin = pb.StartPostponedGameRequest(game_id="open-r1-t1")
    assert reason_of(lambda: hall.decide(begin)) == "WITHDRAWN"


@pytest.mark.parametrize("rounds", [5, 7])
def test_until_a_round_begins_a_player_can_come_in_and_it_is_paired_again(rounds: int) -> None:
    # FISC I.4: until the beginning of round ⌊N/2⌋, paired or not.
    hall = hall_of(rounds=rounds)
    last = rounds // 2
    for number in range(1, last):
        hall.play(number)
    hall.pair(last)

    (event,) = enter(hall, "late")
    assert isinstance(event, events.LateEntryAdmitted)
    assert (event.round, event.fictitious_half_points) == (last, last - 1)
    assert reason_of(lambda: hall.start(last)) == "ENTERED_AFTER_PAIRING"
    hall.carry_out(pb.UnpairRoundRequest(round=last))
    hall.pair(last)
    hall.start(last)
    assert "late" in in_round(hall, last)
    assert reason_and_article_of(lambda: enter(hall, "later")) == ("TOO_LATE_TO_ENTER", "FISC I.4")


def test_who_comes_in_before_round_1_begins_is_no_late_entry_and_may_also_come_in_later() -> None:
    hall = hall_of(rounds=7)
    hall.pair(1)

    (first,) = enter(hall, "first")
    (second,) = enter(hall, "second", number=2)

    assert isinstance(first, events.PlayerRegistered)
    assert isinstance(second, events.LateEntryAdmitted)
    assert (second.round, second.fictitious_half_points) == (2, 1)
    hall.carry_out(pb.UnpairRoundRequest(round=1))
    hall.play(1)
    assert "second" not in in_round(hall, 1)
    assert reason_and_article_of(lambda: enter(hall, "third", number=1)) == ("ROUND_STARTED", "FISC I.4")


def test_a_withdrawal_after_the_own_game_leaves_no_game() -> None:
    hall = hall_of(rounds=7)
    hall.pair(1)
    hall.start(1)
    hall.report("open-r1-t1", 400, 300)

    assert withdraw(hall, "p5").game_id == ""


def test_a_round_does_not_start_with_somebody_who_has_withdrawn() -> None:
    hall = hall_of(rounds=7)
    hall.pair(1)
    withdraw(hall, "p5")
    before = hall.state

    assert reason_of(lambda: hall.start(1)) == "PAIRED_AND_WITHDRAWN"
    assert hall.state == before


@pytest.mark.parametrize(
    ("kind", "half_points"),
    [(events.BYE_KIND_HALF_POINT, 1), (events.BYE_KIND_FULL_POINT, 2), (events.BYE_KIND_ZERO_POINT, 0)],
)
def test_a_bye_that_was_asked_for_is_sat_out_and_worth_what_was_granted(
    kind: events.ByeKind.ValueType, half_points: int
) -> None:
    hall = hall_of(9, 7)
    hall.play(1)
    grant(hall, "p1", 2, kind)
    hall.play(2)

    assert "p1" not in in_round(hall, 2)
    full = kind == events.BYE_KIND_FULL_POINT
    assert past_of(hall.state, FISC, "p1", 3)[1] == Past(half_points=half_points, unplayed_win=full)
    entrant = next(candidate for candidate in entrants(hall.state, FISC) if candidate.player_id == "p1")
    assert entrant.had_bye == (kind == events.BYE_KIND_FULL_POINT)


def test_a_bye_is_revoked_before_its_round_and_not_after() -> None:
    hall = hall_of(rounds=7)
    grant(hall, "p1", 1, events.BYE_KIND_HALF_POINT)

    def revoke() -> None:
        hall.carry_out(pb.RevokeByeRequest(player_id="p1", round=1))

    revoke()
    hall.pair(1)
    assert "p1" in in_round(hall, 1)
    assert reason_of(revoke) == "ROUND_NOT_TO_COME"


def test_a_bye_is_of_a_kind() -> None:
    hall = hall_of(rounds=7)

    with pytest.raises(Invalid, match="kind: expected a half-point"):
        grant(hall, "p1", 1, events.BYE_KIND_UNSPECIFIED)


def test_once_one_is_checked_in_the_first_round_waits_for_all_who_have_not_withdrawn() -> None:
    hall = hall_of(rounds=7)
    for place in range(1, 8):
        hall.carry_out(pb.CheckInPlayerRequest(player_id=f"p{place}"))
    assert reason_of(lambda: hall.pair(1)) == "NOT_CHECKED_IN"

    withdraw(hall, "p8")
    hall.pair(1)

    assert in_round(hall, 1) == {f"p{place}" for place in range(1, 8)}
    assert reason_of(lambda: hall.decide(pb.CheckOutPlayerRequest(player_id="p1"))) == ("CHECK_IN_CLOSED")


def test_who_comes_late_is_checked_in_after_the_first_round_was_paired() -> None:
    hall = hall_of(rounds=7)
    for place in range(1, 8):
        hall.carry_out(pb.CheckInPlayerRequest(player_id=f"p{place}"))
    grant(hall, "p8", 1, events.BYE_KIND_ZERO_POINT)
    hall.play(1)
    hall.carry_out(pb.CheckInPlayerRequest(player_id="p8"))
    hall.pair(2)

    assert "p8" in in_round(hall, 2)


def test_all_are_checked_in_by_one_act() -> None:
    hall = hall_of(rounds=7)
    withdraw(hall, "p8")
    hall.carry_out(pb.CheckInPlayerRequest(player_id="p1"))
    noted = hall.carry_out(pb.CheckInPlayersRequest())

    assert [event.player_id for event in noted] == [f"p{place}" for place in range(2, 8)]  # type: ignore[attr-defined]
    assert reason_of(lambda: hall.decide(pb.CheckInPlayersRequest())) == "CHECKED_IN"
    assert reason_of(lambda: hall.decide(pb.CheckInPlayersRequest(player_ids=["p8"]))) == "WITHDRAWN"


def test_who_was_paired_is_not_checked_in_by_one_act_either() -> None:
    hall = hall_of(rounds=7)
    grant(hall, "p8", 1, events.BYE_KIND_ZERO_POINT)
    hall.play(1)
    assert reason_of(lambda: hall.decide(pb.CheckInPlayersRequest(player_ids=["p8", "p1"]))) == "CHECK_IN_CLOSED"
    noted = hall.carry_out(pb.CheckInPlayersRequest())
    assert [event.player_id for event in noted] == ["p8"]  # type: ignore[attr-defined]
    hall.pair(2)
    assert reason_of(lambda: hall.decide(pb.CheckInPlayersRequest())) == "CHECK_IN_CLOSED"


def test_a_later_round_waits_for_a_check_in_of_its_own_if_one_is_opened() -> None:
    hall = hall_of(rounds=5)
    assert reason_of(lambda: hall.decide(pb.OpenCheckInRequest())) == "CHECK_IN_OPEN", "that of round 1 is open"
    hall.carry_out(pb.CheckInPlayersRequest())
    hall.play(1)
    opened, *out = hall.carry_out(pb.OpenCheckInRequest())
    assert opened == events.CheckInOpened(round=2, occurred_at=opened.occurred_at)  # type: ignore[attr-defined]
    assert sorted(event.player_id for event in out) == [f"p{place}" for place in range(1, 9)]  # type: ignore[attr-defined]
    assert reason_of(lambda: hall.decide(pb.OpenCheckInRequest())) == "CHECK_IN_OPEN"
    assert reason_of(lambda: hall.decide(pb.PairRoundRequest(round=2))) == "NOT_CHECKED_IN", "nobody is there"
    hall.carry_out(pb.CheckInPlayersRequest(player_ids=[f"p{place}" for place in range(1, 8)]))
    assert reason_of(lambda: hall.decide(pb.PairRoundRequest(round=2))) == "NOT_CHECKED_IN", "one is missing"
    hall.carry_out(pb.CheckOutPlayerRequest(player_id="p1"))
    hall.carry_out(pb.CheckInPlayerRequest(player_id="p1"))
    grant(hall, "p8", 2, events.BYE_KIND_ZERO_POINT)
    hall.play(2)
    assert reason_of(lambda: hall.decide(pb.CheckInPlayerRequest(player_id="p1"))) == "CHECK_IN_CLOSED"
    for number in (3, 4, 5):
        hall.play(number)
    assert reason_of(lambda: hall.decide(pb.OpenCheckInRequest())) == "NO_ROUND_LEFT"


def test_the_check_in_of_a_duplicate_game_closes_for_those_who_are_in_it() -> None:
    hall = Hall({"p1": 2000, "p2": 1900, "p3": 1800}, ruleset=load_ruleset("fisc-2023-duplicate"))
    grant(hall, "p3", 1, events.BYE_KIND_ZERO_POINT)
    hall.pair(1)
    assert reason_of(lambda: hall.decide(pb.CheckInPlayerRequest(player_id="p1"))) == "CHECK_IN_CLOSED"
    assert reason_of(lambda: hall.decide(pb.CheckInPlayersRequest(player_ids=["p1"]))) == "CHECK_IN_CLOSED"
    noted = hall.carry_out(pb.CheckInPlayersRequest())
    assert [event.player_id for event in noted] == ["p3"]  # type: ignore[attr-defined]


def test_a_check_in_is_taken_back() -> None:
    hall = hall_of(rounds=7)
    hall.carry_out(pb.CheckInPlayerRequest(player_id="p1"))
    hall.carry_out(pb.CheckOutPlayerRequest(player_id="p1"))

    hall.pair(1)


ROUND_ROBIN = with_options(load_ruleset("fise"), {"pairing": "round-robin"})
OF_BYES = replace(ROUND_ROBIN, championship=replace(ROUND_ROBIN.championship, not_there="bye"))
"""Rules as tournaments pinned them that were created before an absent opponent lost by forfeit."""


def test_where_each_meets_each_who_was_to_meet_somebody_who_withdrew_has_the_points() -> None:
    hall = hall_of(4, 3, OF_BYES)
    hall.play(1)
    withdraw(hall, "p4")
    hall.play(2)

    alone = hall.state.played[1].bye
    assert alone is not None
    assert hall.state.played[1].requested == {}
    assert past_of(hall.state, hall.ruleset, alone, 3)[1] == Past(half_points=2, paired=True, allocated=True)
    assert len(hall.state.played[1].pairings) == 1


@pytest.mark.parametrize("request_of", [pb.CheckInPlayerRequest, pb.CheckOutPlayerRequest, pb.ReinstatePlayerRequest])
def test_nothing_is_said_of_who_is_not_registered(request_of: Callable[..., Message]) -> None:
    hall = hall_of(rounds=7)

    assert reason_of(lambda: hall.decide(request_of(player_id="nobody"))) == "NOT_REGISTERED"


def test_where_each_meets_each_a_bye_is_worth_nothing_and_the_opponent_wins_without_a_game() -> None:
    hall = hall_of(4, 3, OF_BYES)
    for kind in (events.BYE_KIND_HALF_POINT, events.BYE_KIND_FULL_POINT):
        with pytest.raises(Refusal, match="grant a zero-point bye") as refused:
            grant(hall, "p1", 1, kind)
        assert refused.value.reason == "BYE_WITH_POINTS"
    grant(hall, "p1", 1, events.BYE_KIND_ZERO_POINT)
    hall.pair(1)
    (paired,) = hall.state.played
    assert len(paired.pairings) == 1
    assert {*paired.pairings[0].player_ids, paired.bye} == {"p2", "p3", "p4"}
