"""JSON of standings, with the arithmetic of each value."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field

from faristol.gateway.api import links
from faristol.gateway.api.answers import (
    CATEGORY,
    DIVISION,
    NEXT_PAGE,
    TEAM,
    TOTAL,
    Answer,
    Read,
    Shown,
    word_of,
)
from faristol.pb.results.v1 import results_pb2 as pb

TermBasis = Annotated[str, word_of(pb.TermBasis)]
Outcome = Annotated[str, word_of(pb.Outcome)]
LeftOut = Annotated[str, word_of(pb.LeftOut)]


class Term(Shown):
    """Part of a value from one round."""

    round: int
    basis: TermBasis = Field(description="Basis of the item.")
    value: Annotated[float, Read(lambda term: term.quarters / 4)] = Field(
        description="Value that the item adds, or would add if it were not excluded."
    )
    opponent_id: str = Field(description="Empty for a bye, an absence and a table of more than two.")
    opponent_name: str
    outcome: Outcome | None = Field(description="Result for the player, if the value depends on it.")
    worth: Annotated[float, Read(lambda term: term.worth_quarters / 4)] = Field(
        description="Points of the opponent or of the virtual opponent; for Buchholz and Berger."
    )
    granted: Annotated[float, Read(lambda term: term.granted_quarters / 4)] = Field(
        description="Part of `worth` for rounds that the opponent missed."
    )
    score: int = Field(description="Own points in the game; for spread, total and CUSCA.")
    against: int = Field(description="The opponent's.")
    seats: int = Field(description="Number of players at the table.")
    left_out: LeftOut | None = Field(description="Why the item does not count; null if it counts.")
    text: str = Field(description="The reason as a sentence, in the language of `Accept-Language`.")


class Arithmetic(Shown):
    """Arithmetic of a value: the sum of its terms, without those left out, divided by `divisor`."""

    terms: list[Term]
    divisor: int = Field(description="Number of games of a mean; 1 for other values.")
    text: str = Field(description="The sum, in the language of `Accept-Language`.")

    @classmethod
    def of(cls, message: pb.Arithmetic, divisor: int = 1) -> Self:
        """Build the answer from the contract message."""
        return cls(**cls.values(message), divisor=max(1, divisor))


def tie_break_value(tie_break: pb.TieBreak) -> float:
    """Return the value of a tie-break."""
    return tie_break.quarters / 4 / max(1, tie_break.divisor)


def _tie_breaks(line: pb.Standing | pb.TeamStanding) -> dict[str, float]:
    return {each.name: tie_break_value(each) for each in line.tie_breaks}


def _arithmetic(line: pb.Standing | pb.TeamStanding) -> dict[str, Arithmetic] | None:
    if not line.HasField("point_arithmetic"):
        return None
    arithmetic = {each.name: Arithmetic.of(each.arithmetic, each.divisor) for each in line.tie_breaks}
    return {"points": Arithmetic.of(line.point_arithmetic)} | arithmetic


TieBreaks = Annotated[dict[str, float], Read(_tie_breaks)]
"""Tie-breaks of a line by name."""

Arithmetics = Annotated[dict[str, Arithmetic] | None, Read(_arithmetic)]
"""Arithmetic of tie-breaks and points; None unless requested."""


class Standing(Shown):
    """Player's line in the standings."""

    rank: int = Field(description="Rank, from 1; tied players share a rank.")
    player_id: str
    name: str = Field(description="Name; empty after an erasure.")
    points: Annotated[float, Read(lambda line: line.half_points / 2)] = Field(
        description="Championship points: 1 for a win, 0.5 for a draw, 1 for a bye."
    )
    wins: int = Field(description="Wins over the board, like draws and losses: a forfeit counts only in `points`.")
    draws: int
    losses: int
    bye: bool = Field(description="The player had a bye; it counts in `points` and not in `wins`.")
    tie_breaks: TieBreaks = Field(
        description="Tie-breaks by name, in the order in which they decide.",
        examples=[{"median-buchholz": 12, "berger": 8.5, "spread": 211, "total": 1904}],
    )
    spread: int = Field(description="Own points minus opponents' points in all games.")
    total: int = Field(description="Points in all games.")
    arithmetic: Arithmetics = Field(
        description="Derivation of `points` and of every tie-break, by name; null if not requested."
    )
    team_id: str = TEAM
    category: str = CATEGORY
    club: str = Field(description="Club; empty if unknown.")
    rating: int = Field(description="Rating at the start.")
    unrated: bool = Field(description="The player had no published rating.")
    annulled: bool = Field(
        description="The player withdrew before half of the games, which are annulled: the line is the last."
    )
    links: links.OfPlayer


class Standings(Answer):
    """Standings in the order of ranks."""

    tournament_id: str
    round: int = Field(description="Last round counted; 0 for none.")
    standings: list[Standing]
    division: str = DIVISION
    next_page_token: str = NEXT_PAGE
    total: int = TOTAL
    links: links.OfStandings
