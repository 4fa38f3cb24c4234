from __future__ import annotations

import pytest
from tests.support.halls import FISC, Hall, hall_of
from tests.support.refusals import refusal_of

from faristol.kernel.errors import Invalid
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import Ruleset, load_ruleset
from faristol.rules.ruleset.with_options import with_options
from faristol.tournament.pairing_explanations.player_pairs import explain
from faristol.tournament.rounds.pairing import obstacles
from faristol.tournament.rounds.systems import ways_out
from faristol.tournament.state import TournamentState

DUTCH = with_options(FISC, {"pairing": "dutch"})
ROUND_ROBIN = with_options(load_ruleset("pes-2024"), {"pairing": "round-robin"})
BOTH = pytest.mark.parametrize("ruleset", [FISC, DUTCH], ids=["distance", "dutch"])


def forbid(hall: Hall, *pair: str) -> None:
    hall.carry_out(pb.ForbidPairRequest(player_ids=pair))


def keep(hall: Hall, *pair: str, rematch: bool = False) -> None:
    hall.carry_out(pb.KeepPairRequest(player_ids=pair, rematch=rematch))


def pairs(hall: Hall, number: int) -> set[frozenset[str]]:
    return {frozenset(table.player_ids) for table in hall.state.played[number - 1].pairings}


def why(hall: Hall, number: int, before: TournamentState, player: str, other: str = "") -> str:
    return explain(before, hall.ruleset, hall.state.played[number - 1], player, other).reason


@BOTH
def test_players_who_are_kept_apart_are_not_paired_in_the_first_round_nor_later(ruleset: Ruleset) -> None:
    hall = hall_of(ruleset=ruleset)
    forbid(hall, "p1", "p5")
    for number in range(1, 5):
        hall.play(number)
        assert frozenset({"p1", "p5"}) not in pairs(hall, number)


@BOTH
def test_a_pair_made_by_hand_stands_and_the_others_are_paired_around_it(ruleset: Ruleset) -> None:
    hall = hall_of(ruleset=ruleset)
    keep(hall, "p2", "p1")
    before = hall.state
    hall.pair(1)

    assert frozenset({"p1", "p2"}) in pairs(hall, 1)
    assert {player for pair in pairs(hall, 1) for player in pair} == {f"p{place}" for place in range(1, 9)}
    assert why(hall, 1, before, "p1") in {"by-hand", "by hand"}


def test_a_pair_that_is_released_is_left_to_the_way_of_pairing() -> None:
    hall = hall_of()
    keep(hall, "p1", "p2")
    hall.carry_out(pb.ReleasePairRequest(player_ids=["p2", "p1"]))
    hall.pair(1)

    assert frozenset({"p1", "p5"}) in pairs(hall, 1)


@pytest.mark.parametrize("ruleset", [FISC, DUTCH])
def test_where_pairs_made_by_hand_leave_nobody_for_the_bye_they_are_named(ruleset: Ruleset) -> None:
    hall = hall_of(5, ruleset=ruleset)
    for number in (1, 2, 3):
        hall.play(number)
    rested = {played.bye for played in hall.state.played}
    left, other = (player.player_id for player in hall.state.players if player.player_id not in rested)
    keep(hall, left, other, rematch=True)

    refusal = refusal_of(lambda: hall.pair(4))

    assert refusal.reason == "NO_BYE_LEFT"
    assert str(refusal).startswith(f"With the pairs made by hand ({left} – {other}) 3 players are left")


def test_players_who_have_met_meet_again_only_where_the_arbiter_says_so() -> None:
    hall = hall_of()
    hall.play(1)

    assert refusal_of(lambda: keep(hall, "p1", "p5")).reason == "MET_BEFORE"
    keep(hall, "p1", "p5", rematch=True)
    hall.pair(2)
    assert frozenset({"p1", "p5"}) in pairs(hall, 2)


def test_no_pair_is_both_made_by_hand_and_kept_apart() -> None:
    hall = hall_of()
    keep(hall, "p1", "p2")
    refusal = refusal_of(lambda: forbid(hall, "p2", "p1"))
    assert refusal.reason == "PAIR_KEPT"
    assert str(refusal) == "p2 and p1 have been paired by hand in round 1: release that pair first."
    hall.carry_out(pb.ReleasePairRequest(player_ids=["p1", "p2"]))
    forbid(hall, "p2", "p1")
    assert refusal_of(lambda: keep(hall, "p1", "p2")).reason == "PAIR_FORBIDDEN"


