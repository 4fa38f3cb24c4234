"""Random tournaments by the Dutch system, as FIDE asks of a pairing program (C.04.A).

Other programs pair these files again, and this program those of others: a difference is an error of one of them. Byes,
absences, late entries, withdrawals, forfeits and acceleration are included, because programs differ there.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.rules.trf import Byes, Document, TrfCell, TrfPlayer
from faristol.rules.trf.scoring import accelerate_baku
from faristol.tournament.engines.dutch.history import round_to_pair
from faristol.tournament.engines.dutch.pairing import pair_round

AVERAGE_RATING, RATING_DEVIATION = 1_900.0, 250.0
MIN_RATING, MAX_RATING = 1_000, 2_800

WHITE_ADVANTAGE_POINTS = 35.0
"""Points of rating that the first move is worth."""

FEW_PLAYERS = N_("{rounds} rounds need at least {needed} players; expected fewer rounds or more players")


@dataclass(frozen=True, slots=True)
class TournamentPlan:
    """The size of a tournament, and how often each event of an arbiter's life happens, in percent.

    Raises ``Invalid`` if there are more rounds than opponents.
    """

    players: int
    rounds: int
    half_point_byes: float = 3.0
    """Share of the players of a round who have asked for a half-point bye."""
    absences: float = 2.0
    """Share of the players of a round who are absent without a point."""
    late_entries: float = 3.0
    """Share of the players who enter after the first round."""
    withdrawals: float = 1.0
    """Share of the players of a round who leave for good before it."""
    forfeits: float = 2.0
    """Share of the games that are lost by forfeit. A tenth of them is lost by both players."""
    draws: float = 35.0
    """Share of the games between equals that are drawn."""
    accelerated: bool = False
    """Whether the first rounds are accelerated by the Baku method (FIDE C.04.5.1)."""

    def __post_init__(self) -> None:
        if self.rounds >= self.players:
            raise Invalid("players", FEW_PLAYERS, {"rounds": self.rounds, "needed": self.rounds + 1})


def generate_tournament(plan: TournamentPlan, seed: int) -> Document:
    """Return a tournament with all rounds paired by the Dutch system. The same seed gives the same tournament.

    It ends before the last round if absences leave a round that cannot be paired.
    """
    chance = random.Random(f"dutch/{seed}")  # noqa: S311 # no secret
    document = Document(
        _draw_players(plan, chance),
        headers=(("012", f"Generated tournament {seed}"), ("092", "Individual: Swiss-System (Dutch)")),
        rounds=plan.rounds,
        initial_colour=chance.choice("wb"),  # type: ignore[arg-type] # a colour
    )
    entered = {line.number: _draw_entry(plan, chance) for line in document.players}
    if plan.accelerated:
        at_first = [number for number, first in entered.items() if first == 1]
        document = replace(document, fictitious=accelerate_baku(at_first, plan.rounds))
    left: set[int] = set()
    for number in range(1, plan.rounds + 1):
        byes = _draw_byes(plan, number, entered, left, chance)
        try:
            document = _play_round(plan, document, number, byes, chance)
        except Refusal:
            document = replace(document, rounds=number - 1)
            break
    return _with_standings(document)


def _draw_players(plan: TournamentPlan, chance: random.Random) -> tuple[TrfPlayer, ...]:
    """Return the players in the order of their ratings."""
    ratings = sorted(
        (
            min(max(round(chance.gauss(AVERAGE_RATING, RATING_DEVIATION)), MIN_RATING), MAX_RATING)
            for _ in range(plan.players)
        ),
        reverse=True,
    )
    return tuple(
        TrfPlayer(number, name=f"Player{number:04}, Test", rating=rating) for number, rating in enumerate(ratings, 1)
    )


def _draw_entry(plan: TournamentPlan, chance: random.Random) -> int:
    """Return the first round of a player."""
    if plan.rounds > 1 and _happens(plan.late_entries, chance):
        return chance.randint(2, max(2, plan.rounds // 2))
    return 1


def _draw_byes(
    plan: TournamentPlan, number: int, entered: Mapping[int, int], left: set[int], chance: random.Random
) -> dict[int, str]:
    """Return the kind of bye of each player who is not to be paired in a round. Add those who leave to ``left``."""
    byes: dict[int, str] = {}
    for player, first in entered.items():
        if number > 1 and first <= number and player not in left and _happens(plan.withdrawals, chance):
            left.add(player)
        if first > number or player in left or _happens(plan.absences, chance):
            byes[player] = "Z"
        elif _happens(plan.half_point_byes, chance):
            byes[player] = "H"
    return byes


def _play_round(
    plan: TournamentPlan, document: Document, number: int, byes: Mapping[int, str], chance: random.Random
) -> Document:
    """Return the tournament after a round. Raises ``Refusal`` if it cannot be paired."""
    preset = tuple(
        Byes(kind, number, tuple(player for player, its in byes.items() if its == kind))
        for kind in sorted(set(byes.values()))
    )
    cells = {player: TrfCell(result=kind) for player, kind in byes.items()}
    ratings = {line.number: line.rating or 0 for line in document.players}
    a_round = round_to_pair(replace(document, byes=preset), number)
    if a_round.players:
        paired = pair_round(a_round)
        for board in paired.boards:
            first, second = _draw_result(plan, ratings[board.white], ratings[board.black], chance)
            cells[board.white] = TrfCell(board.black, "w", first)
            cells[board.black] = TrfCell(board.white, "b", second)
        if paired.bye is not None:
            cells[paired.bye] = TrfCell(result="U")
    players = tuple(replace(line, cells=(*line.cells, cells[line.number])) for line in document.players)
    return replace(document, players=players)


def _draw_result(plan: TournamentPlan, white: int, black: int, chance: random.Random) -> tuple[str, str]:
    """Return the results of white and black, by their ratings."""
    if _happens(plan.forfeits, chance):
        if _happens(10.0, chance):
            return "-", "-"
        return ("+", "-") if chance.random() < 0.5 else ("-", "+")
    expected = 1 / (1 + 10 ** ((black - white - WHITE_ADVANTAGE_POINTS) / 400))
    drawn = plan.draws / 100 * (1 - abs(2 * expected - 1))
    number = chance.random()
    if number < drawn:
        return "=", "="
    return ("1", "0") if number < drawn + (1 - drawn) * expected else ("0", "1")


def _happens(percent: float, chance: random.Random) -> bool:
    return chance.random() * 100 < percent


def _with_standings(document: Document) -> Document:
    """Return the tournament with points and ranks, by points and pairing number."""
    rounds = document.rounds or 0
    points = {line.number: document.points_of(line, rounds) for line in document.players}
    order: Sequence[int] = sorted(points, key=lambda number: (-points[number], number))
    ranks = {number: rank for rank, number in enumerate(order, 1)}
    players = tuple(replace(line, points=points[line.number], rank=ranks[line.number]) for line in document.players)
    return replace(document, players=players)
