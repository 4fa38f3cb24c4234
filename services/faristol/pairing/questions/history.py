"""What was done in a tournament, act by act."""

from __future__ import annotations

from dataclasses import replace

from faristol.host.dispatch import Context
from faristol.kernel.errors import Invalid
from faristol.kernel.mentions import players_of
from faristol.kernel.refusal import N_
from faristol.pairing.model import stream
from faristol.pairing.office.office import Office
from faristol.pairing.questions.acts import act_of, result_of
from faristol.pairing.questions.ratings import ratings_stream
from faristol.pairing.undo import can_undo
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.pb.rating.v1 import events_pb2 as rating
from faristol.record import Record, people

MOST_ACTS = 500
"""Acts in one answer."""


async def list_acts(office: Office, request: pb.ListActsRequest, context: Context) -> pb.ListActsResponse:
    """Everything that was done, in order, a page at a time."""
    if not 0 <= request.limit <= MOST_ACTS:
        raise Invalid("limit", N_("is {limit}; expected 0 to {most}"), {"limit": request.limit, "most": MOST_ACTS})
    record, tournament_id = office.record, request.tournament_id
    loaded = await office.load(tournament_id)
    recorded = [event for event in await record.read_stream(stream(tournament_id)) if event.version <= loaded.version]
    left = [event for event in recorded if event.version > request.after_version]
    page = left[: request.limit or MOST_ACTS]
    more = len(page) < len(left)
    facts = [event.message for event in recorded]
    notes = await record.notes_of(stream(tournament_id))
    told = {event.version: result_of(event.message, event.version, facts) for event in page}
    named = {player for fact in (*(event.message for event in page), *told.values()) for player in players_of(fact)}
    known = await people.names(record, named | {event.metadata.actor for event in page})
    for player_id, name in (await office.names(loaded.state)).items():
        if player_id in known:
            known[player_id] = replace(known[player_id], name=name)
    return pb.ListActsResponse(
        acts=[
            act_of(
                event,
                facts[: event.version - 1],
                notes.get(event.version, ""),
                known,
                told[event.version],
                can_undo(loaded.state, facts, event.version),
            )
            for event in page
        ],
        version=loaded.version,
        more=more,
        rating_choices=[] if more else await _rating_choices(record, tournament_id),
    )


async def _rating_choices(record: Record, tournament_id: str) -> list[pb.Act]:
    """Choices of the system by which a tournament is rated, which have no version of its own stream."""
    recorded = await record.read_stream(ratings_stream(tournament_id))
    chosen = [event for event in recorded if isinstance(event.message, rating.RatingSystemChosen)]
    known = await people.names(record, {event.metadata.actor for event in chosen})
    acts = [act_of(event, (), "", known, event.message) for event in chosen]
    for act in acts:
        act.ClearField("version")
    return acts
