"""The texts that explain values of the standings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from faristol.kernel.refusal import N_, Param
from faristol.kernel.spellings import sentences_of
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.storage.rows import Round, Sanction
from faristol.text import number, say

Line = results.Standing | results.TeamStanding
"""Of a player or of a team."""

Names = Mapping[str, str]
"""Names of players or teams, by id; empty if erased."""

Taken = Mapping[tuple[int, str], Sequence[Sanction]]
"""Sanctions that reduced the scores of games, by round and player."""

TABLE = N_("Round {round}, table of {seats}: {value}")
NO_OPPONENT = N_("Round {round}, won without a game: the other team had no player there: {value}")
GRANTED = N_("{value}, of which {granted} for rounds missed")
TAKEN = N_("{term} (a sanction deducted {points} from the score of {name}, {article})")
SUM = N_("Total: {terms} = {value}")
MEAN = N_("Mean of the games: ({terms}) ÷ {games} = {value}")
NO_TERMS = N_("No result yet: 0")

_OF_SCORES = frozenset({"spread", "total", "cusca"})
"""Tie-breaks whose terms show scores of games."""
_SHARES: Mapping[results.Outcome.ValueType, str] = {
    results.OUTCOME_WIN: "1",
    results.OUTCOME_DRAW: "½",
    results.OUTCOME_LOSS: "0",
}


def fill_texts(standings: Iterable[Line], names: Names, language: str, taken: Taken = MappingProxyType({})) -> None:
    """Fill the names of opponents and every ``text`` of the arithmetic of ``standings``, in ``language``."""
    for standing in standings:
        _fill_text(standing.point_arithmetic, "points", 1, names, language)
        for tie_break in standing.tie_breaks:
            _fill_text(tie_break.arithmetic, tie_break.name, max(1, tie_break.divisor), names, language)
            if isinstance(standing, results.Standing):
                _add_sanction_texts(tie_break, standing.player_id, taken, names, language)


def taken_off(rounds: Iterable[Round]) -> Taken:
    """Return the sanctions in force that reduced scores of ``rounds``."""
    found = defaultdict[tuple[int, str], list[Sanction]](list)
    for round_ in rounds:
        for game in round_.games:
            for each in game.score_sanctions:
                found[round_.round, each.player_id].append(each)
    return found


def opponents(standing: Line) -> set[str]:
    """Return the ids of all opponents in the arithmetic of ``standing``."""
    parts = [standing.point_arithmetic, *(tie_break.arithmetic for tie_break in standing.tie_breaks)]
    return {term.opponent_id for part in parts for term in part.terms if term.opponent_id}


def _fill_text(arithmetic: results.Arithmetic, name: str, divisor: int, names: Names, language: str) -> None:
    write = _WRITERS.get(name, _plain)
    for term in arithmetic.terms:
        if term.opponent_id:
            term.opponent_name = names[term.opponent_id]
        head = TABLE if term.seats > 2 else sentences_of(results.TermBasis.DESCRIPTOR)[term.basis]
        if term.basis == results.TERM_BASIS_FORFEIT and term.seats <= 2 and not term.opponent_id:
            head = NO_OPPONENT
        params: dict[str, Param] = {
            "round": term.round,
            "opponent": term.opponent_name or term.opponent_id,
            "seats": term.seats,
            "value": write(term, language),
        }
        term.text = say(head, params, language)
        if left_out := sentences_of(results.LeftOut.DESCRIPTOR).get(term.left_out):
            term.text = say(left_out, {"term": term.text, "opponent": params["opponent"]}, language)
    counted = [term.quarters for term in arithmetic.terms if not term.left_out]
    written = " + ".join(_in_sum(quarters, language) for quarters in counted)
    value = number(sum(counted) / 4 / divisor, language)
    message = NO_TERMS if not counted else MEAN if divisor > 1 else SUM
    arithmetic.text = say(message, {"terms": written, "value": value, "games": divisor}, language)


def _add_sanction_texts(tie_break: results.TieBreak, player_id: str, taken: Taken, names: Names, language: str) -> None:
    """Add the sanctions that reduced the scores which the terms of a tie-break show."""
    for term in tie_break.arithmetic.terms:
        shown = [player_id] if tie_break.name in _OF_SCORES and term.basis == results.TERM_BASIS_GAME else []
        if shown and tie_break.name == "spread":
            shown.append(term.opponent_id)
        for whose in shown:
            for each in taken.get((term.round, whose), ()):
                params: dict[str, Param] = {
                    "term": term.text,
                    "points": each.points,
                    "name": names[whose] or whose,
                    "article": each.article,
                }
                term.text = say(TAKEN, params, language)


def _plain(term: results.Term, language: str) -> str:
    return number(term.quarters / 4, language)


def _buchholz(term: results.Term, language: str) -> str:
    value = _plain(term, language)
    if not term.granted_quarters:
        return value
    return say(GRANTED, {"value": value, "granted": number(term.granted_quarters / 4, language)}, language)


def _berger(term: results.Term, language: str) -> str:
    worth = number(term.worth_quarters / 4, language)
    if term.granted_quarters:
        worth = f"({say(GRANTED, {'value': worth, 'granted': number(term.granted_quarters / 4, language)}, language)})"
    return f"{_SHARES[term.outcome]} × {worth} = {_plain(term, language)}"


def _spread(term: results.Term, language: str) -> str:
    if term.basis in _NOT_OF_GAMES:
        return _plain(term, language)
    against = _in_sum(4 * term.against, language)
    return f"{number(term.score, language)} − {against} = {_plain(term, language)}"


def _keizer(term: results.Term, language: str) -> str:
    return _berger(term, language) if term.opponent_id else _plain(term, language)


_NOT_OF_GAMES = (results.TERM_BASIS_ADJUSTMENT, results.TERM_BASIS_SANCTION, results.TERM_BASIS_CARRIED)
"""Terms without scores of a game."""


def _cusca(term: results.Term, language: str) -> str:
    return f"{_in_sum(4 * term.score, language)} × {term.seats} = {_plain(term, language)}"


def _in_sum(quarters: int, language: str) -> str:
    written = number(quarters / 4, language)
    return f"({written})" if quarters < 0 else written


_WRITERS: Mapping[str, Callable[[results.Term, str], str]] = {
    "buchholz": _buchholz,
    "median-buchholz": _buchholz,
    "berger": _berger,
    "spread": _spread,
    "cusca": _cusca,
    "keizer": _keizer,
}
