"""The end of a game: when it comes, and what is added and taken off then (FISC I.8)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from faristol.rules.clockwork import overtime_penalty
from faristol.rules.ruleset import Ruleset
from faristol.rules.tiles import TileSet
from faristol.rules.turns import TurnKind


class EndCondition(StrEnum):
    """What ended a game."""

    OUT = "out"
    """A player has no tile left and the bag is empty (FISC I.8.A)."""
    LOST_TURNS = "lost-turns"
    """Each player lost so many turns in a row (FISC I.8.B)."""
    SCORELESS_TURNS = "scoreless-turns"
    """So many turns in a row without a play that stood (FISC I.8.B)."""
    ROUND_TIME = "round-time"
    """The round ran out of time (FISC I.8.C)."""
    OVERTIME = "overtime"
    """A player went over the cap on overtime (FISC I.8.D)."""
    ABANDONED = "abandoned"
    """One player left (FISC I.8.E)."""
    ALL_ABANDONED = "all-abandoned"
    """Both players left (FISC I.8.F)."""


class AdjustmentKind(StrEnum):
    """Why points are added or taken off after the last turn."""

    RACK_PENALTY = "rack-penalty"
    OUT_BONUS = "out-bonus"
    TIME_PENALTY = "time-penalty"
    ABANDONMENT = "abandonment"


@dataclass(frozen=True, slots=True)
class Adjustment:
    """One line at the foot of the scoresheet: ``points`` are added to the player's score, or taken off below 0."""

    player: str
    kind: AdjustmentKind
    points: int
    article: str


@dataclass(frozen=True, slots=True)
class Settlement:
    """The result of a game: its last lines, the final scores, and who won.

    ``winner`` is None for a draw, and also for a double loss, where ``lost_by_all`` holds.
    """

    adjustments: tuple[Adjustment, ...]
    scores: Mapping[str, int]
    winner: str | None
    lost_by_all: bool = False


def end_of_turns(turns: Sequence[TurnKind], scores: Collection[int], ruleset: Ruleset) -> EndCondition | None:
    """Whether the last turns of a game end it, and by which count (FISC I.8.B).

    ``turns`` are all turns of all players so far, in order; ``scores`` are the running totals, one for each
    player. An exchange breaks a row of lost turns, but not a row of turns without a play.
    """
    end, players = ruleset.end, len(scores)
    at_zero = not any(scores)
    if end.lost_turns is not None and not (at_zero and end.exempt_at_zero == "both"):
        lost = [turn.value in end.lost_turn_kinds for turn in turns[-end.lost_turns * players :]]
        if len(lost) == end.lost_turns * players and all(lost):
            return EndCondition.LOST_TURNS
    if end.scoreless_turns is not None and not (at_zero and end.exempt_at_zero != "none"):
        idle = [turn is not TurnKind.PLAY for turn in turns[-end.scoreless_turns :]]
        if len(idle) == end.scoreless_turns and all(idle):
            return EndCondition.SCORELESS_TURNS
    return None


def is_out(rack: Sequence[str], bag_size: int) -> bool:
    """Whether a player who holds ``rack`` has gone out (FISC I.8.A)."""
    return not rack and bag_size == 0


def turns_after_time_up(turns_taken: int, players: int, ruleset: Ruleset) -> int:
    """How many turns are still played when the time of the round is over (FISC I.8.C, I.11).

    ``turns_taken`` is how many have been completed. A hand is one turn of each player: the one begun is
    finished and, where the rules say so, one more is played.
    """
    if ruleset.end.time_up == "scores-stand":
        return 0
    return players - turns_taken % players + players


def rack_value(rack: Sequence[str], tile_set: TileSet) -> int:
    """Points of the tiles left on a rack, a blank 0."""
    return sum(tile_set.values[face] for face in rack)


