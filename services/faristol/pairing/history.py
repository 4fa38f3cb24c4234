"""gRPC in: what was done in a tournament, and undoing it."""

from __future__ import annotations

from google.protobuf.message import Message

from faristol.host import NotFound
from faristol.host.times import to_timestamp
from faristol.pairing import decide, identity, pinning
from faristol.pairing.commands import Commands, Context
from faristol.pairing.model import Tournament, stream
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.record import Recorded


class History(Commands):
    """Acts, and undoing them."""

    async def ListActs(  # noqa: N802
        self, request: pairing.ListActsRequest, context: Context
    ) -> pairing.ListActsResponse:
        """Everything that was done, in order."""
        loaded = await self.load(request.tournament_id)
        recorded = await self._record.read_stream(stream(request.tournament_id))
        acts = [_act(one) for one in recorded if request.after_version < one.version <= loaded.version]
        return pairing.ListActsResponse(acts=acts, version=loaded.version)

    async def UndoAct(  # noqa: N802
        self, request: pairing.UndoActRequest, context: Context
    ) -> pairing.UndoActResponse:
        """Undo an act by the act that compensates for it."""
        at = self.at(request)
        note = identity.checked_note("note", request.note)
        await self.load(request.tournament_id)
        recorded = await self._record.read_stream(stream(request.tournament_id))
        act = next((one.message for one in recorded if one.version == request.version), None)
        if act is None:
            raise NotFound("act", f"{request.tournament_id}/{request.version}")

        def facts_of(state: Tournament) -> list[Message]:
            return decide.undo(state, pinning.ruleset_of(state), act, note=note, at=at, now=self._runtime.now())

        return await self.act(
            context,
            request,
            facts_of,
            lambda position, _: pairing.UndoActResponse(position=position, undone_by=decide.UNDONE_BY[type(act)]),
            pairing.UndoActResponse,
        )


def _act(recorded: Recorded) -> pairing.Act:
    fact = recorded.message
    shown = pairing.Act(
        version=recorded.version,
        position=recorded.position,
        type=recorded.name,
        round=int(getattr(fact, "round", 0)),
        player_ids=_players(fact),
        game_id=str(getattr(fact, "game_id", "")),
        note=str(getattr(fact, "note", "")),
        actor=recorded.metadata.actor,
        role=recorded.metadata.role,
        recorded_at=to_timestamp(recorded.recorded_at),
        undone_by=decide.UNDONE_BY.get(type(fact), ""),
    )
    if "occurred_at" in fact.DESCRIPTOR.fields_by_name:
        shown.occurred_at.CopyFrom(fact.occurred_at)  # type: ignore[attr-defined] # the line above has looked
    return shown


def _players(fact: Message) -> list[str]:
    match fact:
        case events.ResultRecorded():
            return [score.player_id for score in fact.scores]
        case events.PairForbidden() | events.PairAllowed() | events.PairKept() | events.PairReleased():
            return list(fact.player_ids)
        case _:
            player_id = str(getattr(fact, "player_id", ""))
            return [player_id] if player_id else []
