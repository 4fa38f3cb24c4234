"""Standings computed again from the words of the rules: slow, in exact fractions, without shared code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from faristol.rules import Result, Ruleset

HALF = Fraction(1, 2)


class Line(NamedTuple):
    rank: int
    player: str
    points: Fraction
    tie_breaks: Mapping[str, Fraction]


class Championship:
    """A championship whose rounds up to ``last`` are held, with two players at a table."""

    games = 1
    """Games of a round that give points."""

    def __init__(self, results: Sequence[Result], players: Sequence[str], ruleset: Ruleset, planned: int) -> None:
        self.results, self.players, self.ruleset, self.planned = results, players, ruleset, planned
        self.held = sorted({result.round for result in results})

    @property
    def names(self) -> Sequence[str]:
        """The tie-breaks in their order."""
        return self.ruleset.championship.tie_breaks

    def of(self, player: str, number: int) -> Result | None:
        return next(
            (result for result in self.results if result.round == number and player in (result.first, result.second)),
            None,
        )

    @property
    def drawn(self) -> Fraction:
        """A draw in every game of a round."""
        return HALF * self.games

    def share(self, player: str, number: int) -> Fraction:
        """Return the share of an opponent's value."""
        found = self.of(player, number)
        if found is None:
            return Fraction(0)
        return {"win": Fraction(1), "draw": HALF, "loss": Fraction(0)}[found.outcomes[found.second == player]]

    def points_in(self, player: str, number: int) -> Fraction:
        return self.share(player, number)

    def points(self, player: str) -> Fraction:
        return sum((self.points_in(player, number) for number in self.held), Fraction(0))

    def there(self, player: str, number: int) -> bool:
        """Return whether a player was paired, had the allocated bye, or got a full point."""
        found = self.of(player, number)
        return found is not None and (found.second is not None or self.share(player, number) == 1)

    def game(self, player: str, number: int) -> bool:
        found = self.of(player, number)
        return found is not None and found.played

    def seen_by_opponents(self, player: str) -> Fraction:
        points = self.points(player)
        unplayed = self.ruleset.championship.unplayed
        if unplayed == "fide-virtual":
            for number in self.held:
                if not self.game(player, number):
                    points += self.drawn - self.points_in(player, number)
        if unplayed == "fide-dummy":
            came = [number for number in self.held if self.there(player, number)]
            for number in self.held:
                if number > (came[-1] if came else 0):
                    points += self.drawn - self.points_in(player, number)
        return points

    def opponent(self, player: str, number: int) -> Fraction:
        found = self.of(player, number)
        other = None if found is None else found.second if found.first == player else found.first
        if other is not None and found is not None and found.played:
            return self.seen_by_opponents(other)
        match self.ruleset.championship.unplayed:
            case "own-score":
                return self.points(player)
            case "fide-virtual":
                before = sum((self.points_in(player, held) for held in self.held if held < number), Fraction(0))
                return before + (self.games - self.points_in(player, number)) + self.drawn * (self.held[-1] - number)
            case "fide-dummy":
                most = self.seen_by_opponents(other) if other is not None else self.drawn * self.planned
                return min(self.points(player), most)
            case _:
                return Fraction(0)

    def buchholz(self, player: str, cut: int) -> Fraction:
        left = list(self.held)
        for _ in range(min(cut, len(left))):
            by_will = [number for number in left if not self.game(player, number) and self.share(player, number) != 1]
            among = by_will if by_will and self.ruleset.championship.unplayed == "fide-dummy" else left
            left.remove(min(among, key=lambda number: self.opponent(player, number)))
        return sum((self.opponent(player, number) for number in left), Fraction(0))

    def tie_break(self, name: str, player: str, equals: Sequence[str]) -> Fraction:
        match name:
            case "buchholz":
                return self.buchholz(player, 0)
            case "median-buchholz":
                return self.buchholz(player, 1 if self.planned <= 6 else 2)
            case "berger":
                rounds = ((self.share(player, held), self.opponent(player, held)) for held in self.held)
                return sum((share * worth for share, worth in rounds), Fraction(0))
            case "head-to-head":
                among = [result for result in self.results if result.first in equals and result.second in equals]
                met = {frozenset((result.first, result.second)) for result in among}
                if len(met) < len(equals) * (len(equals) - 1) // 2:
                    return Fraction(0)
                own = {result.round for result in among if player in (result.first, result.second)}
                return sum((self.points_in(player, number) for number in own), Fraction(0))
        scored = against = 0
        for result in self.results:
            if player == result.first:
                scored, against = scored + result.first_score, against + result.second_score
            elif player == result.second:
                scored, against = scored + result.second_score, against + result.first_score
        return Fraction(scored - against if name == "spread" else scored)

    def lines(self) -> list[Line]:
        """Return all players, best first; equals in the order of the players."""
        keys: dict[str, list[Fraction]] = {player: [self.points(player)] for player in self.players}
        for name in self.names:
            before = {player: list(key) for player, key in keys.items()}
            for player in self.players:
                equals = [other for other in self.players if before[other] == before[player]]
                keys[player].append(self.tie_break(name, player, equals))
        return sorted(
            (
                Line(
                    1 + sum(keys[other] > keys[player] for other in self.players),
                    player,
                    keys[player][0],
                    dict(zip(self.names, keys[player][1:], strict=True)),
                )
                for player in self.players
            ),
            key=lambda line: (line.rank, self.players.index(line.player)),
        )
