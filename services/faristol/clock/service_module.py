"""The clock service as a part of a process."""

from __future__ import annotations

from faristol.clock.rounds import build_end_reaction
from faristol.clock.service import service
from faristol.clock.timer import ClockTimer
from faristol.clock.turn_timer import TurnTimer
from faristol.clock.turns import service as turns
from faristol.host import Part, Runtime, Servicer
from faristol.pb.clock.v1 import clock_pb2, clock_pb2_grpc, turns_pb2, turns_pb2_grpc


def part(runtime: Runtime) -> Part:
    """Build the clock service: gRPC services, the reaction that ends a round's last game, and the timers."""
    return Part(
        name="clock",
        servicers=[
            Servicer(
                clock_pb2.DESCRIPTOR.services_by_name["ClockService"],
                clock_pb2_grpc.add_ClockServiceServicer_to_server,
                service(runtime),
            ),
            Servicer(
                turns_pb2.DESCRIPTOR.services_by_name["TurnClockService"],
                turns_pb2_grpc.add_TurnClockServiceServicer_to_server,
                turns(runtime),
            ),
        ],
        reactions=[build_end_reaction(runtime.record)],
        tasks=[ClockTimer(runtime.record, runtime.now).run, TurnTimer(runtime.record, runtime.now).run],
    )
