"""Tournaments in the files of other programs: tsh, AUPAIR's ``.tou``, TRF, a list of results.

Each format is read into one form, a ``TournamentFile``, and two of them are written from it. The form has the content
of a standings table: players, and for each of their rounds the opponent, the scores and the start. ``doubts`` compares
the two sides of each game, because most formats have every game twice and people edit these files by hand.
"""

from __future__ import annotations

from faristol.rules.tournament_files.form import (
    FileDivision,
    FilePlayer,
    FileRound,
    FileStanding,
    RoundKind,
    TournamentFile,
    UnreadableFile,
)
from faristol.rules.tournament_files.mending import Doubt, find_doubts

__all__ = [
    "Doubt",
    "FileDivision",
    "FilePlayer",
    "FileRound",
    "FileStanding",
    "RoundKind",
    "TournamentFile",
    "UnreadableFile",
    "find_doubts",
]
