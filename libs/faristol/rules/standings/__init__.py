"""Standings: points of the championship, tie-breaks in the order of the rules, shared ranks."""

from faristol.rules.standings.arithmetic import Arithmetic, Basis, LeftOut, Term
from faristol.rules.standings.ranking import Row, standings
from faristol.rules.standings.results import Bye, Outcome, Result, SpreadAdjustment, TableResult

__all__ = [
    "Arithmetic",
    "Basis",
    "Bye",
    "LeftOut",
    "Outcome",
    "Result",
    "Row",
    "SpreadAdjustment",
    "TableResult",
    "Term",
    "standings",
]
