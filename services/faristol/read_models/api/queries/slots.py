"""Stream slots with their games, and the tables that annotators claim."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from faristol.host.rpc.dispatch import Context
from faristol.kernel.likeness import like
from faristol.pb.results.v1 import results_pb2 as results
from faristol.personal_data import people
from faristol.read_models.api.queries.standings import get_standings
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

    async def look(reader: Reader) -> tuple[list[StoredSlot], dict[int, Round]]:
        head = await lookup.find_head(reader, request.tournament_id)
        if not head.slots:
            return [], {}
        _, rounds = await reader.tournament(request.tournament_id)
        slots, last = list(itertools.starmap(StoredSlot, head.slots)), max(rounds, default=0)
        for number in {slot.for_round or last for slot in slots} & rounds.keys():
            await reader.add_tables(rounds, request.tournament_id, only=number, teams=False)
        return slots, rounds

    (slots, rounds), position = await read_now(models.record, look, request.tournament_id)
    check_reached(request.min_position, position)
    last = max(rounds, default=0)
    most = max((slot.rank for slot in slots), default=0)
    ranked = await _rank_players(models, request, context, last - 1, most) if most and last > 1 else []
    return results.ListSlotsResponse(
        slots=[to_slot(slot, rounds.get(slot.for_round or last), ranked) for slot in slots], position=position
    )


async def _rank_players(
    models: ReadModels, request: results.ListSlotsRequest, context: Context, after: int, most: int
) -> list[str]:
    """Return the players of the first lines of the standings after a round, as far as the caller may know them."""
    asked = results.GetStandingsRequest(tournament_id=request.tournament_id, round=after, page_size=most)
    return [line.player_id for line in (await get_standings(models, asked, context)).standings]


def to_slot(slot: StoredSlot, round_: Round | None, ranked: Sequence[str] = ()) -> results.Slot:
    """Return a slot as shown, with the game at its table or of its rank in a round, or without a game.

    ``ranked`` are the players in the standings before the round. Without them, in the first round, a rank is the place
    in the order of the pairings.
    """
    games = sorted(round_.games, key=lambda game: game.place) if round_ else []
    if not slot.rank:
        found = next((game for game in games if game.table == slot.table), None)
        return like(results.Slot, slot, game_id=found.game_id if found else "")
    if ranked:
        player_id = ranked[slot.rank - 1] if slot.rank <= len(ranked) else ""
        found = next((game for game in games if game.seat(player_id)), None)
    else:
        found = games[slot.rank - 1] if slot.rank <= len(games) else None
    return like(results.Slot, slot, table=found.table if found else 0, game_id=found.game_id if found else "")


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
