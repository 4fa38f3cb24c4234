"""Names of players and officials, as answers show them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Set

from faristol.event_store import Record
from faristol.kernel.details import Person
from faristol.kernel.names import list_distinct_names as names_told_apart
from faristol.pb.results.v1 import results_pb2 as results
from faristol.personal_data.people import find_all, find_namesakes, is_official, load_distinct_names, names
from faristol.read_models.projections.projection import read_now
from faristol.read_models.storage.rows import Player
from faristol.read_models.storage.store import Reader

MAX_PLAYERS_BY_ID = 100
"""Players whose names are looked up by id; for more, all of their tournament are looked up."""


async def load_people(record: Record, player_ids: Iterable[str]) -> dict[str, Person]:
    """Return the names of players by id; an erased player has an empty one."""
    wanted: Collection[str] = set(player_ids)
    known = await names(record, wanted)
    return {player: known.get(player) or Person(player) for player in wanted}


async def load_player_names(record: Record, player_ids: Iterable[str], tournament_id: str) -> dict[str, str]:
    """Return the names of players of a tournament, with a suffix for namesakes in it: ``Anna Puig (Valls)``."""
    wanted = set(player_ids)
    if len(wanted) > MAX_PLAYERS_BY_ID:
        return await _load_all_player_names(record, wanted, tournament_id)
    if not wanted:
        return {}
    async with record.reading() as connection:
        found = await find_all(connection, wanted)
        known = {player: found.get(player) or Person(player) for player in wanted}
        others = await find_namesakes(connection, known.values())
    if others:  # most namesakes play elsewhere

        async def look(reader: Reader) -> list[Player]:
            return await reader.players(tournament_id, {each.player_id for each in others})

        there = {player.player_id for player in (await read_now(record, look))[0]}
        others = [each for each in others if each.player_id in there]
    return load_distinct_names([*known.values(), *others])


async def load_clubs(record: Record, player_ids: Collection[str], tournament_id: str) -> dict[str, str]:
    """Return the clubs of players of a tournament, by id; empty if unknown or erased.

    For more than ``MAX_PLAYERS_BY_ID`` players, the whole tournament is looked up, so that the statement lists no ids.
    """
    if len(player_ids) <= MAX_PLAYERS_BY_ID:
        return {player_id: person.club for player_id, person in (await load_people(record, player_ids)).items()}
    everybody, _ = await read_now(record, lambda reader: reader.people(tournament_id))
    return {player_id: club for player_id, _, club in everybody}


async def _load_all_player_names(record: Record, wanted: Set[str], tournament_id: str) -> dict[str, str]:
    """Return the same for many players: look up the whole tournament, so that the statement lists no ids."""
    everybody, _ = await read_now(record, lambda reader: reader.people(tournament_id))
    names_of = names_told_apart(everybody)
    return {player_id: names_of.get(player_id, "") for player_id in wanted}


async def name_arbiters(
    record: Record, decided: Collection[results.Table] | Collection[results.GetGameResponse]
) -> None:
    """Replace the ids of named officials in decisions by their names.

    Ids that arbiters chose themselves stay, as does the id of an erased official.
    """
    ids = {given for each in decided for given in (each.entered_by, each.corrected_by) if is_official(given)}
    if not ids:
        return
    known = await names(record, ids)
    for each in decided:
        each.entered_by = known[each.entered_by].name if each.entered_by in known else each.entered_by
        each.corrected_by = known[each.corrected_by].name if each.corrected_by in known else each.corrected_by
