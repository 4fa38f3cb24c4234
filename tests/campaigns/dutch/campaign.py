"""Tournaments of three generators, whose rounds are paired by this program and by an independent one.

A tournament is compared round by round, from the same rounds before: a difference does not lead to further ones. The
pairs and the bye must be equal, and the colours wherever C.04.3 5.2.1 to 5.2.3 decide. Where 5.2.4 and 5.2.5 decide,
the other program uses another order of the histories and of the numbers; these differences are counted apart.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from caissify_pairings.rtg import generate_tournament as generate_elsewhere
from tests.support.other_dutch import pair_elsewhere

from faristol.kernel.refusal import Refusal
from faristol.rules.trf import Document, read_trf
from faristol.tournament.engines.dutch.generator import TournamentPlan, generate_tournament
from faristol.tournament.engines.dutch.history import round_to_pair
from faristol.tournament.engines.dutch.pairing import pair_round

GENERATORS = ("plain", "eventful", "caissify")
"""Own tournaments without byes, absences and forfeits; own ones with all of them; those of caissify-pairings."""

DECIDED_COLOURS = frozenset({"5.2.1", "5.2.2", "5.2.3"})
"""Articles of the colours that both programs take in the same order."""


@dataclass(frozen=True, slots=True)
class Series:
    """A series of tournaments of one size."""

    players: int
    rounds: int
    generator: str


@dataclass(slots=True)
class Compared:
    """The comparison of one tournament."""

    seed: int
    counts: Counter[str] = field(default_factory=Counter)
    """Rounds, boards, colours and unplayed results by kind."""
    differences: list[str] = field(default_factory=list)


def build_tournament(series: Series, seed: int) -> Document:
    """Return the tournament of a seed. An eventful one with an odd seed is accelerated."""
    if series.generator == "caissify":
        return read_trf(generate_elsewhere(num_players=series.players, num_rounds=series.rounds, seed=seed))
    if series.generator == "plain":
        plan = TournamentPlan(series.players, series.rounds, 0, 0, 0, 0, 0)
    else:
        plan = TournamentPlan(series.players, series.rounds, late_entries=6, forfeits=4, accelerated=bool(seed % 2))
    return generate_tournament(plan, seed)


def compare(series: Series, seed: int) -> Compared:
    """Pair every round of a tournament again by both programs, and compare them with each other and with the file."""
    document, found = build_tournament(series, seed), Compared(seed)
    for line in document.players:
        found.counts.update(f"result {cell.result}" for cell in line.cells if cell.result not in "10=")
    for number in range(1, document.paired_rounds + 1):
        a_round = round_to_pair(document, number)
        if not a_round.players:
            continue
        found.counts["rounds"] += 1
        try:
            paired = pair_round(a_round)
        except Refusal as refusal:
            found.differences.append(f"round {number}: {refusal.reason}")
            continue
        own = {frozenset((board.white, board.black)) for board in paired.boards}
        written = _list_pairs(document, number)
        if own != written:
            found.differences.append(
                f"round {number}: the file has {_format(written - own)}, not {_format(own - written)}"
            )
        other = pair_elsewhere(a_round, document.rounds or 0)
        theirs = {frozenset((white, black)) for white, black in other if black is not None}
        their_bye = next((white for white, black in other if black is None), None)
        if own != theirs or paired.bye != their_bye:
            found.differences.append(
                f"round {number}: caissify has {_format(theirs - own)}, not {_format(own - theirs)}"
            )
            continue
        for board in paired.boards:
            kind = "decided" if board.article in DECIDED_COLOURS else "by history or number"
            found.counts[f"colours {kind}"] += 1
            if (board.white, board.black) not in other:
                found.counts[f"colours {kind} that differ"] += 1
                if kind == "decided":
                    found.differences.append(f"round {number}: caissify gives {board.black} white by {board.article}")
    return found


def _list_pairs(document: Document, number: int) -> set[frozenset[int]]:
    cells = [(line.number, line.cell(number)) for line in document.players]
    return {frozenset((player, cell.opponent)) for player, cell in cells if cell.opponent}


def _format(pairs: set[frozenset[int]]) -> str:
    return ", ".join("–".join(map(str, sorted(pair))) for pair in sorted(pairs, key=sorted)) or "the same pairs"
