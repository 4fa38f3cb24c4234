"""Standings: points of the championship, tie-breaks in the order of the rules, shared ranks.

Points and the tie-breaks made of them are multiples of a quarter, which ``float`` holds exactly.

A round may pass without a game for a player. What it then counts for Buchholz and Berger, FISC does not say.
``unplayed = "fide-dummy"`` is FIDE's rule (C.07 art. 16, 2024 and after):

- For the player's own tie-break, such a round is a game against a dummy with the player's own points. The dummy
  has no more than the points of the opponent who should have been there, for a forfeit, and no more than a draw
  in every round is worth, for a bye or an absence.
- Seen by opponents, a bye and a forfeit count as awarded; rounds that a player stayed away from count nothing, and
  half a point where that was granted, but those after the last round for which the player was there count as draws.
- Of the opponents left out of a cut Buchholz, rounds missed by the player's own will go first.

``unplayed = "zero"`` lets such a round add nothing, and takes every opponent's points as they stand.

While a round is being played, those who wait for their result have neither played nor missed it. Such a round
is *pending* for them: it is worth nothing, it is no opponent to leave out of a cut, and it is no absence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType

from faristol.rules.ruleset import Ruleset, TieBreak


class Bye(StrEnum):
    """Why a player sits a round out, and what for."""

    ALLOCATED = "allocated"
    """The pairing left the player without an opponent."""
    HALF_POINT = "half-point"
    FULL_POINT = "full-point"
    ZERO_POINT = "zero-point"


class Outcome(StrEnum):
    """What a round is to one player."""

    WIN = "win"
    DRAW = "draw"
    LOSS = "loss"


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one pairing of a round. ``second`` is None for a bye. Rounds count from 1."""

    round: int
    first: str
    second: str | None
    first_score: int
    second_score: int
    outcomes: tuple[Outcome, Outcome]
    """To the first player and to the second."""
    played: bool = True
    """A game was begun; not so for byes and forfeits."""
    sat_out: Bye | None = None
    """The kind of a bye; None for a pairing of two."""

    @classmethod
    def of_game(cls, round_: int, first: str, second: str, first_score: int, second_score: int) -> Result:
        """A game that was played, won by the higher score after deductions."""
        if first_score == second_score:
            outcomes = (Outcome.DRAW, Outcome.DRAW)
        elif first_score > second_score:
            outcomes = (Outcome.WIN, Outcome.LOSS)
        else:
            outcomes = (Outcome.LOSS, Outcome.WIN)
        return cls(round_, first, second, first_score, second_score, outcomes)

    @classmethod
    def of_table(
        cls,
        round_: int,
        first: str,
        second: str,
        first_score: int,
        second_score: int,
        *,
        winner: str,
        lost_by_all: bool,
        played: bool = True,
    ) -> Result:
        """A game as its table decided it: ``winner`` need not have the higher score (FISC I.8.E), and all may lose.

        Without a ``winner`` the higher score wins, and equal scores are a draw. A forfeit is not ``played``.
        """
        result = replace(cls.of_game(round_, first, second, first_score, second_score), played=played)
        if lost_by_all:
            return replace(result, outcomes=(Outcome.LOSS, Outcome.LOSS))
        if winner:
            won = (Outcome.WIN, Outcome.LOSS)
            return replace(result, outcomes=won if winner == first else won[::-1])
        return result

    @classmethod
    def bye(cls, round_: int, player: str, kind: Bye = Bye.ALLOCATED) -> Result:
        """A round that ``player`` sits out."""
        outcome = {Bye.HALF_POINT: Outcome.DRAW, Bye.ZERO_POINT: Outcome.LOSS}.get(kind, Outcome.WIN)
        return cls(round_, player, None, 0, 0, (outcome, Outcome.LOSS), played=False, sat_out=kind)

    @classmethod
    def forfeit(cls, round_: int, winner: str, loser: str) -> Result:
        """A game that never began because ``loser`` was not there."""
        return cls(round_, winner, loser, 0, 0, (Outcome.WIN, Outcome.LOSS), played=False)

    @classmethod
    def double_loss(cls, round_: int, first: str, second: str) -> Result:
        """A game that both abandoned: 0–0, lost by both (FISC I.8.F)."""
        return cls(round_, first, second, 0, 0, (Outcome.LOSS, Outcome.LOSS))


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the standings. ``tie_breaks`` holds each value by name, in the order in which they decide."""

    rank: int
    """From 1; players whom no tie-break parts share it, and the next rank is left out."""
    player: str
    points: float
    tie_breaks: Mapping[TieBreak, float]
    games: int
    """Games played; byes and forfeits are none."""
    wins: int
    """Wins, draws and losses over the board."""
    draws: int
    losses: int


@dataclass(frozen=True, slots=True)
class _Round:
    """A round as one player saw it. ``opponent`` is None for a bye or an absence."""

    opponent: str | None
    outcome: Outcome
    points: float
    score: int = 0
    against: int = 0
    played: bool = False
    awarded: bool = True
    """It has a result, or will have; False when the player stayed away."""
    pending: bool = False
    """It will have a result and has none yet."""

    @property
    def voluntary(self) -> bool:
        """Missed by the player's own will: stayed away, asked to sit it out, or lost by forfeit."""
        return not (self.played or self.pending) and self.outcome is not Outcome.WIN


