"""Accelerated rounds: virtual points for the upper half, which count for the pairing only."""

from __future__ import annotations

import random

import pytest
from tests.support.halls import FISC, Hall

from faristol.kernel.refusal import Refusal
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.rules import load_ruleset
from faristol.rules.ruleset.with_options import with_options
from faristol.tournament.rounds.ranking import standing_of, virtual_half_points


def build_accelerated(players: int, rounds: int, pairing: str = "classification") -> Hall:
    """Return an accelerated tournament of players p1, p2 … in the order of their ratings."""
    rules = with_options(FISC, {"acceleration": "baku", "pairing": pairing})
    return Hall({f"p{number}": 2000 - number for number in range(1, players + 1)}, rounds, rules)


def play_round(hall: Hall, number: int, chance: random.Random) -> list[tuple[int, ...]]:
    """Play a round, and return the numbers of the players at each table."""
    hall.pair(number)
    hall.start(number)
    tables = hall.state.played[-1].pairings
    for table in tables:
        hall.report(table.game_id, 400, chance.choice((300, 500)))
    hall.carry_out(pb.CloseRoundRequest(round=number))
    return [tuple(sorted(int(player[1:]) for player in table.player_ids)) for table in tables]


def test_the_upper_half_has_a_point_then_half_a_point_in_the_first_half_of_the_rounds() -> None:
    state = build_accelerated(10, 9).state
    upper = {f"p{number}" for number in range(1, 7)}
    granted = {number: virtual_half_points(state, build_accelerated(10, 9).ruleset, number) for number in range(1, 10)}
    assert all(granted[number] == dict.fromkeys(upper, 2) for number in (1, 2, 3))
    assert all(granted[number] == dict.fromkeys(upper, 1) for number in (4, 5))
    assert all(granted[number] == {} for number in range(6, 10))
    assert virtual_half_points(state, FISC, 1) == {}


@pytest.mark.parametrize("pairing", ["classification", "swiss", "dutch"])
def test_the_halves_are_paired_by_themselves_in_the_first_round(pairing: str) -> None:
    chance = random.Random(1)
    tables = play_round(build_accelerated(16, 5, pairing), 1, chance)
    assert sorted(tables) == [(1, 5), (2, 6), (3, 7), (4, 8), (9, 13), (10, 14), (11, 15), (12, 16)]


@pytest.mark.parametrize("pairing", ["classification", "dutch"])
def test_virtual_points_do_not_enter_the_standings(pairing: str) -> None:
    hall, chance = build_accelerated(12, 5, pairing), random.Random(2)
    for number in range(1, 6):
        play_round(hall, number, chance)
    plain = with_options(FISC, {"pairing": pairing})
    assert standing_of(hall.state, hall.ruleset) == standing_of(hall.state, plain)


def test_a_late_entry_before_the_last_player_of_the_upper_half_belongs_to_it() -> None:
    hall = build_accelerated(8, 7)
    play_round(hall, 1, random.Random(3))
    hall.carry_out(pb.RegisterPlayerRequest(player_id="p0", rating=2100))
    hall.carry_out(pb.RegisterPlayerRequest(player_id="p9", rating=1000))
    assert set(virtual_half_points(hall.state, hall.ruleset, 2)) == {"p0", "p1", "p2", "p3", "p4"}


def test_only_a_swiss_system_without_a_lot_is_accelerated() -> None:
    with pytest.raises(Refusal, match="between players only"):
        with_options(load_ruleset("fise"), {"acceleration": "baku", "pairing": "round-robin"})
    with pytest.raises(Refusal, match="between players only"):
        with_options(FISC, {"acceleration": "baku", "pairing": "swiss-lot"})
