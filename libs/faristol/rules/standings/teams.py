"""The ranking of the teams: matches from their boards, then points and tie-breaks as for players.

A team gets match points for the match, and board points for each game in it. It is ranked by one of the two. The other
is the first tie-break, and those of the ruleset follow, over the matches. Buchholz, Berger and games among equals use
the points by which teams are ranked; spread and total are sums over the boards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from faristol.kernel.byes import Bye
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.rules.ruleset.sections import TieBreak
from faristol.rules.standings.arithmetic import Arithmetic
from faristol.rules.standings.encounters import Group
from faristol.rules.standings.history import PlayerRound, is_rest, sides, tabulate, worths
from faristol.rules.standings.opponents import PlayerRounds
from faristol.rules.standings.ranking import rank_players
from faristol.rules.standings.results import Result, RoundOutcome, SpreadAdjustment
from faristol.rules.standings.tie_breaks import TieBreaks

TeamScore = Literal["match-points", "board-points"]
"""The ranking points of teams: points for matches, or for the games in them."""

TeamTieBreak = TeamScore | TieBreak


@dataclass(frozen=True, slots=True)
class TeamBoard:
    """One board of a match, with the first team's player first."""

    outcomes: tuple[RoundOutcome, RoundOutcome]
    first_score: int = 0
    second_score: int = 0
    played: bool = True
    """Whether a game was begun; False if the other team had no player for the board."""

    @classmethod
    def of(cls, result: Result) -> TeamBoard:
        """Create a board from the ``result`` of a player of the first team and one of the second."""
        return cls(result.outcomes, result.first_score, result.second_score, result.played)

    @classmethod
    def without_opponent(cls, *, first: bool) -> TeamBoard:
        """Create a board with a player of only the ``first`` or only the second team: it is won without a game."""
        won = (RoundOutcome.WIN, RoundOutcome.LOSS)
        return cls(won if first else won[::-1], played=False)


@dataclass(frozen=True, slots=True)
class Match:
    """Two teams in a round, with the results of all boards that have a player. Rounds count from 1."""

    round: int
    first: str
    second: str
    boards: tuple[TeamBoard, ...]

    def board_points(self, ruleset: Ruleset) -> tuple[float, float]:
        """Return the points from the games, of the first team and of the second."""
        worth = worths(ruleset)
        first = sum(worth[board.outcomes[0]] for board in self.boards)
        return first, sum(worth[board.outcomes[1]] for board in self.boards)

    @property
    def lost_by_all(self) -> bool:
        """Whether both players lost at every board: then both teams lose the match, as two players can lose a game."""
        lost = (RoundOutcome.LOSS, RoundOutcome.LOSS)
        return bool(self.boards) and all(board.outcomes == lost for board in self.boards)

    def result(self, ruleset: Ruleset) -> Result:
        """Return the match as a result: the team with more board points wins, with any scores.

        Equal board points are a draw, unless both teams lose.
        """
        first, second = self.board_points(ruleset)
        result = Result.of_game(self.round, self.first, self.second, int(first > second), int(second > first))
        return result._replace(
            outcomes=(RoundOutcome.LOSS, RoundOutcome.LOSS) if self.lost_by_all else result.outcomes,
            first_score=sum(board.first_score for board in self.boards),
            second_score=sum(board.second_score for board in self.boards),
            played=any(board.played for board in self.boards),
        )


@dataclass(frozen=True, slots=True)
class TeamBye:
    """A bye of a team. ``boards`` is the number of a match, independent of the team's players."""

    round: int
    team: str
    boards: int
    kind: Bye = Bye.ALLOCATED

    def result(self) -> Result:
        """Return the bye as a result."""
        return Result.bye(self.round, self.team, self.kind)

    def board_points(self, ruleset: Ruleset) -> float:
        """Return the points of all the boards, each the points of the bye: the same for every team."""
        return self.boards * worths(ruleset)[self.result().outcomes[0]]