_ABSENT = _Round(None, Outcome.LOSS, 0.0, awarded=False)
_PENDING = _Round(None, Outcome.LOSS, 0.0, pending=True)
"""Worth as much as a loss, which is nothing, until its result is known."""


@dataclass(slots=True)
class _Table:
    rounds: int
    """Rounds planned for the whole championship."""
    ruleset: Ruleset
    seen: dict[str, list[_Round]] = field(default_factory=dict)
    adjusted_spread: Mapping[str, int] = field(default_factory=dict)

    def points(self, player: str) -> float:
        return sum(seen.points for seen in self.seen[player])

    def adjusted(self, player: str) -> float:
        """The points of ``player`` as an opponent's tie-break counts them."""
        points = self.points(player)
        if self.ruleset.championship.unplayed == "zero":
            return points
        for seen in reversed(self.seen[player]):
            if seen.awarded:
                break
            points += self.ruleset.championship.draw - seen.points
        return points

    def contribution(self, player: str, seen: _Round) -> float:
        """What the opponent of one round is worth to the player's tie-breaks."""
        if seen.played and seen.opponent is not None:
            return self.adjusted(seen.opponent)
        if self.ruleset.championship.unplayed == "zero":
            return 0.0
        cap = self.ruleset.championship.draw * self.rounds
        return min(self.points(player), cap if seen.opponent is None else self.adjusted(seen.opponent))

    def buchholz(self, player: str, cut: int) -> float:
        dummy = self.ruleset.championship.unplayed == "fide-dummy"
        known = [seen for seen in self.seen[player] if not seen.pending]
        worth = sorted((not (dummy and seen.voluntary), self.contribution(player, seen)) for seen in known)
        return sum(points for _, points in worth[cut:])

    def berger(self, player: str) -> float:
        share = {Outcome.WIN: 1.0, Outcome.DRAW: 0.5, Outcome.LOSS: 0.0}
        return sum(share[seen.outcome] * self.contribution(player, seen) for seen in self.seen[player])

    def spread(self, player: str) -> int:
        return sum(seen.score - seen.against for seen in self.seen[player]) + self.adjusted_spread.get(player, 0)

    def median_cut(self) -> int:
        law = self.ruleset.championship
        return law.buchholz_cut_long if self.rounds >= law.long_from_rounds else law.buchholz_cut


_TIE_BREAKS: Mapping[TieBreak, Callable[[_Table, str], float]] = {
    "median-buchholz": lambda table, player: table.buchholz(player, table.median_cut()),
    "buchholz": lambda table, player: table.buchholz(player, 0),
    "berger": _Table.berger,
    "spread": lambda table, player: float(table.spread(player)),
    "total": lambda table, player: float(sum(seen.score for seen in table.seen[player])),
}


