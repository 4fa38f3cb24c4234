"""Points and spreads that players carry over from an earlier stage count in every value of the standings."""

from __future__ import annotations

import dataclasses
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.rules.standings.test_standings import PLAYERS, championships, row

from faristol.rules import Result, load_ruleset, standings
from faristol.rules.ruleset.with_options import with_options
from faristol.rules.standings import Basis, Carried, Standings

FISC = load_ruleset("fisc-2023")
BY_SPREAD = dataclasses.replace(
    FISC, championship=dataclasses.replace(FISC.championship, tie_breaks=("spread", "total"), unplayed="zero")
)
"""Rules without a tie-break of opponents, so that carried points are a sum."""

carried_points = st.dictionaries(
    st.sampled_from(PLAYERS),
    st.builds(Carried, st.integers(0, 8).map(lambda halves: halves / 2), st.integers(-900, 900)),
)


@given(championships(), carried_points)
def test_carried_points_and_spreads_are_added_to_those_of_the_games(
    results: list[Result], carried: dict[str, Carried]
) -> None:
    plain = standings(results, PLAYERS, BY_SPREAD, 5)
    for line in standings(results, PLAYERS, BY_SPREAD, 5, carried=carried):
        own, before = row(plain, line.player), carried.get(line.player, Carried())
        assert line.points == own.points + before.points == line.point_arithmetic.value
        assert line.tie_breaks["spread"] == own.tie_breaks["spread"] + before.spread
        assert line.tie_breaks["total"] == own.tie_breaks["total"]
        bases = [term.basis for term in (*line.point_arithmetic.terms, *line.arithmetic["spread"].terms)]
        assert bases.count(Basis.CARRIED) == 2 * (line.player in carried)


@given(championships(), carried_points, st.sampled_from(["fisc-2023", "fise", "pes-2024", "uf-2007"]))
def test_standings_with_carried_points_are_the_same_result_by_result_and_at_once(
    results: list[Result], carried: dict[str, Carried], book: str
) -> None:
    ruleset = load_ruleset(book)
    again = Standings(PLAYERS, ruleset, 5, carried=carried)
    for count in range(len(results) + 1):
        fresh = standings(results[:count], PLAYERS, ruleset, 5, carried=carried)
        assert again.after(results[:count]) == fresh
    assert [line.rank for line in fresh] == sorted(line.rank for line in fresh)


def test_before_the_first_round_the_carried_points_rank_the_players() -> None:
    carried = {"p3": Carried(2.5, 40), "p1": Carried(2.5, 90), "p0": Carried(1.0, 300)}
    lines = standings([], PLAYERS, BY_SPREAD, 5, carried=carried)
    assert [(line.rank, line.player, line.points) for line in lines][:4] == [
        (1, "p1", 2.5),
        (2, "p3", 2.5),
        (3, "p0", 1.0),
        (4, "p2", 0.0),
    ]


@pytest.mark.parametrize("tie_break", ["buchholz", "berger"])
def test_the_points_that_an_opponent_carries_over_count_in_a_players_tie_break(tie_break: str) -> None:
    law = dataclasses.replace(FISC.championship, tie_breaks=(cast("Any", tie_break),), unplayed="zero")
    rules = dataclasses.replace(FISC, championship=law)
    results = [Result.of_game(1, "p0", "p1", 400, 300), Result.of_game(1, "p2", "p3", 400, 300)]
    lines = standings(results, ["p0", "p1", "p2", "p3"], rules, 5, carried={"p1": Carried(1.5, 0)})
    assert row(lines, "p0").tie_breaks == {tie_break: 1.5}
    assert row(lines, "p2").tie_breaks == {tie_break: 0.0}


def test_a_knock_out_ranks_by_its_bracket_whatever_was_carried_over() -> None:
    rules = with_options(FISC, {"format": "knock-out"})
    results = [Result.of_game(1, "p0", "p1", 400, 300)]
    lines = standings(results, ["p0", "p1"], rules, 1, seeds=["p0", "p1"], carried={"p1": Carried(9.0, 0)})
    assert [line.player for line in lines] == ["p0", "p1"]
