"""Teams and their standings as JSON."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from faristol.gateway.answers import DIVISION, Answer
from faristol.gateway.standings import (
    OUTCOMES,
    TERM_BASES,
    Arithmetic,
    Outcome,
    TermBasis,
    arithmetic_of,
    tie_break_value,
)
from faristol.pb.results.v1 import results_pb2 as pb

Score = Literal["match-points", "board-points"]
SCORES: dict[str, Score] = {"match-points": "match-points", "board-points": "board-points"}


class TeamPlayer(BaseModel):
    """A player in the line-up of a team."""

    player_id: str
    name: str = Field(description="Name, or empty when it was erased.")


class Team(BaseModel):
    """A registered team."""

    team_id: str
    name: str
    line_up: list[TeamPlayer] = Field(description="Its players in the order of the boards, reserves after them.")
    entered_round: int = Field(description="The first round that the team could be paired in.")
    withdrawn_round: int = Field(description="The first round that the team was not paired in any more; 0 for none.")

    @classmethod
    def of(cls, team: pb.Team) -> Team:
        """From the contract's message."""
        return cls(
            team_id=team.team_id,
            name=team.name,
            line_up=[TeamPlayer(player_id=each.player_id, name=each.name) for each in team.line_up],
            entered_round=team.entered_round,
            withdrawn_round=team.withdrawn_round,
        )


class Teams(Answer):
    """Teams, in the order in which they were registered."""

    teams: list[Team]
    division: str = DIVISION

    @classmethod
    def of(cls, answer: pb.ListTeamsResponse) -> Teams:
        """From the contract's message."""
        teams = [Team.of(team) for team in answer.teams]
        return cls(position=answer.position, teams=teams, division=answer.division)


class TeamRound(BaseModel):
    """What a round was to a team."""

    round: int
    basis: TermBasis | None = Field(description="What it was; null for a bye of a round that is being played.")
    outcome: Outcome | None = Field(description="What it came to; null before there is a result, and for an absence.")
    match: int = Field(description="The match, by its number in the round; 0 where there is none.")
    opponent_id: str = Field(description="The other team; empty where there is none.")
    opponent_name: str
    opponent_rank: int = Field(description="Its rank; 0 where there is none.")
    board_points: float = Field(
        description="Own points of the boards of the match, final or so far; of a bye once its round is over."
    )
    against: float = Field(description="Those of the other team.")
    final: bool = Field(description="The result is final.")

    @classmethod
    def of(cls, team_round: pb.TeamRound) -> TeamRound:
        """From the contract's message."""
        return cls(
            round=team_round.round,
            basis=TERM_BASES.get(team_round.basis),
            outcome=OUTCOMES.get(team_round.outcome),
            match=team_round.match,
            opponent_id=team_round.opponent_id,
            opponent_name=team_round.opponent_name,
            opponent_rank=team_round.opponent_rank,
            board_points=team_round.board_half_points / 2,
            against=team_round.against_half_points / 2,
            final=team_round.final,
        )


class TeamStanding(BaseModel):
    """A team's line in the standings."""

    rank: int = Field(description="From 1; teams equal in everything share a rank.")
    team_id: str
    name: str
    match_points: float = Field(description="Points of its matches: 1 for one won, 0.5 for one drawn, 1 for a bye.")
    board_points: float = Field(description="Points of all its boards.")
    wins: int = Field(description="Matches won; byes are none.")
    draws: int
    losses: int
    tie_breaks: dict[str, float] = Field(
        description="Tie-breaks by name, in the order in which they decide; the first is the other score.",
        examples=[{"board-points": 7.5, "spread": 211, "total": 3904}],
    )
    spread: int = Field(description="Own points minus opponents' points in all games.")
    total: int = Field(description="Points in all games.")
    rounds: list[TeamRound] = Field(description="One for each round paired, in order.")
    arithmetic: dict[str, Arithmetic] | None = Field(
        description="How the points that teams are ranked by (`points`) and every tie-break come about, by name; null "
        "when it was not asked for. Opponents are teams."
    )

    @classmethod
    def of(cls, line: pb.TeamStanding) -> TeamStanding:
        """From the contract's message."""
        return cls(
            rank=line.rank,
            team_id=line.team_id,
            name=line.name,
            match_points=line.match_half_points / 2,
            board_points=line.board_half_points / 2,
            wins=line.wins,
            draws=line.draws,
            losses=line.losses,
            tie_breaks={tie_break.name: tie_break_value(tie_break) for tie_break in line.tie_breaks},
            spread=line.spread,
            total=line.total,
            rounds=[TeamRound.of(round_) for round_ in line.rounds],
            arithmetic=arithmetic_of(line),
        )


class TeamStandings(Answer):
    """Standings of teams, in rank order."""

    round: int = Field(description="The last round counted, 0 when none is.")
    score: Score | None = Field(description="What teams are ranked by first; null where there are no teams.")
    standings: list[TeamStanding]
    division: str = DIVISION

    @classmethod
    def of(cls, answer: pb.GetTeamStandingsResponse) -> TeamStandings:
        """From the contract's message."""
        return cls(
            position=answer.position,
            round=answer.round,
            score=SCORES.get(answer.score),
            standings=[TeamStanding.of(line) for line in answer.standings],
            division=answer.division,
        )
