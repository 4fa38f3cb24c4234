"""Ratings after Glickman's Glicko-2 ("Example of the Glicko-2 system", 2022). Pure, in decimal arithmetic.

A tournament is one rating period. A rating has a deviation, which says how uncertain it is, and a volatility, which
says how much it moves about; both go on from the last list in which the player had them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import ClassVar

from faristol.rating.games import PARTS, Change, Game, Rated

_PI_SQUARED = Decimal("9.869604401089358618834490999876")
_SCALE = Decimal("173.7178")
"""Points of a rating in a unit of the scale on which the formulas are written."""
_TOLERANCE = Decimal("0.000001")
_HUNDREDTHS, _MILLIONTHS = Decimal(100), Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class Glicko2:
    """A system with its parameters. Another value anywhere is another system, and gets another name."""

    name: str
    tau: Decimal
    """How fast volatility changes."""
    first_deviation: int
    """Of an unrated player, in hundredths of a point."""
    other_deviation: int
    """Of a player rated elsewhere, in hundredths of a point."""
    first_volatility: int
    """In millionths."""
    deviations: ClassVar[bool] = True
    """Whether it says how certain a rating is, which earlier lists then tell."""

    def rate(self, players: Iterable[Rated], games: Iterable[Game]) -> tuple[Change, ...]:
        """The changes of a tournament, in the order of ``players``, every game on the ratings before it.

        A player without a game keeps rating and volatility, and the deviation grows. Raises ``KeyError`` when a game
        names somebody who is not among ``players``.
        """
        before = {player.player_id: self._start(player) for player in players}
        met: dict[str, list[_Met]] = {player_id: [] for player_id in before}
        for game in games:
            player, other = before[game.first], before[game.second]
            part = Decimal(game.parts) / PARTS
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
        played = [(game, _expected(player, game.opponent), _g(game.opponent)) for game in met]
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
        """The new volatility, by the Illinois form of regula falsi (step 5)."""
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
    """A player on the scale of the formulas."""

    player: Rated
    mu: Decimal
    phi: Decimal
    sigma: Decimal


@dataclass(frozen=True, slots=True)
class _Met:
    """An opponent, what was scored, and how much of a game it was."""

    opponent: _Standing
    score: Decimal
    part: Decimal


def _sum(terms: Iterable[Decimal]) -> Decimal:
    return sum(terms, Decimal(0))


def _g(player: _Standing) -> Decimal:
    return 1 / (1 + 3 * player.phi**2 / _PI_SQUARED).sqrt()


def _expected(player: _Standing, opponent: _Standing) -> Decimal:
    return 1 / (1 + (-_g(opponent) * (player.mu - opponent.mu)).exp())
