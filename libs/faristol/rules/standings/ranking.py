"""The ranking of the players: by points, then by the tie-breaks of the rules, then with shared ranks.

If the rules say so (``championship.left_early``), the games of players who leave a round robin before playing half of
them are annulled (FIDE C.05 6.6). They stay in the crosstable but count for no player, including those that opponents
won without play. The players have no rank.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from dataclasses import field as each_anew
from math import inf
from operator import attrgetter
from types import MappingProxyType
from typing import TypeVar

from faristol.rules.ruleset.ruleset import Ruleset
from faristol.rules.ruleset.sections import TieBreak
from faristol.rules.standings.arithmetic import Arithmetic
from faristol.rules.standings.bracket import MatchFormat, arrange_seeds, follow_bracket
from faristol.rules.standings.encounters import Group
from faristol.rules.standings.history import History, Rounds
from faristol.rules.standings.opponents import PlayerRounds
from faristol.rules.standings.results import (
    Carried,
    OfRound,
    Result,
    RoundOutcome,
    SpreadAdjustment,
    TableResult,
)
from faristol.rules.standings.tie_breaks import TieBreaks, split_groups

_CYCLES = {"round-robin": 1, "double-round-robin": 2}
"""Number of games of two players against each other."""


def find_annulled(rounds: Rounds, left: Collection[str], ruleset: Ruleset) -> frozenset[str]:
    """Return the players of ``left``, who have left the championship, whose games are annulled.

    Only played games count as completed: forfeits and byes do not.
    """
    law = ruleset.championship
    if law.left_early == "counts" or law.system not in _CYCLES or law.team_boards is not None:
        return frozenset()
    games = _CYCLES[law.system] * (len(rounds) - 1)
    return frozenset(
        player for player in left if player in rounds and 2 * sum(seen.played for seen in rounds[player]) < games
    )


def annul(rounds: Rounds, players: Collection[str]) -> Rounds:
    """Return the rounds, with those of ``players`` and those against them marked as annulled."""
    return {
        player: [seen._replace(annulled=True) if player in players or seen.opponent in players else seen for seen in of]
        for player, of in rounds.items()
    }


Name = TypeVar("Name", bound=str)
"""Type of the name of a tie-break."""


@dataclass(frozen=True, slots=True)
class StandingsRow:
    """One line of the standings. ``tie_breaks`` has each value by name, in the order of application."""

    rank: int
    """Rank from 1. Players equal in every tie-break share it, and the next rank is skipped."""
    player: str
    points: float
    tie_breaks: Mapping[TieBreak, float]
    games: int
    """Number of games played, without byes and forfeits."""
    wins: int
    """Wins, draws and losses over the board."""
    draws: int
    losses: int
    point_arithmetic: Arithmetic
    """The arithmetic of ``points``."""
    arithmetic: Mapping[TieBreak, Arithmetic]
    """The arithmetic of each of ``tie_breaks``."""
    annulled: bool = False
    """Whether the player left before half of the games, which do not count; such lines come last and share a rank."""


_LAST_KEY = (-inf,)
"""Sort key of a player without a rank among the others."""

_BELOW_RANK = attrgetter(*(each.name for each in fields(StandingsRow)[1:]))
"""The fields of a line except its rank, which is the first."""


def standings(
    results: Iterable[Result | TableResult],
    players: Sequence[str],
    ruleset: Ruleset,
    rounds: int,
    pending: Iterable[tuple[str, int]] = (),
    adjustments: Iterable[SpreadAdjustment] = (),
    left: Collection[str] = (),
    seeds: Sequence[str] = (),
    carried: Mapping[str, Carried] = MappingProxyType({}),
) -> tuple[StandingsRow, ...]:
    """Return the standings after ``results``, best first (FISC I.1).

    ``rounds`` is the number planned for the championship, which determines the cut of Median-Buchholz. ``pending`` are
    pairs of player and round without a result yet. In a round held, a player with no result and none pending was
    absent. Only rounds with a result count as held. ``adjustments`` change the spread, and sanctions also the total.
    ``left`` are the players who have left; ``faristol.rules.standings.ranking`` determines the effect on their games.
    ``seeds`` are the players of a knock-out in their order in the bracket, which then decides on the ranks.
    ``carried`` are the points and spreads that players carry over from an earlier stage. Players equal in all
    tie-breaks share a rank in the order of ``players``. Raises ``ValueError`` if a result or a pending pair names an
    unknown player or round, or a player with a result in that round.
    """
    return Standings(players, ruleset, rounds, seeds, carried).after(results, pending, adjustments, left)


class Standings:
    """The standings of a championship, updated incrementally with the result of ``standings``.

    Values that a result does not affect are not computed again, and their ``StandingsRow`` stays the same object.
    """

    def __init__(
        self,
        players: Sequence[str],
        ruleset: Ruleset,
        rounds: int,
        seeds: Sequence[str] = (),
        carried: Mapping[str, Carried] = MappingProxyType({}),
    ) -> None:
        self._players = players
        self._ruleset = ruleset
        self._seeds = seeds if ruleset.championship.system == "knock-out" else ()
        self._names = ruleset.championship.tie_breaks
        self.annulled: frozenset[str] = frozenset()
        """The players whose games are annulled (``faristol.rules.standings.ranking``)."""
        self._history = History(players, ruleset, rounds)
        self._field = PlayerRounds(self._history.rounds, ruleset, rounds, carried=carried)
        self._tie_breaks: TieBreaks | None = None
        self._rows: dict[str, StandingsRow] = {}
        self._order: dict[str, tuple[float, ...]] = {}
        """Sort key of each player, if no value depends on the equal players."""

    def after(
        self,
        results: Iterable[Result | TableResult],
        pending: Iterable[tuple[str, int]] = (),
        adjustments: Iterable[SpreadAdjustment] = (),
        left: Collection[str] = (),
    ) -> tuple[StandingsRow, ...]:
        """Return the standings after all of these results; the parameters are those of ``standings``."""
        rounds: dict[int, _Told] = {}
        for result in results:
            rounds.setdefault(result.round, _Told(result.round)).results.append(result)
        for player, number in pending:
            rounds.setdefault(number, _Told(number)).pending.add((player, number))
        for adjustment in adjustments:
            rounds.setdefault(adjustment.round, _Told(adjustment.round)).adjustments.append(adjustment)
        return self.after_rounds(tuple(rounds.values()), left)

    def after_rounds(self, of_rounds: Sequence[OfRound], left: Collection[str] = ()) -> tuple[StandingsRow, ...]:
        """Return the standings after all of these rounds. A round with the same object as before is not read again.

        The cost of a result is its own round, the opponents of its players, and the rank of every player.
        """
        changed = self._history.take(of_rounds)
        rounds, before_annulled = self._history.rounds, self.annulled
        self.annulled = find_annulled(rounds, left, self._ruleset)
        if self._names[:1] == ("keizer",):
            changed = set(self._players)  # each score depends on the ranks of all
        if self.annulled or before_annulled:
            rounds, changed = annul(rounds, self.annulled), set(self._players)
        field = self._field = self._field.after(rounds, changed)
        adjustments = (adjustment for of in of_rounds for adjustment in of.adjustments)
        tie_breaks = self._tie_breaks = TieBreaks(field, adjustments, self._tie_breaks, changed)
        before, self._rows = self._rows, {}
        for rank, player, found in self._rank(tie_breaks, before):
            row = before.get(player)
            if row is None or (
                row.arithmetic is not found and (player not in tie_breaks.unchanged or row.arithmetic != found)
            ):
                row = _row(rank, player, field, tie_breaks.points(player), found, annulled=player in self.annulled)
            elif row.rank != rank:
                row = StandingsRow(rank, *_BELOW_RANK(row))
            self._rows[player] = row
        if self._seeds:
            results = [result for of in of_rounds for result in of.results]
            return tuple(self._rank_by_bracket(results, left))
        return tuple(self._rows.values())

    def _rank_by_bracket(
        self, results: Sequence[Result | TableResult], left: Collection[str]
    ) -> Iterator[StandingsRow]:
        """Yield the rows by the places of a knock-out; players outside the bracket come last.

        Players that share places, or still play for them, share the best one as their rank.
        """
        form = MatchFormat.of(self._ruleset)
        places = follow_bracket(arrange_seeds(self._seeds), form, results, left).places
        seeded = {player: place for place, player in enumerate(self._seeds)}
        last = (len(self._seeds) + 1,) * 2
        for row in sorted(
            self._rows.values(),
            key=lambda row: (places.get(row.player, last), seeded.get(row.player, len(seeded)), row.rank),
        ):
            rank = places.get(row.player, last)[0]
            yield row if row.rank == rank else StandingsRow(rank, *_BELOW_RANK(row))

    def _rank(
        self, tie_breaks: TieBreaks, before: Mapping[str, StandingsRow]
    ) -> Iterable[tuple[int, str, Mapping[TieBreak, Arithmetic]]]:
        """Yield the items of ``rank_players``; without ``head-to-head``, unchanged players keep their values."""
        points, names = self._field.points, self._names
        if "head-to-head" in names:
            yield from rank_players(self._players, points, names, tie_breaks.of, tie_breaks.part, self.annulled)
            return
        found: dict[str, Mapping[TieBreak, Arithmetic]] = {player: row.arithmetic for player, row in before.items()}
        for player in self._players if not before else before.keys() - tie_breaks.unchanged:
            found[player] = {name: tie_breaks.of(name, player, frozenset()) for name in names}
            values = [each.value for each in found[player].values()]
            # The score of Keizer's system comes before the points.
            keizer, others = (values[:1], values[1:]) if names[:1] == ("keizer",) else ([], values)
            self._order[player] = (*keizer, points[player], *others)
            if player in self.annulled:
                self._order[player] = _LAST_KEY
        rank, last = 0, None
        for place, player in enumerate(sorted(self._players, key=self._order.__getitem__, reverse=True), 1):
            if self._order[player] != last:
                rank, last = place, self._order[player]
            yield rank, player, found[player]


@dataclass(eq=False, slots=True)
class _Told:
    """The data of a round, as ``OfRound``."""

    round: int
    results: list[Result | TableResult] = each_anew(default_factory=list)
    pending: set[tuple[str, int]] = each_anew(default_factory=set)
    adjustments: list[SpreadAdjustment] = each_anew(default_factory=list)


def _row(
    rank: int,
    player: str,
    field: PlayerRounds,
    points: Arithmetic,
    found: Mapping[TieBreak, Arithmetic],
    *,
    annulled: bool,
) -> StandingsRow:
    """Return the line of a player with changed values."""
    played = [seen.outcome for seen in field.rounds[player] if seen.played and not seen.annulled]
    return StandingsRow(
        rank=rank,
        player=player,
        points=field.points[player],
        tie_breaks=MappingProxyType({name: arithmetic.value for name, arithmetic in found.items()}),
        games=len(played),
        wins=played.count(RoundOutcome.WIN),
        draws=played.count(RoundOutcome.DRAW),
        losses=played.count(RoundOutcome.LOSS),
        point_arithmetic=points,
        arithmetic=MappingProxyType(found),
        annulled=annulled,
    )


def rank_players(
    players: Sequence[str],
    points: Mapping[str, float],
    names: Sequence[Name],
    value: Callable[[Name, str, Group], Arithmetic],
    part: Callable[[Sequence[str]], tuple[list[list[str]], Mapping[str, Arithmetic]]],
    annulled: Collection[str] = (),
) -> Iterator[tuple[int, str, dict[Name, Arithmetic]]]:
    """Yield rank, player and tie-breaks, best first, by ``points``, then by the tie-breaks in the order of ``names``.

    ``value`` returns a tie-break of a player among equals. ``part`` ranks equals by the games between them, and returns
    the arithmetic. Players still equal share a rank. ``annulled`` players share the last rank.
    """
    found: dict[str, dict[Name, Arithmetic]] = {player: {} for player in players}
    last = [player for player in players if player in annulled]
    groups = split_groups([[player for player in players if player not in annulled]], points)
    for name in names:
        if name == "head-to-head":
            smaller: list[list[str]] = []
            for group in groups:
                in_order, values = part(group)
                smaller += in_order
                for player, known in values.items():
                    found[player][name] = known
            groups = smaller
            for player in last:
                found[player][name] = Arithmetic(())
            continue
        for group in (*groups, last):
            equals = frozenset(group)
            for player in group:
                found[player][name] = value(name, player, equals)
        groups = split_groups(groups, {player: found[player][name].value for player in players})
    rank = 1
    for group in (*groups, last):
        yield from ((rank, player, found[player]) for player in group)
        rank += len(group)
