"""The proposals of a tournament, with what each changes."""

from __future__ import annotations

from faristol.host.rpc.dispatch import Context
from faristol.host.rpc.metadata import ACTOR
from faristol.host.security.actor import read_metadata
from faristol.host.security.authorization import caller
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.command_handling.handler import PairingHandler
from faristol.tournament.queries.history import build_acts
from faristol.tournament.state import stream


async def list_proposals(
    office: PairingHandler, request: pb.ListProposalsRequest, context: Context
) -> pb.ListProposalsResponse:
    """Return all proposals of a tournament, the oldest first."""
    loaded = await office.load(request.tournament_id)
    answer = pb.ListProposalsResponse(required=loaded.state.second_official)
    if not loaded.state.proposals:
        return answer
    recorded = (await office.record.read_whole_stream(stream(request.tournament_id)))[: loaded.version]
    page = [event for event in recorded if isinstance(event.message, events.ChangeProposed | events.ProposalAnswered)]
    credential = caller()
    own_id = credential.subject if credential else read_metadata(context).get(ACTOR, "")
    acts = await build_acts(office, loaded, recorded, page)
    for event, act in zip(page, acts, strict=True):
        message = event.message
        if isinstance(message, events.ChangeProposed):
            own = bool(own_id) and message.proposer_id == own_id
            answer.proposals.add(proposal=message.proposal, act=act, own=own)
        elif isinstance(message, events.ProposalAnswered):
            answer.proposals[message.proposal - 1].answer.CopyFrom(act)
    return answer
