"""The methods of a service come from its contract: exactly these are answered."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.message import Message

from faristol.host.rpc.dispatch import Context, Dispatcher
from faristol.pb.clock.v1 import clock_pb2
from faristol.table.decide import CLOCK_COMMANDS

SERVICE = clock_pb2.DESCRIPTOR.services_by_name["ClockService"]


async def carry_out(request: Any, context: Context, response: type[Any]) -> Message:
    return response(position=7)  # type: ignore[no-any-return] # of the type asked for


async def get_clock(request: clock_pb2.GetClockRequest, context: Context) -> clock_pb2.GetClockResponse:
    return clock_pb2.GetClockResponse(game_id=request.game_id)


async def test_a_command_is_answered_by_its_response_and_a_question_by_what_answers_it() -> None:
    service: Any = Dispatcher(SERVICE, CLOCK_COMMANDS, carry_out, {clock_pb2.GetClockRequest: get_clock})
    assert await service.Press(clock_pb2.PressRequest(), None) == clock_pb2.PressResponse(position=7)
    assert await service.GetClock(clock_pb2.GetClockRequest(game_id="a"), None) == clock_pb2.GetClockResponse(
        game_id="a"
    )


def test_a_method_that_nothing_answers_is_named() -> None:
    with pytest.raises(TypeError, match=r"no handler for faristol\.clock\.v1\.ClockService\.GetClock"):
        Dispatcher(SERVICE, CLOCK_COMMANDS, carry_out, {})


def test_a_request_that_is_none_of_the_service_is_named() -> None:
    questions = {clock_pb2.GetClockRequest: get_clock, clock_pb2.RunningClock: get_clock}
    with pytest.raises(TypeError, match=r"has no methods for faristol\.clock\.v1\.RunningClock"):
        Dispatcher(SERVICE, CLOCK_COMMANDS, carry_out, questions)
