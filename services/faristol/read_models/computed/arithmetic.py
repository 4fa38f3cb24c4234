"""The arithmetic of values of the standings, in the messages of the contract."""

from __future__ import annotations

from faristol.pb.results.v1 import results_pb2 as results
from faristol.rules.standings import Arithmetic, Basis, LeftOut, RoundOutcome, StandingsRow, TeamRow, Term

_BASES = {each: results.TermBasis.Value(f"TERM_BASIS_{each.name}") for each in Basis}
_OUTCOMES = {each: results.Outcome.Value(f"OUTCOME_{each.name}") for each in RoundOutcome}
_LEFT_OUT = {each: results.LeftOut.Value(f"LEFT_OUT_{each.name}") for each in LeftOut}


def explain(line: results.Standing | results.TeamStanding, row: StandingsRow | TeamRow) -> None:
    """Fill the arithmetic of the values of a line."""
    line.point_arithmetic.CopyFrom(to_arithmetic_message(row.point_arithmetic))
    for tie_break, value in zip(line.tie_breaks, row.arithmetic.values(), strict=True):
        tie_break.arithmetic.CopyFrom(to_arithmetic_message(value, max(1, tie_break.divisor)))


def to_arithmetic_message(value: Arithmetic, divisor: int = 1) -> results.Arithmetic:
    """Return the terms of a value, without names and texts."""
    return results.Arithmetic(terms=map(_term, value.terms), divisor=divisor)


def _term(term: Term) -> results.Term:
    return results.Term(
        round=term.round,
        basis=_BASES[term.basis],
        quarters=quarters(term.value),
        opponent_id=term.opponent or "",
        outcome=_OUTCOMES[term.outcome] if term.outcome else results.OUTCOME_UNSPECIFIED,
        worth_quarters=quarters(term.worth),
        granted_quarters=quarters(term.granted),
        score=term.score,
        against=term.against,
        seats=term.seats,
        left_out=_LEFT_OUT[term.left_out] if term.left_out else results.LEFT_OUT_UNSPECIFIED,
    )


def quarters(value: float) -> int:
    """Convert a value to quarters, the unit of the contract and the tables."""
    return round(value * 4)