def test_nobody_is_paired_with_themselves() -> None:
    hall = hall_of()

    with pytest.raises(Invalid, match="player_ids: are p1, p1; expected two different players"):
        keep(hall, "p1", "p1")


def test_where_each_meets_each_no_pair_is_made_by_hand() -> None:
    assert refusal_of(lambda: keep(hall_of(4, 3, ROUND_ROBIN), "p1", "p2")).reason == "PAIRED_BY_TABLE"


def test_a_round_is_paired_again_before_its_start_and_not_after() -> None:
    hall = hall_of()
    first = hall.pair(1)
    hall.carry_out(pb.UnpairRoundRequest(round=1, note="two of one club"))
    forbid(hall, "p1", "p5")
    again = hall.pair(1)
    hall.start(1)

    assert first != again
    refusal = refusal_of(lambda: hall.decide(pb.UnpairRoundRequest(round=1)))
    assert (refusal.reason, refusal.subject) == ("ROUND_STARTED", "rounds/1")


def test_everything_against_the_next_round_is_told_at_once() -> None:
    hall = hall_of()
    hall.pair(1)
    hall.start(1)
    hall.report("open-r1-t1", 400, 300)

    refusal = refusal_of(lambda: hall.pair(2))

    assert refusal.reason == "ROUND_OPEN"
    assert [reason.subject for reason in refusal.others] == ["games/open-r1-t2", "games/open-r1-t3", "games/open-r1-t4"]
    assert [obstacle.reason for obstacle in obstacles(hall.state, FISC, 2)] == ["ROUND_OPEN", *["RESULT_MISSING"] * 3]


def test_everybody_who_is_not_checked_in_is_named() -> None:
    hall = hall_of()
    for place in range(1, 7):
        hall.carry_out(pb.CheckInPlayerRequest(player_id=f"p{place}"))

    found = obstacles(hall.state, FISC, 1)

    assert [(obstacle.reason, obstacle.subject) for obstacle in found] == [("NOT_CHECKED_IN", "")]
    assert "2 players are not checked in: p7, p8." in str(found[0])
    hall.carry_out(pb.CheckInPlayerRequest(player_id="p7"))
    assert [obstacle.subject for obstacle in obstacles(hall.state, FISC, 1)] == ["players/p8"]


def test_where_no_pairing_is_possible_the_arbiter_is_offered_who_might_meet_again() -> None:
    # Two trios who have yet to meet among themselves cannot be paired.
    hall = hall_of(6)
    for trio in (("p1", "p2", "p3"), ("p4", "p5", "p6")):
        for place, member in enumerate(trio):
            for other in trio[place + 1 :]:
                forbid(hall, member, other)
    for number in (1, 2, 3):
        hall.play(number)

    (obstacle,) = obstacles(hall.state, FISC, 4)
    ways = {way.way: way.players for way in ways_out(hall.state, FISC, 4)}

    assert obstacle.reason == "NO_PAIRING"
    assert set(ways) == {"rematch"}
    keep(hall, *ways["rematch"][0], rematch=True)


@BOTH
def test_why_two_do_not_meet_is_told_by_the_rule_that_speaks_against_it(ruleset: Ruleset) -> None:
    hall = hall_of(ruleset=ruleset)
    hall.play(1)
    forbid(hall, "p1", "p2")
    before = hall.state
    hall.pair(2)

    assert why(hall, 2, before, "p1", "p5") in {"met", "C1"}
    assert why(hall, 2, before, "p1", "p2") == "forbidden"
    assert why(hall, 2, before, "p1", "p8") in {"distance", "C4", "C5", "C6"}


def test_why_a_longer_distance_was_not_taken_is_told_with_its_arithmetic() -> None:
    hall = hall_of()
    hall.play(1)
    before = hall.state
    hall.pair(2)

    found = explain(before, FISC, hall.state.played[1], "p1", "p8")

    assert (found.reason, found.params["mine"], found.params["theirs"]) == ("distance", 0, 2)


def test_why_is_asked_of_players_of_the_round() -> None:
    hall = hall_of()
    before = hall.state
    hall.pair(1)

    assert refusal_of(lambda: why(hall, 1, before, "nobody")).reason == "NOT_IN_ROUND"
