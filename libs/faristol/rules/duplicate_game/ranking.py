"""Standings of duplicate games: totals, percent, negative, bonus and warnings (FISC II.8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from faristol.rules.ruleset.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class TurnScores:
    """One scored turn of a game."""

    top: int
    """The highest possible score of the rack."""
    master: int
    """The score of the master play."""
    points: Mapping[str, int]
    """Points of each player's slip; an absent player has 0."""


@dataclass(frozen=True, slots=True)
class GameScores:
    """One game: its turns in order, and the number of warnings of each player."""

    turns: Sequence[TurnScores]
    warnings: Mapping[str, int]
    players: int
    """Number of players, which a bonus depends on."""


@dataclass(frozen=True, slots=True)
class RankingLine:
    """One line of the standings."""

    rank: int
    player: str
    total: int
    """Points of all turns, plus bonus, less penalties."""
    percent: Fraction
    """``total`` as a percentage of the points of the master plays, usually up to 100. If players are ranked by it, the
    mean of the games with equal weight."""
    negative: int
    """``total`` less the points of the master plays, usually below 0."""
    tops: int
    best_play: int
    solos: int
    """Turns in which no other player found the top."""
    bonus: int
    """Points for solos."""
    penalty: int
    """Points deducted for warnings."""


def rank(games: Sequence[GameScores], players: Sequence[str], ruleset: Ruleset) -> tuple[RankingLine, ...]:
    """Return the standings of ``players`` after the sum of ``games``; a player in none of them has 0.

    Equal players share a rank, in the order of ``players``.
    """
    tallies = _tallies(games, players, ruleset)
    masters = sum(turn.master for game in games for turn in game.turns)
    keys = {player: _key(tally, ruleset) for player, tally in tallies.items()}
    lines: list[RankingLine] = []
    for place, player in enumerate(sorted(players, key=keys.__getitem__), start=1):
        equal = bool(lines) and keys[lines[-1].player] == keys[player]
        lines.append(_line(lines[-1].rank if equal else place, player, tallies[player], masters, ruleset))
    return tuple(lines)


def ranks_among(ranks: Sequence[int]) -> list[int]:
    """Return ranks from 1 among a selection of ranked players, in their order; shared ranks stay shared."""
    found: list[int] = []
    for place, rank_ in enumerate(ranks, start=1):
        found.append(found[-1] if place > 1 and rank_ == ranks[place - 2] else place)
    return found


class _Tally:
    """The sums of a player."""

    __slots__ = ("best_play", "bonus", "by_turn", "penalty", "percents", "points", "solos", "tops")

    def __init__(self) -> None:
        self.points = self.tops = self.best_play = self.solos = self.bonus = self.penalty = 0
        self.by_turn: list[int] = []
        self.percents: list[Fraction] = []

    @property
    def total(self) -> int:
        return self.points + self.bonus - self.penalty

    @property
    def mean_percent(self) -> Fraction:
        return sum(self.percents, Fraction(0)) / len(self.percents) if self.percents else Fraction(0)


def _tallies(games: Sequence[GameScores], players: Sequence[str], ruleset: Ruleset) -> Mapping[str, _Tally]:
    tallies = {player: _Tally() for player in players}
    for game in games:
        before = {player: tally.total for player, tally in tallies.items()}
        _add(game, tallies, ruleset)
        masters = sum(turn.master for turn in game.turns)
        if ruleset.ranking.by == "percent" and game.turns:
            for player, tally in tallies.items():
                tally.percents.append(_percent(tally.total - before[player], masters))
    return tallies


def _add(game: GameScores, tallies: Mapping[str, _Tally], ruleset: Ruleset) -> None:
    """Add a game to the players' tallies."""
    solo, warned = ruleset.solo, ruleset.warnings
    for turn in game.turns:
        for player, tally in tallies.items():
            scored = turn.points.get(player, 0)
            tally.points += scored
            tally.best_play = max(tally.best_play, scored)
            tally.tops += scored == turn.top > 0
            tally.by_turn.append(scored)
        finders = [player for player, scored in turn.points.items() if scored == turn.top > 0]
        if len(finders) == 1 and finders[0] in tallies:
            tallies[finders[0]].solos += 1
            if game.players >= solo.players_min:
                tallies[finders[0]].bonus += solo.points
    for player, count in game.warnings.items():
        if player in tallies:
            tallies[player].penalty += max(0, count - warned.free) * warned.points


def _key(tally: _Tally, ruleset: Ruleset) -> tuple[object, ...]:
    """Return a sort key that puts the better player first."""
    key: list[object] = [-tally.mean_percent if ruleset.ranking.by == "percent" else -tally.total]
    for tie_break in ruleset.ranking.tie_breaks:
        match tie_break:
            case "tops":
                key.append(-tally.tops)
            case "best-play":
                key.append(-tally.best_play)
            case "last-turn-backwards":
                key.append(tuple(-points for points in reversed(tally.by_turn)))
    return tuple(key)


def _percent(total: int, masters: int) -> Fraction:
    return Fraction(100 * total, masters) if masters else Fraction(0)


def _line(place: int, player: str, tally: _Tally, masters: int, ruleset: Ruleset) -> RankingLine:
    by_percent = ruleset.ranking.by == "percent"
    return RankingLine(
        rank=place,
        player=player,
        total=tally.total,
        percent=tally.mean_percent if by_percent else _percent(tally.total, masters),
        negative=tally.total - masters,
        tops=tally.tops,
        best_play=tally.best_play,
        solos=tally.solos,
        bonus=tally.bonus,
        penalty=tally.penalty,
    )
