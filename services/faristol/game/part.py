"""The game service as a part of a process."""

from __future__ import annotations

from faristol.game import reactions
from faristol.game.service import service
from faristol.host import Part, Runtime, Servicer
from faristol.pb.game.v1 import game_pb2, game_pb2_grpc


def part(runtime: Runtime) -> Part:
    """What the game service brings along: its gRPC service, and reactions that open tables and carry rulings out."""
    return Part(
        name="game",
        servicers=(
            Servicer(
                descriptor=game_pb2.DESCRIPTOR.services_by_name["GameService"],
                add=game_pb2_grpc.add_GameServiceServicer_to_server,
                instance=service(runtime),
            ),
        ),
        reactions=(reactions.opening(runtime.record), reactions.following(runtime.record)),
    )
