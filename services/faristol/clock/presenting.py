"""A clock as officials and players are shown it."""

from __future__ import annotations

from faristol.pb.clock.v1 import clock_pb2
from faristol.record import Loaded
from faristol.rules.ruleset import Ruleset
from faristol.table.clock import Clock, Instant, timestamp
from faristol.table.clock.watch import Phase, Table
from faristol.table.deadlines import next_deadline


def shown(
    clock: Loaded[Clock], table: Table, ruleset: Ruleset, *, at: Instant, following: int = 0
) -> clock_pb2.GetClockResponse:
    """The clock as it stands at ``at``, with ``following`` facts that the record does not have yet."""
    state = clock.state
    running = () if state.stopped or state.played_out else state.running_at(at)
    first, since = running[0] if running else ("", 0)
    deadline = next_deadline(state, table, ruleset)
    return clock_pb2.GetClockResponse(
        game_id=state.game_id,
        running_player_id=first,
        running_since=timestamp(since) if first else None,
        running=[clock_pb2.RunningClock(player_id=one, since=timestamp(begun)) for one, begun in running],
        neutralised=state.neutralised,
        stopped=state.stopped,
        times=state.times(),
        allowance_ms=state.allowance_ms,
        version=clock.version,
        reason=state.reason,
        held=state.held,
        turn_ms=state.turn_ms,
        turn_used_ms=state.turn_used_ms,
        turn=state.turn,
        absent_player_ids=sorted(state.absent),
        away_player_ids=sorted(state.away),
        round_time_over=state.round_time_over,
        last_turn=state.last_turn or 0,
        deadline_at=timestamp(deadline.due) if deadline else None,
        deadline=deadline.facts[0].DESCRIPTOR.name if deadline else "",
        forgotten_player_id=forgotten(state, table, ruleset),
        following=following,
    )


def forgotten(clock: Clock, table: Table, ruleset: Ruleset) -> str:
    """Who has done all of a turn but press; empty where nobody may say so (UF 21, FISE 35).

    Where the mover has stopped the own clock it is the next player's that was not started (PES Δ.δ.ii).
    """
    if ruleset.clock.reminders == "forbidden" or "press" not in ruleset.turn.steps:
        return ""
    waits = clock.running == table.mover or (clock.held and not clock.neutralised)
    return table.mover if table.phase is Phase.DRAWN and waits else ""
