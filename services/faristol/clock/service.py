"""The clock over gRPC: load, settle, decide, answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import grpc
from google.protobuf.message import Message

from faristol.clock import arbitration, attendance
from faristol.clock.decide import claim_time, press, stop
from faristol.clock.model import Clock, Instant, instant
from faristol.clock.presenting import shown
from faristol.clock.settling import fold, settle
from faristol.clock.streams import clock_stream, game_stream, load_clock, load_table
from faristol.clock.views import Table
from faristol.host import Runtime
from faristol.host.pinning import rules_of
from faristol.kernel.errors import NotFound
from faristol.kernel.times import occurred_at, to_timestamp
from faristol.pb.clock.v1 import clock_pb2, clock_pb2_grpc, events_pb2
from faristol.record import Decision, Guard, Loaded, Write
from faristol.rules.ruleset import Ruleset

Context = grpc.aio.ServicerContext[Any, Any]


Act = Callable[[Clock, Table, Ruleset, Instant], list[Message]]
"""What a command makes of a settled clock at a moment, or ``Refusal``."""

M = TypeVar("M", bound=Message)


class ClockService(clock_pb2_grpc.ClockServiceServicer):
    """Answers for the clocks of a cell."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    async def Press(self, request: clock_pb2.PressRequest, context: Context) -> clock_pb2.PressResponse:
        """See ``clock.proto``."""

        def act(clock: Clock, table: Table, ruleset: Ruleset, at: Instant) -> list[Message]:
            return press(clock, table, ruleset, request.player_id, at)

        return await self._handle(context, request, act, events_pb2.ClockPressed, clock_pb2.PressResponse)

    async def Stop(self, request: clock_pb2.StopRequest, context: Context) -> clock_pb2.StopResponse:
        """See ``clock.proto``."""

        def act(clock: Clock, table: Table, ruleset: Ruleset, at: Instant) -> list[Message]:
            return stop(clock, table, ruleset, request.player_id, at)

        return await self._handle(context, request, act, events_pb2.ClockHeldByMover, clock_pb2.StopResponse)

    async def ClaimTime(self, request: clock_pb2.ClaimTimeRequest, context: Context) -> clock_pb2.ClaimTimeResponse:
        """See ``clock.proto``."""

        def act(clock: Clock, table: Table, ruleset: Ruleset, at: Instant) -> list[Message]:
            return claim_time(clock, table, ruleset, request.player_id, at)

        return await self._handle(context, request, act, Message, clock_pb2.ClaimTimeResponse)

    async def Neutralise(self, request: clock_pb2.NeutraliseRequest, context: Context) -> clock_pb2.NeutraliseResponse:
        """See ``clock.proto``."""

        def act(clock: Clock, table: Table, ruleset: Ruleset, at: Instant) -> list[Message]:
            return arbitration.neutralise(clock, table, ruleset, request.arbiter_id, request.reason, at)

        return await self._handle(context, request, act, events_pb2.ClockNeutralised, clock_pb2.NeutraliseResponse)

    async def Resume(self, request: clock_pb2.ResumeRequest, context: Context) -> clock_pb2.ResumeResponse:
        """See ``clock.proto``."""

        def act(clock: Clock, table: Table, ruleset: Ruleset, at: Instant) -> list[Message]:
            return arbitration.resume(clock, table, ruleset, request.arbiter_id, at)

        return await self._handle(context, request, act, events_pb2.ClockResumed, clock_pb2.ResumeResponse)

    async def CorrectClock(
        self, request: clock_pb2.CorrectClockRequest, context: Context
    ) -> clock_pb2.CorrectClockResponse:
        """See ``clock.proto``."""

        def act(clock: Clock, table: Table, ruleset: Ruleset, at: Instant) -> list[Message]:
            return arbitration.correct(
                clock, table, ruleset, request.arbiter_id, request.player_id, request.used_ms, request.reason, at
            )

        return await self._handle(context, request, act, events_pb2.ClockCorrected, clock_pb2.CorrectClockResponse)

    async def ExpireRoundTime(
        self, request: clock_pb2.ExpireRoundTimeRequest, context: Context
    ) -> clock_pb2.ExpireRoundTimeResponse:
        """See ``clock.proto``."""

        def act(clock: Clock, table: Table, ruleset: Ruleset, at: Instant) -> list[Message]:
            return arbitration.expire_round_time(clock, table, ruleset, request.arbiter_id, at)

        return await self._handle(context, request, act, events_pb2.RoundTimeExpired, clock_pb2.ExpireRoundTimeResponse)

    async def ReportAbsence(
        self, request: clock_pb2.ReportAbsenceRequest, context: Context
    ) -> clock_pb2.ReportAbsenceResponse:
        """See ``clock.proto``."""

        def act(clock: Clock, table: Table, ruleset: Ruleset, at: Instant) -> list[Message]:
            return attendance.report_absence(clock, table, ruleset, request.arbiter_id, request.player_id, at)

        return await self._handle(context, request, act, events_pb2.PlayerAbsent, clock_pb2.ReportAbsenceResponse)

    async def RecordArrival(
        self, request: clock_pb2.RecordArrivalRequest, context: Context
    ) -> clock_pb2.RecordArrivalResponse:
        """See ``clock.proto``."""

        def act(clock: Clock, table: Table, ruleset: Ruleset, at: Instant) -> list[Message]:
            return attendance.record_arrival(clock, table, ruleset, request.player_id, at)

        return await self._handle(context, request, act, events_pb2.PlayerArrived, clock_pb2.RecordArrivalResponse)

    async def LeaveTable(self, request: clock_pb2.LeaveTableRequest, context: Context) -> clock_pb2.LeaveTableResponse:
        """See ``clock.proto``."""

        def act(clock: Clock, table: Table, ruleset: Ruleset, at: Instant) -> list[Message]:
            return attendance.leave_table(clock, table, ruleset, request.player_id, at, told=request.told)

        return await self._handle(context, request, act, events_pb2.PlayerLeft, clock_pb2.LeaveTableResponse)

    async def ReturnToTable(
        self, request: clock_pb2.ReturnToTableRequest, context: Context
    ) -> clock_pb2.ReturnToTableResponse:
        """See ``clock.proto``."""

        def act(clock: Clock, table: Table, ruleset: Ruleset, at: Instant) -> list[Message]:
            return attendance.return_to_table(clock, table, ruleset, request.player_id, at)

        return await self._handle(context, request, act, events_pb2.PlayerReturned, clock_pb2.ReturnToTableResponse)

    async def _handle(self, context: Context, request: Any, act: Act, meant: type[Message], response: type[M]) -> M:
        """Handle a command; ``meant`` is the fact that it makes unless it is too late.

        An answer has ``position`` and, where the contract has them, ``too_late`` and ``used_ms`` of the player.
        """

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
        facts = [*settled, *act(current, table.state, ruleset, at)]
        decision = Decision(
            writes=[Write(clock_stream(request.game_id), clock.version, facts, table.state.tournament_id)],
            guards=[Guard(game_stream(request.game_id), table.version)],
        )
        return decision, fold(clock.state, facts)

    async def GetClock(self, request: clock_pb2.GetClockRequest, context: Context) -> clock_pb2.GetClockResponse:
        """See ``clock.proto``."""
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
