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
    name: str = Field(description="Name, or empty when it was erased.")


class Team(Shown):
    """Registered team."""

    team_id: str
    name: str
    line_up: list[TeamPlayer] = Field(description="Its players in the order of the boards, reserves after them.")
    entered_round: int = Field(description="The first round that the team could be paired in.")
    withdrawn_round: int = Field(description="The first round that the team was not paired in any more; 0 for none.")


class Teams(Answer):
    """Teams in the order of registration."""

    teams: list[Team]
    division: str = DIVISION
    next_page_token: str = NEXT_PAGE
    total: int = TOTAL


class TeamRound(Shown):
    """Round of a team."""

    round: int
    basis: TermBasis | None = Field(description="What it was; null for a bye of a round that is being played.")
    outcome: Outcome | None = Field(description="What it came to; null before there is a result, and for an absence.")
    match: int = Field(description="The match, by its number in the round; 0 where there is none.")
    opponent_id: str = Field(description="The other team; empty where there is none.")
    opponent_name: str
    opponent_rank: int = Field(description="Its rank; 0 where there is none.")
    board_points: Annotated[float, Read(lambda round_: round_.board_half_points / 2)] = Field(
        description="Own points of the boards of the match, final or so far; of a bye once its round is over."
    )
    against: Annotated[float, Read(lambda round_: round_.against_half_points / 2)] = Field(
        description="Those of the other team."
    )
    final: bool = Field(description="The result is final.")


class TeamStanding(Shown):
    """Team's line in the standings."""

    rank: int = Field(description="From 1; teams equal in everything share a rank.")
    team_id: str
    name: str
    match_points: Annotated[float, Read(lambda line: line.match_half_points / 2)] = Field(
        description="Points of its matches: 1 for one won, 0.5 for one drawn, 1 for a bye."
    )
    board_points: Annotated[float, Read(lambda line: line.board_half_points / 2)] = Field(
        description="Points of all its boards."
    )
    wins: int = Field(description="Matches won; byes are none.")
    draws: int
    losses: int
    tie_breaks: TieBreaks = Field(
        description="Tie-breaks by name, in the order in which they decide; the first is the other score.",
        examples=[{"board-points": 7.5, "spread": 211, "total": 3904}],
    )
    spread: int = Field(description="Own points minus opponents' points in all games.")
    total: int = Field(description="Points in all games.")
    rounds: list[TeamRound] = Field(description="One for each round paired, in order.")
    arithmetic: Arithmetics = Field(
        description="How the points that teams are ranked by (`points`) and every tie-break come about, by name; null "
        "when it was not asked for. Opponents are teams."
    )


class TeamStandings(Answer):
    """Standings of teams in the order of ranks."""

    tournament_id: str
    round: int = Field(description="The last round counted, 0 when none is.")
    score: Annotated[Score | None, Read(lambda answer: answer.score or None)] = Field(
        description="What teams are ranked by first; null where there are no teams."
    )
    standings: list[TeamStanding]
    division: str = DIVISION
    next_page_token: str = NEXT_PAGE
    total: int = TOTAL
    links: links.OfTeamStandings
