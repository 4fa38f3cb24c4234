"""gRPC in: what was done in a tournament, and undoing it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.naming import players_of
from faristol.kernel.refusal import N_
from faristol.pairing import decide, identity, pinning
from faristol.pairing.acts import act_of, result_of
from faristol.pairing.commands import Commands, Context
from faristol.pairing.model import Tournament, stream
from faristol.pairing.ratings import ratings_stream
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.rating.v1 import events_pb2 as rating
from faristol.record import people

MOST_ACTS = 500
"""Acts in one answer."""


class History(Commands):
    """Acts, and undoing them."""

    async def ListActs(self, request: pairing.ListActsRequest, context: Context) -> pairing.ListActsResponse:
        """Everything that was done, in order, a page at a time."""
        if not 0 <= request.limit <= MOST_ACTS:
            raise Invalid("limit", N_("is {limit}; expected 0 to {most}"), {"limit": request.limit, "most": MOST_ACTS})
        loaded = await self.load(request.tournament_id)
        recorded = await self._record.read_stream(stream(request.tournament_id))
        left = [one for one in recorded if request.after_version < one.version <= loaded.version]
        page = left[: request.limit or MOST_ACTS]
        more = len(page) < len(left)
        facts = [one.message for one in recorded if one.version <= loaded.version]
        notes = await self._record.notes_of(stream(request.tournament_id))
        told = {one.version: result_of(one.message, one.version, facts) for one in page}
        named = {player for fact in (*(one.message for one in page), *told.values()) for player in players_of(fact)}
        known = await people.names(self._record, named | {one.metadata.actor for one in page})
        for player_id, name in (await self.names(loaded.state)).items():
            if player_id in known:
                known[player_id] = replace(known[player_id], name=name)
        return pairing.ListActsResponse(
            acts=[
                act_of(
                    one,
                    facts[: one.version - 1],
                    notes.get(one.version, ""),
                    known,
                    told[one.version],
                    decide.can_undo(loaded.state, facts, one.version),
                )
                for one in page
            ],
            version=loaded.version,
            more=more,
            rating_choices=[] if more else await self._rating_choices(request.tournament_id),
        )

    async def _rating_choices(self, tournament_id: str) -> list[pairing.Act]:
        """Choices of the system by which a tournament is rated, which have no version of its own stream."""
        recorded = await self._record.read_stream(ratings_stream(tournament_id))
        chosen = [one for one in recorded if isinstance(one.message, rating.RatingSystemChosen)]
        known = await people.names(self._record, {one.metadata.actor for one in chosen})
        acts = [act_of(one, (), "", known, one.message) for one in chosen]
        for act in acts:
            act.ClearField("version")
        return acts

    async def UndoAct(self, request: pairing.UndoActRequest, context: Context) -> pairing.UndoActResponse:
        """Undo an act by the act that compensates for it."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)

        by: list[str] = []

        def facts_of(state: Tournament, facts: list[Message], divisions: Sequence[Tournament]) -> list[Message]:
            by[:] = [decide.undone_by(facts[request.version - 1], facts[: request.version - 1])]
            ruleset = pinning.ruleset_of(state)
            return decide.undo(
                state, ruleset, facts, request.version, note=note, divisions=divisions, at=at, now=self._runtime.now()
            )

        return await self.act_on(
            context,
            request,
            facts_of,
            lambda position, _: pairing.UndoActResponse(position=position, undone_by=by[0]),
            pairing.UndoActResponse,
        )
