"""The pairing service as a part of a process."""

from __future__ import annotations

from faristol.host import Part, Runtime, Servicer
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.pairing.v1 import pairing_pb2_grpc as pairing_grpc
from faristol.tournament import reactions
from faristol.tournament.service import service


def part(runtime: Runtime) -> Part:
    """Build the pairing service and its reactions."""
    return Part(
        name="pairing",
        servicers=(
            Servicer(
                descriptor=pairing.DESCRIPTOR.services_by_name["PairingService"],
                add=pairing_grpc.add_PairingServiceServicer_to_server,
                instance=service(runtime),
            ),
        ),
        reactions=(reactions.results(runtime.record), reactions.sanctions(runtime.record)),
    )
