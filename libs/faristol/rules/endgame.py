"""The end of a game: points added and deducted at the end (UF 27, FISC I.8, FM 17, FISE 45, PES Ε).

``faristol.rules.conditions`` has the end conditions.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType

from faristol.rules.clockwork import overtime_penalty
from faristol.rules.conditions import EndCondition
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.rules.tiles import TileSet


class AdjustmentKind(StrEnum):
    """The reason for points added or deducted after the last turn."""

    RACK_PENALTY = "rack-penalty"
    OUT_BONUS = "out-bonus"
    TIME_PENALTY = "time-penalty"
    ABANDONMENT = "abandonment"
    FORFEIT = "forfeit"


@dataclass(frozen=True, slots=True)
class Adjustment:
    """A line at the foot of the scoresheet: ``points`` are added to the player's score, or deducted if negative."""

    player: str
    kind: AdjustmentKind
    points: int
    article: str


def rack_value(rack: Sequence[str], tile_set: TileSet) -> int:
    """Return the points of the tiles left on a rack, a blank 0."""
    return sum(tile_set.values[face] for face in rack)


def rack_adjustments(
    condition: EndCondition,
    racks: Mapping[str, Sequence[str]],
    ruleset: Ruleset,
    overtime: Mapping[str, int] = MappingProxyType({}),
) -> tuple[Adjustment, ...]:
    """Return the adjustments for the tiles left on the racks when ``condition`` ends a game.

    ``racks`` has every player. After ``OUT`` each other player loses the points of their own rack, and the player who
    went out gains them all (UF 27.3, FISC I.8.A, FM 17, FISE 45.4, PES Ε.β); or gains them twice and no player loses
    points. After consecutive turns or an agreement each player loses the points of their own rack, without a gain.
    Lines for 0 points are included: a scoresheet shows that an empty rack was counted. If the organiser reads FISC I.11
    so, there are no lines after any player's ``overtime`` (ms of each player).
    """
    article = _rack_article(condition, ruleset)
    if not ruleset.end.racks_count_after_overtime and any(overtime.values()):
        return ()
    if article is None:
        return ()
    value = {player: rack_value(rack, ruleset.tile_set) for player, rack in racks.items()}
    out = next((player for player, rack in racks.items() if condition is EndCondition.OUT and not rack), None)
    twice = out is not None and ruleset.end.out_bonus == "twice-opponents-racks"
    lines = [
        Adjustment(player, AdjustmentKind.RACK_PENALTY, -points, article)
        for player, points in value.items()
        if player != out and not twice
    ]
    if out is not None and ruleset.end.out_bonus != "none":
        bonus = sum(value.values()) * (2 if twice else 1)
        lines.append(Adjustment(out, AdjustmentKind.OUT_BONUS, bonus, ruleset.article("end.out_bonus")))
    return tuple(lines)


def time_adjustments(overtime: Mapping[str, int], ruleset: Ruleset) -> tuple[Adjustment, ...]:
    """Return the deductions for overtime (ms of each player) (FISC I.11); players without overtime have no line."""
    article = ruleset.article("clock.overtime_points")
    return tuple(
        Adjustment(player, AdjustmentKind.TIME_PENALTY, -points, article)
        for player, over in overtime.items()
        if (points := overtime_penalty(over, ruleset))
    )


