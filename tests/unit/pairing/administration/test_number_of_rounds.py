from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.unit.pairing.halls import FISC, Hall

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset, load_ruleset
from faristol.rules.ruleset.with_options import with_options

ROUND_ROBIN = with_options(load_ruleset("pes-2024"), {"pairing": "round-robin"})


def hall_of(players: int = 10, rounds: int = 7, ruleset: Ruleset = FISC) -> Hall:
    return Hall({f"p{place}": 2000 - place for place in range(1, players + 1)}, rounds, ruleset)


def change(hall: Hall, rounds: int) -> None:
    hall.carry_out(pb.ChangeRoundsRequest(rounds=rounds))


def refusal_of(act: Callable[[], object]) -> tuple[str, str]:
    with pytest.raises(Refusal) as refused:
        act()
    return refused.value.reason, refused.value.article


def test_rounds_are_added_and_the_last_is_another() -> None:
    hall = hall_of(rounds=5)
    hall.play(1)
    change(hall, 6)
    for number in range(2, 7):
        hall.play(number)

    hall.carry_out(pb.PublishStandingsRequest())
    published = hall.facts[-1]
    assert isinstance(published, events.StandingsPublished)
    assert published.round == 6


def test_rounds_that_are_not_paired_are_dropped_down_to_what_the_book_asks_for() -> None:
    hall = hall_of(rounds=7)
    for number in range(1, 6):
        hall.play(number)
    hall.pair(6)

    assert refusal_of(lambda: change(hall, 5)) == ("ROUND_PAIRED", "FISC I.1")
    assert refusal_of(lambda: change(hall, 4)) == ("TOO_FEW_ROUNDS", "FISC I.1")
    change(hall, 6)
    assert hall.state.rounds == 6
    assert refusal_of(lambda: change(hall, 6))[0] == "SAME_ROUNDS"


@pytest.mark.parametrize("book", [FISC, load_ruleset("fise")])
@pytest.mark.parametrize("played", [0, 1])
@pytest.mark.parametrize("rounds", [101, 2**31 - 1])
def test_a_championship_has_no_more_rounds_than_a_calendar_has_room_for(
    book: Ruleset, played: int, rounds: int
) -> None:
    hall = hall_of(8, 5, book)
    for number in range(1, played + 1):
        hall.play(number)
    with pytest.raises(Invalid, match="expected at most 100"):
        change(hall, rounds)
    with pytest.raises(Invalid, match="expected at most 100"):
        hall_of(8, rounds, book)


@pytest.mark.parametrize(("rounds", "enters"), [(8, True), (7, False), (6, False)])
def test_until_when_players_can_enter_follows_from_the_number_of_rounds(rounds: int, enters: bool) -> None:
    # FISC I.4: until round 4 of 8 begins, and until round 3 of 7 or 6.
    hall = hall_of(rounds=5)
    for number in range(1, 4):
        hall.play(number)
    change(hall, rounds)

    def enter() -> None:
        hall.carry_out(pb.RegisterPlayerRequest(player_id="late", rating=1500))

    if enters:
        enter()
        assert hall.state.players[-1].entered == 4
    else:
        assert refusal_of(enter) == ("TOO_LATE_TO_ENTER", "FISC I.4")


def test_no_round_is_added_in_which_players_would_have_to_meet_again() -> None:
    hall = hall_of(6, 5)
    hall.play(1)

    assert refusal_of(lambda: change(hall, 6)) == ("TOO_MANY_ROUNDS", "FISC I.1")


def test_how_many_rounds_can_be_played_follows_from_who_takes_part_in_the_next() -> None:
    hall = hall_of(6, 5)
    hall.play(1)
    for player_id in ("late", "later"):
        hall.carry_out(pb.RegisterPlayerRequest(player_id=player_id, rating=1500))
    change(hall, 6)

    hall = hall_of(8, 5)
    hall.play(1)
    for player_id in ("p5", "p6", "p7", "p8"):
        hall.carry_out(pb.WithdrawPlayerRequest(player_id=player_id))
    assert refusal_of(lambda: change(hall, 7)) == ("TOO_MANY_ROUNDS", "FISC I.1")


def test_a_round_can_follow_the_last_until_the_final_standings_are_published() -> None:
    hall = hall_of(rounds=5)
    for number in range(1, 6):
        hall.play(number)

    change(hall, 6)
    assert refusal_of(lambda: hall.decided(pb.PublishStandingsRequest()))[0] == "ROUNDS_LEFT"
    change(hall, 5)
    change(hall, 6)
    hall.play(6)
    hall.carry_out(pb.PublishStandingsRequest())

    assert refusal_of(lambda: change(hall, 7))[0] == refusal_of(lambda: change(hall, 5))[0] == "TOURNAMENT_OVER"


def test_where_each_meets_each_the_table_says_how_many_rounds_there_are() -> None:
    hall = hall_of(4, 3, ROUND_ROBIN)
    change(hall, 5)
    change(hall, 3)
    hall.pair(1)

    assert refusal_of(lambda: change(hall, 2))[0] == "PAIRED_BY_TABLE"
