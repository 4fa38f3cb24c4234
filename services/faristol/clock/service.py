"""The clock over gRPC: load, settle, decide, answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from google.protobuf.message import Message

from faristol.clock.answers import shown
from faristol.host import Runtime
from faristol.host.dispatch import Context, Dispatcher
from faristol.kernel.errors import NotFound
from faristol.kernel.times import Instant, instant, occurred_at, to_timestamp
from faristol.pb.clock.v1 import clock_pb2 as pb
from faristol.pb.clock.v1 import events_pb2 as events
from faristol.record import Decision
from faristol.table import Table
from faristol.table.decide import arbitration, attendance
from faristol.table.decide.presses import claim_time, press, stop
from faristol.table_store import load_table

Act = Callable[[Table, Any, Instant], list[Message]]
"""What a request makes of a settled table at a moment, or ``Refusal``."""

M = TypeVar("M", bound=Message)


class Command(NamedTuple):
    """How a command is decided."""

    act: Act
    meant: type[Message]
    """The fact that it makes unless it is too late."""


COMMANDS: Mapping[type[Message], Command] = {
    pb.PressRequest: Command(
        lambda table, request, at: press(table.clock, table.game, table.ruleset, request.player_id, at),
        events.ClockPressed,
    ),
    pb.StopRequest: Command(
        lambda table, request, at: stop(table.clock, table.game, table.ruleset, request.player_id, at),
        events.ClockHeldByMover,
    ),
    pb.ClaimTimeRequest: Command(
        lambda table, request, at: claim_time(table.clock, table.game, table.ruleset, request.player_id, at),
        Message,
    ),
    pb.NeutraliseRequest: Command(
        lambda table, request, at: arbitration.neutralise(
            table.clock, table.game, table.ruleset, request.arbiter_id, request.reason, at
        ),
        events.ClockNeutralised,
    ),
    pb.ResumeRequest: Command(
        lambda table, request, at: arbitration.resume(table.clock, table.game, table.ruleset, request.arbiter_id, at),
        events.ClockResumed,
    ),
    pb.CorrectClockRequest: Command(
        lambda table, request, at: arbitration.correct(
            table.clock,
            table.game,
            table.ruleset,
            request.arbiter_id,
            request.player_id,
            request.used_ms,
            request.reason,
            at,
        ),
        events.ClockCorrected,
    ),
    pb.ExpireRoundTimeRequest: Command(
        lambda table, request, at: arbitration.expire_round_time(
            table.clock, table.game, table.ruleset, request.arbiter_id, at
        ),
        events.RoundTimeExpired,
    ),
    pb.ReportAbsenceRequest: Command(
        lambda table, request, at: attendance.report_absence(
            table.clock, table.game, table.ruleset, request.arbiter_id, request.player_id, at
        ),
        events.PlayerAbsent,
    ),
    pb.RecordArrivalRequest: Command(
        lambda table, request, at: attendance.record_arrival(
            table.clock, table.game, table.ruleset, request.player_id, at
        ),
        events.PlayerArrived,
    ),
    pb.LeaveTableRequest: Command(
        lambda table, request, at: attendance.leave_table(
            table.clock, table.game, table.ruleset, request.player_id, at, told=request.told
        ),
        events.PlayerLeft,
    ),
    pb.ReturnToTableRequest: Command(
        lambda table, request, at: attendance.return_to_table(
            table.clock, table.game, table.ruleset, request.player_id, at
        ),
        events.PlayerReturned,
    ),
}
"""What each command does at a clock."""


def service(runtime: Runtime) -> Dispatcher:
    """The clocks of a cell. The contract names the methods and says what they do."""
    clocks = Clocks(runtime)
    descriptor = pb.DESCRIPTOR.services_by_name["ClockService"]
    return Dispatcher(descriptor, COMMANDS, clocks.carry_out, {pb.GetClockRequest: clocks.get_clock})


class Clocks:
    """Answers for the clocks of a cell."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    async def carry_out(self, request: Any, context: Context, response: type[M]) -> M:
        """Settle the table, carry the command out, write all that follows, and answer.

        An answer has ``position`` and, where the contract has them, ``too_late`` and ``used_ms`` of the player.
        """
        act, meant = COMMANDS[type(request)]

        async def decide() -> tuple[Decision, Callable[[int], M]]:
            settled = await load_table(self._runtime.record, request.game_id)
            if settled is None:
                raise NotFound("game", request.game_id)
            at = instant(occurred_at(request, self._runtime.now))
            if not request.HasField("occurred_at"):
                at = max(at, settled.table.last_at)
            acted = act(settled.table, request, at)
            facts = settled.with_consequences(acted)
            known = response.DESCRIPTOR.fields_by_name
            answer: dict[str, Any] = {}
            if "too_late" in known:
                answer["too_late"] = not any(isinstance(fact, meant) for fact in (*settled.missing, *acted))
            if "used_ms" in known:
                answer["used_ms"] = settled.table.after(acted).clock.used(request.player_id)
            return settled.decision(facts), lambda position: response(position=position, **answer)

        return await self._runtime.desk.handle(context, request, decide, response=response)

    async def get_clock(self, request: pb.GetClockRequest, context: Context) -> pb.GetClockResponse:
        """A clock as it stands, settled."""
        settled = await load_table(self._runtime.record, request.game_id, rulings=False)
        if settled is None or not settled.table.clock.game_id:
            raise NotFound("clock", request.game_id)
        return shown(settled, at=instant(to_timestamp(self._runtime.now())))