def standings(
    results: Iterable[Result],
    players: Sequence[str],
    ruleset: Ruleset,
    rounds: int,
    pending: Iterable[tuple[str, int]] = (),
    adjusted_spread: Mapping[str, int] = MappingProxyType({}),
) -> tuple[Row, ...]:
    """The standings after ``results``, best first (FISC I.1).

    ``rounds`` is the number planned for the championship: how many opponents Median-Buchholz leaves out follows
    from it. ``pending`` says, as pairs of player and round, who waits for the result of which round; in the rounds
    held, whoever has no result and does not wait for one stayed away. Only rounds with a result in them count as
    held. Players whom no tie-break parts share a rank and stand in the order of ``players``, which is their order
    before the first round. Raises ``ValueError`` when a result or what is pending names somebody else, a round that
    there is not, or a player who has a result in that round already. ``adjusted_spread`` is what was added to the
    spread of players beside their games (PES Δ.ε).
    """
    table = _tabulate(tuple(results), players, ruleset, rounds, pending)
    table.adjusted_spread = adjusted_spread
    names = ruleset.championship.tie_breaks
    keys = {player: (table.points(player), *(_TIE_BREAKS[name](table, player) for name in names)) for player in players}
    order = sorted(players, key=lambda player: keys[player], reverse=True)
    rows: list[Row] = []
    for place, player in enumerate(order):
        shared = place > 0 and keys[player] == keys[order[place - 1]]
        played = [seen.outcome for seen in table.seen[player] if seen.played]
        rows.append(
            Row(
                rank=rows[-1].rank if shared else place + 1,
                player=player,
                points=keys[player][0],
                tie_breaks=MappingProxyType(dict(zip(names, keys[player][1:], strict=True))),
                games=len(played),
                wins=played.count(Outcome.WIN),
                draws=played.count(Outcome.DRAW),
                losses=played.count(Outcome.LOSS),
            )
        )
    return tuple(rows)


def _tabulate(
    results: Sequence[Result],
    players: Sequence[str],
    ruleset: Ruleset,
    rounds: int,
    pending: Iterable[tuple[str, int]],
) -> _Table:
    held: dict[int, dict[str, _Round]] = defaultdict(dict)
    for result in results:
        if not 1 <= result.round <= rounds:
            raise ValueError(f"round {result.round} is not one of the {rounds} rounds of the championship")
        for player, seen in _sides(result, ruleset):
            if player not in players:
                raise ValueError(f"round {result.round} has a result of {player}, who is not among the players")
            if player in held[result.round]:
                raise ValueError(f"{player} has two results in round {result.round}")
            held[result.round][player] = seen
    for player, number in sorted(set(pending)):
        if not 1 <= number <= rounds:
            raise ValueError(f"round {number}, pending for {player}, is not one of the {rounds} rounds")
        if player not in players:
            raise ValueError(f"round {number} is pending for {player}, who is not among the players")
        if number in held:
            if player in held[number]:
                raise ValueError(f"round {number} is pending for {player}, who has a result in it")
            held[number][player] = _PENDING
    seen_by = {player: [held[number].get(player, _ABSENT) for number in sorted(held)] for player in players}
    return _Table(rounds, ruleset, seen_by)


def _sides(result: Result, ruleset: Ruleset) -> Iterator[tuple[str, _Round]]:
    law = ruleset.championship
    worth = {Outcome.WIN: law.win, Outcome.DRAW: law.draw, Outcome.LOSS: law.loss}
    first, second = result.outcomes
    if result.second is None:
        allocated = result.sat_out is Bye.ALLOCATED
        points = law.bye if allocated else worth[first]
        spread = law.bye_spread if allocated else 0
        # Who asked to sit a round out was not there for it, which matters after the last round played (FIDE C.07 16).
        yield result.first, _Round(None, first, points, spread, 0, awarded=first is Outcome.WIN)
        return
    mine, theirs = result.first_score, result.second_score
    yield result.first, _Round(result.second, first, worth[first], mine, theirs, result.played)
    yield result.second, _Round(result.first, second, worth[second], theirs, mine, result.played)
