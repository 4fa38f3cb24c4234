"""Keizer's score, against a computation from the words of the rules."""

from __future__ import annotations

import math

from hypothesis import given
from tests.unit.rules.standings.test_standings import PLAYERS, championships, row

from faristol.kernel.byes import Bye
from faristol.rules import Result, load_ruleset, standings
from faristol.rules.ruleset.with_options import with_options
from faristol.rules.standings import Standings
from faristol.rules.standings.keizer import compute_values

KEIZER = with_options(load_ruleset("fisc-2023"), {"format": "keizer"})


def score(results: list[Result], player: str, values: dict[str, int]) -> float:
    """Return the score of a player by the values of the ranks."""
    total = 0.0
    for result in results:
        if player not in (result.first, result.second):
            continue
        other = result.second if player == result.first else result.first
        share = {"win": 1.0, "draw": 0.5, "loss": 0.0}[result.outcomes[player == result.second]]
        if other is not None:
            total += share * values[other]
        elif result.sat_out is Bye.ALLOCATED:
            total += math.floor(values[player] * 2 / 3)
        else:
            total += math.floor(values[player] / 3)
    return total


@given(championships())
def test_the_scores_are_those_of_the_ranks_that_follow_from_them(results: list[Result]) -> None:
    lines = standings(results, PLAYERS, KEIZER, 5)
    scores = {line.player: line.tie_breaks["keizer"] for line in lines}
    ranks = {player: 1 + sum(other > own for other in scores.values()) for player, own in scores.items()}
    values = {player: 9 + 1 - rank for player, rank in ranks.items()}
    if all(scores[player] == score(results, player, values) for player in PLAYERS):
        assert compute_values(scores) == values
    else:  # the ranks do not settle: the last pass counts
        assert len(set(scores.values())) > 1
    assert [line.player for line in lines] == sorted(
        scores,
        key=lambda player: (
            -scores[player],
            -row(lines, player).points,
            -row(lines, player).tie_breaks["spread"],
            -row(lines, player).tie_breaks["total"],
            PLAYERS.index(player),
        ),
    )


@given(championships())
def test_the_scores_depend_on_no_order_of_players_and_are_the_same_result_by_result(results: list[Result]) -> None:
    lines = standings(results, PLAYERS, KEIZER, 5)
    other = standings(results, PLAYERS[::-1], KEIZER, 5)
    assert {line.player: (line.rank, line.tie_breaks) for line in lines} == {
        line.player: (line.rank, line.tie_breaks) for line in other
    }
    again = Standings(PLAYERS, KEIZER, 5)
    for count in range(len(results) + 1):
        assert again.after(results[:count]) == standings(results[:count], PLAYERS, KEIZER, 5)


def test_a_win_is_worth_the_value_of_the_opponent_a_bye_two_thirds_of_the_own_one() -> None:
    assert compute_values({"a": 3.0, "b": 1.0, "c": 1.0, "d": 0.0}) == {"a": 6, "b": 5, "c": 5, "d": 3}
    results = [Result.of_game(1, "p0", "p1", 400, 300), Result.bye(1, "p2"), Result.bye(1, "p3", Bye.HALF_POINT)]
    lines = standings(results, ["p0", "p1", "p2", "p3"], KEIZER, 5)
    assert {line.player: line.tie_breaks["keizer"] for line in lines} == {"p2": 4.0, "p0": 3.0, "p3": 1.0, "p1": 0.0}
    assert lines[0].arithmetic["keizer"].terms[0].value == 4.0
