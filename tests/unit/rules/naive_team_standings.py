"""Standings of teams once more: the slow ones of players, over matches made out of boards in exact fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tests.unit.rules.naive_standings import HALF, Championship

from faristol.rules import Outcome, Result, Ruleset
from faristol.rules.standings import Match, TeamBye

WORTH = {"win": Fraction(1), "draw": HALF, "loss": Fraction(0)}


def boards_of(match: Match, team: str) -> Fraction:
    side = (match.first, match.second).index(team)
    return sum((WORTH[board.outcomes[side]] for board in match.boards), Fraction(0))


def lost_by_all(match: Match) -> bool:
    return all(outcome is Outcome.LOSS for board in match.boards for outcome in board.outcomes) and bool(match.boards)


def as_result(one: Match | TeamBye) -> Result:
    if isinstance(one, TeamBye):
        return Result.bye(one.round, one.team, one.kind)
    first, second = boards_of(one, one.first), boards_of(one, one.second)
    return Result.of_table(
        one.round,
        one.first,
        one.second,
        sum(board.first_score for board in one.boards),
        sum(board.second_score for board in one.boards),
        winner="" if first == second else one.first if first > second else one.second,
        lost_by_all=lost_by_all(one),
        played=any(board.played for board in one.boards),
    )


class Matches(Championship):
    """A championship of teams, ranked by points of matches."""

    def __init__(
        self, matches: Sequence[Match | TeamBye], teams: Sequence[str], ruleset: Ruleset, planned: int
    ) -> None:
        super().__init__([as_result(one) for one in matches], teams, ruleset, planned)
        self.matches = matches

    @property
    def names(self) -> Sequence[str]:
        return ["other", *super().names]

    def share(self, player: str, number: int) -> Fraction:
        one = self.match(player, number)
        if not isinstance(one, Match):
            return super().share(player, number)
        if lost_by_all(one):
            return Fraction(0)
        own, against = boards_of(one, player), boards_of(one, one.second if one.first == player else one.first)
        return HALF if own == against else Fraction(own > against)

    def match(self, team: str, number: int) -> Match | TeamBye | None:
        for one in self.matches:
            if one.round == number and team in ((one.team,) if isinstance(one, TeamBye) else (one.first, one.second)):
                return one
        return None

    def boards_in(self, team: str, number: int) -> Fraction:
        one = self.match(team, number)
        if one is None:
            return Fraction(0)
        return boards_of(one, team) if isinstance(one, Match) else one.boards * self.share(team, number)

    def tie_break(self, name: str, player: str, equals: Sequence[str]) -> Fraction:
        if name == "other":
            return sum((self.other_in(player, number) for number in self.held), Fraction(0))
        return super().tie_break(name, player, equals)

    def other_in(self, team: str, number: int) -> Fraction:
        return self.boards_in(team, number)


class Boards(Matches):
    """The same, ranked by points of the boards."""

    def __init__(
        self, matches: Sequence[Match | TeamBye], teams: Sequence[str], ruleset: Ruleset, planned: int, games: int
    ) -> None:
        super().__init__(matches, teams, ruleset, planned)
        self.games = games

    def points_in(self, player: str, number: int) -> Fraction:
        return self.boards_in(player, number)

    def other_in(self, team: str, number: int) -> Fraction:
        return self.share(team, number)
