"""The rating service as a part of a process."""

from __future__ import annotations

from faristol.host import Part, Runtime
from faristol.rating import reactions
from faristol.rating.earlier import EarlierDeviations
from faristol.rating.service import service


def part(runtime: Runtime) -> Part:
    """Build the rating service and its reaction."""
    earlier = EarlierDeviations(runtime.record)
    return Part(
        name="rating",
        servicers=(service(runtime, earlier),),
        reactions=(reactions.lists(runtime.record, earlier),),
    )
