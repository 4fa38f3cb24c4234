"""The ranking of a circuit: points by place, field and ratings, the best results, ties, and shared places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.pb.season.v1 import events_pb2 as events
from faristol.seasons.circuit_ranking import CircuitEvent, PlacedPlayer, PlayedGame, RankedPlayer, rank_circuit
from faristol.seasons.model import CircuitRule

PLACE, FIELD, RATING = (
    events.POINTS_BASIS_PLACE,
    events.POINTS_BASIS_FIELD,
    events.POINTS_BASIS_RATING,
)


def rule(basis: Any = PLACE, **fields: Any) -> CircuitRule:
    points = (10, 6, 4, 2) if basis == PLACE else ()
    return CircuitRule(**{"name": "Circuit", "basis": basis, "place_points": points, **fields})


def event(
    tournament_id: str,
    places: Mapping[str, int],
    games: Mapping[str, Sequence[tuple[str, int, int]]] | None = None,
    percent: int = 100,
) -> CircuitEvent:
    """Return a tournament; ``games`` are the opponent, the opponent's rating and the half points of each player."""
    players = {}
    for player, place in places.items():
        own = [
            PlayedGame(f"{tournament_id}-r{at}-t1", at, *each)
            for at, each in enumerate((games or {}).get(player, ()), 1)
        ]
        players[player] = PlacedPlayer(place, own)
    return CircuitEvent(tournament_id, percent, players)


def rank_lines(*args: Any) -> list[tuple[int, str, int]]:
    """Return the place, player and points of each line."""
    return [(line.place, line.player_id, line.points) for line in rank_circuit(*args)]


def test_a_place_gives_the_points_of_the_table_and_a_place_beyond_it_none() -> None:
    found = rank_lines(rule(), [event("a", {"p1": 1, "p2": 2, "p3": 3, "p4": 4, "p5": 5})])
    assert found == [(1, "p1", 1000), (2, "p2", 600), (3, "p3", 400), (4, "p4", 200), (5, "p5", 0)]


def test_players_that_share_places_share_the_points_of_these_places() -> None:
    found = rank_lines(rule(), [event("a", {"p1": 1, "p2": 1, "p3": 1, "p4": 4})])
    assert found == [(1, "p1", 667), (1, "p2", 667), (1, "p3", 667), (4, "p4", 200)], "10 + 6 + 4 points for three"
    at_the_end = rank_lines(rule(), [event("a", {"p1": 1, "p2": 2, "p3": 3, "p4": 4, "p5": 4})])
    assert at_the_end[3:] == [(4, "p4", 100), (4, "p5", 100)], "the fifth place has no points"


def test_the_basis_of_the_field_gives_a_point_for_the_player_and_each_player_below() -> None:
    found = rank_lines(rule(FIELD), [event("a", {"p1": 1, "p2": 2, "p3": 2, "p4": 4})])
    assert found == [(1, "p1", 400), (2, "p2", 250), (2, "p3", 250), (4, "p4", 100)]


def test_the_basis_of_ratings_gives_a_hundredth_of_the_rating_of_each_opponent_beaten_and_half_for_a_draw() -> None:
    games = {"p1": [("p2", 1500, 2), ("p3", 1333, 1)], "p2": [("p1", 1700, 0)], "p3": [("p1", 1700, 1)]}
    found = rank_lines(rule(RATING), [event("a", {"p1": 1, "p2": 3, "p3": 2}, games)])
    assert found == [(1, "p1", 2167), (2, "p3", 850), (3, "p2", 0)], "15.00 and half of 13.33, half up"


def test_the_weight_of_a_tournament_multiplies_its_points() -> None:
    found = rank_lines(rule(), [event("a", {"p1": 2, "p2": 1}), event("b", {"p1": 1, "p2": 2}, percent=150)])
    assert found == [(1, "p1", 600 + 1500), (2, "p2", 1000 + 900)]


def test_only_the_best_results_count_and_the_others_are_shown() -> None:
    tournaments = [event("a", {"p1": 2}), event("b", {"p1": 1}), event("c", {"p1": 2}), event("d", {"p1": 4})]
    (line,) = rank_circuit(rule(best_of=2), tournaments)
    assert line.points == 1600
    assert [(score.tournament_id, score.points, score.counts) for score in line.scores] == [
        ("a", 600, True),
        ("b", 1000, True),
        ("c", 600, False),
        ("d", 200, False),
    ], "of equal results, the earlier one counts"


def test_a_player_with_too_few_tournaments_has_no_place_and_comes_last() -> None:
    found = rank_lines(rule(min_tournaments=2), [event("a", {"p1": 1, "p2": 2}), event("b", {"p2": 1, "p3": 2})])
    assert found == [(1, "p2", 1600), (0, "p1", 1000), (0, "p3", 600)]


def lines_after(tie_break: Any, tournaments: Sequence[CircuitEvent], **more: Any) -> list[RankedPlayer]:
    return rank_circuit(rule(tie_breaks=(tie_break,), **more), tournaments)


def order(lines: Sequence[RankedPlayer]) -> list[tuple[int, str]]:
    return [(line.place, line.player_id) for line in lines]


def test_equal_points_without_a_criterion_share_the_place_and_the_next_place_is_left_out() -> None:
    tournaments = [event("a", {"p1": 1, "p2": 2, "p3": 3}), event("b", {"p2": 1, "p1": 2, "p3": 3})]
    assert rank_lines(rule(), tournaments) == [(1, "p1", 1600), (1, "p2", 1600), (3, "p3", 800)]


