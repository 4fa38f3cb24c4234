"""The checks before a tournament is finalised."""

from __future__ import annotations

from faristol.host.rpc.dispatch import Context
from faristol.kernel.likeness import like
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.command_handling.handler import PairingHandler
from faristol.tournament.command_handling.open_matters import load_open_matters


async def list_final_checks(
    office: PairingHandler, request: pb.ListFinalChecksRequest, context: Context
) -> pb.ListFinalChecksResponse:
    """Return what each check finds now."""
    loaded = await office.load(request.tournament_id)
    state = loaded.state
    return pb.ListFinalChecksResponse(
        checks=[like(pb.FinalCheckResult, found) for found in await load_open_matters(office.record, state)],
        published=state.over,
        finalised=state.finalised,
        version=loaded.version,
    )
