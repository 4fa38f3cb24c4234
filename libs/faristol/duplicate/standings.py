"""The standings of a duplicate game out of its halls (FISC II.8). Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from faristol.duplicate.game import Duplicate
from faristol.duplicate.hall import Hall
from faristol.rules import Ruleset
from faristol.rules.duplicate.ranking import GameScores, Line, TurnScores, rank


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


def totals(
    games: Sequence[tuple[Duplicate, Sequence[Hall]]], ruleset: Ruleset
) -> tuple[tuple[Line, ...], tuple[Mapping[str, int], ...]]:
    """The standings of several games, summed, and what each who plays in a game has of it.

    Everybody who plays in any of them has a line; equal ones stand in the order in which they came in.
    """
    scores = [game_scores(game, halls) for game, halls in games]
    of_each = [players_of(halls) for _, halls in games]
    everybody = tuple(dict.fromkeys(player for players in of_each for player in players))
    shares = tuple(
        {line.player: line.total for line in rank([score], players, ruleset)}
        for score, players in zip(scores, of_each, strict=True)
    )
    return rank(scores, everybody, ruleset), shares


def players_of(halls: Iterable[Hall]) -> tuple[str, ...]:
    """Everybody who plays, in the order of the numbers on the slips."""
    numbered = [(number, player) for hall in halls for player, number in hall.seats.items()]
    return tuple(player for _, player in sorted(numbered))
