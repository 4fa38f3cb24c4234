"""The results service as a part of a process."""

from __future__ import annotations

from faristol.bus import Pace
from faristol.host import Part, Runtime, Servicer
from faristol.pb.results.v1 import results_pb2 as results
from faristol.pb.results.v1 import results_pb2_grpc as results_grpc
from faristol.results.projection import projection
from faristol.results.service import service


def part(runtime: Runtime) -> Part:
    """The read models: the projection that keeps them, and the service that shows them."""
    kept = projection()
    pace = Pace(runtime.record)
    return Part(
        name="results",
        servicers=(
            Servicer(
                descriptor=results.DESCRIPTOR.services_by_name["ResultsService"],
                add=results_grpc.add_ResultsServiceServicer_to_server,
                instance=service(
                    runtime.record,
                    runtime.progress(kept.consumer),
                    pace=pace,
                    admission=lambda: runtime.admission,
                ),
            ),
        ),
        projections=(kept,),
        tasks=(pace.keep_looking,),
    )
