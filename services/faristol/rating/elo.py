"""Ratings by the Elo formula. Pure, with identical results on every machine.

A system has a curve and factors. The curve gives the expected score of a player; the factors limit the change of a
rating.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from typing import ClassVar

from faristol.rating.games import GAME_PARTS_COUNT, Change, Rated, RatedGame, nearest

_CONTEXT = Context(prec=28, rounding=ROUND_HALF_UP)
"""Decimal arithmetic: powers of binary floats may differ in the last digit between machines."""


@dataclass(frozen=True, slots=True)
class Factor:
    """The largest change of a rating per game: ``k`` points, for ratings of ``rating_from`` or more."""

    rating_from: int
    k: int


@dataclass(frozen=True, slots=True)
class Curve:
    """A logistic curve: the expected score is 1 / (1 + ``base`` to the power of ``per_point`` × opponent's lead)."""

    base: Decimal
    per_point: Decimal


@dataclass(frozen=True, slots=True)
class Elo:
    """A system with its parameters. A system with any other parameter needs a new name."""

    name: str
    curve: Curve
    first_factors: tuple[Factor, ...]
    """Factors in a player's first tournament, by rising rating. The first one has no lower bound."""
    factors: tuple[Factor, ...]
    """Factors in later tournaments."""
    deviations: ClassVar[bool] = False
    """Whether the system computes the deviation of a rating."""

    def k(self, rating: int, *, unrated: bool) -> int:
        """Return the factor of a player, in points: the limit of the gain from one win."""
        factors = self.first_factors if unrated else self.factors
        return [factor.k for factor in factors if rating >= factor.rating_from or factor is factors[0]][-1]

    def rate(self, players: Iterable[Rated], games: Iterable[RatedGame]) -> tuple[Change, ...]:
        """Return the changes of a tournament, in the order of ``players``.

        Every game is rated on the ratings before the tournament, so the order of games does not matter. The rating of a
        player without a game does not change. Points are rounded once, half away from zero, so that gains and losses at
        one factor are equal. Raises ``KeyError`` if a game names a player who is not in ``players``.
        """
        before = {player.player_id: player for player in players}
        count, scored, expected = sum_games(self.curve, before, games, 1000)

        def change(player: Rated) -> Change:
            name = player.player_id
            gain = self.k(player.rating, unrated=player.unrated) * (500 * scored[name] - expected[name])
            return Change(
                name,
                player.rating,
                player.rating + nearest(gain, 1000 * GAME_PARTS_COUNT),
                count[name] // GAME_PARTS_COUNT,
                nearest(scored[name], GAME_PARTS_COUNT),
                nearest(expected[name], GAME_PARTS_COUNT),
            )

        return tuple(change(player) for player in before.values())


def sum_games(
    curve: Curve, players: Mapping[str, Rated], games: Iterable[RatedGame], win: int
) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
    """Return parts of games, half points and expected scores by player; a win is ``win`` of an expected score."""
    count, scored, expected = dict.fromkeys(players, 0), dict.fromkeys(players, 0), dict.fromkeys(players, 0)
    for game in games:
        share = expected_share(curve, players[game.first].rating, players[game.second].rating, win)
        sides = (game.first, game.half_points, share), (game.second, 2 - game.half_points, win - share)
        for player_id, half_points, part in sides:
            count[player_id] += game.parts
            scored[player_id] += game.parts * half_points
            expected[player_id] += game.parts * part
    return count, scored, expected


def expected_share(curve: Curve, rating: int, opponent: int, parts: int) -> int:
    """Return the expected score in one game, in parts of a win, half up. Both players' add up to ``parts``."""
    if rating < opponent:
        return parts - expected_share(curve, opponent, rating, parts)
    return _favourite(rating - opponent, curve, parts)


@lru_cache(maxsize=4096)
def _favourite(ahead: int, curve: Curve, parts: int) -> int:
    odds = _CONTEXT.power(curve.base, _CONTEXT.multiply(Decimal(-ahead), curve.per_point))
    share = _CONTEXT.divide(Decimal(parts), _CONTEXT.add(Decimal(1), odds))
    return int(share.quantize(Decimal(1), context=_CONTEXT))