@dataclass(frozen=True, slots=True)
class TeamRow:
    """One line of the standings of teams. ``arithmetic`` has the tie-breaks in the order of application."""

    rank: int
    """Rank from 1; teams equal in all tie-breaks share it, and the next rank is skipped."""
    team: str
    points: float
    """The ranking points: ``match_points`` or ``board_points``."""
    match_points: float
    board_points: float
    wins: int
    """Matches won in which a game was played, without byes."""
    draws: int
    losses: int
    spread: int
    total: int
    point_arithmetic: Arithmetic
    """The arithmetic of ``points``."""
    arithmetic: Mapping[TeamTieBreak, Arithmetic]
    """The arithmetic of each tie-break, with its value."""


def team_standings(
    held: Iterable[Match | TeamBye],
    teams: Sequence[str],
    ruleset: Ruleset,
    rounds: int,
    by: TeamScore,
    boards: int,
    pending: Iterable[tuple[str, int]] = (),
    adjustments: Iterable[SpreadAdjustment] = (),
) -> tuple[TeamRow, ...]:
    """Return the standings of teams after the matches and byes ``held``, best first (FISE 4.4).

    ``by`` is the ranking score, and ``boards`` the number of boards of a match. ``rounds``, ``pending`` and
    ``adjustments`` are as in ``standings``, for teams. Raises ``ValueError`` as ``standings`` does.
    """
    known = tuple(held)
    waiting = frozenset(pending)
    changes = tuple(adjustments)
    games: Mapping[TeamScore, int] = {"match-points": 1, "board-points": boards}
    fields = {
        score: PlayerRounds(
            tabulate(_sides(known, ruleset, score, len(teams)), teams, rounds, waiting), ruleset, rounds, number
        )
        for score, number in games.items()
    }
    tie_breaks = {score: TieBreaks(field, changes) for score, field in fields.items()}
    names: list[TeamTieBreak] = ["board-points" if by == "match-points" else "match-points"]
    names += ruleset.championship.tie_breaks

    def value(name: TeamTieBreak, team: str, equals: Group) -> Arithmetic:
        if name == "match-points" or name == "board-points":
            return tie_breaks[name].points(team)
        return tie_breaks[by].of(name, team, equals)

    rows: list[TeamRow] = []
    nobody: Group = frozenset()
    for rank, team, found in rank_players(teams, fields[by].points, names, value, tie_breaks[by].part):
        played = [seen.outcome for seen in fields[by].rounds[team] if seen.played]
        rows.append(
            TeamRow(
                rank=rank,
                team=team,
                points=fields[by].points[team],
                match_points=fields["match-points"].points[team],
                board_points=fields["board-points"].points[team],
                wins=played.count(RoundOutcome.WIN),
                draws=played.count(RoundOutcome.DRAW),
                losses=played.count(RoundOutcome.LOSS),
                spread=round(tie_breaks[by].spread(team, nobody).total),
                total=round(tie_breaks[by].total(team, nobody).total),
                point_arithmetic=tie_breaks[by].points(team),
                arithmetic=MappingProxyType(found),
            )
        )
    return tuple(rows)


def _sides(
    held: Iterable[Match | TeamBye], ruleset: Ruleset, score: TeamScore, count: int
) -> Iterator[tuple[str, PlayerRound]]:
    """Yield the round of each team in matches and byes, with points of one kind; a bye has no scores."""
    for match in held:
        if isinstance(match, TeamBye):
            rests = is_rest(match.kind, ruleset, count)
            points: Mapping[str, float] = {match.team: 0.0 if rests else match.board_points(ruleset)}
            result = match.result()
        else:
            points = dict(zip((match.first, match.second), match.board_points(ruleset), strict=True))
            result = match.result(ruleset)
        for team, seen in sides(result, ruleset, count):
            seen = seen if result.second else seen._replace(score=0)
            yield team, seen if score == "match-points" else seen._replace(points=points[team])
