"""The clock service over gRPC: load, settle, decide, answer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from google.protobuf.message import Message

from faristol.clock import answers
from faristol.event_store import Decision
from faristol.host import Runtime
from faristol.host.halls.elsewhere import check_decides_here
from faristol.host.held_events import refuse_while_held
from faristol.host.rpc.dispatch import Context, Dispatcher
from faristol.host.table_store import load_table
from faristol.kernel.errors import NotFound
from faristol.kernel.event_types import methods_of
from faristol.kernel.times import instant, to_timestamp
from faristol.pb.clock.v1 import clock_pb2
from faristol.table import decide

M = TypeVar("M", bound=Message)


def service(runtime: Runtime) -> Dispatcher:
    """Build the dispatcher of the clock service. The contract documents its methods."""
    clocks = ClockService(runtime)
    descriptor = clock_pb2.DESCRIPTOR.services_by_name["ClockService"]
    return Dispatcher(descriptor, decide.CLOCK_COMMANDS, clocks.carry_out, methods_of(clocks))


class ClockService:
    """The methods of the clock service."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    async def carry_out(self, request: Any, context: Context, response: type[M]) -> M:
        """Settle the table, handle the command, write all consequences, and answer."""

        async def attempt(*, cached: bool = False) -> tuple[Decision, Callable[[int], M]]:
            settled = await load_table(self._runtime.record, request.game_id, cached=cached)
            if settled is None:
                raise NotFound("game", request.game_id)
            await check_decides_here(self._runtime.record, settled)
            acted = decide.decide(settled.table, request, settled.moment(request, self._runtime.now))
            new_events = settled.with_consequences(acted)

            def answer(position: int) -> M:
                return answers.answer(response, position, request, settled, acted)

            return settled.decision(new_events), answer

        return await self._runtime.command_handler.handle(
            context, request, attempt, response=response, decide_on_cache=partial(attempt, cached=True)
        )

    async def get_clock(self, request: clock_pb2.GetClockRequest, context: Context) -> clock_pb2.GetClockResponse:
        """Return the settled state of a clock. Raises ``NotFound``."""
        settled = await load_table(self._runtime.record, request.game_id, rulings=False)
        if settled is None or not settled.table.clock.game_id:
            raise NotFound("clock", request.game_id)
        game = settled.table.game
        await refuse_while_held(self._runtime.record, game.tournament_id, game.player_ids, game.game_id)
        return answers.build_clock_response(settled, at=instant(to_timestamp(self._runtime.now())))
