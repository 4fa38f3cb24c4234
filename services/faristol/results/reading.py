"""Read models out of their rows, as they are now."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from faristol.host.errors import NotFound
from faristol.pb.results.v1 import results_pb2 as results
from faristol.record import Record
from faristol.record.people import Person, names
from faristol.results import store
from faristol.results.store import Kind


@dataclass
class Tournament:
    """One tournament with all of it that was asked for."""

    tournament: results.Tournament
    players: list[results.Player] = field(default_factory=list)
    rating_system: str = ""
    rounds: list[results.GetPairingsResponse] = field(default_factory=list)
    """In order."""

    def round(self, number: int) -> results.GetPairingsResponse:
        """A round. Raises ``NotFound`` when it is not paired."""
        for round_ in self.rounds:
            if round_.round == number:
                return round_
        raise NotFound("round", store.round_id(self.tournament.tournament_id, number))


async def tournaments(record: Record) -> list[results.Tournament]:
    """All tournaments, the latest first."""
    async with record.reading() as connection:
        found = [
            row.body
            for row in await store.fetch(connection, [Kind.TOURNAMENT])
            if isinstance(row.body, results.Tournament)
        ]
    return sorted(found, key=lambda one: (-one.created_at.ToNanoseconds(), one.tournament_id))


async def tournament(record: Record, tournament_id: str, with_kinds: Iterable[Kind] = ()) -> Tournament:
    """A tournament and its rows of other kinds, all of one moment. Raises ``NotFound`` when there is none."""
    async with record.reading() as connection:
        found = list(await store.fetch(connection, [Kind.TOURNAMENT, *with_kinds], tournament_id=tournament_id))
    head = next((row.body for row in found if isinstance(row.body, results.Tournament)), None)
    if head is None:
        raise NotFound("tournament", tournament_id)
    answer = Tournament(head)
    for row in found:
        if isinstance(row.body, results.ListPlayersResponse):
            answer.players = list(row.body.players)
            answer.rating_system = row.body.rating_system
        elif isinstance(row.body, results.GetPairingsResponse):
            answer.rounds.append(row.body)
    answer.rounds.sort(key=lambda round_: round_.round)
    return answer


async def game(record: Record, game_id: str) -> results.GetGameResponse:
    """A game with the name of its tournament. Raises ``NotFound`` when there is none."""
    async with record.reading() as connection:
        found = next(await store.fetch(connection, [Kind.GAME], row_id=game_id), None)
        if found is None or not isinstance(found.body, results.GetGameResponse):
            raise NotFound("game", game_id)
        above = next(await store.fetch(connection, [Kind.TOURNAMENT], row_id=found.tournament_id), None)
    if above is not None and isinstance(above.body, results.Tournament):
        found.body.tournament_name = above.body.name
    return found.body


async def people(record: Record, player_ids: Iterable[str]) -> dict[str, Person]:
    """Names of players; someone erased has an empty one."""
    wanted: Collection[str] = set(player_ids)
    known = await names(record, wanted)
    return {player: known.get(player, Person(player, "", "")) for player in wanted}
