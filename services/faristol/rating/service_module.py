"""The rating service as a part of a process."""

from __future__ import annotations

from faristol.host import Part, Runtime
from faristol.rating import reactions
from faristol.rating.earlier import EarlierDeviations
from faristol.rating.federation.service import federation_service
from faristol.rating.register.service import register_service
from faristol.rating.seasons.service import season_service
from faristol.rating.service import service


def part(runtime: Runtime) -> Part:
    """Build the rating service, and the services of numbered lists, of seasons and of the register."""
    earlier = EarlierDeviations(runtime.record)
    return Part(
        name="rating",
        servicers=(
            service(runtime, earlier),
            federation_service(runtime),
            season_service(runtime),
            register_service(runtime),
        ),
        reactions=(reactions.lists(runtime.record, earlier),),
    )
