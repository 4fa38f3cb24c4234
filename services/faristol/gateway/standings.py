"""The JSON of standings, with how each value comes about."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from faristol.gateway.answers import CATEGORY, DIVISION, TEAM, Answer
from faristol.pb.results.v1 import results_pb2 as pb

TermBasis = Literal["game", "forfeit", "bye", "requested_bye", "absence", "adjustment", "sanction"]
Outcome = Literal["win", "draw", "loss"]
LeftOut = Literal["lowest", "missed_by_will", "not_all_met"]
TERM_BASES: dict[pb.TermBasis.ValueType, TermBasis] = {
    pb.TERM_BASIS_GAME: "game",
    pb.TERM_BASIS_FORFEIT: "forfeit",
    pb.TERM_BASIS_BYE: "bye",
    pb.TERM_BASIS_REQUESTED_BYE: "requested_bye",
    pb.TERM_BASIS_ABSENCE: "absence",
    pb.TERM_BASIS_ADJUSTMENT: "adjustment",
    pb.TERM_BASIS_SANCTION: "sanction",
}
OUTCOMES: dict[pb.Outcome.ValueType, Outcome] = {
    pb.OUTCOME_WIN: "win",
    pb.OUTCOME_DRAW: "draw",
    pb.OUTCOME_LOSS: "loss",
}
LEFT_OUT: dict[pb.LeftOut.ValueType, LeftOut] = {
    pb.LEFT_OUT_LOWEST: "lowest",
    pb.LEFT_OUT_MISSED_BY_WILL: "missed_by_will",
    pb.LEFT_OUT_NOT_ALL_MET: "not_all_met",
}


class Term(BaseModel):
    """One round's part of a value."""

    round: int
    basis: TermBasis = Field(description="What it rests on.")
    value: float = Field(description="What it adds, or would add if it were not left out.")
    opponent_id: str = Field(description="Empty for a bye, an absence and a table of more than two.")
    opponent_name: str
    outcome: Outcome | None = Field(description="To the player, where the value depends on it.")
    worth: float = Field(description="Points of the opponent, or of who stands for one; for Buchholz and Berger.")
    granted: float = Field(description="How much of `worth` is for rounds that the opponent missed.")
    score: int = Field(description="Own points of the game; for spread, total and CUSCA.")
    against: int = Field(description="The opponent's.")
    seats: int = Field(description="Players of the table.")
    left_out: LeftOut | None = Field(description="Why it does not count; null when it does.")
    text: str = Field(description="The same in a sentence, in the language of `Accept-Language`.")

    @classmethod
    def of(cls, term: pb.Term) -> Term:
        """From the contract's message."""
        return cls(
            round=term.round,
            basis=TERM_BASES[term.basis],
            value=term.quarters / 4,
            opponent_id=term.opponent_id,
            opponent_name=term.opponent_name,
            outcome=OUTCOMES.get(term.outcome),
            worth=term.worth_quarters / 4,
            granted=term.granted_quarters / 4,
            score=term.score,
            against=term.against,
            seats=term.seats,
            left_out=LEFT_OUT.get(term.left_out),
            text=term.text,
        )


class Arithmetic(BaseModel):
    """How a value comes about: the sum of its terms, those left out excepted, over `divisor`."""

    terms: list[Term]
    divisor: int = Field(description="Games of a mean; 1 for a value that is none.")
    text: str = Field(description="The sum, in the language of `Accept-Language`.")

    @classmethod
    def of(cls, arithmetic: pb.Arithmetic, divisor: int = 1) -> Arithmetic:
        """From the contract's message."""
        return cls(terms=[Term.of(term) for term in arithmetic.terms], divisor=max(1, divisor), text=arithmetic.text)


def tie_break_value(tie_break: pb.TieBreak) -> float:
    """What a tie-break comes to."""
    return tie_break.quarters / 4 / max(1, tie_break.divisor)


def arithmetic_of(line: pb.Standing | pb.TeamStanding) -> dict[str, Arithmetic] | None:
    """How the points and every tie-break of a line come about, by name; None where it was not asked for."""
    if not line.HasField("point_arithmetic"):
        return None
    of_points = Arithmetic.of(line.point_arithmetic)
    return {
        "points": of_points,
        **{tie_break.name: Arithmetic.of(tie_break.arithmetic, tie_break.divisor) for tie_break in line.tie_breaks},
    }


class Standing(BaseModel):
    """A player's line in the standings."""

    rank: int = Field(description="From 1; players equal in everything share a rank.")
    player_id: str
    name: str = Field(description="Name, or empty when it was erased.")
    points: float = Field(description="Championship points: 1 for a win, 0.5 for a draw, 1 for a bye.")
    wins: int = Field(description="Over the board, as draws and losses: a forfeit counts in `points` alone.")
    draws: int
    losses: int
    bye: bool = Field(description="A bye was had; it is counted in `points` and not in `wins`.")
    tie_breaks: dict[str, float] = Field(
        description="Tie-breaks by name, in the order in which they decide.",
        examples=[{"median-buchholz": 12, "berger": 8.5, "spread": 211, "total": 1904}],
    )
    spread: int = Field(description="Own points minus opponents' points in all games.")
    total: int = Field(description="Points in all games.")
    arithmetic: dict[str, Arithmetic] | None = Field(
        description="How `points` and every tie-break come about, by name; null when it was not asked for."
    )
    team_id: str = TEAM
    category: str = CATEGORY

    @classmethod
    def of(cls, line: pb.Standing) -> Standing:
        """From the contract's message."""
        return cls(
            rank=line.rank,
            player_id=line.player_id,
            name=line.name,
            points=line.half_points / 2,
            wins=line.wins,
            draws=line.draws,
            losses=line.losses,
            bye=line.bye,
            tie_breaks={tie_break.name: tie_break_value(tie_break) for tie_break in line.tie_breaks},
            spread=line.spread,
            total=line.total,
            arithmetic=arithmetic_of(line),
            team_id=line.team_id,
            category=line.category,
        )


class Standings(Answer):
    """Standings, in rank order."""

    round: int = Field(description="The last round counted, 0 when none is.")
    standings: list[Standing]
    division: str = DIVISION

    @classmethod
    def of(cls, answer: pb.GetStandingsResponse) -> Standings:
        """From the contract's message."""
        lines = [Standing.of(line) for line in answer.standings]
        return cls(position=answer.position, round=answer.round, standings=lines, division=answer.division)
