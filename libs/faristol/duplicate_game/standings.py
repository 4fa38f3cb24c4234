"""The standings of a duplicate game, computed from its halls (FISC II.8). Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from faristol.duplicate_game.game import Duplicate
from faristol.duplicate_game.hall import Hall
from faristol.rules import Ruleset
from faristol.rules.duplicate_game.ranking import GameScores, RankingLine, TurnScores, rank

Group = tuple[Duplicate, Sequence[Hall]]
"""A game and its halls."""


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of several groups of one classification."""

    games: Sequence[GameScores]
    players: Mapping[str, tuple[str, str]]
    """Game and player by their key in ``games``, in the order of the slip numbers."""


def game_scores(game: Duplicate, halls: Iterable[Hall]) -> GameScores:
    """Return the scored turns with the points of all players."""
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


def scores_of_groups(groups: Sequence[Group]) -> Scores:
    """Return the scores of groups.

    Turns with the same number, rack and master play are one common turn; others belong only to their group.
    """
    players: dict[str, tuple[str, str]] = {}
    merged: dict[object, TurnScores] = {}
    warnings: Counter[str] = Counter()
    several = len(groups) > 1
    for game, halls in groups:

        def format_player_key(player: str, game: Duplicate = game) -> str:
            return f"{game.game_id}/{player}" if several else player

        players |= {format_player_key(player): (game.game_id, player) for player in players_of(halls)}
        scores = game_scores(game, halls)
        warnings.update({format_player_key(player): count for player, count in scores.warnings.items()})
        done = [turn for turn in game.turns if turn.completed and turn.master is not None]
        for turn, scored in zip(done, scores.turns, strict=True):
            assert turn.master is not None
            key = (turn.number, turn.rack, turn.master.placements)
            before = merged.get(key)
            points = {
                **(before.points if before else {}),
                **{format_player_key(who): had for who, had in scored.points.items()},
            }
            merged[key] = TurnScores(scored.top, scored.master, points)
    everybody = sum(game.players for game, _ in groups)
    return Scores([GameScores(list(merged.values()), warnings, everybody)], players)


def totals(
    games: Sequence[tuple[Duplicate, Sequence[Hall]]], ruleset: Ruleset
) -> tuple[tuple[RankingLine, ...], tuple[Mapping[str, int], ...]]:
    """Return the summed standings of several games, and the points of each player in each game.

    Every player of any game has a line; equal ones keep the order of their first game.
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
    """Return all players, in the order of the slip numbers."""
    numbered = [(number, player) for hall in halls for player, number in hall.seats.items()]
    return tuple(player for _, player in sorted(numbered))
