"""The clock over gRPC: load, settle, decide, answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import grpc

from faristol.clock.decide import fold, press, settle
from faristol.clock.model import Clock, Instant, instant, timestamp
from faristol.clock.pinning import ruleset_of
from faristol.clock.streams import clock_stream, game_stream, load_clock, load_table
from faristol.clock.views import Table
from faristol.host import NotFound, Runtime
from faristol.host.times import occurred_at
from faristol.pb.clock.v1 import clock_pb2, clock_pb2_grpc
from faristol.record import Decision, Guard, Write

Context = grpc.aio.ServicerContext[Any, Any]


class ClockService(clock_pb2_grpc.ClockServiceServicer):
    """Answers for the clocks of a cell."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    async def Press(  # noqa: N802 # named by the contract
        self, request: clock_pb2.PressRequest, context: Context
    ) -> clock_pb2.PressResponse:
        """See ``clock.proto``."""

        async def decide() -> tuple[Decision, Callable[[int], clock_pb2.PressResponse]]:
            clock = await load_clock(self._runtime.record, request.game_id)
            table = await load_table(self._runtime.record, request.game_id)
            if not table.version:
                raise NotFound("game", request.game_id)
            ruleset = ruleset_of(table.state)
            settled = settle(clock.state, table.state, ruleset)
            current = fold(clock.state, settled)
            at = self._moment(request, current, table.state)
            facts = [*settled, *press(current, table.state, ruleset, request.player_id, at)]
            used_ms = fold(clock.state, facts).used(request.player_id)
            decision = Decision(
                writes=[Write(clock_stream(request.game_id), clock.version, facts, table.state.tournament_id)],
                guards=[Guard(game_stream(request.game_id), table.version)],
            )
            return decision, lambda position: clock_pb2.PressResponse(position=position, used_ms=used_ms)

        return await self._runtime.desk.handle(context, request, decide, response=clock_pb2.PressResponse)

    async def GetClock(  # noqa: N802 # as above
        self, request: clock_pb2.GetClockRequest, context: Context
    ) -> clock_pb2.GetClockResponse:
        """See ``clock.proto``."""
        clock = await load_clock(self._runtime.record, request.game_id)
        if not clock.version:
            raise NotFound("clock", request.game_id)
        state = clock.state
        return clock_pb2.GetClockResponse(
            game_id=state.game_id,
            running_player_id=state.running,
            running_since=timestamp(state.running_since) if state.running else None,
            neutralised=state.neutralised,
            stopped=state.stopped,
            times=state.times(),
            allowance_ms=state.allowance_ms,
            version=clock.version,
        )

    def _moment(self, request: clock_pb2.PressRequest, clock: Clock, table: Table) -> Instant:
        """When the press happened: as the request says, or else now, which is never before the last fact."""
        at = instant(occurred_at(request, self._runtime.now))
        return at if request.HasField("occurred_at") else max(at, clock.last_at, table.last_at)
