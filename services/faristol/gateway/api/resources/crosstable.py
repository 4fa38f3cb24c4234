"""Crosstable as JSON."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from faristol.gateway.api import links
from faristol.gateway.api.answers import DIVISION, NEXT_PAGE, TOTAL, Answer, Read, Shown
from faristol.gateway.api.resources.standings import Outcome, Standing, TermBasis
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.unplayed_results import has_points


def _has_points(cell: pb.CrosstableCell) -> bool:
    return has_points((cell.score, cell.against), unplayed=cell.basis == pb.TERM_BASIS_FORFEIT)


class Cell(Shown):
    """Round of a player."""

    round: int
    basis: TermBasis | None = Field(description="Basis of the line; null for a bye in a round in progress.")
    outcome: Outcome | None = Field(
        description="Result; null before there is one, for an absence, and for a bye of 0 points."
    )
    points: Annotated[float, Read(lambda cell: cell.half_points / 2)] = Field(description="Championship points.")
    opponent_ids: list[str] = Field(
        description="Opponents, several at a table of more than two players; empty without an opponent."
    )
    opponent_ranks: list[int] = Field(description="Ranks of the opponents, in the same order.")
    score: Annotated[int | None, Read(lambda cell: cell.score if _has_points(cell) else None)] = Field(
        description="Own score, final or current; null for a forfeit, unless the rules award points for it."
    )
    against: Annotated[int | None, Read(lambda cell: cell.against if _has_points(cell) else None)] = Field(
        description="The opponent's; 0 at a table of more than two, null as `score`."
    )
    starts: bool | None = Field(description="True if the player started, false if second; null if unknown.")
    game_id: str = Field(description="Id of the game; empty without a game.")
    final: bool = Field(description="The result of the game is final.")
    annulled: bool = Field(
        description="The game is annulled: a player withdrew before half of the games (FIDE C.05 6.6)."
    )


class Row(Standing):
    """Player's line in the crosstable: that of the standings, and every round."""

    rating: int = Field(description="Rating at the start; for an unrated player, the initial rating of the system.")
    unrated: bool = Field(description="The player had no published rating.")
    cells: list[Cell] = Field(description="One entry per paired round, in order.")

    @classmethod
    def values(cls, message: Any) -> dict[str, Any]:
        """Return the values of the standings with rating and rounds."""
        cells = [Cell.of(cell) for cell in message.cells]
        own = {"rating": message.rating, "unrated": message.unrated, "cells": cells}
        return Standing.values(message.standing) | own


class Crosstable(Answer):
    """Rounds of every player, in the order of the standings."""

    tournament_id: str
    rounds: int = Field(description="Rounds paired so far, or up to the requested round.")
    rows: list[Row]
    division: str = DIVISION
    next_page_token: str = NEXT_PAGE
    total: int = TOTAL
    links: links.OfCrosstable
