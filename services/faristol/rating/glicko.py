"""Ratings by Glickman's Glicko-2 ("Example of the Glicko-2 system", 2022). Pure, in decimal arithmetic.

A tournament is one rating period. A rating has a deviation, its uncertainty, and a volatility, its expected
fluctuation. Both continue from the player's last list that has them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import ClassVar

from faristol.rating.games import GAME_PARTS_COUNT, Change, Rated, RatedGame

_PI_SQUARED = Decimal("9.869604401089358618834490999876")
_SCALE = Decimal("173.7178")
"""Points of a rating in one unit of the Glicko-2 scale."""
_TOLERANCE = Decimal("0.000001")
_HUNDREDTHS, _MILLIONTHS = Decimal(100), Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class Glicko2:
    """A system with its parameters. A system with any other parameter needs a new name."""

    name: str
    tau: Decimal
    """Constraint on the change of volatility over time."""
    first_deviation: int
    """Deviation of an unrated player, in hundredths of a point."""
    other_deviation: int
    """Deviation of a player rated elsewhere, in hundredths of a point."""
    first_volatility: int
    """Volatility of a player without one, in millionths."""
    deviations: ClassVar[bool] = True
    """Whether the system computes deviations, and so reads those of earlier lists."""

    def rate(self, players: Iterable[Rated], games: Iterable[RatedGame]) -> tuple[Change, ...]:
        """Return the changes of a tournament, in the order of ``players``, each game on the ratings before it.

        A player without a game keeps rating and volatility; the deviation grows. Raises ``KeyError`` if a game names a
        player who is not in ``players``.
        """
        before = {player.player_id: self._start(player) for player in players}
        met: dict[str, list[_Met]] = {player_id: [] for player_id in before}
        for game in games:
            player, other = before[game.first], before[game.second]
            part = Decimal(game.parts) / GAME_PARTS_COUNT
            met[game.first].append(_Met(other, Decimal(game.half_points) / 2, part))
            met[game.second].append(_Met(player, 1 - Decimal(game.half_points) / 2, part))
        with localcontext(prec=28):
            return tuple(self._change(player, met[player_id]) for player_id, player in before.items())

    def _start(self, player: Rated) -> _Standing:
        deviation = player.deviation or (self.first_deviation if player.unrated else self.other_deviation)
        volatility = player.volatility or self.first_volatility
        with localcontext(prec=28):
            return _Standing(
                player,
                Decimal(player.rating) / _SCALE,
                Decimal(deviation) / _HUNDREDTHS / _SCALE,
                Decimal(volatility) / _MILLIONTHS,
            )

    def _change(self, player: _Standing, met: Sequence[_Met]) -> Change:
        played = [(game, _compute_expected(player, game.opponent), _g(game.opponent)) for game in met]
        gain = _sum(game.part * weight * (game.score - share) for game, share, weight in played)
        known = _sum(game.part * weight**2 * share * (1 - share) for game, share, weight in played)
        variance = player.phi**2
        sigma, mu, phi = player.sigma, player.mu, (variance + player.sigma**2).sqrt()
        if known:
            sigma = self._volatility(player, 1 / known, gain / known)
            phi = 1 / (1 / (variance + sigma**2) + known).sqrt()
            mu = player.mu + phi**2 * gain
        return Change(
            player.player.player_id,
            player.player.rating,
            round(mu * _SCALE) if known else player.player.rating,
            int(_sum(game.part for game in met).to_integral_value()),
            round(2 * _sum(game.part * game.score for game in met)),
            round(1000 * _sum(game.part * share for game, share, _ in played)),
            round(phi * _SCALE * _HUNDREDTHS),
            round(sigma * _MILLIONTHS),
        )

    def _volatility(self, player: _Standing, v: Decimal, delta: Decimal) -> Decimal:
        """Compute the new volatility by the Illinois form of regula falsi (step 5)."""
        variance, start = player.phi**2, (player.sigma**2).ln()

        def f(x: Decimal) -> Decimal:
            power = x.exp()
            return (
                power * (delta**2 - variance - v - power) / (2 * (variance + v + power) ** 2)
                - (x - start) / self.tau**2
            )

        low = start
        if delta**2 > variance + v:
            high = (delta**2 - variance - v).ln()
        else:
            steps = 1
            while f(start - steps * self.tau) < 0:
                steps += 1
            high = start - steps * self.tau
        at_low, at_high = f(low), f(high)
        while abs(high - low) > _TOLERANCE:
            middle = low + (low - high) * at_low / (at_high - at_low)
            at_middle = f(middle)
            if at_middle * at_high <= 0:
                low, at_low = high, at_high
            else:
                at_low /= 2
            high, at_high = middle, at_middle
        return (low / 2).exp()


@dataclass(frozen=True, slots=True)
class _Standing:
    """A player's rating, deviation and volatility on the Glicko-2 scale."""

    player: Rated
    mu: Decimal
    phi: Decimal
    sigma: Decimal


@dataclass(frozen=True, slots=True)
class _Met:
    """A game against an opponent: the score, and its weight as a part of a game."""

    opponent: _Standing
    score: Decimal
    part: Decimal


def _sum(terms: Iterable[Decimal]) -> Decimal:
    return sum(terms, Decimal(0))


def _g(player: _Standing) -> Decimal:
    return 1 / (1 + 3 * player.phi**2 / _PI_SQUARED).sqrt()


def _compute_expected(player: _Standing, opponent: _Standing) -> Decimal:
    return 1 / (1 + (-_g(opponent) * (player.mu - opponent.mu)).exp())
