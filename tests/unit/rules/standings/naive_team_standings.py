"""Standings of teams once more: the slow ones of players, over matches made out of boards in exact fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tests.unit.rules.standings.naive_standings import HALF, Championship

from faristol.rules import Result, RoundOutcome, Ruleset
from faristol.rules.standings import Match, TeamBye

WORTH = {"win": Fraction(1), "draw": HALF, "loss": Fraction(0)}


def boards_of(match: Match, team: str) -> Fraction:
    side = (match.first, match.second).index(team)
    return sum((WORTH[board.outcomes[side]] for board in match.boards), Fraction(0))


def lost_by_all(match: Match) -> bool:
    return all(outcome is RoundOutcome.LOSS for board in match.boards for outcome in board.outcomes) and bool(
        match.boards
    )


def as_result(held: Match | TeamBye) -> Result:
    if isinstance(held, TeamBye):
        return Result.bye(held.round, held.team, held.kind)
    first, second = boards_of(held, held.first), boards_of(held, held.second)
    return Result.of_table(
        held.round,
        held.first,
        held.second,
        sum(board.first_score for board in held.boards),
        sum(board.second_score for board in held.boards),
        winner="" if first == second else held.first if first > second else held.second,
        lost_by_all=lost_by_all(held),
        played=any(board.played for board in held.boards),
    )


class Matches(Championship):
    """A championship of teams, ranked by points of matches."""

    def __init__(
        self, matches: Sequence[Match | TeamBye], teams: Sequence[str], ruleset: Ruleset, planned: int
    ) -> None:
        super().__init__([as_result(match) for match in matches], teams, ruleset, planned)
        self.matches = matches

    @property
    def names(self) -> Sequence[str]:
        return ["other", *super().names]

    def share(self, player: str, number: int) -> Fraction:
        held = self.match(player, number)
        if not isinstance(held, Match):
            return super().share(player, number)
        if lost_by_all(held):
            return Fraction(0)
        own, against = boards_of(held, player), boards_of(held, held.second if held.first == player else held.first)
        return HALF if own == against else Fraction(own > against)

    def match(self, team: str, number: int) -> Match | TeamBye | None:
        for match in self.matches:
            if match.round == number and team in (
                (match.team,) if isinstance(match, TeamBye) else (match.first, match.second)
            ):
                return match
        return None

    def boards_in(self, team: str, number: int) -> Fraction:
        held = self.match(team, number)
        if held is None:
            return Fraction(0)
        return boards_of(held, team) if isinstance(held, Match) else held.boards * self.share(team, number)

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
