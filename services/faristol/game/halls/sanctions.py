"""Sanctions, penalties and ends of games of a hall, before they are copied. Pure.

The championship does not know the officials of a hall. But each of these events has a cause at the table that it
follows on: a deduction that follows on no sanction, or a loss of the game without a decision, is written by no rule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from google.protobuf.message import Message

from faristol.pb.game.v1 import events_pb2 as events
from faristol.rules.conditions import is_out
from faristol.table import Table
from faristol.table.decide.officials import SANCTION_KINDS
from faristol.table.game.state import Phase

Find = Callable[[Table, Any, Message | None], str]
"""Returns why an event cannot follow on the table and on the event before it; empty if it can."""


def find_sanction_problem(table: Table, event: Message, before: Message | None) -> str:
    """Return why an event of a decision has no cause; empty if it has one, or needs none.

    ``before`` is the previous event of the table in the batch.
    """
    find = _CAUSE_PROBLEMS.get(type(event))
    return find(table, event, before) if find else ""


def _find_sanction(table: Table, event: events.SanctionImposed, before: Message | None) -> str:
    game = table.game
    if not event.arbiter_id or event.arbiter_id in game.player_ids:
        return "a sanction is imposed by an arbiter"
    if event.kind not in SANCTION_KINDS or (event.kind == events.SANCTION_KIND_POINTS) is not (event.points > 0):
        return "the kind of the sanction is unknown, or has other points"
    if event.turn != game.turn:
        return f"the sanction is of turn {event.turn}, and turn {game.turn} is played"
    if event.overholding:
        if event.overholding != game.overholding.get(event.player_id, 0) + 1:
            return "the number of overheld racks differs"
    elif event.kind in (events.SANCTION_KIND_TURN, events.SANCTION_KIND_GAME) and (
        game.over or event.player_id in game.gone
    ):
        return "a player who does not play loses no turn or game"
    return ""


def _find_adjustment(table: Table, event: events.ScoreAdjusted, before: Message | None) -> str:
    if event.reason != events.ADJUSTMENT_REASON_SANCTION:
        return "" if table.game.phase is Phase.ENDED else "points of the foot of the sheet come after the end"
    is_caused = (
        isinstance(before, events.SanctionImposed)
        and before.kind == events.SANCTION_KIND_POINTS
        and (before.player_id, -before.points) == (event.player_id, event.points)
    )
    return "" if is_caused else "no sanction deducts these points"


def _find_forfeited_turn(table: Table, event: events.NextTurnForfeited, before: Message | None) -> str:
    match event.reason:
        case events.TURN_LOST_REASON_SANCTION:
            is_caused = (
                isinstance(before, events.SanctionImposed)
                and before.kind == events.SANCTION_KIND_TURN
                and before.player_id == event.player_id
            )
        case events.TURN_LOST_REASON_CHALLENGE:
            is_caused = isinstance(before, events.ChallengeRuled | events.ChallengePenalty)
        case events.TURN_LOST_REASON_OVERDRAW:
            is_caused = isinstance(before, events.OverdrawResolved) and before.player_id == event.player_id
        case _:
            is_caused = False
    return "" if is_caused else "no decision at the table costs this turn"


def _find_penalty(table: Table, event: events.ChallengePenalty, before: Message | None) -> str:
    is_caused = isinstance(before, events.ChallengeRuled | events.ChallengePenalty)
    return "" if is_caused and event.challenge == table.game.challenges else "no ruling costs these points"


def _find_withdrawal(table: Table, event: events.PlayWithdrawn, before: Message | None) -> str:
    if event.reason == events.WITHDRAWAL_REASON_CHALLENGED and table.game.ruled is not False:
        return "no ruling withdraws the play"
    return ""


def _find_end(table: Table, event: events.GameEnded, before: Message | None) -> str:
    game, clock = table.game, table.clock
    if game.over:
        return "the game is over already"
    match event.condition:
        case events.END_CONDITION_FORFEIT:
            is_caused = bool(clock.forfeited) or isinstance(before, events.SanctionImposed | events.Abandoned)
        case events.END_CONDITION_ABANDONED | events.END_CONDITION_ALL_ABANDONED:
            is_caused = isinstance(before, events.Abandoned)
        case events.END_CONDITION_AGREEMENT:
            is_caused = isinstance(before, events.EndAgreed)
        case events.END_CONDITION_OVERTIME:
            is_caused = bool(clock.exceeded)
        case events.END_CONDITION_ROUND_TIME:
            is_caused = clock.round_time_over
        case events.END_CONDITION_OUT:
            is_caused = any(is_out(rack, game.bag_left) for rack in game.racks.values())
        case events.END_CONDITION_LOST_TURNS | events.END_CONDITION_SCORELESS_TURNS:
            is_caused = bool(game.turns_taken)
        case _:
            is_caused = False
    return "" if is_caused else f"the game has no cause to end with condition {event.condition}"


def _find_departure(table: Table, event: events.ArbiterLeft, before: Message | None) -> str:
    return "" if table.game.arbiter_called else "no arbiter was called"


_CAUSE_PROBLEMS: Mapping[type[Message], Find] = {
    events.SanctionImposed: _find_sanction,
    events.ScoreAdjusted: _find_adjustment,
    events.NextTurnForfeited: _find_forfeited_turn,
    events.ChallengePenalty: _find_penalty,
    events.PlayWithdrawn: _find_withdrawal,
    events.GameEnded: _find_end,
    events.ArbiterLeft: _find_departure,
}
