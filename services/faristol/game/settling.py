"""What follows at a table from what its clock and its case say. Pure.

Every fact here is found from the state alone, one after another, until none is missing. So it does not matter
who settles a table, when, and how often.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce

from google.protobuf.message import Message

from faristol.game.model import Game, Instant, Phase, evolve, timestamp
from faristol.game.views import Clock, Ruling
from faristol.pb.game.v1 import events_pb2 as events
from faristol.rules import Ruleset, TurnKind
from faristol.rules.endgame import (
    AdjustmentKind,
    EndCondition,
    end_of_turns,
    is_out,
    rack_adjustments,
    time_adjustments,
)

CONDITIONS: Mapping[EndCondition, events.EndCondition.ValueType] = {
    EndCondition.OUT: events.END_CONDITION_OUT,
    EndCondition.LOST_TURNS: events.END_CONDITION_LOST_TURNS,
    EndCondition.SCORELESS_TURNS: events.END_CONDITION_SCORELESS_TURNS,
    EndCondition.OVERTIME: events.END_CONDITION_OVERTIME,
}


def fold(game: Game, facts: Iterable[Message]) -> Game:
    """``game`` after ``facts``."""
    return reduce(evolve, facts, game)


def settle(game: Game, clock: Clock, ruling: Ruling | None, ruleset: Ruleset) -> list[Message]:
    """The facts that follow from ``clock`` and from the ``ruling`` on the pending challenge, in order.

    A press completes the turn (FISC I.11). A ruling lets the play stand, or takes it off the board with loss of
    the turn (FISC I.10). The game ends as FISC I.8 says, and the sheet gets its last lines. The list is empty
    when nothing is missing.
    """
    facts = []
    while (fact := _missing(game, clock, ruling, ruleset)) is not None:
        facts.append(fact)
        game = evolve(game, fact)
    return facts


def _missing(game: Game, clock: Clock, ruling: Ruling | None, ruleset: Ruleset) -> Message | None:
    """The first fact that the table lacks, if any."""
    if game.phase in (Phase.UNSPECIFIED, Phase.FINAL):
        return None
    if game.phase is Phase.ENDED:
        return _last_line(game, clock, ruleset)
    if game.phase in (Phase.PLACED, Phase.DRAWN) and clock.pressed_turn == game.turn:
        return _completed(game, clock.pressed_at)
    if game.phase is Phase.TURN and (condition := _end(game, ruleset)):
        return _ended(condition, game.last_at)
    if clock.exceeded_at is not None:
        # The cap may have been reached while the player went on: the end is not before what was done since.
        return _ended(EndCondition.OVERTIME, max(clock.exceeded_at, game.last_at))
    if game.phase is Phase.CHALLENGED:
        return _after_ruling(game, clock, ruling)
    return None


def _completed(game: Game, at: Instant) -> events.PlayCompleted:
    score = game.pending.score if game.taken is TurnKind.PLAY and game.pending else 0
    total = game.scores[game.mover] + score
    return events.PlayCompleted(
        turn=game.turn, player_id=game.mover, score=score, total=total, occurred_at=timestamp(at)
    )


def _end(game: Game, ruleset: Ruleset) -> EndCondition | None:
    if any(is_out(rack, game.bag_left) for rack in game.racks.values()):
        return EndCondition.OUT
    return end_of_turns(game.turns, game.scores.values(), ruleset)


def _ended(condition: EndCondition, at: Instant) -> events.GameEnded:
    return events.GameEnded(condition=CONDITIONS[condition], occurred_at=timestamp(at))


def _after_ruling(game: Game, clock: Clock, ruling: Ruling | None) -> Message | None:
    """What the ruling brings, once the clock has heard of the challenge.

    Before that it is not known whether the mover still had time to be challenged in, and a game that ends by
    overtime must end so whatever arrives first.
    """
    assert game.pending is not None, "a play that was placed is challenged"
    if game.ruled is None:
        if ruling is None or clock.challenge < game.challenges:
            return None
        return events.ChallengeRuled(
            turn=game.turn,
            challenge=game.challenges,
            valid=ruling.valid,
            occurred_at=timestamp(max(ruling.at, game.last_at)),
        )
    return events.PlayWithdrawn(
        turn=game.turn,
        player_id=game.mover,
        reason=events.WITHDRAWAL_REASON_CHALLENGED,
        occurred_at=timestamp(game.last_at),
    )


def _last_line(game: Game, clock: Clock, ruleset: Ruleset) -> Message | None:
    """The next line at the foot of the sheet: racks as soon as the game has ended, time when the clock has stopped."""
    condition = next(rule for rule, written in CONDITIONS.items() if written == game.condition)
    lines = (*rack_adjustments(condition, game.racks, ruleset), *time_adjustments(clock.overtime_ms, ruleset))
    for line in lines:
        message: Message
        match line.kind:
            case AdjustmentKind.RACK_PENALTY:
                message = events.RackPenalty(player_id=line.player, faces=game.racks[line.player], points=-line.points)
            case AdjustmentKind.OUT_BONUS:
                message = events.OutBonus(player_id=line.player, points=line.points)
            case AdjustmentKind.TIME_PENALTY:
                message = events.TimePenalty(
                    player_id=line.player, overtime_ms=clock.overtime_ms[line.player], points=-line.points
                )
            case AdjustmentKind.ABANDONMENT:
                continue
        if (line.player, message.DESCRIPTOR.name) not in game.adjusted:
            return message
    return None
