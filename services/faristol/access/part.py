"""The access service as a part of a process."""

from __future__ import annotations

from faristol.access.service import service
from faristol.credentials.keyring import Keyring
from faristol.host import Part, Runtime, Servicer, StartError
from faristol.pb.access.v1 import access_pb2 as pb
from faristol.pb.access.v1 import access_pb2_grpc as pb_grpc
from faristol.record import RecordError


def part(runtime: Runtime) -> Part:
    """Giving, ending and listing credentials, and signing in. Raises ``StartError`` without keys that sign."""
    try:
        keyring = Keyring(runtime.settings.access_folder())
        keyring.signer()
        keyring.digest("link", "")
    except RecordError as problem:
        raise StartError(str(problem)) from problem
    return Part(
        name="access",
        servicers=(
            Servicer(
                descriptor=pb.DESCRIPTOR.services_by_name["AccessService"],
                add=pb_grpc.add_AccessServiceServicer_to_server,
                instance=service(runtime, keyring),
            ),
        ),
    )
