"""Tournaments drawn from a seed and played round by round, for tests of pairing."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from faristol.tournament.engines.dutch.pairing import PairedRound, pair_round
from faristol.tournament.engines.dutch.player import BLACK, WHITE, DutchPlayer, DutchRound, Float


@dataclass
class Entrant:
    """The data of a player in a tournament."""

    number: int
    points: int = 0
    opponents: set[int] = field(default_factory=set)
    colours: list[int] = field(default_factory=list)
    floats: list[Float] = field(default_factory=list)
    had_bye: bool = False
    wins_by_forfeit: int = 0
    unplayed: int = 0

    def before(self, *, final: bool, rounds: int) -> DutchPlayer:
        """Return the player before the next round, ``rounds`` having been paired."""
        last, earlier = [*reversed(self.floats), Float.NONE, Float.NONE][:2]
        return DutchPlayer(
            number=self.number,
            points=self.points,
            opponents=frozenset(self.opponents),
            colours=tuple(self.colours),
            floats=(last, earlier),
            had_bye=self.had_bye or self.wins_by_forfeit > 0,
            unplayed=self.unplayed,
            topscorer=final and 2 * self.points > 10 * rounds,
        )


class Draw:
    """A tournament whose size, results, absences and forfeits follow from a seed."""

    def __init__(self, seed: int, most_players: int = 20, *, size: int = 0, rounds: int = 0) -> None:
        self._random = random.Random(seed)
        self.size = size or self._random.randint(4, most_players)
        self.rounds = rounds or self._random.randint(2, min(self.size - 1, 9))
        self._draws = self._random.choice([0, 0.1, 0.4])
        self._absences = self._random.choice([0, 0, 0.1])
        self._forfeits = self._random.choice([0, 0, 0.1])
        self.entrants = {number: Entrant(number) for number in range(1, self.size + 1)}

    def pair_rounds(self) -> Iterator[tuple[DutchRound, PairedRound]]:
        """Yield each round with its pairing. Raises ``Refusal`` if one cannot be paired."""
        for number in range(1, self.rounds + 1):
            present = [entrant for entrant in self.entrants.values() if self._random.random() >= self._absences]
            if len(present) < 2:
                continue
            final = number == self.rounds
            players = tuple(entrant.before(final=final, rounds=number - 1) for entrant in present)
            a_round = DutchRound(players=players, number=number)
            paired = pair_round(a_round)
            yield a_round, paired
            self._play(paired)

    def _play(self, paired: PairedRound) -> None:
        before = {number: entrant.points for number, entrant in self.entrants.items()}
        away = {*self.entrants}
        for board in paired.boards:
            away -= {board.white, board.black}
            white, black = self.entrants[board.white], self.entrants[board.black]
            forfeit = self._random.random() < self._forfeits
            if not forfeit and self._random.random() < self._draws:
                gained = 5, 5
            else:
                gained = (10, 0) if self._random.random() < 0.55 else (0, 10)
            for first, other, colour, points in ((white, black, WHITE, gained[0]), (black, white, BLACK, gained[1])):
                first.points += points
                if forfeit:
                    first.unplayed += 1
                    first.wins_by_forfeit += points > 0
                    first.floats.append(Float.DOWN if points else Float.NONE)
                    continue
                first.opponents.add(other.number)
                first.colours.append(colour)
                mine, theirs = before[first.number], before[other.number]
                first.floats.append(Float.NONE if mine == theirs else Float.DOWN if mine > theirs else Float.UP)
        if paired.bye is not None:
            away.discard(paired.bye)
            resting = self.entrants[paired.bye]
            resting.points, resting.had_bye, resting.unplayed = resting.points + 10, True, resting.unplayed + 1
            resting.floats.append(Float.DOWN)
        for number in sorted(away):
            absent = self.entrants[number]
            half = self._random.random() < 0.5
            absent.points += 5 if half else 0
            absent.unplayed += 1
            absent.floats.append(Float.DOWN if half else Float.NONE)
