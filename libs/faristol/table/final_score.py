"""The last lines of a sheet, and the result of a game. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from google.protobuf.message import Message

from faristol.kernel.times import Instant, timestamp
from faristol.pb.game.v1 import events_pb2 as events
from faristol.rules import Ruleset
from faristol.rules.conditions import EndCondition
from faristol.rules.endgame import (
    Adjustment,
    AdjustmentKind,
    abandonment_adjustments,
    forfeit_adjustments,
    rack_adjustments,
    time_adjustments,
)
from faristol.table.clock import Clock
from faristol.table.game.state import UNENTERED_TILE, Game

CONDITIONS: Mapping[EndCondition, events.EndCondition.ValueType] = {
    condition: events.EndCondition.Value(f"END_CONDITION_{condition.name}") for condition in EndCondition
}

DECIDED = frozenset((events.END_CONDITION_ABANDONED, events.END_CONDITION_ALL_ABANDONED, events.END_CONDITION_FORFEIT))
"""Ends after which no clock is counted, and no rack unless the book says so (``abandon.racks_count``)."""


def clock_is_done(clock: Clock, ruleset: Ruleset) -> bool:
    """Check whether the clock of a finished game is complete."""
    return clock.stopped or ruleset.clock.model == "none"


def signers(game: Game, ruleset: Ruleset) -> tuple[str, ...]:
    """Return the players who sign the sheet: all at the table, its keeper (FM pr.), or none.

    A player who left permanently is not awaited; the next player then writes the sheet.
    """
    match ruleset.scoresheet.signers:
        case "both":
            return game.in_play or game.player_ids
        case "keeper":
            keepers = (game.starter, *game.others(game.starter))
            return (next((player for player in keepers if player not in game.gone), game.starter),)
        case "nobody":
            return ()


def may_sign(game: Game, player_id: str, ruleset: Ruleset) -> bool:
    """Check whether a player may sign; if both players sign, one that left the game may too (FISC I.8)."""
    return ruleset.scoresheet.signers == "both" or player_id in signers(game, ruleset)


def awaited_signers(game: Game, ruleset: Ruleset) -> tuple[str, ...]:
    """Return the players who have not signed yet."""
    return tuple(player for player in signers(game, ruleset) if player not in game.signed)


def missing_line(game: Game, clock: Clock, ruleset: Ruleset) -> Message | None:
    """Return the next line at the foot of the sheet: racks after the end, time after the clock has stopped.

    Return None while a rack that counts is not entered. Return None also while overtime may keep racks from being
    counted (FISC I.11) and the clock has not stopped.
    """
    if racks_wanted(game, clock, ruleset) or _waits_for_clock(game, clock, ruleset):
        return None
    for line in _lines(game, clock, ruleset):
        key, event = _event_of_line(game, clock, line)
        if (line.player, key) not in game.adjusted:
            return event
    return None


def _waits_for_clock(game: Game, clock: Clock, ruleset: Ruleset) -> bool:
    """Check whether it is still unknown if racks are counted."""
    return game.condition not in DECIDED and not ruleset.end.racks_count_after_overtime and not clock.stopped


def racks_wanted(game: Game, clock: Clock, ruleset: Ruleset) -> tuple[str, ...]:
    """Return the players whose racks must be entered before the game can be counted."""
    hidden = tuple(player for player, rack in game.racks.items() if UNENTERED_TILE in rack)
    empty: dict[str, tuple[str, ...]] = dict.fromkeys(game.racks, ())
    return hidden if hidden and rack_adjustments(_condition(game), empty, ruleset, clock.overtime_ms) else ()


def _condition(game: Game) -> EndCondition:
    return next(rule for rule, written in CONDITIONS.items() if written == game.condition)


def result(game: Game, at: Instant) -> events.ResultFinal:
    """Return the result. Players who left or lost by decision do not win; if all did, all lost (FISC I.8.F)."""
    in_play = {player: score for player, score in game.scores.items() if player not in game.losers}
    leaders = [player for player, score in in_play.items() if score == max(in_play.values())]
    return events.ResultFinal(
        scores=[events.FinalScore(player_id=player, score=game.scores[player]) for player in game.player_ids],
        winner_id=leaders[0] if len(leaders) == 1 else "",
        lost_by_all=not in_play,
        revision=game.revision,
        condition=game.condition,
        loser_ids=game.losers,
        unplayed=game.condition in DECIDED and not game.turns_taken,
        occurred_at=timestamp(at),
    )


def final(game: Game, at: Instant) -> tuple[Message, ...]:
    """Return the final result; before the first one, the seed if the system held the bag."""
    new_events = (result(game, at),)
    if game.hosted and game.seed and not game.revision:
        return (events.SeedRevealed(seed=game.seed, occurred_at=timestamp(at)), *new_events)
    return new_events


def _lines(game: Game, clock: Clock, ruleset: Ruleset) -> Iterator[Adjustment]:
    if game.condition == events.END_CONDITION_FORFEIT:
        yield from forfeit_adjustments(game.scores, game.losers, ruleset, begun=bool(game.turns_taken))
    elif game.condition in DECIDED:
        yield from abandonment_adjustments(game.scores, game.losers, ruleset)
    if not any(UNENTERED_TILE in rack for rack in game.racks.values()):
        yield from rack_adjustments(_condition(game), game.racks, ruleset, clock.overtime_ms)
    if game.condition not in DECIDED:
        yield from time_adjustments(clock.overtime_ms, ruleset)


def _event_of_line(game: Game, clock: Clock, line: Adjustment) -> tuple[str, Message]:
    """Return a line as an event, and its key among the lines that exist already."""
    event: Message
    match line.kind:
        case AdjustmentKind.RACK_PENALTY:
            event = events.RackPenalty(player_id=line.player, faces=game.racks[line.player], points=-line.points)
        case AdjustmentKind.OUT_BONUS:
            event = events.OutBonus(player_id=line.player, points=line.points)
        case AdjustmentKind.TIME_PENALTY:
            overtime = clock.overtime_ms[line.player]
            event = events.TimePenalty(player_id=line.player, overtime_ms=overtime, points=-line.points)
        case AdjustmentKind.ABANDONMENT | AdjustmentKind.FORFEIT:
            reason = events.AdjustmentReason.Value(f"ADJUSTMENT_REASON_{line.kind.name}")
            event = events.ScoreAdjusted(player_id=line.player, points=line.points, reason=reason, article=line.article)
            return events.AdjustmentReason.Name(reason), event
    return event.DESCRIPTOR.name, event
