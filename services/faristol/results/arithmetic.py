"""How values of the standings come about, as the contract tells it."""

from __future__ import annotations

from collections.abc import Mapping

from faristol.pb.results.v1 import results_pb2 as results
from faristol.rules.standings import Arithmetic, Basis, LeftOut, Outcome, Term

_BASES: Mapping[Basis, results.TermBasis.ValueType] = {
    Basis.GAME: results.TERM_BASIS_GAME,
    Basis.FORFEIT: results.TERM_BASIS_FORFEIT,
    Basis.BYE: results.TERM_BASIS_BYE,
    Basis.REQUESTED_BYE: results.TERM_BASIS_REQUESTED_BYE,
    Basis.ABSENCE: results.TERM_BASIS_ABSENCE,
    Basis.ADJUSTMENT: results.TERM_BASIS_ADJUSTMENT,
    Basis.SANCTION: results.TERM_BASIS_SANCTION,
}
_OUTCOMES: Mapping[Outcome | None, results.Outcome.ValueType] = {
    None: results.OUTCOME_UNSPECIFIED,
    Outcome.WIN: results.OUTCOME_WIN,
    Outcome.DRAW: results.OUTCOME_DRAW,
    Outcome.LOSS: results.OUTCOME_LOSS,
}
_LEFT_OUT: Mapping[LeftOut | None, results.LeftOut.ValueType] = {
    None: results.LEFT_OUT_UNSPECIFIED,
    LeftOut.LOWEST: results.LEFT_OUT_LOWEST,
    LeftOut.MISSED_BY_WILL: results.LEFT_OUT_MISSED_BY_WILL,
    LeftOut.NOT_ALL_MET: results.LEFT_OUT_NOT_ALL_MET,
}


def tie_break(name: str, value: Arithmetic, *, with_terms: bool) -> results.TieBreak:
    """A tie-break by its name, with its terms or with its value alone."""
    arithmetic = shown(value) if with_terms else None
    return results.TieBreak(name=name, quarters=quarters(value.total), divisor=value.divisor, arithmetic=arithmetic)


def shown(value: Arithmetic) -> results.Arithmetic:
    """The terms, without names and words."""
    return results.Arithmetic(terms=map(_term, value.terms))


def _term(term: Term) -> results.Term:
    return results.Term(
        round=term.round,
        basis=_BASES[term.basis],
        quarters=quarters(term.value),
        opponent_id=term.opponent or "",
        outcome=_OUTCOMES[term.outcome],
        worth_quarters=quarters(term.worth),
        granted_quarters=quarters(term.granted),
        score=term.score,
        against=term.against,
        seats=term.seats,
        left_out=_LEFT_OUT[term.left_out],
    )


def quarters(value: float) -> int:
    """A value as the contract and the tables have it."""
    return round(value * 4)
