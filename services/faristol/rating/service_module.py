"""The rating service as a part of a process."""

from __future__ import annotations

from faristol.host import Part, Runtime, Servicer
from faristol.pb.rating.v1 import rating_pb2 as rating
from faristol.pb.rating.v1 import rating_pb2_grpc as rating_grpc
from faristol.rating import reactions
from faristol.rating.earlier import EarlierDeviations
from faristol.rating.service import service


def part(runtime: Runtime) -> Part:
    """Build the rating service and its reaction."""
    earlier = EarlierDeviations(runtime.record)
    return Part(
        name="rating",
        servicers=(
            Servicer(
                descriptor=rating.DESCRIPTOR.services_by_name["RatingService"],
                add=rating_grpc.add_RatingServiceServicer_to_server,
                instance=service(runtime, earlier),
            ),
        ),
        reactions=(reactions.lists(runtime.record, earlier),),
    )
