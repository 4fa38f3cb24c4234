"""The sections of a ruleset: one class for each, one field for each value in which rule books differ.

The docstring of a field says what its value means; what a book says is in its file, beside the article.
"""

from __future__ import annotations

from faristol.rules.sections.bag import Exchange, FoundTiles, FreeExchange, Overdraw, Passing, Underdraw
from faristol.rules.sections.end import Abandon, End, Forfeit, Scoresheet
from faristol.rules.sections.event import Championship, Lexicon, TieBreak
from faristol.rules.sections.law import Law
from faristol.rules.sections.ruling import Arbiter, Challenge
from faristol.rules.sections.table import Blank, FirstMove, Game, Scoring, Start, Step, Touch, Turn
from faristol.rules.sections.time import Absence, Clock, Lateness, Neutraliser, RoundTime
from faristol.rules.sections.words import TurnWord

__all__ = [
    "Abandon",
    "Absence",
    "Arbiter",
    "Blank",
    "Challenge",
    "Championship",
    "Clock",
    "End",
    "Exchange",
    "FirstMove",
    "Forfeit",
    "FoundTiles",
    "FreeExchange",
    "Game",
    "Lateness",
    "Law",
    "Lexicon",
    "Neutraliser",
    "Overdraw",
    "Passing",
    "RoundTime",
    "Scoresheet",
    "Scoring",
    "Start",
    "Step",
    "TieBreak",
    "Touch",
    "Turn",
    "TurnWord",
    "Underdraw",
]
