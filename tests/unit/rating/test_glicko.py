from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from faristol.rating.games import Rated, RatedGame, of_table
from faristol.rating.systems import GLICKO_2_1

PLAYERS = [
    Rated("p", 1500, deviation=200_00, volatility=60_000),
    Rated("a", 1400, deviation=30_00, volatility=60_000),
    Rated("b", 1550, deviation=100_00, volatility=60_000),
    Rated("c", 1700, deviation=300_00, volatility=60_000),
]


def test_the_worked_example_of_glickmans_paper_comes_out() -> None:
    """1500 with a deviation of 200 beats 1400, loses to 1550 and 1700: 1464.06, 151.52, 0.05999."""
    games = [RatedGame("p", "a", 2), RatedGame("b", "p", 2), RatedGame("p", "c", 0)]
    change = GLICKO_2_1.rate(PLAYERS, games)[0]
    assert (change.after, change.deviation, change.volatility // 10) == (1464, 151_52, 5999)
    assert (change.games, change.half_points, change.expected_milli) == (3, 2, round(1000 * (0.639 + 0.432 + 0.303)))


def test_whoever_plays_no_game_keeps_the_rating_and_it_becomes_less_certain() -> None:
    change = GLICKO_2_1.rate(PLAYERS, [RatedGame("a", "b", 2)])[0]
    assert (change.before, change.after, change.volatility, change.games) == (1500, 1500, 60_000, 0)
    assert change.deviation == 200_27  # sqrt(200² + (0.06 × 173.7178)²)


def test_a_newcomer_is_less_certain_than_one_who_was_rated_elsewhere() -> None:
    games = [RatedGame("new", "old", 2)]
    new, old = GLICKO_2_1.rate([Rated("new", 1500, unrated=True), Rated("old", 1500)], games)
    assert new.after - 1500 > 1500 - old.after > 0
    assert new.deviation > old.deviation


def test_a_table_of_four_is_rated_by_pairs_and_counts_as_one_game() -> None:
    players = [Rated(name, 1500) for name in "abcd"]
    changes = GLICKO_2_1.rate(players, of_table([("a", 300), ("b", 250), ("c", 200), ("d", 200)]))
    assert [change.games for change in changes] == [1, 1, 1, 1]
    assert changes[0].after > changes[1].after > 1500 > changes[2].after == changes[3].after


results = st.lists(
    st.tuples(st.sampled_from(["pa", "pb", "pc", "ab", "ac", "bc"]), st.sampled_from([0, 1, 2])), max_size=20
)


@given(results, st.randoms(use_true_random=False))
def test_the_order_of_the_games_does_not_matter(told: list[tuple[str, int]], shuffle: object) -> None:
    games = [RatedGame(pair[0], pair[1], half_points) for pair, half_points in told]
    assert GLICKO_2_1.rate(PLAYERS, games) == GLICKO_2_1.rate(PLAYERS, sorted(games, key=repr))
    turned = [RatedGame(game.second, game.first, 2 - game.half_points) for game in games]
    assert GLICKO_2_1.rate(PLAYERS, turned) == GLICKO_2_1.rate(PLAYERS, games)
