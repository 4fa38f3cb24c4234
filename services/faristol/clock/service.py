"""The clock over gRPC: load, settle, decide, answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from google.protobuf.message import Message

from faristol.clock.presenting import shown
from faristol.clock.streams import clock_stream, game_stream, load_clock, load_table
from faristol.host import Runtime
from faristol.host.dispatch import Context, Dispatcher
from faristol.host.ruleset_store import rules_of
from faristol.kernel.errors import NotFound
from faristol.kernel.times import occurred_at, to_timestamp
from faristol.pb.clock.v1 import clock_pb2 as pb
from faristol.pb.clock.v1 import events_pb2 as events
from faristol.record import Decision, Guard, Loaded, Write
from faristol.rules.ruleset import Ruleset
from faristol.table.clock import Clock, Instant, instant
from faristol.table.clock.watch import Table
from faristol.table.decide import arbitration, attendance
from faristol.table.decide.presses import claim_time, press, stop
from faristol.table.settlement.clock import fold, settle

Act = Callable[[Clock, Table, Ruleset, Any, Instant], list[Message]]
"""What a request makes of a settled clock at a moment, or ``Refusal``."""

M = TypeVar("M", bound=Message)


class Command(NamedTuple):
    """How a command is decided."""

    act: Act
    meant: type[Message]
    """The fact that it makes unless it is too late."""


COMMANDS: Mapping[type[Message], Command] = {
    pb.PressRequest: Command(
        lambda clock, table, ruleset, request, at: press(clock, table, ruleset, request.player_id, at),
        events.ClockPressed,
    ),
    pb.StopRequest: Command(
        lambda clock, table, ruleset, request, at: stop(clock, table, ruleset, request.player_id, at),
        events.ClockHeldByMover,
    ),
    pb.ClaimTimeRequest: Command(
        lambda clock, table, ruleset, request, at: claim_time(clock, table, ruleset, request.player_id, at),
        Message,
    ),
    pb.NeutraliseRequest: Command(
        lambda clock, table, ruleset, request, at: arbitration.neutralise(
            clock, table, ruleset, request.arbiter_id, request.reason, at
        ),
        events.ClockNeutralised,
    ),
    pb.ResumeRequest: Command(
        lambda clock, table, ruleset, request, at: arbitration.resume(clock, table, ruleset, request.arbiter_id, at),
        events.ClockResumed,
    ),
    pb.CorrectClockRequest: Command(
        lambda clock, table, ruleset, request, at: arbitration.correct(
            clock, table, ruleset, request.arbiter_id, request.player_id, request.used_ms, request.reason, at
        ),
        events.ClockCorrected,
    ),
    pb.ExpireRoundTimeRequest: Command(
        lambda clock, table, ruleset, request, at: arbitration.expire_round_time(
            clock, table, ruleset, request.arbiter_id, at
        ),
        events.RoundTimeExpired,
    ),
    pb.ReportAbsenceRequest: Command(
        lambda clock, table, ruleset, request, at: attendance.report_absence(
            clock, table, ruleset, request.arbiter_id, request.player_id, at
        ),
        events.PlayerAbsent,
    ),
    pb.RecordArrivalRequest: Command(
        lambda clock, table, ruleset, request, at: attendance.record_arrival(
            clock, table, ruleset, request.player_id, at
        ),
        events.PlayerArrived,
    ),
    pb.LeaveTableRequest: Command(
        lambda clock, table, ruleset, request, at: attendance.leave_table(
            clock, table, ruleset, request.player_id, at, told=request.told
        ),
        events.PlayerLeft,
    ),
    pb.ReturnToTableRequest: Command(
        lambda clock, table, ruleset, request, at: attendance.return_to_table(
            clock, table, ruleset, request.player_id, at
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
        """Settle the clock, carry the command out, write both, and answer.

        An answer has ``position`` and, where the contract has them, ``too_late`` and ``used_ms`` of the player.
        """
        act, meant = COMMANDS[type(request)]

        async def decide() -> tuple[Decision, Callable[[int], M]]:
            decision, clock = await self._decide(request, act)
            known = response.DESCRIPTOR.fields_by_name
            answer: dict[str, Any] = {}
            if "too_late" in known:
                answer["too_late"] = not any(isinstance(fact, meant) for fact in decision.writes[0].events)
            if "used_ms" in known:
                answer["used_ms"] = clock.used(request.player_id)
            return decision, lambda position: response(position=position, **answer)

        return await self._runtime.desk.handle(context, request, decide, response=response)

    async def _decide(self, request: Any, act: Act) -> tuple[Decision, Clock]:
        """Settle the clock of a game and act on it. Gives the clock afterwards, too."""
        clock = await load_clock(self._runtime.record, request.game_id)
        table = await load_table(self._runtime.record, request.game_id)
        if not table.version:
            raise NotFound("game", request.game_id)
        ruleset = await rules_of(self._runtime.record, table.state.ruleset)
        settled = settle(clock.state, table.state, ruleset)
        current = fold(clock.state, settled)
        at = self._moment(request, current, table.state)
        facts = [*settled, *act(current, table.state, ruleset, request, at)]
        decision = Decision(
            writes=[Write(clock_stream(request.game_id), clock.version, facts, table.state.tournament_id)],
            guards=[Guard(game_stream(request.game_id), table.version)],
        )
        return decision, fold(clock.state, facts)

    async def get_clock(self, request: pb.GetClockRequest, context: Context) -> pb.GetClockResponse:
        """A clock as it stands, settled."""
        clock = await load_clock(self._runtime.record, request.game_id)
        table = await load_table(self._runtime.record, request.game_id)
        if not table.version:
            raise NotFound("clock", request.game_id)
        ruleset = await rules_of(self._runtime.record, table.state.ruleset)
        settled = settle(clock.state, table.state, ruleset)
        current = Loaded(fold(clock.state, settled), clock.version)
        if not current.state.game_id:
            raise NotFound("clock", request.game_id)
        at = instant(to_timestamp(self._runtime.now()))
        return shown(current, table.state, ruleset, at=at, following=len(settled))

    def _moment(self, request: Any, clock: Clock, table: Table) -> Instant:
        """When it happened: as the request says, or else now, which is never before the last fact."""
        at = instant(occurred_at(request, self._runtime.now))
        return at if request.HasField("occurred_at") else max(at, clock.last_at, table.last_at)
