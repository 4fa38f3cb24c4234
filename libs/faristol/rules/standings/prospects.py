"""Places that each player of a tournament by points can still reach.

Problem. After some rounds, a player asks for the best and the worst place that remains possible. Trying all pairings
and results is impossible: 300 players and 4 rounds have more ways than atoms exist.

Idea. Only the points that each player gains matter. In a round whose pairing is unknown, half of the players gain a win
and half none, or two gain a draw each; so over whole rounds any gains are possible that are at most a win a round each
and sum to a win a game. A table of the present round divides one win between its two players. To find the best place,
the player wins all games, and the points of the others are placed where they lift as few as possible above the player.
A player who stays below absorbs limited points; one who passes absorbs all that the rounds allow. Which players pass is
decided by the points that each absorbs more by passing, largest first: for a table these increments do not increase
from the first player who passes to the second, so the greedy choice is optimal. The worst place is found in the same
way, by the points that each of the others needs. This is the "elimination" problem of leagues (B. L. Schwartz,
"Possible winners in partially completed tournaments", SIAM Review 8, 1966), without its fixed schedule.

Invariant. Equal points may be ranked either way, because tie-breaks such as the spread are open. So the best place
counts only players with more points, and the worst place also those with equal points.

Cost. Sorting the increments, for each pair of points that meets: 300 players and 4 rounds take tenths of a second, with
the ways of a table cached by the points that its players pass or reach.

Limits. Pairings of later rounds are taken as free, and players as taking part in them: forbidden repetitions and the
rules of a system could exclude a way, and so could granted byes and postponed games (`Race.is_exact`). So "safe" and
"out" are certain unless a player leaves or is granted a bye, and "alive" says that the points allow it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import chain
from math import inf
from typing import NamedTuple

from faristol.rules.championship import counts_points
from faristol.rules.ruleset.ruleset import Ruleset


class Prospect(Enum):
    """Chance of a player for one of the first places."""

    SAFE = "safe"
    ALIVE = "alive"
    OUT = "out"


@dataclass(frozen=True, slots=True)
class Race:
    """Points of a tournament, and the games that are still to be played. Points are in halves."""

    points: Mapping[str, int]
    """Points of every ranked player, those who left included, with the byes that are certain."""
    rounds: Sequence[frozenset[str]]
    """Players who are to be paired in each round to come."""
    tables: Sequence[tuple[str, str]]
    """Tables of the present round without a result; at most one of each player."""
    postponed: Sequence[tuple[str, str]] = ()
    """Further tables without a result, of earlier rounds."""
    win: int = 2
    """Points of a win; a draw is half of it."""
    bye: int = 2
    """Points of the player without an opponent in a round to come: none, or those of a win."""

    def __post_init__(self) -> None:
        """Raise ``ValueError`` for unknown players, two tables of a player, or impossible points."""
        seated = [player for table in self.tables for player in table]
        known = {*seated, *chain(*self.rounds), *chain(*self.postponed)}
        if len(set(seated)) < len(seated) or not self.points.keys() >= known:
            raise ValueError("expected points of each player, and one table of each at most")
        if self.win <= 0 or self.win % 2 or self.bye not in (0, self.win):
            raise ValueError("expected an even number of halves for a win, and those of a win or none for a bye")

    @property
    def is_exact(self) -> bool:
        """Whether some way of pairings and results leads to each place that is found.

        Otherwise players take part in different rounds, and the places are bounds: the true ones lie between them.
        """
        return not self.postponed and len(set(self.rounds)) <= 1

    @property
    def is_over(self) -> bool:
        """Whether no game is left."""
        return not (self.tables or self.postponed or any(len(players) > 1 for players in self.rounds))


@dataclass(frozen=True, slots=True)
class Places:
    """Places that a player can still reach, from 1. Points are in halves."""

    best: int
    worst: int
    most_points: int
    """Points if the player wins every game."""
    least_points: int
    """Points if the player loses every game."""

    def chance(self, last: int) -> Prospect:
        """Return the chance for one of the first ``last`` places."""
        return self.chance_between(1, last)

    def chance_between(self, first: int, last: int) -> Prospect:
        """Return the chance for one of the places ``first`` to ``last``, such as those that qualify for a stage."""
        if first <= self.best and self.worst <= last:
            return Prospect.SAFE
        return Prospect.ALIVE if self.best <= last and first <= self.worst else Prospect.OUT


@dataclass(frozen=True, slots=True)
class Extremes:
    """The other players in the best and in the worst way for one player."""

    above: Sequence[str]
    """Players with more points although the player wins every game, and as few as possible have more."""
    reaching: Sequence[str]
    """Players with as many points or more if the player loses every game, and as many as possible have them."""
    places: Places
    """The places of the player that follow from them."""


def leave_out(race: Race, gone: Collection[str]) -> Race:
    """Return the race without players that have left, who take no place among the others.

    Those at a table without a result stay, because the result counts for the opponent.
    """
    seated = {player for table in (*race.tables, *race.postponed) for player in table}
    out = frozenset(gone) - seated
    return replace(
        race,
        points={player: points for player, points in race.points.items() if player not in out},
        rounds=[players - out for players in race.rounds],
    )


def decides_by_points(ruleset: Ruleset) -> bool:
    """Check whether the points of games decide the places, and each game has the same sum."""
    law = ruleset.championship
    return law.win > 0 and law.bye == law.win == 2 * law.draw and counts_points(ruleset)


def find_places(race: Race) -> dict[str, Places]:
    """Return the places that each player can still reach."""
    field = _Field(race)
    known: dict[tuple[_Other, _Other | None], Places] = {}
    found = {}
    for player in race.points:
        rival = field.opponents.get(player)
        key = field.others[player], field.others[rival] if rival is not None else None
        if key not in known:  # the others are the same for equal players
            known[key] = field.find_extremes(player).places
        found[player] = known[key]
    return found


def find_extremes(race: Race, player: str) -> Extremes:
    """Return the other players in the best and in the worst way for a player.

    Raises ``KeyError`` for an unknown player.
    """
    return _Field(race).find_extremes(player)


class _Other(NamedTuple):
    """Another player: the points, and the most points beside the table of the present round."""

    points: int
    limit: int


class _Choice(NamedTuple):
    """One of the ways in which the points of a player, or of two at a table, can fall."""

    amount: float
    """Points of the rounds to come; infinite for an impossible way."""
    places: tuple[int, ...]
    """Players who pass, or reach, the number of points in question, by their place at the table."""


_Item = tuple[tuple[str, ...], Sequence[_Choice]]
"""Players, and their ways by the number of those who pass or reach."""


class _Field:
    """The players of a race, with the points that each can gain and all gain together."""

    def __init__(self, race: Race) -> None:
        self._race = race
        rounds = [players for players in race.rounds if len(players) > 1]
        games = Counter(chain(*rounds, *race.postponed))
        self.others = {name: _Other(points, race.win * games[name]) for name, points in race.points.items()}
        self.opponents = {a: b for first, second in race.tables for a, b in ((first, second), (second, first))}
        self._numbers: dict[tuple[_Other, ...], int] = {}
        single = [(name,) for name in self.others if name not in self.opponents]
        self._units: list[tuple[tuple[str, ...], tuple[_Other, ...], int]] = []
        """The players, or those of a table, with their points and the number of these."""
        for names in (*race.tables, *single):
            others = tuple(map(self.others.__getitem__, names))
            self._units.append((names, others, self._number_of(others)))
        self._absorbed: dict[int, dict[int, Sequence[_Choice]]] = {}
        """The ways of the best place by the points that others pass: the same for all players with as many points."""
        self._costs: dict[int, dict[int, Sequence[_Choice]]] = {}
        """The ways of the worst place by the points that others reach."""
        byes = sum(len(players) % 2 for players in rounds)
        self._total = race.win * ((games.total() - byes) // 2) + race.bye * byes

    def most_points(self, player: str) -> int:
        """Return the points of a player who wins every game."""
        own = self.others[player]
        return own.points + own.limit + self._race.win * (player in self.opponents)

    def find_extremes(self, player: str) -> Extremes:
        """Return the other players in the best and in the worst way for a player."""
        above, reaching = self._find_fewest_above(player), self._find_most_at(player)
        most, least = self.most_points(player), self._race.points[player]
        return Extremes(above, reaching, Places(1 + len(above), 1 + len(reaching), most, least))

    def _find_fewest_above(self, player: str) -> list[str]:
        """Return as few others as possible with more points, if the player wins every game."""
        most, win = self.most_points(player), self._race.win

        def ways(others: tuple[_Other, ...]) -> Sequence[_Choice]:
            return [_absorb(others, most, win, passing) for passing in range(len(others) + 1)]

        items = self._list_items(player, {}, ways, self._absorbed.setdefault(most, {}))
        tables = sum(len(names) > 1 for names, _ in items)
        needed = self._total - self.others[player].limit + win * tables
        chosen = [next(level for level, choice in enumerate(choices) if choice.amount > -inf) for _, choices in items]
        absorbed = sum(choices[level].amount for (_, choices), level in zip(items, chosen, strict=True))
        for increment, number in sorted(_list_increments(items, chosen), key=_by_amount, reverse=True):
            if absorbed >= needed:
                break
            absorbed, chosen[number] = absorbed + increment, chosen[number] + 1
        return _names(items, chosen)

    def _find_most_at(self, player: str) -> list[str]:
        """Return as many others as possible with as many points or more, if the player loses every game."""
        least, win = self._race.points[player], self._race.win

        def ways(others: tuple[_Other, ...]) -> Sequence[_Choice]:
            return [_find_cost(others, least, win, number) for number in range(len(others) + 1)]

        opponent = self.opponents.get(player)
        won = {} if opponent is None else {opponent: win}
        items = self._list_items(player, won, ways, self._costs.setdefault(least, {}))
        budget: float = self._total
        chosen = [0] * len(items)
        for cost, number in sorted(_list_increments(items, chosen), key=_by_amount):
            if cost > budget:
                break
            budget, chosen[number] = budget - cost, chosen[number] + 1
        return _names(items, chosen)

    def _list_items(
        self,
        player: str,
        won: Mapping[str, int],
        ways: Callable[[tuple[_Other, ...]], Sequence[_Choice]],
        known: dict[int, Sequence[_Choice]],
    ) -> list[_Item]:
        """Return the other players, alone or with the opponent at their table.

        ``won`` has the points that some gain at the table of the player. ``ways`` is called only for players that are
        not ``known``, to which they are added.
        """
        items: list[_Item] = []
        for names, others, key in self._units:
            if player in names:
                if len(names) == 1:
                    continue
                names = tuple(name for name in names if name != player)
                others = (self.others[names[0]],)
                if names[0] in won:
                    others = (others[0]._replace(points=others[0].points + won[names[0]]),)
                key = self._number_of(others)
            if (choices := known.get(key)) is None:
                choices = known[key] = ways(others)
            items.append((names, choices))
        return items

    def _number_of(self, others: tuple[_Other, ...]) -> int:
        """Return a number for players with these points, which is compared faster than they are."""
        return self._numbers.setdefault(others, len(self._numbers))


# --- the ways of a table ----------------------------------------------------------------------------------------------


def _absorb(others: tuple[_Other, ...], most: int, win: int, passing: int) -> _Choice:
    """Return the most points that players absorb at their table and later if ``passing`` of them may pass ``most``."""
    found = _Choice(-inf, ())
    for shares in _list_shares(len(others), win):
        gained, passed, increments = 0, list[int](), list[tuple[int, int]]()
        for place, (other, now) in enumerate(zip(others, shares, strict=True)):
            room = most - other.points - now
            below = min(room // (win // 2) * (win // 2), other.limit)
            gained += now + (below if room >= 0 else other.limit)
            if room >= 0:
                increments.append((other.limit - below, place))
            else:
                passed.append(place)
        if len(passed) > passing:
            continue
        further = sorted(increments, reverse=True)[: passing - len(passed)]
        gained += sum(increment for increment, _ in further)
        if gained > found.amount:
            found = _Choice(gained, (*passed, *(place for _, place in further)))
    return found


def _find_cost(others: tuple[_Other, ...], least: int, win: int, number: int) -> _Choice:
    """Return the fewest points that ``number`` of the players at a table need later to reach ``least``."""
    found = _Choice(0 if number == 0 else inf, ())
    for shares in _list_shares(len(others), win):
        costs = []
        for place, (other, now) in enumerate(zip(others, shares, strict=True)):
            missing = max(0, least - other.points - now)
            cost = -(-missing // (win // 2)) * (win // 2)
            costs.append((cost if cost <= other.limit else inf, place))
        cheapest = sorted(costs)[:number]
        amount = sum(cost for cost, _ in cheapest)
        if amount < found.amount:
            found = _Choice(amount, tuple(place for _, place in cheapest))
    return found


# --- the choice -------------------------------------------------------------------------------------------------------


def _list_shares(players: int, win: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways in which the points of the present table can fall; one way without a table."""
    if players == 1:
        yield (0,)
        return
    yield from ((first, win - first) for first in range(0, win + 1, win // 2))


def _list_increments(items: Sequence[_Item], chosen: Sequence[int]) -> Iterator[tuple[float, int]]:
    """Yield the increments of each item from its chosen way on, with the number of the item."""
    for number, ((_, choices), level) in enumerate(zip(items, chosen, strict=True)):
        for before, after in zip(choices[level:], choices[level + 1 :], strict=False):
            if after.amount < inf:
                yield after.amount - before.amount, number


def _by_amount(increment: tuple[float, int]) -> float:
    return increment[0]


def _names(items: Sequence[_Item], chosen: Sequence[int]) -> list[str]:
    return [
        names[place] for (names, choices), level in zip(items, chosen, strict=True) for place in choices[level].places
    ]