def test_the_best_results_decide_between_equal_points() -> None:
    tournaments = [event("a", {"p1": 2, "p2": 3, "x": 1}), event("b", {"p1": 3, "p2": 1}), event("c", {"p1": 3})]
    assert order(lines_after(events.CIRCUIT_TIE_BREAK_BEST_RESULTS, tournaments)) == [(1, "p2"), (2, "p1"), (3, "x")]
    assert lines_after(events.CIRCUIT_TIE_BREAK_BEST_RESULTS, tournaments)[0].tie_breaks == (
        (events.CIRCUIT_TIE_BREAK_BEST_RESULTS, (1000, 400)),
    )


def test_the_sum_of_all_results_decides_between_equal_points() -> None:
    tournaments = [event("a", {"p1": 1, "p2": 2}), event("b", {"p2": 1, "p1": 3})]
    found = lines_after(events.CIRCUIT_TIE_BREAK_ALL_RESULTS, tournaments, best_of=1)
    assert order(found) == [(1, "p2"), (2, "p1")]


def test_the_number_of_first_places_decides_between_equal_points() -> None:
    tournaments = [event("a", {"p1": 1, "p2": 2}), event("b", {"p2": 3}), event("c", {"p1": 5, "p2": 5})]
    found = lines_after(events.CIRCUIT_TIE_BREAK_PLACES, tournaments)
    assert order(found) == [(1, "p1"), (2, "p2")]


def test_the_latest_result_decides_between_equal_points() -> None:
    tournaments = [event("a", {"p1": 1, "p2": 2}), event("b", {"p2": 1, "p1": 2})]
    assert order(lines_after(events.CIRCUIT_TIE_BREAK_LATEST, tournaments)) == [(1, "p2"), (2, "p1")]


def test_the_games_between_the_tied_players_decide_only_if_all_have_met() -> None:
    met = {"p1": [("p2", 1500, 0), ("p2", 1500, 1)], "p2": [("p1", 1500, 2), ("p1", 1500, 1)]}
    tournaments = [event("a", {"p1": 1, "p2": 2}, met), event("b", {"p2": 1, "p1": 2})]
    found = lines_after(events.CIRCUIT_TIE_BREAK_HEAD_TO_HEAD, tournaments)
    assert order(found) == [(1, "p2"), (2, "p1")]
    assert found[0].tie_breaks == ((events.CIRCUIT_TIE_BREAK_HEAD_TO_HEAD, (750_000,)),)
    third = [*tournaments, event("c", {"p3": 1}), event("d", {"p3": 2})]
    assert order(lines_after(events.CIRCUIT_TIE_BREAK_HEAD_TO_HEAD, third)) == [(1, "p1"), (1, "p2"), (1, "p3")]


def test_a_further_criterion_decides_only_between_players_whom_the_one_before_left_equal() -> None:
    criteria = (events.CIRCUIT_TIE_BREAK_PLACES, events.CIRCUIT_TIE_BREAK_LATEST)
    tournaments = [event("a", {"p1": 1, "p2": 2, "p3": 2}), event("b", {"p2": 1, "p1": 2}), event("c", {"p3": 1})]
    found = rank_circuit(rule(tie_breaks=criteria, place_points=(10, 6)), tournaments)
    assert [line.points for line in found] == [1600, 1300, 1300], "p2 and p3 shared a second place"
    assert order(found) == [(1, "p1"), (2, "p3"), (3, "p2")]
    assert [len(line.tie_breaks) for line in found] == [0, 2, 2]


CASES = st.lists(
    st.lists(st.integers(1, 6), min_size=1, max_size=6).map(
        lambda ranks: {f"p{at}": 1 + sum(each < rank for each in ranks) for at, rank in enumerate(ranks)}
    ),
    max_size=5,
)
CRITERIA = st.permutations([each for each in events.CircuitTieBreak.values() if each])


@given(CASES, st.sampled_from([PLACE, FIELD]), st.integers(0, 3), CRITERIA, st.integers(0, 5))
def test_a_ranking_has_each_player_once_and_its_points_are_the_sum_of_the_best_results(
    cases: list[dict[str, int]], basis: Any, best_of: int, criteria: list[Any], used: int
) -> None:
    tournaments = [event(f"t{at}", places) for at, places in enumerate(cases)]
    lines = rank_circuit(rule(basis, best_of=best_of, tie_breaks=tuple(criteria[:used])), tournaments)
    assert sorted(line.player_id for line in lines) == sorted({player for places in cases for player in places})
    assert [line.points for line in lines] == sorted((line.points for line in lines), reverse=True)
    for at, line in enumerate(lines):
        results = sorted((score.points for score in line.scores), reverse=True)
        assert (
            line.points == sum(results[: best_of or None]) == sum(score.points for score in line.scores if score.counts)
        )
        assert line.place == 1 + sum(other.place < line.place for other in lines)
        assert line.place == at + 1 or line.place == lines[at - 1].place


@given(CASES, CRITERIA, st.randoms(use_true_random=False))
def test_a_ranking_does_not_depend_on_the_order_of_the_players(
    cases: list[dict[str, int]], criteria: list[Any], random: Any
) -> None:
    shuffled = []
    for at, places in enumerate(cases):
        players = list(places.items())
        random.shuffle(players)
        shuffled.append(event(f"t{at}", dict(players)))
    straight = [event(f"t{at}", places) for at, places in enumerate(cases)]
    wanted = rule(FIELD, tie_breaks=tuple(criteria))
    assert rank_circuit(wanted, shuffled) == rank_circuit(wanted, straight)


def test_a_basis_that_this_version_does_not_know_is_an_error() -> None:
    with pytest.raises(ValueError, match="basis"):
        rank_circuit(rule(0), [event("a", {"p1": 1})])
