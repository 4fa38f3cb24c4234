"""Tournaments of several generators, whose rounds are paired by this program and by independent ones.

A tournament is compared round by round, from the same rounds before: a difference does not lead to further ones. The
pairs and the bye must be equal. A checker with the command line of bbpPairings must find all colours equal. Those of
caissify-pairings must be equal wherever C.04.3 5.2.1 to 5.2.3 decide: where 5.2.4 and 5.2.5 decide, it uses another
order of the histories and of the numbers; these differences are counted apart.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from caissify_pairings.rtg import generate_tournament as generate_elsewhere
from tests.support.other_dutch import pair_elsewhere

from faristol.kernel.refusal import Refusal
from faristol.rules.trf import Document, decode_trf, read_trf, write_trf
from faristol.tournament.engines.dutch.generator import TournamentPlan, generate_tournament
from faristol.tournament.engines.dutch.history import round_to_pair
from faristol.tournament.engines.dutch.pairing import PairedRound, pair_round
from faristol.tournament.engines.dutch.player import DutchRound

CAISSIFY = "caissify"
"""Name of the engine that is installed with the tests."""

GENERATORS = ("plain", "eventful", CAISSIFY, "checker")
"""Own tournaments without byes, absences and forfeits; own ones with all of them; those of caissify-pairings; those of
the first program with the command line of bbpPairings."""

EVENTS_OF_CHECKER = "ForfeitRate=12\nRetiredRate=10\nHalfPointByeRate=7\n"
"""Events of its tournaments: one of so many games is forfeited, one of so many players has zero or half-point byes."""

ENGINE_TIMEOUT_SECONDS = 1_800

DECIDED_COLOURS = frozenset({"5.2.1", "5.2.2", "5.2.3"})
"""Articles of the colours that both programs take in the same order."""


@dataclass(frozen=True, slots=True)
class Series:
    """A series of tournaments of one size."""

    players: int
    rounds: int
    generator: str
    engines: tuple[str, ...] = (CAISSIFY,)
    """Programs to compare with: caissify, or paths of programs with the command line of bbpPairings."""

    @property
    def checkers(self) -> list[str]:
        """The engines that are paths."""
        return [engine for engine in self.engines if engine != CAISSIFY]


@dataclass(slots=True)
class Compared:
    """The comparison of one tournament."""

    seed: int
    counts: Counter[str] = field(default_factory=Counter)
    """Rounds, boards, colours and unplayed results by kind."""
    differences: list[str] = field(default_factory=list)


def build_tournament(series: Series, seed: int) -> Document:
    """Return the tournament of a seed. An eventful one with an odd seed is accelerated."""
    if series.generator == CAISSIFY:
        return read_trf(generate_elsewhere(num_players=series.players, num_rounds=series.rounds, seed=seed))
    if series.generator == "checker":
        return _generate_by_checker(series, seed)
    if series.generator == "plain":
        plan = TournamentPlan(series.players, series.rounds, 0, 0, 0, 0, 0)
    else:
        plan = TournamentPlan(series.players, series.rounds, late_entries=6, forfeits=4, accelerated=bool(seed % 2))
    return generate_tournament(plan, seed)


def compare(series: Series, seed: int) -> Compared:
    """Pair every round of a tournament again by all programs, and compare them with each other and with the file."""
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
        board_of: Callable[[Iterable[int]], Collection[int]] = frozenset if series.generator == CAISSIFY else tuple
        own = {board_of((board.white, board.black)) for board in paired.boards}
        if own != (written := set(map(board_of, _list_boards(document, number)))):
            found.differences.append(
                f"round {number}: the file has {_format(written - own)}, not {_format(own - written)}"
            )
        if CAISSIFY in series.engines:
            _compare_with_caissify(a_round, paired, document.rounds or 0, found)
    for checker in series.checkers:
        found.differences += check_elsewhere(checker, document)
    return found


def _compare_with_caissify(a_round: DutchRound, paired: PairedRound, rounds: int, found: Compared) -> None:
    own = {frozenset((board.white, board.black)) for board in paired.boards}
    other = pair_elsewhere(a_round, rounds)
    theirs = {frozenset((white, black)) for white, black in other if black is not None}
    their_bye = next((white for white, black in other if black is None), None)
    if own != theirs or paired.bye != their_bye:
        found.differences.append(
            f"round {a_round.number}: caissify has {_format(theirs - own)}, not {_format(own - theirs)}"
        )
        return
    for board in paired.boards:
        kind = "decided" if board.article in DECIDED_COLOURS else "by history or number"
        found.counts[f"colours {kind}"] += 1
        if (board.white, board.black) not in other:
            found.counts[f"colours {kind} that differ"] += 1
            if kind == "decided":
                found.differences.append(
                    f"round {a_round.number}: caissify gives {board.black} white by {board.article}"
                )


def check_elsewhere(checker: str, document: Document) -> list[str]:
    """Return the rounds of the document that a program with the command line of bbpPairings pairs differently.

    Raises ``CalledProcessError`` if it refuses the file, and ``ValueError`` if it has not checked every round.
    """
    with TemporaryDirectory() as folder:
        file = Path(folder) / "tournament.trf"
        file.write_text(write_trf(document), encoding="utf-8", newline="")
        report = _run(checker, str(file), "-c")
    _, *rounds = re.split(r"(?m)^.*: Round #(?=\d+$)", report)
    checked = [text.split("\n", 1) for text in rounds]
    if [number for number, _ in checked] != [str(number) for number in range(1, document.paired_rounds + 1)]:
        raise ValueError(f"{checker} checked {len(checked)} of {document.paired_rounds} rounds")
    return [
        f"round {number}: {Path(checker).name} has {' '.join(rest.split())}" for number, rest in checked if rest.strip()
    ]


def _generate_by_checker(series: Series, seed: int) -> Document:
    with TemporaryDirectory() as folder:
        config, file = Path(folder) / "config", Path(folder) / "tournament.trf"
        config.write_text(
            f"PlayersNumber={series.players}\nRoundsNumber={series.rounds}\n{EVENTS_OF_CHECKER}", encoding="utf-8"
        )
        _run(series.checkers[0], "-g", str(config), "-o", str(file), "-s", str(seed))
        return read_trf(decode_trf(file.read_bytes()))


def _run(checker: str, *arguments: str) -> str:
    return subprocess.run(
        [checker, "--dutch", *arguments], capture_output=True, text=True, check=True, timeout=ENGINE_TIMEOUT_SECONDS
    ).stdout


def _list_boards(document: Document, number: int) -> set[tuple[int, int]]:
    cells = [(line.number, line.cell(number)) for line in document.players]
    return {(player, cell.opponent) for player, cell in cells if cell.opponent and cell.colour == "w"}


def _format(boards: Iterable[Iterable[int]]) -> str:
    return ", ".join("–".join(map(str, board)) for board in sorted(map(sorted, boards))) or "the same pairs"
