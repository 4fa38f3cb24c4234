"""The result of a round if players enter, leave and have byes in unusual order, as an arbiter expects it."""

from __future__ import annotations

import pytest
from google.protobuf.message import Message
from tests.support.halls import Hall

from faristol.kernel.refusal import Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset, load_ruleset
from faristol.rules.ruleset.with_options import with_options
from faristol.tournament.rounds.ranking import standing_of
from faristol.tournament.rounds.systems import ways_out


def hall_of(count: int, rounds: int = 5, **options: str) -> Hall:
    return Hall({f"p{place}": 2000 - 10 * place for place in range(1, count + 1)}, rounds, rules(**options))


def rules(book: str = "fisc-2023", **options: str) -> Ruleset:
    return with_options(load_ruleset(book), options)


def withdraw(hall: Hall, *players: str) -> None:
    for player_id in players:
        hall.carry_out(pb.WithdrawPlayerRequest(player_id=player_id))


def bye_of(past_events: list[Message]) -> str:
    return next((event.player_id for event in past_events if isinstance(event, events.ByeAwarded)), "")


def three_who_rested() -> Hall:
    """Return seven players after three rounds, of whom those with the three byes remain."""
    hall = hall_of(7)
    for number in (1, 2, 3):
        hall.play(number)
    rested = {played.bye for played in hall.state.played}
    withdraw(hall, *(player.player_id for player in hall.state.players if player.player_id not in rested))
    assert len(hall.state.to_pair(4)) == 3
    return hall


def test_three_who_have_all_had_the_bye_are_not_paired_and_the_arbiter_is_told_the_ways_out() -> None:
    hall = three_who_rested()
    with pytest.raises(Refusal) as refused:
        hall.pair(4)
    assert (refused.value.reason, refused.value.params) == ("NO_BYE_LEFT", {"players": 3})
    assert any(len(group) == 1 for way in ways_out(hall.state, hall.ruleset, 4) for group in way.players)


def test_of_three_who_have_all_had_the_bye_two_are_paired_by_hand_and_the_third_rests() -> None:
    hall = three_who_rested()
    first, second, third = (player.player_id for player in hall.state.to_pair(4))
    hall.carry_out(pb.KeepPairRequest(player_ids=[first, second], rematch=True))
    new_events = list(hall.carry_out(pb.PairRoundRequest(round=4, system="by-hand")))
    assert bye_of(new_events) == third


def test_of_three_who_have_all_had_the_bye_one_is_granted_another_and_the_others_meet() -> None:
    hall = three_who_rested()
    *others, third = (player.player_id for player in hall.state.to_pair(4))
    hall.carry_out(pb.GrantByeRequest(player_id=third, round=4, kind=events.BYE_KIND_HALF_POINT))
    if any(past == others[1] for past in _opponents(hall, others[0])):
        hall.carry_out(pb.KeepPairRequest(player_ids=others, rematch=True))
    paired, *rest = hall.pair(4)
    assert isinstance(paired, events.RoundPaired)
    assert not rest
    assert [(bye.player_id, bye.kind) for bye in paired.requested_byes] == [(third, events.BYE_KIND_HALF_POINT)]


def _opponents(hall: Hall, player_id: str) -> list[str]:
    tables = (table.pair for played in hall.state.played for table in played.pairings if player_id in table.player_ids)
    return [other for pair in tables for other in pair if other != player_id]


def test_a_bye_that_was_granted_and_revoked_keeps_none_from_the_bye_of_the_pairing() -> None:
    hall = hall_of(5)
    for request in (
        pb.GrantByeRequest(player_id="p5", round=1, kind=events.BYE_KIND_FULL_POINT),
        pb.RevokeByeRequest(player_id="p5", round=1),
    ):
        hall.carry_out(request)
    assert bye_of(list(hall.pair(1))) == "p5"


def test_who_sits_a_round_out_by_a_bye_leaves_an_even_number_without_another_bye() -> None:
    hall = hall_of(5)
    hall.carry_out(pb.GrantByeRequest(player_id="p1", round=1, kind=events.BYE_KIND_ZERO_POINT))
    assert bye_of(list(hall.pair(1))) == ""
    # A bye without points is not the bye of the pairing: it can still come (FIDE C.04.1).
    hall.start(1)
    for table in hall.state.played[0].pairings:
        hall.report(table.game_id, 400, 300)
    hall.close(1)
    assert standing_of(hall.state, hall.ruleset)[-1] in {"p1", "p4", "p5"}
    assert bye_of(list(hall.pair(2))) == standing_of_before(hall)


