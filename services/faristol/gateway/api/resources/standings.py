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
    basis: TermBasis = Field(description="What it rests on.")
    value: Annotated[float, Read(lambda term: term.quarters / 4)] = Field(
        description="What it adds, or would add if it were not left out."
    )
    opponent_id: str = Field(description="Empty for a bye, an absence and a table of more than two.")
    opponent_name: str
    outcome: Outcome | None = Field(description="To the player, where the value depends on it.")
    worth: Annotated[float, Read(lambda term: term.worth_quarters / 4)] = Field(
        description="Points of the opponent, or of who stands for one; for Buchholz and Berger."
    )
    granted: Annotated[float, Read(lambda term: term.granted_quarters / 4)] = Field(
        description="How much of `worth` is for rounds that the opponent missed."
    )
    score: int = Field(description="Own points of the game; for spread, total and CUSCA.")
    against: int = Field(description="The opponent's.")
    seats: int = Field(description="Players of the table.")
    left_out: LeftOut | None = Field(description="Why it does not count; null when it does.")
    text: str = Field(description="The same in a sentence, in the language of `Accept-Language`.")


class Arithmetic(Shown):
    """Arithmetic of a value: the sum of its terms, without those left out, divided by `divisor`."""

    terms: list[Term]
    divisor: int = Field(description="Games of a mean; 1 for a value that is none.")
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

    rank: int = Field(description="From 1; players equal in everything share a rank.")
    player_id: str
    name: str = Field(description="Name, or empty when it was erased.")
    points: Annotated[float, Read(lambda line: line.half_points / 2)] = Field(
        description="Championship points: 1 for a win, 0.5 for a draw, 1 for a bye."
    )
    wins: int = Field(description="Over the board, as draws and losses: a forfeit counts in `points` alone.")
    draws: int
    losses: int
    bye: bool = Field(description="A bye was had; it is counted in `points` and not in `wins`.")
    tie_breaks: TieBreaks = Field(
        description="Tie-breaks by name, in the order in which they decide.",
        examples=[{"median-buchholz": 12, "berger": 8.5, "spread": 211, "total": 1904}],
    )
    spread: int = Field(description="Own points minus opponents' points in all games.")
    total: int = Field(description="Points in all games.")
    arithmetic: Arithmetics = Field(
        description="How `points` and every tie-break come about, by name; null when it was not asked for."
    )
    team_id: str = TEAM
    category: str = CATEGORY
    club: str = Field(description="Club; empty where none is known.")
    rating: int = Field(description="Rating at the start.")
    unrated: bool = Field(description="No rating had been published.")
    annulled: bool = Field(
        description="The player left before half of the games, which count for nobody: the line is behind all others."
    )
    links: links.OfPlayer


class Standings(Answer):
    """Standings in the order of ranks."""

    tournament_id: str
    round: int = Field(description="The last round counted, 0 when none is.")
    standings: list[Standing]
    division: str = DIVISION
    next_page_token: str = NEXT_PAGE
    total: int = TOTAL
    links: links.OfStandings
