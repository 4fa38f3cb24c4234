"""The clock as a part of a process."""

from __future__ import annotations

from faristol.clock.reactions import following
from faristol.clock.service import ClockService
from faristol.host import Part, Runtime, Servicer
from faristol.pb.clock.v1 import clock_pb2, clock_pb2_grpc


def part(runtime: Runtime) -> Part:
    """What the clock service brings along: its gRPC service, and the reaction that follows the games."""
    return Part(
        name="clock",
        servicers=[
            Servicer(
                clock_pb2.DESCRIPTOR.services_by_name["ClockService"],
                clock_pb2_grpc.add_ClockServiceServicer_to_server,
                ClockService(runtime),
            )
        ],
        reactions=[following(runtime.record)],
    )
