"""Random tournaments: paired by the rules, written and read again, with all that the plan asks for."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faristol.kernel.errors import Invalid
from faristol.rules.trf import Document, Edition, read_trf, write_trf
from faristol.rules.trf.scoring import accelerate_baku
from faristol.tournament.engines.dutch.generator import TournamentPlan, generate_tournament
from faristol.tournament.engines.dutch.history import round_to_pair
from faristol.tournament.engines.dutch.pairing import pair_round

MANY = TournamentPlan(
    30, 9, half_point_byes=8, absences=8, late_entries=15, withdrawals=4, forfeits=10, draws=40, accelerated=True
)


def read_points(document: Document) -> list[int]:
    """Return the virtual points of each player in each round: TRF16 has them by player, TRF26 by ranges."""
    return [document.fictitious_points(line.number, number) for line in document.players for number in range(1, 6)]


def check_paired_by_the_rules(document: Document) -> None:
    for number in range(1, document.paired_rounds + 1):
        paired = pair_round(round_to_pair(document, number))
        expected = {(board.white, board.black) for board in paired.boards}
        cells = [(line.number, line.cell(number)) for line in document.players]
        assert {(player, cell.opponent) for player, cell in cells if cell.colour == "w"} == expected
        assert [player for player, cell in cells if cell.result == "U"] == [
            each for each in [paired.bye] if each is not None
        ]


@pytest.mark.parametrize("edition", Edition)
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10**6), players=st.integers(6, 16), accelerated=st.booleans())
def test_a_written_tournament_is_read_and_paired_again_alike(
    edition: Edition, seed: int, players: int, accelerated: bool
) -> None:
    plan = TournamentPlan(players, 5, half_point_byes=6, absences=6, late_entries=10, accelerated=accelerated)
    document = generate_tournament(plan, seed)
    again = read_trf(write_trf(document, edition))
    assert again.players == document.players
    assert read_points(again) == read_points(document)
    check_paired_by_the_rules(again)


def test_a_seed_gives_the_same_tournament_and_another_one_a_different_one() -> None:
    assert generate_tournament(MANY, 1) == generate_tournament(MANY, 1)
    assert generate_tournament(MANY, 1) != generate_tournament(MANY, 2)


def test_every_event_of_the_plan_happens() -> None:
    kinds: Counter[str] = Counter()
    late = left = 0
    for seed in range(6):
        document = generate_tournament(MANY, seed)
        kinds.update(cell.result for line in document.players for cell in line.cells)
        late += sum(
            line.cells[0].result == "Z" and any(cell.paired for cell in line.cells) for line in document.players
        )
        left += sum([cell.result for cell in line.cells][-3:] == ["Z"] * 3 for line in document.players)
        assert len(document.fictitious) == 2
    assert set("10=+-HZU") == set(kinds)
    assert late
    assert left


def test_nothing_happens_if_the_plan_asks_for_nothing() -> None:
    quiet = TournamentPlan(10, 5, 0, 0, 0, 0, 0, 0)
    results = {cell.result for line in generate_tournament(quiet, 3).players for cell in line.cells}
    assert results == {"1", "0"}


@pytest.mark.parametrize(
    ("players", "rounds", "upper", "whole", "half"),
    [(161, 9, 82, 3, 5), (160, 9, 80, 3, 5), (40, 7, 20, 2, 4), (8, 2, 4, 1, 0), (6, 1, 4, 1, 0)],
)
def test_the_baku_method_accelerates_the_upper_half_in_the_first_half_of_the_rounds(
    players: int, rounds: int, upper: int, whole: int, half: int
) -> None:
    """FIDE C.04.5.1: 161 players in 9 rounds have 82 in the upper group, with a point to round 3 and half to 5."""
    entries = accelerate_baku(range(1, players + 1), rounds)
    assert [(each.points, each.first_round, each.last_round, each.last_player) for each in entries] == [
        (10, 1, whole, upper),
        *([(5, whole + 1, half, upper)] if half else []),
    ]


def test_the_upper_half_is_that_of_the_players_of_the_first_round_and_keeps_its_last_player() -> None:
    """FIDE C.04.5.1: a late entry joins the half in which its number is, and moves no other player."""
    assert [each.last_player for each in accelerate_baku([1, 3, 4, 6, 7, 8], 5)] == [6, 6]
    assert accelerate_baku([], 5) == ()
    assert [each.last_player for each in accelerate_baku([2], 1)] == [2]


def test_more_rounds_than_opponents_are_refused() -> None:
    with pytest.raises(Invalid):
        generate_tournament(TournamentPlan(5, 5), 0)