def abandonment_adjustments(
    scores: Mapping[str, int], leavers: Collection[str], ruleset: Ruleset
) -> tuple[Adjustment, ...]:
    """Return the adjustments from ``scores`` to the result of a game that some players left, without racks and clocks.

    FISC I.8.E: a trailing leaver keeps the score; a leading one gets the opponent's score less 50, and so does one at a
    tie, unless the organiser decides otherwise. The result may be negative: the book sets no floor. PES ΣΤ: the result
    of a forfeit. UF, FM, FISE: the scores stand. If all leave, all get 0 (FISC I.8.F). Raises ``ValueError`` if the
    leavers are not among the players, or if the rule is for two players and there are more.
    """
    gone = set(leavers)
    if not gone or not gone <= set(scores):
        raise ValueError(f"only players of the game can abandon it, not {', '.join(leavers)} of {', '.join(scores)}")
    if gone == set(scores):
        article = ruleset.article("abandon.both")
        return tuple(
            Adjustment(player, AdjustmentKind.ABANDONMENT, -score, article) for player, score in scores.items()
        )
    if ruleset.abandon.rule == "stands":
        return ()
    if ruleset.game.mode == "multi" or len(scores) != 2:
        raise ValueError(
            f"{ruleset.name} defines the scores of a game of two that a player leaves, not of {len(scores)}"
        )
    return (_forfeit_lines if ruleset.abandon.rule == "forfeit" else _behind)(scores, gone, ruleset)


def forfeit_adjustments(
    scores: Mapping[str, int], losers: Collection[str], ruleset: Ruleset, *, begun: bool = False
) -> tuple[Adjustment, ...]:
    """Return the adjustments from ``scores`` to the result of a game lost by decision, without lines for 0 points.

    ``begun`` is whether a turn was completed: the points made then stand as after an abandonment, unless the book
    cancels them (UF 28.4, FISE 46.5; PES ΣΤ). At a table of several players the scores stand: no book has another
    result. If all players lose a game that was begun, it counts as abandoned by all.
    """
    if ruleset.game.mode == "multi":
        return ()
    as_abandoned = begun and ruleset.forfeit.begun == "as-abandoned"
    lines = (abandonment_adjustments if as_abandoned else _forfeit_lines)(scores, losers, ruleset)
    return tuple(replace(line, kind=AdjustmentKind.FORFEIT) for line in lines if line.points)


def _behind(scores: Mapping[str, int], gone: Collection[str], ruleset: Ruleset) -> tuple[Adjustment, ...]:
    (leaver,) = gone
    (stayer,) = set(scores) - {leaver}
    ahead = scores[leaver] - scores[stayer]
    if ahead < 0 or (ahead == 0 and ruleset.abandon.at_tie == "as-trailing"):
        return ()
    points = scores[stayer] - ruleset.abandon.points_behind - scores[leaver]
    return (Adjustment(leaver, AdjustmentKind.ABANDONMENT, points, ruleset.article("abandon.points_behind")),)


def _forfeit_lines(scores: Mapping[str, int], gone: Collection[str], ruleset: Ruleset) -> tuple[Adjustment, ...]:
    won, lost = ruleset.forfeit.winner_points, ruleset.forfeit.loser_points
    article = ruleset.article("forfeit.winner_points")
    due = {player: lost if player in gone else won for player in scores}
    return tuple(
        Adjustment(player, AdjustmentKind.ABANDONMENT, due[player] - score, article) for player, score in scores.items()
    )


def _rack_article(condition: EndCondition, ruleset: Ruleset) -> str | None:
    """Return the article on counting racks after ``condition``; None if they are not counted."""
    match condition:
        case EndCondition.OUT:
            return ruleset.article("end.out_bonus")
        case EndCondition.LOST_TURNS:
            return ruleset.article("end.lost_turns")
        case EndCondition.SCORELESS_TURNS:
            return ruleset.article("end.scoreless_turns")
        case EndCondition.AGREEMENT if ruleset.end.agreement:
            return ruleset.article("end.agreement")
        case EndCondition.ROUND_TIME if ruleset.end.racks_count_after_time:
            return ruleset.article("end.racks_count_after_time")
        case EndCondition.ABANDONED if ruleset.abandon.racks_count:
            return ruleset.article("abandon.racks_count")
        case EndCondition.OVERTIME if ruleset.end.racks_count_after_cap:
            return ruleset.article("end.racks_count_after_cap")
        case _:
            return None
