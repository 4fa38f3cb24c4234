"""The clock service as a part of a process."""

from __future__ import annotations

from faristol.clock.rounds import build_end_reaction
from faristol.clock.service import service
from faristol.clock.timer import ClockTimer
from faristol.clock.turns import TurnTimer
from faristol.clock.turns import service as turns
from faristol.host import Part, Runtime


def part(runtime: Runtime) -> Part:
    """Build the clock service: gRPC services, the reaction that ends a round's last game, and the timers.

    The championship writes the times of duplicate games, so their timer does not run in the cell of a hall.
    """
    record = runtime.record
    timers = [ClockTimer(record, runtime.now).run]
    if not record.owner_key:
        timers.append(TurnTimer(record, runtime.now).run)
    return Part(
        name="clock",
        servicers=[
            service(runtime),
            turns(runtime),
        ],
        reactions=[build_end_reaction(record)],
        tasks=timers,
    )