def standing_of_before(hall: Hall) -> str:
    """Return the last of the standings before the round that was just paired."""
    state = hall.state
    hall.carry_out(pb.UnpairRoundRequest(round=len(state.played)))
    return standing_of(hall.state, hall.ruleset)[-1]


def test_when_all_have_left_there_is_no_round_and_the_rounds_played_are_the_tournament() -> None:
    hall = hall_of(8, 7)
    for number in range(1, 6):
        hall.play(number)
    withdraw(hall, *(player.player_id for player in hall.state.players))
    with pytest.raises(Refusal) as refused:
        hall.pair(6)
    assert (refused.value.reason, refused.value.params) == ("TOO_FEW_PLAYERS", {"players": 0})
    hall.carry_out(pb.ChangeRoundsRequest(rounds=5))
    (published,) = hall.carry_out(pb.PublishStandingsRequest())
    assert isinstance(published, events.StandingsPublished)
    assert published.round == 5


def test_a_latecomer_meets_who_would_have_rested() -> None:
    hall = hall_of(5)
    assert bye_of(list(hall.pair(1))) == "p5"
    hall.carry_out(pb.RegisterPlayerRequest(player_id="p6", rating=1500))
    with pytest.raises(Refusal, match="p6 entered after it was paired"):
        hall.start(1)
    hall.carry_out(pb.UnpairRoundRequest(round=1))
    new_events = list(hall.pair(1))
    assert bye_of(new_events) == ""
    assert len(hall.state.played[0].pairings) == 3


def test_who_was_withdrawn_by_mistake_is_back_before_the_start_and_the_pairing_stands() -> None:
    hall = hall_of(6)
    hall.play(1)
    hall.pair(2)
    was = hall.state.played[1]
    withdraw(hall, "p2")
    with pytest.raises(Refusal, match="p2 withdrew after it was paired"):
        hall.start(2)
    hall.carry_out(pb.ReinstatePlayerRequest(player_id="p2"))
    hall.start(2)
    assert hall.state.played[1].pairings == was.pairings
    assert hall.state.player("p2").missed == frozenset()  # type: ignore[union-attr] # registered


def test_rounds_that_are_added_after_a_pairing_leave_it_as_it_is() -> None:
    hall = hall_of(8)
    hall.play(1)
    hall.pair(2)
    was = hall.state.played[1]
    hall.carry_out(pb.ChangeRoundsRequest(rounds=7))
    assert (hall.state.rounds, hall.state.played[1]) == (7, was)
    hall.start(2)


def test_a_player_is_not_on_both_sides_of_a_result() -> None:
    hall = hall_of(4, 3, book="fise")
    hall.pair(1)
    hall.start(1)
    game = hall.state.played[0].pairings[0].game_id
    player = hall.state.played[0].pairings[0].player_ids[0]
    request = pb.EnterResultRequest(game_id=game, arbiter_id="eva")
    for score in (400, 300):
        request.scores.add(player_id=player, score=score)
    with pytest.raises(Exception, match="expected"):
        hall.carry_out(request)
    assert game not in hall.state.played[0].results


def test_where_one_of_an_odd_double_round_robin_leaves_the_others_meet_all_and_rest_for_nothing() -> None:
    hall = hall_of(5, 10, book="fise", pairing="double-round-robin")
    for number in (1, 2, 3):
        hall.play(number)
    withdraw(hall, "p5")
    for number in range(4, 11):
        hall.play(number)
    for played in hall.state.played:
        assert not played.requested
        lost = [table for table in played.pairings if "p5" in table.player_ids and played.number > 3]
        assert all(table.game_id in played.results for table in lost)
    met = [table.player_ids for played in hall.state.played for table in played.pairings]
    assert sum({"p1", "p2"} == set(pair) for pair in met) == 2
    assert sum("p5" in pair for pair in met) == 8
