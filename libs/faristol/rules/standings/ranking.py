"""The order of the players: points, then the tie-breaks of the rules, then a shared rank."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from types import MappingProxyType
from typing import TypeVar

from faristol.rules.ruleset import Ruleset
from faristol.rules.sections import TieBreak
from faristol.rules.standings.arithmetic import Arithmetic
from faristol.rules.standings.history import Seen, sides, tabulate
from faristol.rules.standings.opponents import Field
from faristol.rules.standings.results import Outcome, Result, SpreadAdjustment, TableResult
from faristol.rules.standings.tie_breaks import Group, TieBreaks

Name = TypeVar("Name", bound=str)
"""Of a tie-break."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the standings. ``tie_breaks`` holds each value by name, in the order in which they decide."""

    rank: int
    """From 1. Players equal in every tie-break share it, and the next rank is left out."""
    player: str
    points: float
    tie_breaks: Mapping[TieBreak, float]
    games: int
    """Games played; byes and forfeits are none."""
    wins: int
    """Wins, draws and losses over the board."""
    draws: int
    losses: int
    point_arithmetic: Arithmetic
    """How ``points`` come about."""
    arithmetic: Mapping[TieBreak, Arithmetic]
    """How each of ``tie_breaks`` comes about."""


def standings(
    results: Iterable[Result | TableResult],
    players: Sequence[str],
    ruleset: Ruleset,
    rounds: int,
    pending: Iterable[tuple[str, int]] = (),
    adjustments: Iterable[SpreadAdjustment] = (),
) -> tuple[Row, ...]:
    """The standings after ``results``, best first (FISC I.1).

    ``rounds`` is the number planned for the championship: how many opponents Median-Buchholz leaves out follows
    from it. ``pending`` says, as pairs of player and round, who waits for the result of which round; in the rounds
    held, whoever has no result and does not wait for one stayed away. Only rounds with a result in them count as
    held. ``adjustments`` change the spread alone. Players whom no tie-break parts share a rank and stand in the order
    of ``players``. Raises ``ValueError`` when a result or what is pending names somebody else, a round that there is
    not, or a player who has a result in that round already.
    """
    return Standings(players, ruleset, rounds).after(results, pending, adjustments)


class Standings:
    """The standings of a championship, made again and again as results come: see ``standings``.

    What a result does not concern is not worked out again, and has the same ``Row`` as before.
    """

    def __init__(self, players: Sequence[str], ruleset: Ruleset, rounds: int) -> None:
        self._players = players
        self._ruleset = ruleset
        self._planned = rounds
        self._sides: dict[Result | TableResult, tuple[tuple[str, Seen], ...]] = {}
        self._tie_breaks: TieBreaks | None = None
        self._rows: dict[str, Row] = {}

    def after(
        self,
        results: Iterable[Result | TableResult],
        pending: Iterable[tuple[str, int]] = (),
        adjustments: Iterable[SpreadAdjustment] = (),
    ) -> tuple[Row, ...]:
        """The standings after all of these results."""
        counted, known = tuple(results), self._sides
        self._sides = {result: known.get(result) or tuple(sides(result, self._ruleset)) for result in counted}
        seen = (side for result in counted for side in self._sides[result])
        field = Field(tabulate(seen, self._players, self._planned, pending), self._ruleset, self._planned)
        tie_breaks = self._tie_breaks = TieBreaks(field, tuple(adjustments), self._tie_breaks)
        names, before, self._rows = self._ruleset.championship.tie_breaks, self._rows, {}
        for rank, player, found in ranked(self._players, field.points, names, tie_breaks.of):
            row = before.get(player)
            if row is None or row.rank != rank or player not in tie_breaks.unchanged or row.arithmetic != found:
                row = _row(rank, player, field, tie_breaks.points(player), found)
            self._rows[player] = row
        return tuple(self._rows.values())


def _row(rank: int, player: str, field: Field, points: Arithmetic, found: Mapping[TieBreak, Arithmetic]) -> Row:
    played = [seen.outcome for seen in field.rounds[player] if seen.played]
    return Row(
        rank=rank,
        player=player,
        points=field.points[player],
        tie_breaks=MappingProxyType({name: arithmetic.value for name, arithmetic in found.items()}),
        games=len(played),
        wins=played.count(Outcome.WIN),
        draws=played.count(Outcome.DRAW),
        losses=played.count(Outcome.LOSS),
        point_arithmetic=points,
        arithmetic=MappingProxyType(found),
    )


def ranked(
    players: Sequence[str],
    points: Mapping[str, float],
    names: Sequence[Name],
    value: Callable[[Name, str, Group], Arithmetic],
) -> Iterator[tuple[int, str, dict[Name, Arithmetic]]]:
    """Rank, player and tie-breaks, best first: parted by ``points``, then by the tie-breaks in the order of ``names``.

    ``value`` gives a tie-break of a player who is to be parted from equals. Who is not parted shares a rank.
    """
    found: dict[str, dict[Name, Arithmetic]] = {player: {} for player in players}
    groups = _parted([list(players)], points)
    for name in names:
        for group in groups:
            equals = frozenset(group)
            for player in group:
                found[player][name] = value(name, player, equals)
        groups = _parted(groups, {player: found[player][name].value for player in players})
    rank = 1
    for group in groups:
        yield from ((rank, player, found[player]) for player in group)
        rank += len(group)


def _parted(groups: Iterable[Sequence[str]], value: Mapping[str, float]) -> list[list[str]]:
    """Each group parted by ``value``, the highest first; equals keep their order."""
    return [
        list(equals)
        for group in groups
        for _, equals in groupby(sorted(group, key=value.__getitem__, reverse=True), key=value.__getitem__)
    ]
