"""Monrad, Keizer and Scheveningen tournaments: late entries, withdrawals, byes and forfeits, and explanations."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.examples import scale_examples
from tests.support.halls import FISC, Hall

from faristol.kernel.refusal import Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules.ruleset.with_options import with_options
from faristol.tournament.pairing_explanations import player_pairs
from faristol.tournament.pairing_explanations.player_pairs import explain
from faristol.tournament.rounds.ranking import rank_by_results


def build_hall(system: str, players: int, rounds: int) -> Hall:
    """Return a tournament of players p1, p2 … in the order of their ratings."""
    rules = with_options(FISC, {"format": system})
    return Hall({f"p{number}": 2000 - number for number in range(1, players + 1)}, rounds, rules)


def play_round(hall: Hall, number: int, chance: random.Random) -> list[frozenset[str]]:
    """Play a round with a forfeit now and then; return its pairs."""
    hall.pair(number)
    hall.start(number)
    tables = hall.state.played[-1].pairings
    for table in tables:
        if chance.random() < 0.1:
            asked = pb.GiveForfeitRequest(game_id=table.game_id, loser_ids=[table.pair[0]], arbiter_id="eva")
            hall.carry_out(asked)
        else:
            hall.report(table.game_id, 400, chance.choice((300, 400, 500)))
    hall.carry_out(pb.CloseRoundRequest(round=number))
    return [frozenset(table.player_ids) for table in tables]


def explain_pair(hall: Hall, number: int, player_id: str, other: str = "") -> tuple[str, dict[str, Any]]:
    """Return the message of the explanation of a paired round, and its parameters."""
    before = replace(hall.state, played=hall.state.played[: number - 1])
    found = explain(before, hall.ruleset, hall.state.played[number - 1], player_id, other)
    return found.message, dict(found.params)


@settings(max_examples=scale_examples(15), deadline=None)
@given(st.sampled_from(["monrad", "keizer"]), st.integers(6, 12), st.integers(0, 10**6))
def test_rounds_with_late_entries_withdrawals_byes_and_forfeits_are_paired_without_avoidable_rematches(
    system: str, players: int, seed: int
) -> None:
    chance, hall = random.Random(seed), build_hall(system, players, 5)
    played: list[frozenset[str]] = []
    for number in range(1, 6):
        if number == 2:
            hall.carry_out(pb.RegisterPlayerRequest(player_id="p0", rating=1900))
        if number == 3:
            hall.carry_out(pb.WithdrawPlayerRequest(player_id="p2"))
        if number in (2, 4):
            resting = pb.GrantByeRequest(player_id="p3", round=number, kind=events.BYE_KIND_HALF_POINT)
            hall.carry_out(resting)
        pairs = play_round(hall, number, chance)
        seated = [player for pair in pairs for player in pair]
        assert len(set(seated)) == len(seated)
        assert "p3" not in seated or number not in (2, 4)
        assert "p2" not in seated or number < 3
        forfeits = {
            frozenset(table.player_ids)
            for of in hall.state.played[:-1]
            for table in of.pairings
            if of.decided[table.game_id].unplayed
        }
        rematches = [pair for pair in pairs if pair in played and pair not in forfeits]
        assert not rematches or system == "keizer"
        played += pairs
        for player in set(seated):
            assert explain_pair(hall, number, player)[0]
    rows = rank_by_results(hall.state, hall.ruleset)
    assert [row.rank for row in rows] == sorted(row.rank for row in rows)


def test_a_monrad_pairs_neighbours_from_the_top_and_says_why() -> None:
    hall = build_hall("monrad", 6, 3)
    assert play_round(hall, 1, random.Random(3)) == [
        frozenset(("p1", "p2")),
        frozenset(("p3", "p4")),
        frozenset(("p5", "p6")),
    ]
    play_round(hall, 2, random.Random(4))
    assert explain_pair(hall, 1, "p1") == (player_pairs.FROM_TOP, {"one": "p1", "other": "p2"})
    assert explain_pair(hall, 1, "p1", "p3") == (
        player_pairs.NOT_FROM_TOP,
        {"one": "p1", "other": "p3", "theirs": "p2"},
    )
    assert explain_pair(hall, 2, "p1", "p2")[0] == player_pairs.MET


def test_players_of_a_keizer_meet_again_when_rounds_outnumber_opponents_and_are_told_so() -> None:
    hall = build_hall("keizer", 4, 5)
    chance = random.Random(5)
    rounds = [play_round(hall, number, chance) for number in range(1, 6)]
    assert len({pair for pairs in rounds[:3] for pair in pairs}) == 6, "all pairs have met after three rounds"
    one, other = sorted(rounds[4][0])
    message, params = explain_pair(hall, 5, one)
    assert (message, params["other"], params["games"]) == (player_pairs.BY_KEIZER, other, 1)
    absent = next(player for player in ("p1", "p2", "p3", "p4") if player not in (one, other))
    assert explain_pair(hall, 5, one, absent)[0] == player_pairs.NOT_BY_KEIZER


def register_sides(hall: Hall, sides: str) -> None:
    """Give the players p1, p2 … their categories, a letter for each."""
    for number, side in enumerate(sides, 1):
        if side != "-":
            amended = events.PlayerAmended(player_id=f"p{number}", category=side, parts=[events.ENTRY_PART_CATEGORY])
            hall.do([amended])


def test_each_player_of_a_side_meets_the_other_side_and_is_told_by_which_table() -> None:
    hall = build_hall("scheveningen", 6, 3)
    register_sides(hall, "ABABAB")
    met = [pair for number in range(1, 4) for pair in play_round(hall, number, random.Random(number))]
    assert sorted(map(sorted, met)) == sorted(sorted((f"p{one}", f"p{two}")) for one in (1, 3, 5) for two in (2, 4, 6))
    message, params = explain_pair(hall, 1, "p1")
    assert (message, params["side"], params["other_side"]) == (player_pairs.OF_SIDES, "A", "B")
    assert explain_pair(hall, 1, "p1", "p3")[0] == player_pairs.SAME_SIDE
    assert explain_pair(hall, 1, "p1", "p4")[0] == player_pairs.BY_TABLE


def test_the_opponent_of_an_absent_player_of_the_other_side_wins_without_a_game() -> None:
    hall = build_hall("scheveningen", 4, 2)
    register_sides(hall, "AABB")
    hall.carry_out(pb.WithdrawPlayerRequest(player_id="p4"))
    hall.carry_out(pb.ReinstatePlayerRequest(player_id="p4"))
    play_round(hall, 1, random.Random(1))
    hall.carry_out(pb.WithdrawPlayerRequest(player_id="p4"))
    play_round(hall, 2, random.Random(2))
    (alone,) = hall.state.played[1].requested
    assert explain_pair(hall, 2, alone)[0] == player_pairs.OPPONENT_AWAY_OF_SIDES
    assert {row.player: row.points for row in rank_by_results(hall.state, hall.ruleset)}[alone] >= 1


@pytest.mark.parametrize(
    ("sides", "rounds", "reason"),
    [
        ("AAAB", 2, "SIDES_UNEVEN"),
        ("AAB-", 2, "SIDES_UNEVEN"),
        ("ABCA", 2, "SIDES_UNEVEN"),
        ("AABB", 3, "WRONG_ROUNDS"),
    ],
)
def test_a_scheveningen_needs_two_sides_and_their_number_of_rounds(sides: str, rounds: int, reason: str) -> None:
    hall = build_hall("scheveningen", 4, rounds)
    register_sides(hall, sides)
    with pytest.raises(Refusal) as refused:
        hall.pair(1)
    assert refused.value.reason == reason


def test_a_changed_side_is_refused_before_two_players_meet_twice() -> None:
    hall = build_hall("scheveningen", 4, 2)
    register_sides(hall, "AABB")
    play_round(hall, 1, random.Random(1))
    register_sides(hall, "ABBA")
    with pytest.raises(Refusal) as refused:
        hall.pair(2)
    assert refused.value.reason == "SIDES_CHANGED"
