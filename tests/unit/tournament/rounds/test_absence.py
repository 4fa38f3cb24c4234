"""In a round robin, an absent player loses the game of the round, if the book says so (PES ΣΤ)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from google.protobuf.message import Message
from tests.support.halls import Hall, hall_of

from faristol.kernel.refusal import Refusal
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset, load_ruleset
from faristol.rules.ruleset.with_options import with_options
from faristol.tournament.pairing_explanations.player_pairs import explain
from faristol.tournament.rounds.past import Past, past_of
from faristol.tournament.state import Phase, RoundState

PES = with_options(load_ruleset("pes-2024"), {"pairing": "round-robin"})
FISE = with_options(load_ruleset("fise"), {"pairing": "round-robin"})
UF = with_options(load_ruleset("uf-2007"), {"pairing": "round-robin", "minutes": 25})
WITH_BYES = replace(FISE, championship=replace(FISE.championship, not_there="bye"))
"""As tournaments of these rules were pinned before forfeits were said of them."""


def withdraw(hall: Hall, player_id: str) -> Sequence[Message]:
    return hall.carry_out(pb.WithdrawPlayerRequest(player_id=player_id))


def reinstate(hall: Hall, player_id: str) -> Sequence[Message]:
    return hall.carry_out(pb.ReinstatePlayerRequest(player_id=player_id))


def play(hall: Hall, number: int) -> RoundState:
    """Return a round that is paired already: started, the games without a result won by the first named, and closed."""
    hall.start(number)
    for table in hall.state.played[number - 1].missing:
        hall.report(table.game_id, 400, 350)
    hall.close(number)
    return hall.state.played[number - 1]


def game_of(played: RoundState, player_id: str) -> tuple[str, dict[str, int]]:
    """Return the game of a player with its scores."""
    table = next(table for table in played.pairings if player_id in table.player_ids)
    return table.game_id, dict(zip(table.player_ids, played.results[table.game_id], strict=True))


def test_who_gives_a_round_robin_up_loses_the_games_to_come_150_to_nothing() -> None:
    hall = hall_of(4, 3, PES)
    hall.play(1)
    withdraw(hall, "p4")
    for number in (2, 3):
        hall.pair(number)
        assert len(hall.state.played[number - 1].pairings) == 2
        played = play(hall, number)
        game, scores = game_of(played, "p4")
        opponent = next(player_id for player_id in scores if player_id != "p4")
        assert scores == {opponent: 150, "p4": 0}
        decided = played.decided[game]
        assert (decided.winner_id, decided.losers, decided.unplayed) == (opponent, ("p4",), True)
        assert decided.condition == game_events.END_CONDITION_FORFEIT
        assert (played.bye, played.requested) == (None, {})
        assert past_of(hall.state, PES, opponent, number + 1)[-1].unplayed_win


def test_the_result_comes_with_the_start_of_the_round_and_its_table_is_closed_by_it() -> None:
    hall = hall_of(4, 3, PES)
    hall.play(1)
    withdraw(hall, "p4")
    hall.pair(2)
    started, entered, recorded = hall.start(2)
    assert isinstance(started, events.RoundStarted)
    assert isinstance(entered, events.ResultEntered)
    assert isinstance(recorded, events.ResultRecorded)
    assert entered.game_id == recorded.game_id
    assert {started.occurred_at.seconds} == {entered.occurred_at.seconds, recorded.occurred_at.seconds}
    assert entered.arbiter_id == "", "no arbiter entered it: the book did"


def test_who_leaves_between_pairing_and_start_leaves_the_pairing_as_it_is() -> None:
    hall = hall_of(4, 3, PES)
    hall.play(1)
    hall.pair(2)
    withdraw(hall, "p4")
    assert game_of(play(hall, 2), "p4")[1]["p4"] == 0


def test_who_is_back_before_the_start_plays() -> None:
    hall = hall_of(4, 3, PES)
    hall.play(1)
    withdraw(hall, "p4")
    hall.pair(2)
    reinstate(hall, "p4")
    assert len(hall.start(2)) == 1
    assert len(hall.state.played[1].missing) == 2


def test_who_is_back_later_has_lost_that_game_and_plays_the_next() -> None:
    hall = hall_of(4, 3, PES)
    hall.play(1)
    withdraw(hall, "p4")
    hall.pair(2)
    play(hall, 2)
    reinstate(hall, "p4")
    hall.pair(3)
    assert len(hall.start(3)) == 1
    assert hall.state.played[2].phase is Phase.STARTED
    assert game_of(hall.state.played[1], "p4")[1]["p4"] == 0


def test_a_withdrawal_that_was_a_slip_is_undone_before_the_start() -> None:
    hall = hall_of(4, 3, PES)
    hall.play(1)
    hall.pair(2)
    withdraw(hall, "p4")
    version = len(hall.events)
    hall.carry_out(pb.UndoActRequest(version=version))
    assert len(hall.start(2)) == 1


def test_two_who_have_left_have_no_game() -> None:
    hall = hall_of(6, ruleset=PES)
    hall.play(1)
    withdraw(hall, "p5")
    withdraw(hall, "p6")
    for number in range(2, 6):
        hall.pair(number)
        played = play(hall, number)
        assert not any({"p5", "p6"} == set(table.player_ids) for table in played.pairings)
        assert all(0 in played.results[game] for game in played.entered)


def test_both_leave_between_pairing_and_start_and_both_lose() -> None:
    hall = hall_of(4, 3, PES)
    hall.play(1)
    hall.pair(2)
    table = hall.state.played[1].pairings[0]
    for player_id in table.player_ids:
        withdraw(hall, player_id)
    played = play(hall, 2)
    assert played.results[table.game_id] == (0, 0)
    assert played.decided[table.game_id].lost_by_all


def test_a_round_that_somebody_sits_out_is_lost_too() -> None:
    hall = hall_of(4, 3, PES)
    kind = events.BYE_KIND_ZERO_POINT
    hall.carry_out(pb.GrantByeRequest(player_id="p1", round=1, kind=kind))
    hall.pair(1)
    played = play(hall, 1)
    assert played.requested == {}
    assert game_of(played, "p1")[1]["p1"] == 0


def test_who_never_came_is_not_in_the_table_and_the_round_is_paired_again() -> None:
    hall = hall_of(4, 3, PES)
    hall.pair(1)
    withdraw(hall, "p4")
    with pytest.raises(Refusal) as refused:
        hall.start(1)
    assert refused.value.reason == "PAIRED_AND_WITHDRAWN"


def test_the_bye_of_an_odd_table_stays_whose_it_is() -> None:
    hall = hall_of(5, ruleset=PES)
    hall.play(1)
    withdraw(hall, "p5")
    resting = []
    for number in range(2, 6):
        hall.pair(number)
        resting.append(play(hall, number).bye)
    assert "p5" not in resting
    assert len({player for player in resting if player}) == len([player for player in resting if player])


@pytest.mark.parametrize("ruleset", [FISE, UF], ids=["fise", "uf"])
def test_where_the_book_is_silent_the_games_to_come_are_lost_as_fide_has_it(ruleset: Ruleset) -> None:
    hall = hall_of(4, 3, ruleset)
    hall.play(1)
    withdraw(hall, "p4")
    before = hall.state
    hall.pair(2)
    paired = hall.state.played[1]
    assert explain(before, ruleset, paired, "p4", "").article == "FIDE C.05 6.6"
    played = play(hall, 2)
    game, scores = game_of(played, "p4")
    assert scores == dict.fromkeys(scores, 0)
    decided = played.decided[game]
    assert (decided.losers, decided.unplayed, played.bye) == (("p4",), True, None)


def test_in_tournaments_pinned_before_the_opponent_has_a_bye() -> None:
    hall = hall_of(4, 3, WITH_BYES)
    hall.play(1)
    withdraw(hall, "p4")
    hall.play(2)
    played = hall.state.played[1]
    assert played.bye is not None
    assert len(played.pairings) == 1
    assert past_of(hall.state, WITH_BYES, played.bye, 3)[1] == Past(half_points=2, paired=True, allocated=True)


def test_why_they_meet_says_who_is_not_there() -> None:
    hall = hall_of(4, 3, PES)
    hall.play(1)
    withdraw(hall, "p4")
    before = hall.state
    hall.pair(2)
    played = hall.state.played[1]
    pair = next(table.player_ids for table in played.pairings if "p4" in table.player_ids)
    (opponent,) = set(pair) - {"p4"}
    for asked in pair:
        why = explain(before, PES, played, asked, "")
        assert (why.reason, why.article) == ("opponent-gone", "PES ΣΤ")
        assert (why.params["one"], why.params["other"]) == (opponent, "p4")
