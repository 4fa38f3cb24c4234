"""The crosstable as JSON."""

from __future__ import annotations

from pydantic import BaseModel, Field

from faristol.gateway.answers import DIVISION, Answer
from faristol.gateway.standings import OUTCOMES, TERM_BASES, Outcome, Standing, TermBasis
from faristol.pb.results.v1 import results_pb2 as pb


class Cell(BaseModel):
    """What a round was to a player."""

    round: int
    basis: TermBasis | None = Field(description="What it was; null for a bye of a round that is being played.")
    outcome: Outcome | None = Field(description="What it came to; null before there is a result, and for an absence.")
    points: float = Field(description="Championship points.")
    opponent_ids: list[str] = Field(description="Several at a table of more than two; empty without an opponent.")
    opponent_ranks: list[int] = Field(description="Their ranks, in the same order.")
    score: int = Field(description="Own score, final or so far.")
    against: int = Field(description="The opponent's; 0 at a table of more than two.")
    starts: bool | None = Field(description="The player started, or answered; null where that is not known.")
    game_id: str = Field(description="Empty where there is no game.")
    final: bool = Field(description="The result of the game is final.")

    @classmethod
    def of(cls, cell: pb.CrosstableCell) -> Cell:
        """From the contract's message."""
        return cls(
            round=cell.round,
            basis=TERM_BASES.get(cell.basis),
            outcome=OUTCOMES.get(cell.outcome),
            points=cell.half_points / 2,
            opponent_ids=list(cell.opponent_ids),
            opponent_ranks=list(cell.opponent_ranks),
            score=cell.score,
            against=cell.against,
            starts=cell.starts if cell.HasField("starts") else None,
            game_id=cell.game_id,
            final=cell.final,
        )


class Row(Standing):
    """A player's line in the crosstable: that of the standings, and every round."""

    rating: int = Field(description="Rating at the start; of who is unrated, where the system lets such players start.")
    unrated: bool = Field(description="No rating had been published.")
    cells: list[Cell] = Field(description="One for each round paired, in order.")

    @classmethod
    def of_row(cls, row: pb.CrosstableRow) -> Row:
        """From the contract's message."""
        line = Standing.of(row.standing)
        return cls(
            **line.model_dump(), rating=row.rating, unrated=row.unrated, cells=[Cell.of(cell) for cell in row.cells]
        )


class Crosstable(Answer):
    """Everybody's rounds, in the order of the standings."""

    rounds: int = Field(description="Rounds paired so far, or up to the one asked for.")
    rows: list[Row]
    division: str = DIVISION

    @classmethod
    def of(cls, answer: pb.GetCrosstableResponse) -> Crosstable:
        """From the contract's message."""
        rows = [Row.of_row(row) for row in answer.rows]
        return cls(position=answer.position, rounds=answer.rounds, rows=rows, division=answer.division)
