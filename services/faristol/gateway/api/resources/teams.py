"""Teams and their standings as JSON."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from faristol.gateway.api import links
from faristol.gateway.api.answers import DIVISION, NEXT_PAGE, TOTAL, Answer, Read, Shown
from faristol.gateway.api.resources.standings import Arithmetics, Outcome, TermBasis, TieBreaks

Score = Literal["match-points", "board-points"]


class TeamPlayer(Shown):
    """Player in the line-up of a team."""

    player_id: str
    name: str = Field(description="Name; empty after an erasure.")


class Team(Shown):
    """Registered team."""

    team_id: str
    name: str
    line_up: list[TeamPlayer] = Field(description="Players in the order of the boards, followed by reserves.")
    entered_round: int = Field(description="First round in which the team could be paired.")
    withdrawn_round: int = Field(description="First round in which the team could no longer be paired; 0 for none.")


class Teams(Answer):
    """Teams in the order of registration."""

    teams: list[Team]
    division: str = DIVISION
    next_page_token: str = NEXT_PAGE
    total: int = TOTAL


class TeamRound(Shown):
    """Round of a team."""

    round: int
    basis: TermBasis | None = Field(description="Basis of the line; null for a bye in a round in progress.")
    outcome: Outcome | None = Field(description="Result; null before there is one, and for an absence.")
    match: int = Field(description="Number of the match in the round; 0 for none.")
    opponent_id: str = Field(description="The other team; empty for none.")
    opponent_name: str
    opponent_rank: int = Field(description="Rank of the other team; 0 for none.")
    board_points: Annotated[float, Read(lambda round_: round_.board_half_points / 2)] = Field(
        description="Own board points in the match, final or current; for a bye, after the end of its round."
    )
    against: Annotated[float, Read(lambda round_: round_.against_half_points / 2)] = Field(
        description="Board points of the other team."
    )
    final: bool = Field(description="The result is final.")


class TeamStanding(Shown):
    """Team's line in the standings."""

    rank: int = Field(description="Rank, from 1; tied teams share a rank.")
    team_id: str
    name: str
    match_points: Annotated[float, Read(lambda line: line.match_half_points / 2)] = Field(
        description="Match points: 1 for a win, 0.5 for a draw, 1 for a bye."
    )
    board_points: Annotated[float, Read(lambda line: line.board_half_points / 2)] = Field(
        description="Points of all its boards."
    )
    wins: int = Field(description="Matches won, without byes.")
    draws: int
    losses: int
    tie_breaks: TieBreaks = Field(
        description="Tie-breaks by name, in the order in which they decide; the first is the other score.",
        examples=[{"board-points": 7.5, "spread": 211, "total": 3904}],
    )
    spread: int = Field(description="Own points minus opponents' points in all games.")
    total: int = Field(description="Points in all games.")
    rounds: list[TeamRound] = Field(description="One entry per paired round, in order.")
    arithmetic: Arithmetics = Field(
        description="Derivation of `points`, by which teams are ranked, and of every tie-break, by name; null if not "
        "requested. Opponents are teams."
    )


class TeamStandings(Answer):
    """Standings of teams in the order of ranks."""

    tournament_id: str
    round: int = Field(description="Last round counted; 0 for none.")
    score: Annotated[Score | None, Read(lambda answer: answer.score or None)] = Field(
        description="First ranking criterion of teams; null without teams."
    )
    standings: list[TeamStanding]
    division: str = DIVISION
    next_page_token: str = NEXT_PAGE
    total: int = TOTAL
    links: links.OfTeamStandings
