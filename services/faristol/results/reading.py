"""Read models out of their rows, as they are now."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from google.protobuf.message import Message
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.bus import Live, NotBuilt, read
from faristol.host.errors import Invalid, NotFound, Unreachable
from faristol.pb.results.v1 import results_pb2 as results
from faristol.record import Record, stored
from faristol.record import seals as record_seals
from faristol.record.people import Person, names
from faristol.results import store
from faristol.results.championship import is_paired
from faristol.results.projection import NAME, projection
from faristol.results.shelf import Kind, round_id
from faristol.rules.refusal import N_

T = TypeVar("T")


@dataclass
class Tournament:
    """One tournament with all of it that was asked for."""

    tournament: results.Tournament
    position: int
    """In the record; all of this holds up to here."""
    listed: results.ListPlayersResponse
    """The players, and what is said of all their ratings."""
    rounds: list[results.GetPairingsResponse]
    """In order."""

    @property
    def players(self) -> Sequence[results.Player]:
        """The players, highest rating first."""
        return self.listed.players

    def round(self, number: int) -> results.GetPairingsResponse:
        """A round. Raises ``NotFound`` when it is not paired."""
        for round_ in self.rounds:
            if round_.round == number:
                return round_
        raise NotFound("round", round_id(self.tournament.tournament_id, number))

    def up_to(self, number: int) -> list[results.GetPairingsResponse]:
        """The rounds up to one; all when that is 0.

        Raises ``NotFound`` when it is not paired, ``Invalid`` for a number that is none.
        """
        if number < 0:
            raise Invalid(
                "round", N_("{round} is no round: expected 1 or more, or 0 for the results so far"), {"round": number}
            )
        if number:
            self.round(number)
        return [one for one in self.rounds if not number or one.round <= number]


async def tournaments(record: Record) -> tuple[list[results.Tournament], int]:
    """All tournaments, the latest first, and the position that the list is of."""

    async def look(connection: AsyncConnection, live: Live) -> list[results.Tournament]:
        found = await store.fetch(connection, live, [Kind.TOURNAMENT])
        return [row.body for row in found if isinstance(row.body, results.Tournament)]

    found, live = await read_now(record, look)
    return listed(found), live.position


def listed(found: Iterable[results.Tournament]) -> list[results.Tournament]:
    """All tournaments in the order in which they are listed, each with the divisions of its championship."""
    by_id = {one.tournament_id: one for one in found}
    for one in by_id.values():
        if one.division_of:
            show_divisions(one, by_id[one.division_of])
    return sorted(by_id.values(), key=lambda one: (-one.created_at.ToNanoseconds(), one.tournament_id))


def show_divisions(further: results.Tournament, first: results.Tournament) -> None:
    """Copy the divisions of a championship from the first one, which knows them, to a further one."""
    further.ClearField("divisions")
    further.divisions.extend(first.divisions)


async def tournament(record: Record, tournament_id: str, with_kinds: Iterable[Kind] = ()) -> Tournament:
    """A tournament and its rows of other kinds, all of one moment. Raises ``NotFound`` when there is none."""
    kinds = [Kind.TOURNAMENT, *with_kinds]

    async def look(connection: AsyncConnection, live: Live) -> tuple[list[Message], results.Tournament | None]:
        bodies = [row.body for row in await store.fetch(connection, live, kinds, tournament_id=tournament_id)]
        first = next((body.division_of for body in bodies if isinstance(body, results.Tournament)), "")
        return bodies, await _head(connection, live, first) if first else None

    (found, first), live = await read_now(record, look)
    one = gathered(tournament_id, found, live.position)
    if first is not None:
        show_divisions(one.tournament, first)
    return one


async def _head(connection: AsyncConnection, live: Live, tournament_id: str) -> results.Tournament:
    """A tournament that there is."""
    row = next(await store.fetch(connection, live, [Kind.TOURNAMENT], row_id=tournament_id))
    assert isinstance(row.body, results.Tournament)
    return row.body


def gathered(tournament_id: str, bodies: Iterable[Message], position: int) -> Tournament:
    """A tournament out of its read models. Raises ``NotFound`` when the tournament itself is not among them."""
    head: results.Tournament | None = None
    players = results.ListPlayersResponse()
    rounds: list[results.GetPairingsResponse] = []
    for body in bodies:
        if isinstance(body, results.Tournament):
            head = body
        elif isinstance(body, results.ListPlayersResponse):
            players = body
        elif isinstance(body, results.GetPairingsResponse) and is_paired(body):
            rounds.append(body)
    if head is None:
        raise NotFound("tournament", tournament_id)
    rounds.sort(key=lambda round_: round_.round)
    return Tournament(head, position, players, rounds)


async def game(record: Record, game_id: str) -> results.GetGameResponse:
    """A game with the name of its tournament. Raises ``NotFound`` when there is none."""

    async def look(
        connection: AsyncConnection, live: Live
    ) -> tuple[results.GetGameResponse, results.Tournament, Message] | None:
        found = next(await store.fetch(connection, live, [Kind.GAME], row_id=game_id), None)
        if found is None:
            return None
        assert isinstance(found.body, results.GetGameResponse)
        of_round = round_id(found.tournament_id, found.body.round)
        row = next(await store.fetch(connection, live, [Kind.ROUND], row_id=of_round))
        return found.body, await _head(connection, live, found.tournament_id), row.body

    found, live = await read_now(record, look)
    if found is None:
        raise NotFound("game", game_id)
    body, above, of_round = found
    assert isinstance(of_round, results.GetPairingsResponse)
    return titled(body, above, of_round, live.position)


def titled(
    game: results.GetGameResponse, above: results.Tournament, of_round: results.GetPairingsResponse, position: int
) -> results.GetGameResponse:
    """The game with the name of its tournament, its division and what counts of it there, as of a position."""
    game.tournament_name, game.division = above.name, above.division
    table = next((one for one in of_round.tables if one.game_id == game.game_id), None)
    if table is not None and (table.corrected or table.score_sanctions):
        game.counted.extend(table.seats)
        game.score_sanctions.extend(table.score_sanctions)
    game.position = position
    return game


async def rounds_of_games(record: Record, tournament_id: str) -> dict[str, int]:
    """The round of every game of a tournament."""
    found = await tournament(record, tournament_id, [Kind.ROUND])
    return {table.game_id: one.round for one in found.rounds for table in one.tables}


async def read_now(record: Record, look: Callable[[AsyncConnection, Live], Awaitable[T]]) -> tuple[T, Live]:
    """What ``look`` finds in the tables that are read now. Raises ``Unreachable`` while there are none."""
    try:
        return await read(record, projection(), look)
    except NotBuilt as problem:
        raise Unreachable(NAME) from problem


async def people(record: Record, player_ids: Iterable[str]) -> dict[str, Person]:
    """Names of players; someone erased has an empty one."""
    wanted: Collection[str] = set(player_ids)
    known = await names(record, wanted)
    return {player: known.get(player, Person(player, "", "")) for player in wanted}


async def seals(record: Record, after: int, most: int, *, newest: bool) -> results.ListSealsResponse:
    """Seals of the record that reach beyond a position, or the newest alone, with the record's end at that moment."""
    async with record.reading() as connection:
        end, _ = await stored.end(connection)
        if newest:
            last = await record_seals.last(connection)
            found = [last] if last else []
        else:
            found = await record_seals.read(connection, after, most)
    answer = results.ListSealsResponse(position=end)
    for seal in found:
        shown = answer.seals.add(
            from_position=seal.from_position,
            to_position=seal.to_position,
            root=seal.root,
            previous=seal.previous,
            key_id=seal.key_id,
            signature=seal.signature,
        )
        shown.sealed_at.FromMicroseconds(seal.sealed_at)
    return answer
