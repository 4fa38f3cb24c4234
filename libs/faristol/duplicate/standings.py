"""The standings of a duplicate game out of its halls (FISC II.8). Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from faristol.duplicate.game import Duplicate
from faristol.duplicate.hall import Hall
from faristol.rules.duplicate.ranking import GameScores, TurnScores


def game_scores(game: Duplicate, halls: Iterable[Hall]) -> GameScores:
    """The turns that are scored, with what everybody had."""
    some = [hall for hall in halls if hall.seats]
    warnings: Counter[str] = Counter()
    turns = []
    for turn in game.turns:
        if not turn.completed or turn.master is None:
            continue
        points: dict[str, int] = {}
        for hall in some:
            for player, scored in hall.turn(turn.number).scores.items():
                points[player] = scored.points
                warnings[player] += len(scored.warned)
        turns.append(TurnScores(turn.top, turn.master.score, points))
    return GameScores(turns, warnings, game.players)


def players_of(halls: Iterable[Hall]) -> tuple[str, ...]:
    """Everybody who plays, in the order of the numbers on the slips."""
    numbered = [(number, player) for hall in halls for player, number in hall.seats.items()]
    return tuple(player for _, player in sorted(numbered))
