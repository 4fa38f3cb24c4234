"""A clock as officials and players are shown it."""

from __future__ import annotations

from faristol.pb.clock.v1 import clock_pb2
from faristol.rules.ruleset import Ruleset
from faristol.table import of_clock
from faristol.table.clock import Clock, Instant, timestamp
from faristol.table.deadlines import next_deadline
from faristol.table.game import Game, Phase
from faristol.table_store import Settled, clock_stream


def shown(settled: Settled, *, at: Instant) -> clock_pb2.GetClockResponse:
    """The clock of a table as it stands at ``at``."""
    table, state = settled.table, settled.table.clock
    running = () if state.stopped or state.played_out else state.running_at(at)
    first, since = running[0] if running else ("", 0)
    deadline = next_deadline(state, table.game, table.ruleset)
    return clock_pb2.GetClockResponse(
        game_id=state.game_id,
        running_player_id=first,
        running_since=timestamp(since) if first else None,
        running=[clock_pb2.RunningClock(player_id=player_id, since=timestamp(begun)) for player_id, begun in running],
        neutralised=state.neutralised,
        stopped=state.stopped,
        times=state.times(),
        allowance_ms=state.allowance_ms,
        version=settled.versions[clock_stream(state.game_id)],
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
        forgotten_player_id=forgotten(state, table.game, table.ruleset),
        following=sum(map(of_clock, settled.missing)),
    )


def forgotten(clock: Clock, game: Game, ruleset: Ruleset) -> str:
    """Who has done all of a turn but press; empty where nobody may say so (UF 21, FISE 35).

    Where the mover has stopped the own clock it is the next player's that was not started (PES Δ.δ.ii).
    """
    if ruleset.clock.reminders == "forbidden" or "press" not in ruleset.turn.steps:
        return ""
    waits = clock.running == game.mover or (clock.held and not clock.neutralised)
    return game.mover if game.phase is Phase.DRAWN and waits else ""
