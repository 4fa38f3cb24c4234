"""Elo ratings. Pure, and the same to the last point on every machine.

The system is like FISC's RaScCat, which rests on the Elo formula, counts 1, ½ and 0, and lets players start at 1000.
It is not the official one: how fast RaScCat moves and how its curve runs is not public. The curve here is the usual
logistic one on 400 points. The factors are those of NASPA (20, then 16 from 1800 and 10 from 2000), and 40 in
a player's first tournament, so that a newcomer finds their place.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache

_CONTEXT = Context(prec=28, rounding=ROUND_HALF_UP)
"""Decimal arithmetic, because powers of binary floats may differ in the last digit between machines."""


@dataclass(frozen=True, slots=True)
class Factor:
    """How fast a rating moves: at most ``k`` points a game, for ratings from ``rating_from`` on."""

    rating_from: int
    k: int


@dataclass(frozen=True, slots=True)
class Elo:
    """A system with its parameters. Another value anywhere is another system, and gets another name."""

    name: str
    divisor: int
    """Rating difference at which the stronger player is expected to score ten times as much as the weaker one."""
    first_k: int
    """Factor in a player's first tournament."""
    factors: tuple[Factor, ...]
    """By rising rating; the first one is for everybody."""

    def k(self, rating: int, *, unrated: bool) -> int:
        """The factor of a player: points that a win against expectation is worth at most."""
        if unrated:
            return self.first_k
        return [factor.k for factor in self.factors if rating >= factor.rating_from or factor is self.factors[0]][-1]


ELO_1 = Elo(name="elo-1", divisor=400, first_k=40, factors=(Factor(0, 20), Factor(1800, 16), Factor(2000, 10)))
"""The system in use."""


@dataclass(frozen=True, slots=True)
class Rated:
    """A player going into a tournament. An unrated player has the rating that the system starts with."""

    player_id: str
    rating: int
    unrated: bool = False


@dataclass(frozen=True, slots=True)
class Game:
    """A game that was played: both players, and the half points (2, 1 or 0) of the first one."""

    first: str
    second: str
    half_points: int


@dataclass(frozen=True, slots=True)
class Change:
    """What a tournament did to a rating."""

    player_id: str
    before: int
    after: int
    games: int
    half_points: int
    """Wins, a draw counting one half, times two."""
    expected_milli: int
    """Expected score in thousandths of a game."""


def expected_milli(system: Elo, rating: int, opponent: int) -> int:
    """What a player is expected to score in one game, in thousandths, half up. Both players together: 1000."""
    if rating < opponent:
        return 1000 - expected_milli(system, opponent, rating)
    return _favourite(rating - opponent, system.divisor)


@lru_cache(maxsize=4096)
def _favourite(ahead: int, divisor: int) -> int:
    odds = _CONTEXT.power(Decimal(10), _CONTEXT.divide(Decimal(-ahead), Decimal(divisor)))
    share = _CONTEXT.divide(Decimal(1000), _CONTEXT.add(Decimal(1), odds))
    return int(share.quantize(Decimal(1), context=_CONTEXT))


def rate(system: Elo, players: Iterable[Rated], games: Iterable[Game]) -> tuple[Change, ...]:
    """The changes of a tournament, in the order of ``players``.

    Every game is rated on the ratings before the tournament, so the order of games does not matter. A player
    without a game keeps their rating. Points are rounded once, half away from zero, so that two players of one factor
    win and lose the same. Raises ``KeyError`` when a game names somebody who is not among ``players``.
    """
    before = {player.player_id: player for player in players}
    count = dict.fromkeys(before, 0)
    scored = dict.fromkeys(before, 0)
    expected = dict.fromkeys(before, 0)
    for game in games:
        one, other = before[game.first], before[game.second]
        share = expected_milli(system, one.rating, other.rating)
        for player, half_points, milli in ((one, game.half_points, share), (other, 2 - game.half_points, 1000 - share)):
            count[player.player_id] += 1
            scored[player.player_id] += half_points
            expected[player.player_id] += milli

    def change(player: Rated) -> Change:
        name = player.player_id
        gain = system.k(player.rating, unrated=player.unrated) * (500 * scored[name] - expected[name])
        after = player.rating + _thousandth(gain)
        return Change(name, player.rating, after, count[name], scored[name], expected[name])

    return tuple(change(player) for player in before.values())


def _thousandth(value: int) -> int:
    """``value / 1000`` to the nearest integer, half away from zero."""
    nearest = (2 * abs(value) + 1000) // 2000
    return nearest if value >= 0 else -nearest
