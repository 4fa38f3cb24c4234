"""Crosstable as JSON."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from faristol.gateway.api import links
from faristol.gateway.api.answers import DIVISION, NEXT_PAGE, TOTAL, Answer, Read, Shown
from faristol.gateway.api.resources.standings import Outcome, Standing, TermBasis


class Cell(Shown):
    """Round of a player."""

    round: int
    basis: TermBasis | None = Field(description="What it was; null for a bye of a round that is being played.")
    outcome: Outcome | None = Field(
        description="What it came to; null before there is a result, for an absence, and for a bye of 0 points."
    )
    points: Annotated[float, Read(lambda cell: cell.half_points / 2)] = Field(description="Championship points.")
    opponent_ids: list[str] = Field(description="Several at a table of more than two; empty without an opponent.")
    opponent_ranks: list[int] = Field(description="Their ranks, in the same order.")
    score: int = Field(description="Own score, final or so far.")
    against: int = Field(description="The opponent's; 0 at a table of more than two.")
    starts: bool | None = Field(description="The player started, or answered; null where that is not known.")
    game_id: str = Field(description="Empty where there is no game.")
    final: bool = Field(description="The result of the game is final.")
    annulled: bool = Field(
        description="It counts for nobody: one of the players left before half of the games (FIDE C.05 6.6)."
    )


class Row(Standing):
    """Player's line in the crosstable: that of the standings, and every round."""

    rating: int = Field(description="Rating at the start; of who is unrated, where the system lets such players start.")
    unrated: bool = Field(description="No rating had been published.")
    cells: list[Cell] = Field(description="One for each round paired, in order.")

    @classmethod
    def values(cls, message: Any) -> dict[str, Any]:
        """Return the values of the standings with rating and rounds."""
        cells = [Cell.of(cell) for cell in message.cells]
        own = {"rating": message.rating, "unrated": message.unrated, "cells": cells}
        return Standing.values(message.standing) | own


class Crosstable(Answer):
    """Rounds of every player, in the order of the standings."""

    tournament_id: str
    rounds: int = Field(description="Rounds paired so far, or up to the one asked for.")
    rows: list[Row]
    division: str = DIVISION
    next_page_token: str = NEXT_PAGE
    total: int = TOTAL
    links: links.OfCrosstable
