"""Stream slots with their games, and the tables that annotators claim."""

from __future__ import annotations

from faristol.host.rpc.dispatch import Context
from faristol.pb.results.v1 import results_pb2 as results
from faristol.personal_data import people
from faristol.read_models.projections.projection import read_now
from faristol.read_models.storage import lookup
from faristol.read_models.storage.models import ReadModels, check_reached
from faristol.read_models.storage.rows import Round, StoredSlot
from faristol.read_models.storage.store import Reader


async def list_slots(
    models: ReadModels, request: results.ListSlotsRequest, context: Context
) -> results.ListSlotsResponse:
    """List the slots of a tournament by number, each with the game that it shows."""
    await models.reach(request.min_position, context)

    async def look(reader: Reader) -> list[results.Slot]:
        head = await lookup.find_head(reader, request.tournament_id)
        if not head.slots:
            return []
        _, rounds = await reader.tournament(request.tournament_id)
        last = max(rounds, default=0)
        for number in {slot.for_round or last for slot in map(StoredSlot._make, head.slots)} & rounds.keys():
            await reader.add_tables(rounds, request.tournament_id, only=number, teams=False)
        return [to_slot(StoredSlot(*slot), rounds.get(StoredSlot(*slot).for_round or last)) for slot in head.slots]

    slots, position = await read_now(models.record, look, request.tournament_id)
    check_reached(request.min_position, position)
    return results.ListSlotsResponse(slots=slots, position=position)


def to_slot(slot: StoredSlot, round_: Round | None) -> results.Slot:
    """Return a slot as shown, with the game at its table in a round, or without a game."""
    games = [game.game_id for game in round_.games if game.table == slot.table] if round_ else []
    return results.Slot(slot=slot.slot, table=slot.table, for_round=slot.for_round, game_id=games[0] if games else "")


async def list_claims(
    models: ReadModels, request: results.ListClaimsRequest, context: Context
) -> results.ListClaimsResponse:
    """List the claimed tables with the names of the annotators."""
    await models.reach(request.min_position, context)
    found = await lookup.tournament(models.record, request.tournament_id)
    check_reached(request.min_position, found.position)
    known = await people.names(models.record, {claim.annotator_id for claim in found.head.claims})
    names = {person_id: person.name for person_id, person in known.items()}
    claims = [
        results.Claim(table=each.table, annotator_id=each.annotator_id, name=names.get(each.annotator_id, ""))
        for each in found.head.claims
    ]
    return results.ListClaimsResponse(claims=claims, position=found.position)
