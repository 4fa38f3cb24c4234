"""The answers of the clock service. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from google.protobuf.message import Message

from faristol.host.table_store import Settled, clock_stream
from faristol.kernel.likeness import like
from faristol.kernel.times import Instant, timestamp
from faristol.pb.clock.v1 import clock_pb2, events_pb2
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.table import of_clock
from faristol.table.clock import Clock
from faristol.table.deadlines import next_deadline
from faristol.table.game.state import Game, Phase

M = TypeVar("M", bound=Message)

COMMAND_EVENTS: Mapping[type[Message], type[Message]] = {
    clock_pb2.PressRequest: events_pb2.ClockPressed,
    clock_pb2.StopRequest: events_pb2.ClockHeldByMover,
    clock_pb2.NeutraliseRequest: events_pb2.ClockNeutralised,
    clock_pb2.ResumeRequest: events_pb2.ClockResumed,
    clock_pb2.CorrectClockRequest: events_pb2.ClockCorrected,
    clock_pb2.ExpireRoundTimeRequest: events_pb2.RoundTimeExpired,
    clock_pb2.ReportAbsenceRequest: events_pb2.PlayerAbsent,
    clock_pb2.RecordArrivalRequest: events_pb2.PlayerArrived,
    clock_pb2.LeaveTableRequest: events_pb2.PlayerLeft,
    clock_pb2.ReturnToTableRequest: events_pb2.PlayerReturned,
}
"""The event of each command, unless the command is too late."""


def answer(response: type[M], position: int, request: Any, settled: Settled, new_events: Sequence[Message]) -> M:
    """Build the answer to a command that led to ``new_events``.

    It has the fields ``too_late`` and ``used_ms`` (the time that the player has used) if its type does.
    """
    answered: Any = response(position=position)
    fields = response.DESCRIPTOR.fields_by_name
    if "too_late" in fields:
        answered.too_late = not any(
            isinstance(event, COMMAND_EVENTS[type(request)]) for event in (*settled.missing, *new_events)
        )
    if "used_ms" in fields:
        answered.used_ms = settled.table.after(new_events).clock.compute_used_ms(request.player_id)
    return answered  # type: ignore[no-any-return] # it is of the type asked for


def build_clock_response(settled: Settled, *, at: Instant) -> clock_pb2.GetClockResponse:
    """Build the state of a table's clock at ``at``."""
    table, state = settled.table, settled.table.clock
    running = () if state.stopped or state.played_out else state.running_at(at)
    first, since = running[0] if running else ("", 0)
    deadline = next_deadline(state, table.game, table.ruleset)
    return like(
        clock_pb2.GetClockResponse,
        state,
        running_player_id=first,
        running_since=timestamp(since) if first else None,
        running=[clock_pb2.RunningClock(player_id=player_id, since=timestamp(begun)) for player_id, begun in running],
        neutralised=state.neutralised,
        times=state.times(),
        version=settled.versions[clock_stream(state.game_id)],
        absent_player_ids=sorted(state.absent),
        away_player_ids=sorted(state.away),
        round_time_over=state.round_time_over,
        deadline_at=timestamp(deadline.due) if deadline else None,
        deadline=deadline.new_events[0].DESCRIPTOR.name if deadline else "",
        forgotten_player_id=find_forgotten_press(state, table.game, table.ruleset),
        following=sum(map(of_clock, settled.missing)),
    )


def find_forgotten_press(clock: Clock, game: Game, ruleset: Ruleset) -> str:
    """Return the player who has finished a turn but not pressed; empty if no reminder is allowed (UF 21, FISE 35).

    If the mover has stopped their own clock, the next player's clock was not started (PES Δ.δ.ii).
    """
    if ruleset.clock.reminders == "forbidden" or "press" not in ruleset.turn.steps:
        return ""
    waits = clock.running == game.mover or (clock.held and not clock.neutralised)
    return game.mover if game.phase is Phase.DRAWN and waits else ""
