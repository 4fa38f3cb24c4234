"""Ranking of equal players by the games between them (FIDE C.07 6, of March 2026).

Of several games between two players the mean counts (6.1.2). Forfeits are not games, unless the pairings are known
before the first round (6.1.1, 15.2). If all equal players have met, their points in these games rank them. The players
that are still equal are ranked again by the games between them only (6.2). In a Swiss tournament some of them may not
have met. Then the players whose rank does not depend on the missing games are ranked, and the others are ranked again
(6.3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import lcm

from faristol.rules.standings.arithmetic import Arithmetic, LeftOut, Term
from faristol.rules.standings.history import PlayerRound
from faristol.rules.standings.opponents import PlayerRounds, make_term

Group = frozenset[str]
"""Players that are equal in points and in the tie-breaks before."""


@dataclass(frozen=True)
class _Table:
    """The separate standings of equal players."""

    values: Mapping[str, Arithmetic]
    """Values by player, with one divisor in a table, so that equal values are equal floats."""
    missing: Mapping[str, int]
    """By player, the number of others that the player has not met."""


class Encounters:
    """The games among equals of a field. ``values`` has the arithmetic of ``part`` by player."""

    def __init__(self, field: PlayerRounds) -> None:
        self._field = field
        self.values: dict[str, Arithmetic] = {}

    def part(self, equals: Sequence[str]) -> list[list[str]]:
        """Return equal players in groups, best first; a group that their games do not rank stays in its order."""
        return self._part(list(equals), frozenset(equals))

    def _part(self, left: list[str], equals: Group) -> list[list[str]]:
        """Rank the players ``left`` of ``equals``; the others are ranked already."""
        table = self._table(left, equals)
        self.values.update(table.values)
        if not any(table.missing.values()):
            return self._by_points(left, equals, table)
        if self._field.predetermined:
            return self._mark_undecided(left)
        ahead = _certain(left, table, self._field.most)
        behind = [player for player in left if player not in ahead]
        if not ahead:
            return self._mark_undecided(left)
        certain = [[player] for player in ahead]
        return certain + (self._part(behind, equals) if len(behind) > 1 else [behind])

    def _by_points(self, left: list[str], equals: Group, table: _Table) -> list[list[str]]:
        def value(player: str) -> float:
            return table.values[player].value

        groups = [list(group) for _, group in groupby(sorted(left, key=value, reverse=True), key=value)]
        if len(groups) == 1:
            return groups
        return [smaller for group in groups for smaller in (self._part(group, equals) if len(group) > 1 else [group])]

    def _mark_undecided(self, left: list[str]) -> list[list[str]]:
        for player in left:
            terms = (
                term if term.left_out else term._replace(left_out=LeftOut.NOT_ALL_MET)
                for term in self._terms_of(player)
            )
            self.values[player] = Arithmetic(tuple(terms), self.values[player].divisor)
        return [left]

    def _terms_of(self, player: str) -> tuple[Term, ...]:
        return self.values[player].terms

    def _table(self, left: Sequence[str], equals: Group) -> _Table:
        among = frozenset(left)
        met = {player: self._list_encounters(player, equals) for player in left}
        times = {player: _times(met[player]) for player in left}
        scale = lcm(*(count for player in left for other, count in times[player].items() if other in among))
        return _Table(
            {
                player: Arithmetic(
                    tuple(
                        make_term(seen, seen.points * scale / times[player][opponent])._replace(
                            left_out=None if opponent in among else LeftOut.PARTED
                        )
                        for seen, opponent in met[player]
                    ),
                    scale,
                )
                for player in left
            },
            {player: len(left) - 1 - len(among & times[player].keys()) for player in left},
        )

    def _list_encounters(self, player: str, equals: Group) -> list[tuple[PlayerRound, str]]:
        """Return the games of a player against ``equals``, each with its opponent."""
        return [
            (seen, seen.opponent)
            for seen in self._field.rounds[player]
            if seen.opponent is not None and seen.opponent in equals and not seen.annulled
            if seen.played or (self._field.predetermined and not seen.pending)
        ]


def _times(met: Sequence[tuple[PlayerRound, str]]) -> dict[str, int]:
    """Return the number of games against each opponent."""
    found: dict[str, int] = {}
    for _, opponent in met:
        found[opponent] = found.get(opponent, 0) + 1
    return found


def _certain(left: Sequence[str], table: _Table, most: float) -> list[str]:
    """Return the players whose rank does not depend on the missing games, best first (6.3).

    ``most`` is the number of points of a missing game.
    """
    behind, ahead = list(left), list[str]()
    while len(behind) > 1:
        best = max(behind, key=lambda player: table.values[player].value)
        points = table.values[best].value
        if any(points <= table.values[other].value + most * table.missing[other] for other in behind if other != best):
            break
        behind.remove(best)
        ahead.append(best)
    return ahead
