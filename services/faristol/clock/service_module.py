"""The clock service as a part of a process."""

from __future__ import annotations

from faristol.clock.rounds import build_end_reaction
from faristol.clock.service import service
from faristol.clock.timer import ClockTimer
from faristol.clock.turn_timer import TurnTimer
from faristol.clock.turns import service as turns
from faristol.host import Part, Runtime


def part(runtime: Runtime) -> Part:
    """Build the clock service: gRPC services, the reaction that ends a round's last game, and the timers."""
    return Part(
        name="clock",
        servicers=[
            service(runtime),
            turns(runtime),
        ],
        reactions=[build_end_reaction(runtime.record)],
        tasks=[ClockTimer(runtime.record, runtime.now).run, TurnTimer(runtime.record, runtime.now).run],
    )