def rack_adjustments(
    condition: EndCondition, racks: Mapping[str, Sequence[str]], ruleset: Ruleset
) -> tuple[Adjustment, ...]:
    """What the tiles left on the racks add and take off when ``condition`` ends a game (FISC I.8).

    ``racks`` has every player. After ``OUT`` each other player loses the own rack, and the player who went out
    gains them all; after a row of turns each loses the own rack, and nobody gains. Lines for 0 points are
    written too: a scoresheet shows that an empty rack was counted.
    """
    article = _rack_article(condition, ruleset)
    if article is None:
        return ()
    value = {player: rack_value(rack, ruleset.tile_set) for player, rack in racks.items()}
    out = next((player for player, rack in racks.items() if condition is EndCondition.OUT and not rack), None)
    lines = [
        Adjustment(player, AdjustmentKind.RACK_PENALTY, -points, article)
        for player, points in value.items()
        if player != out
    ]
    if out is not None and ruleset.end.out_bonus == "opponents-racks":
        bonus = sum(value.values())
        lines.append(Adjustment(out, AdjustmentKind.OUT_BONUS, bonus, ruleset.article("end.out_bonus")))
    return tuple(lines)


def time_adjustments(overtime: Mapping[str, int], ruleset: Ruleset) -> tuple[Adjustment, ...]:
    """What overtime (ms of each player) takes off (FISC I.11); players without overtime have no line."""
    article = ruleset.article("clock.overtime_points")
    return tuple(
        Adjustment(player, AdjustmentKind.TIME_PENALTY, -points, article)
        for player, over in overtime.items()
        if (points := overtime_penalty(over, ruleset))
    )


def settle(
    condition: EndCondition,
    scores: Mapping[str, int],
    racks: Mapping[str, Sequence[str]],
    overtime: Mapping[str, int],
    ruleset: Ruleset,
) -> Settlement:
    """The result of a game that ``condition`` ended; abandonment has its own, see ``settle_abandonment``.

    ``scores`` are the running totals after the last turn, ``racks`` the tiles left, ``overtime`` milliseconds;
    all by player. The winner is found after the deductions.
    """
    lines = (*rack_adjustments(condition, racks, ruleset), *time_adjustments(overtime, ruleset))
    return _settlement(scores, lines)


def settle_abandonment(scores: Mapping[str, int], leavers: Collection[str], ruleset: Ruleset) -> Settlement:
    """The result of a game of two that one or both left (FISC I.8.E, I.8.F). Racks and clocks are not counted.

    Who leaves while behind keeps the score. Who leaves while ahead gets the other's less 50; so does who leaves
    at a tie, for otherwise nobody would have won. The result may be negative: the book sets no floor.
    Raises ``ValueError`` when the game is not of two players or the leavers are not among them.
    """
    if len(scores) != 2 or not leavers or not set(leavers) <= set(scores):
        raise ValueError(f"one or both of two players abandon a game, not {list(leavers)} of {list(scores)}")
    if set(leavers) == set(scores):
        article = ruleset.article("abandon.both")
        lines = tuple(
            Adjustment(player, AdjustmentKind.ABANDONMENT, -score, article) for player, score in scores.items()
        )
        return Settlement(lines, MappingProxyType(dict.fromkeys(scores, 0)), winner=None, lost_by_all=True)
    (leaver,) = set(leavers)
    (stayer,) = set(scores) - {leaver}
    if scores[leaver] < scores[stayer]:
        return _settlement(scores, ())
    points = scores[stayer] - ruleset.abandon.points_behind - scores[leaver]
    line = Adjustment(leaver, AdjustmentKind.ABANDONMENT, points, ruleset.article("abandon.points_behind"))
    return _settlement(scores, (line,))


def _rack_article(condition: EndCondition, ruleset: Ruleset) -> str | None:
    """The article by which racks are counted after ``condition``; None where they are not."""
    match condition:
        case EndCondition.OUT:
            return ruleset.article("end.out_bonus")
        case EndCondition.LOST_TURNS:
            return ruleset.article("end.lost_turns")
        case EndCondition.SCORELESS_TURNS:
            return ruleset.article("end.scoreless_turns")
        case EndCondition.OVERTIME if ruleset.end.racks_count_after_cap:
            return ruleset.article("end.racks_count_after_cap")
        case _:
            return None


def _settlement(scores: Mapping[str, int], lines: Sequence[Adjustment]) -> Settlement:
    final = dict(scores)
    for line in lines:
        final[line.player] += line.points
    best = max(final.values())
    leaders = [player for player, score in final.items() if score == best]
    return Settlement(tuple(lines), MappingProxyType(final), leaders[0] if len(leaders) == 1 else None)
