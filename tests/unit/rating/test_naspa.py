"""NASPA's formula with acceleration and feedback, by hand."""

from __future__ import annotations

from faristol.rating.games import Rated, RatedGame
from faristol.rating.systems import NASPA_1, NASPA_2


def test_a_gain_above_five_points_a_game_counts_twice_and_opponents_get_a_twentieth_of_it() -> None:
    # Equals: the winner of both games gains 20 × 1 = 20, 10 above 5 a game: 30. Each loser: −10 + 10 / 20 = −9.5.
    players = [Rated("a", 1500), Rated("b", 1500), Rated("c", 1500)]
    games = [RatedGame("a", "b", 2), RatedGame("a", "c", 2)]

    assert [change.after - 1500 for change in NASPA_2.rate(players, games)] == [30, -10, -10]
    assert [change.after - 1500 for change in NASPA_1.rate(players, games)] == [20, -10, -10]
    # With a draw between b and c nothing else changes; with a third game of a, 20 × 1.5 = 30 is 15 above: 45, and 0.75.
    more = [*games, RatedGame("a", "b", 2)]
    assert [change.after - 1500 for change in NASPA_2.rate(players, more)] == [45, -19, -9]
