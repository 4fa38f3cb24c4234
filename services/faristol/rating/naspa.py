"""Ratings by the three parts of NASPA's formula. Pure, in whole numbers.

The base points are the factor times the points above the expected ones. Acceleration points double the part of a gain
above 5 points a game. Each opponent of such a player gets a twentieth of the acceleration points for each game: the
feedback points. Points are rounded once, half away from zero.

The parts were found in the ratings that tsh wrote under its system ``naspa-csw`` after each of eleven rounds: all are
equal.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from faristol.rating.elo import Elo, sum_games
from faristol.rating.games import GAME_PARTS_COUNT, Change, Rated, RatedGame, nearest

_SHARES_FACTOR = 1_000_000_000
"""Parts of an expected score of 1."""

_FEEDBACK_GAMES_FACTOR = 20
"""Games that give the opponents all acceleration points of a player once."""


@dataclass(frozen=True, slots=True)
class Naspa:
    """A system with its parameters. A system with any other parameter needs a new name."""

    name: str
    base: Elo
    """Curve and factors."""
    accelerated_points: int
    """Gain of rating points a game above which a gain counts twice."""
    deviations: ClassVar[bool] = False
    """Whether the system computes the deviation of a rating."""

    def rate(self, players: Iterable[Rated], games: Iterable[RatedGame]) -> tuple[Change, ...]:
        """Return the changes of a tournament, in the order of ``players``, each game on the ratings before it.

        Raises ``KeyError`` if a game names a player who is not in ``players``.
        """
        before, played = {player.player_id: player for player in players}, tuple(games)
        count, scored, expected = sum_games(self.base.curve, before, played, _SHARES_FACTOR)
        gained = {
            player_id: self.base.k(player.rating, unrated=player.unrated)
            * (_SHARES_FACTOR // 2 * scored[player_id] - expected[player_id])
            for player_id, player in before.items()
        }
        accelerated = {
            player_id: max(0, gain - self.accelerated_points * _SHARES_FACTOR * count[player_id])
            for player_id, gain in gained.items()
        }
        fed_back = dict.fromkeys(before, 0)
        for game in played:
            fed_back[game.first] += game.parts * accelerated[game.second]
            fed_back[game.second] += game.parts * accelerated[game.first]
        parts = GAME_PARTS_COUNT * _FEEDBACK_GAMES_FACTOR

        def change(player: Rated) -> Change:
            name = player.player_id
            gain = parts * (gained[name] + accelerated[name]) + fed_back[name]
            return Change(
                name,
                player.rating,
                player.rating + nearest(gain, parts * GAME_PARTS_COUNT * _SHARES_FACTOR),
                count[name] // GAME_PARTS_COUNT,
                nearest(scored[name], GAME_PARTS_COUNT),
                nearest(expected[name], GAME_PARTS_COUNT * _SHARES_FACTOR // 1000),
            )

        return tuple(change(player) for player in before.values())
