from __future__ import annotations

import pytest
from tests.support.halls import FISC, Hall, hall_of
from tests.support.refusals import reason_and_article_of, reason_of

from faristol.kernel.errors import Invalid
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset, load_ruleset
from faristol.rules.ruleset.with_options import with_options

ROUND_ROBIN = with_options(load_ruleset("pes-2024"), {"pairing": "round-robin"})


def change(hall: Hall, rounds: int) -> None:
    hall.carry_out(pb.ChangeRoundsRequest(rounds=rounds))


def test_rounds_are_added_and_the_last_is_another() -> None:
    hall = hall_of(10)
    hall.play(1)
    change(hall, 6)
    for number in range(2, 7):
        hall.play(number)

    hall.carry_out(pb.PublishStandingsRequest())
    published = hall.events[-1]
    assert isinstance(published, events.StandingsPublished)
    assert published.round == 6


def test_rounds_that_are_not_paired_are_dropped_down_to_what_the_book_asks_for() -> None:
    hall = hall_of(10, 7)
    for number in range(1, 6):
        hall.play(number)
    hall.pair(6)

    assert reason_and_article_of(lambda: change(hall, 5)) == ("ROUND_PAIRED", "FISC I.1")
    assert reason_and_article_of(lambda: change(hall, 4)) == ("TOO_FEW_ROUNDS", "FISC I.1")
    change(hall, 6)
    assert hall.state.rounds == 6
    assert reason_of(lambda: change(hall, 6)) == "SAME_ROUNDS"


@pytest.mark.parametrize("book", [FISC, load_ruleset("fise")])
@pytest.mark.parametrize("played", [0, 1])
@pytest.mark.parametrize("rounds", [101, 2**31 - 1])
def test_a_championship_has_no_more_rounds_than_a_calendar_has_room_for(
    book: Ruleset, played: int, rounds: int
) -> None:
    hall = hall_of(ruleset=book)
    for number in range(1, played + 1):
        hall.play(number)
    with pytest.raises(Invalid, match="expected at most 100"):
        change(hall, rounds)
    with pytest.raises(Invalid, match="expected at most 100"):
        hall_of(rounds=rounds, ruleset=book)


@pytest.mark.parametrize(("rounds", "enters"), [(8, True), (7, False), (6, False)])
def test_until_when_players_can_enter_follows_from_the_number_of_rounds(rounds: int, enters: bool) -> None:
    # FISC I.4: until round 4 of 8 begins, and until round 3 of 7 or 6.
    hall = hall_of(10)
    for number in range(1, 4):
        hall.play(number)
    change(hall, rounds)

    def enter() -> None:
        hall.carry_out(pb.RegisterPlayerRequest(player_id="late", rating=1500))

    if enters:
        enter()
        assert hall.state.players[-1].entered == 4
    else:
        assert reason_and_article_of(enter) == ("TOO_LATE_TO_ENTER", "FISC I.4")


def test_no_round_is_added_in_which_players_would_have_to_meet_again() -> None:
    hall = hall_of(6)
    hall.play(1)

    assert reason_and_article_of(lambda: change(hall, 6)) == ("TOO_MANY_ROUNDS", "FISC I.1")


def test_how_many_rounds_can_be_played_follows_from_who_takes_part_in_the_next() -> None:
    hall = hall_of(6)
    hall.play(1)
    for player_id in ("late", "later"):
        hall.carry_out(pb.RegisterPlayerRequest(player_id=player_id, rating=1500))
    change(hall, 6)

    hall = hall_of()
    hall.play(1)
    for player_id in ("p5", "p6", "p7", "p8"):
        hall.carry_out(pb.WithdrawPlayerRequest(player_id=player_id))
    assert reason_and_article_of(lambda: change(hall, 7)) == ("TOO_MANY_ROUNDS", "FISC I.1")


def test_a_round_can_follow_the_last_until_the_final_standings_are_published() -> None:
    hall = hall_of(10)
    for number in range(1, 6):
        hall.play(number)

    change(hall, 6)
    assert reason_of(lambda: hall.decide(pb.PublishStandingsRequest())) == "ROUNDS_LEFT"
    change(hall, 5)
    change(hall, 6)
    hall.play(6)
    hall.carry_out(pb.PublishStandingsRequest())

    assert reason_of(lambda: change(hall, 7)) == reason_of(lambda: change(hall, 5)) == "TOURNAMENT_OVER"


def test_where_each_meets_each_the_table_says_how_many_rounds_there_are() -> None:
    hall = hall_of(4, 3, ROUND_ROBIN)
    change(hall, 5)
    change(hall, 3)
    hall.pair(1)

    assert reason_of(lambda: change(hall, 2)) == "PAIRED_BY_TABLE"
