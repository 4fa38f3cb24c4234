"""Ratings after the Elo formula. Pure, and the same to the last point on every machine.

A system is a curve, which says what a player is expected to score, and factors, which say how fast ratings move.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from typing import ClassVar

from faristol.rating.games import PARTS, Change, Game, Rated, nearest

_CONTEXT = Context(prec=28, rounding=ROUND_HALF_UP)
"""Decimal arithmetic, because powers of binary floats may differ in the last digit between machines."""


@dataclass(frozen=True, slots=True)
class Factor:
    """How fast a rating moves: at most ``k`` points a game, for ratings from ``rating_from`` on."""

    rating_from: int
    k: int


@dataclass(frozen=True, slots=True)
class Curve:
    """A logistic curve: expected are 1 / (1 + ``base`` to the power of ``per_point`` × opponent's lead)."""

    base: Decimal
    per_point: Decimal


@dataclass(frozen=True, slots=True)
class Elo:
    """A system with its parameters. Another value anywhere is another system, and gets another name."""

    name: str
    curve: Curve
    first_factors: tuple[Factor, ...]
    """In a player's first tournament, by rising rating; the first one is for everybody."""
    factors: tuple[Factor, ...]
    """Afterwards."""
    deviations: ClassVar[bool] = False
    """Whether it says how certain a rating is."""

    def k(self, rating: int, *, unrated: bool) -> int:
        """The factor of a player: points that a win against expectation is worth at most."""
        factors = self.first_factors if unrated else self.factors
        return [factor.k for factor in factors if rating >= factor.rating_from or factor is factors[0]][-1]

    def rate(self, players: Iterable[Rated], games: Iterable[Game]) -> tuple[Change, ...]:
        """The changes of a tournament, in the order of ``players``.

        Every game is rated on the ratings before the tournament, so the order of games does not matter. A player
        without a game keeps their rating. Points are rounded once, half away from zero, so that two players of one
        factor win and lose the same. Raises ``KeyError`` when a game names somebody who is not among ``players``.
        """
        before = {player.player_id: player for player in players}
        count = dict.fromkeys(before, 0)
        scored = dict.fromkeys(before, 0)
        expected = dict.fromkeys(before, 0)
        for game in games:
            first, second = before[game.first], before[game.second]
            share = expected_milli(self, first.rating, second.rating)
            for player, half_points, milli in (
                (first, game.half_points, share),
                (second, 2 - game.half_points, 1000 - share),
            ):
                count[player.player_id] += game.parts
                scored[player.player_id] += game.parts * half_points
                expected[player.player_id] += game.parts * milli

        def change(player: Rated) -> Change:
            name = player.player_id
            gain = self.k(player.rating, unrated=player.unrated) * (500 * scored[name] - expected[name])
            return Change(
                name,
                player.rating,
                player.rating + nearest(gain, 1000 * PARTS),
                count[name] // PARTS,
                nearest(scored[name], PARTS),
                nearest(expected[name], PARTS),
            )

        return tuple(change(player) for player in before.values())


def expected_milli(system: Elo, rating: int, opponent: int) -> int:
    """What a player is expected to score in one game, in thousandths, half up. Both players together: 1000."""
    if rating < opponent:
        return 1000 - expected_milli(system, opponent, rating)
    return _favourite(rating - opponent, system.curve)


@lru_cache(maxsize=4096)
def _favourite(ahead: int, curve: Curve) -> int:
    odds = _CONTEXT.power(curve.base, _CONTEXT.multiply(Decimal(-ahead), curve.per_point))
    share = _CONTEXT.divide(Decimal(1000), _CONTEXT.add(Decimal(1), odds))
    return int(share.quantize(Decimal(1), context=_CONTEXT))
