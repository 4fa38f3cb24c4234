"""The figures of a player over analysed turns: agreement with the best plays, points lost, time. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from faristol.fair_play.estimates import Interval, bootstrap_mean, compute_wilson_interval, correlate_ranks
from faristol.fair_play.turns import AnalysedTurn, Phase

EASY_LENGTH = 3
"""Tiles up to which a turn is easy (``AnalysedTurn.difficulty``)."""

HARD_LENGTH = 6
"""Tiles from which on a turn is hard."""

NO_SHARE = Interval(0.0, 1.0)
"""Interval of a share without a turn."""

BOOTSTRAP_SEED_NUMBER = 1
"""Seed of every bootstrap: the same turns give the same interval."""


@dataclass(frozen=True, slots=True)
class PhaseFigures:
    """Figures of one phase of the game."""

    turns: int
    best: int
    """Turns in which a play of the highest score was played."""
    loss: int
    """Sum of the points lost."""

    @property
    def mean_loss(self) -> float:
        """Points lost per turn; 0 without a turn."""
        return self.loss / self.turns if self.turns else 0.0


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of a player."""

    player_id: str
    games: int = 0
    turns: int = 0
    best: int = 0
    """Turns in which a play of the highest score was played."""
    agreement: Interval = NO_SHARE
    """Interval of the share of those turns."""
    loss: int = 0
    """Sum of the points lost."""
    loss_interval: Interval | None = None
    """Interval of the points lost per turn, by a bootstrap of games; None with too few games."""
    loss_variance: float = 0.0
    """Variance of the points lost per turn, as a mean over these turns."""
    phases: Mapping[Phase, PhaseFigures] = field(default_factory=dict)
    hard: int = 0
    """Hard turns."""
    hard_best: int = 0
    """Hard turns in which a play of the highest score was played."""
    timed: int = 0
    """Turns with a time by the clock."""
    easy_seconds: float | None = None
    """Median of the time of easy turns; None without such a turn."""
    hard_seconds: float | None = None
    """Median of the time of hard turns."""
    time_correlation: float | None = None
    """Rank correlation of the time and the difficulty of turns; None if it cannot be computed."""

    @property
    def best_share(self) -> float:
        """Share of turns in which a play of the highest score was played; 0 without a turn."""
        return self.best / self.turns if self.turns else 0.0

    @property
    def mean_loss(self) -> float:
        """Points lost per turn; 0 without a turn."""
        return self.loss / self.turns if self.turns else 0.0


def measure(player_id: str, turns: Iterable[AnalysedTurn]) -> Figures:
    """Return the figures of a player over turns, of which only those of the player count."""
    own = [turn for turn in turns if turn.player_id == player_id]
    if not own:
        return Figures(player_id)
    best, loss = sum(turn.is_best for turn in own), sum(turn.loss for turn in own)
    by_game: dict[str, list[int]] = {}
    for turn in own:
        by_game.setdefault(turn.game_id, []).append(turn.loss)
    totals = [float(sum(losses)) for losses in by_game.values()]
    sizes = [len(losses) for losses in by_game.values()]
    timed = [(turn.seconds, turn.difficulty) for turn in own if turn.seconds is not None]
    mean = loss / len(own)
    return Figures(
        player_id=player_id,
        games=len(by_game),
        turns=len(own),
        best=best,
        agreement=compute_wilson_interval(best, len(own)),
        loss=loss,
        loss_interval=bootstrap_mean(totals, sizes, BOOTSTRAP_SEED_NUMBER),
        loss_variance=sum((turn.loss - mean) ** 2 for turn in own) / len(own) ** 2,
        phases={phase: _measure_phase([turn for turn in own if turn.phase is phase]) for phase in Phase},
        hard=sum(turn.difficulty >= HARD_LENGTH for turn in own),
        hard_best=sum(turn.difficulty >= HARD_LENGTH and turn.is_best for turn in own),
        timed=len(timed),
        easy_seconds=_median([seconds for seconds, length in timed if length <= EASY_LENGTH]),
        hard_seconds=_median([seconds for seconds, length in timed if length >= HARD_LENGTH]),
        time_correlation=correlate_ranks([seconds for seconds, _ in timed], [length for _, length in timed]),
    )


def measure_all(turns: Iterable[AnalysedTurn]) -> dict[str, Figures]:
    """Return the figures of every player with an analysed turn, by player id."""
    by_player: dict[str, list[AnalysedTurn]] = {}
    for turn in turns:
        by_player.setdefault(turn.player_id, []).append(turn)
    return {player_id: measure(player_id, own) for player_id, own in sorted(by_player.items())}


def _measure_phase(turns: Sequence[AnalysedTurn]) -> PhaseFigures:
    return PhaseFigures(len(turns), sum(turn.is_best for turn in turns), sum(turn.loss for turn in turns))


def _median(values: Sequence[float]) -> float | None:
    return median(values) if values else None
