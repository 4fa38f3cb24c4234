"""Read models out of their rows, as they are now."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from google.protobuf.message import Message
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.bus import Live, NotBuilt, read
from faristol.host.errors import Unreachable
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.refusal import N_
from faristol.pb.results.v1 import results_pb2 as results
from faristol.record import Record, stored
from faristol.record import seals as record_seals
from faristol.record.people import Person, is_official, names, namesakes, told_apart
from faristol.results import store
from faristol.results.projection import NAME, projection
from faristol.results.scoresheet import turns_taken
from faristol.results.shelf import Kind, round_id, round_of
from faristol.results.tournament import is_paired

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
                "round",
                N_("{round} is not a round: expected 1 or more, or 0 for the results so far"),
                {"round": number},
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
    """All tournaments that are made, in the order of the list, each with the divisions of its championship."""
    by_id = {one.tournament_id: one for one in found}
    for one in by_id.values():
        if one.division_of:
            show_divisions(one, by_id[one.division_of])
    return sorted(filter(is_made, by_id.values()), key=lambda one: (-one.created_at.ToNanoseconds(), one.tournament_id))


def is_made(one: results.Tournament) -> bool:
    """Whether a tournament has its rules: without, it is one between two events of the append that makes it."""
    return bool(one.ruleset.name)


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

    (found, first), live = await read_now(record, look, tournament_id)
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
    """A tournament out of its read models.

    Raises ``NotFound`` when the tournament itself is not among them, or is not made yet.
    """
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
    if head is None or not is_made(head):
        raise NotFound("tournament", tournament_id)
    rounds.sort(key=lambda round_: round_.round)
    return Tournament(head, position, players, rounds)


async def game(record: Record, game_id: str) -> results.GetGameResponse:
    """A game with the name of its tournament. Raises ``NotFound`` when there is none."""

    async def look(
        connection: AsyncConnection, live: Live
    ) -> tuple[results.GetGameResponse | None, results.Tournament, Message] | None:
        found = next(await store.fetch(connection, live, [Kind.GAME], row_id=game_id), None)
        body = found.body if found is not None else None
        assert body is None or isinstance(body, results.GetGameResponse)
        if found is not None and body is not None:
            tournament_id, number = found.tournament_id, body.round
        else:
            tournament_id, number = round_of(game_id)
        row = next(await store.fetch(connection, live, [Kind.ROUND], row_id=round_id(tournament_id, number)), None)
        return (body, await _head(connection, live, tournament_id), row.body) if row is not None else None

    found, live = await read_now(record, look, round_of(game_id)[0])
    if found is None:
        raise NotFound("game", game_id)
    body, above, of_round = found
    assert isinstance(of_round, results.GetPairingsResponse)
    return titled(body or unopened(game_id, above, of_round), above, of_round, live.position)


def unopened(game_id: str, above: results.Tournament, of_round: results.GetPairingsResponse) -> results.GetGameResponse:
    """A game of which the table was never opened, as its result was entered by hand or came without a game.

    Raises ``NotFound`` for others.
    """
    decided = (one for one in of_round.tables if one.final and (one.entered_by or one.unplayed))
    table = next((one for one in decided if one.game_id == game_id), None)
    if table is None:
        raise NotFound("game", game_id)
    return results.GetGameResponse(
        game_id=game_id,
        tournament_id=above.tournament_id,
        round=of_round.round,
        table=table.table,
        seats=[results.Seat(player_id=seat.player_id, team_id=seat.team_id) for seat in table.seats],
        ruleset=above.ruleset,
        lexicon=above.lexicon,
    )


def titled(
    game: results.GetGameResponse, above: results.Tournament, of_round: results.GetPairingsResponse, position: int
) -> results.GetGameResponse:
    """The game with the name of its tournament, its division and what counts of it there, as of a position."""
    game.tournament_name, game.division = above.name, above.division
    table = next((one for one in of_round.tables if one.game_id == game.game_id), None)
    if table is not None:
        game.entered_by, game.unplayed = table.entered_by, table.unplayed
        game.corrected, game.corrected_by = table.corrected, table.corrected_by
        # Where no clock was set up nobody was waited for: who was not there had lost before (PES ΣΤ).
        by_book = table.unplayed and not game.clocks
        if (table.entered_by or by_book) and table.final and not turns_taken(game):
            _take_over(game, table)
        elif table.corrected or table.score_sanctions:
            game.counted.extend(table.seats)
        game.score_sanctions.extend(table.score_sanctions)
    game.position = position
    return game


def _take_over(game: results.GetGameResponse, table: results.Table) -> None:
    """Give a game that was not kept at its table the result that the tournament has."""
    scores = {seat.player_id: seat.score for seat in table.seats}
    for seat in game.seats:
        seat.score = scores[seat.player_id]
    game.final, game.winner_id, game.lost_by_all = True, table.winner_id, table.lost_by_all
    game.end_condition, game.loser_ids[:] = table.condition, table.loser_ids
    for shown_while_played in (
        "board",
        "entries",
        "laid",
        "bag_left",
        "turn_player_id",
        "clocks",
        "neutralised_for",
        "round_time_over",
        "last_turn",
    ):
        game.ClearField(shown_while_played)


async def rounds_of_games(record: Record, tournament_id: str) -> dict[str, int]:
    """The round of every game of a tournament."""
    found = await tournament(record, tournament_id, [Kind.ROUND])
    return {table.game_id: one.round for one in found.rounds for table in one.tables}


async def read_now(
    record: Record, look: Callable[[AsyncConnection, Live], Awaitable[T]], tournament_id: str = ""
) -> tuple[T, Live]:
    """What ``look`` finds in the tables that are read now, and how far those of a tournament are.

    Raises ``Unreachable`` while there are none.
    """
    try:
        return await read(record, projection(), look, tournament_id)
    except NotBuilt as problem:
        raise Unreachable(NAME) from problem


async def people(record: Record, player_ids: Iterable[str]) -> dict[str, Person]:
    """Names of players; someone erased has an empty one."""
    wanted: Collection[str] = set(player_ids)
    known = await names(record, wanted)
    return {player: known.get(player, Person(player, "", "")) for player in wanted}


async def shown(record: Record, player_ids: Iterable[str], tournament_id: str) -> dict[str, str]:
    """Names of players of a tournament, with what tells two of one name in it apart: ``Anna Puig (Valls)``."""
    known = await people(record, player_ids)
    others = await namesakes(record, known.values())
    if others:  # most often they play elsewhere
        found = await tournament(record, tournament_id, (Kind.PLAYERS,))
        there = {player.player_id for player in found.players}
        others = [one for one in others if one.player_id in there]
    return told_apart([*known.values(), *others])


async def name_arbiters(
    record: Record, decided: Collection[results.Table] | Collection[results.GetGameResponse]
) -> None:
    """Give the names of officials who act under one, in place of the ids that were made for them.

    Ids that arbiters were given by themselves stay, and so does that of an official who was erased.
    """
    ids = {given for one in decided for given in (one.entered_by, one.corrected_by) if is_official(given)}
    if not ids:
        return
    known = await names(record, ids)
    for one in decided:
        one.entered_by = known[one.entered_by].name if one.entered_by in known else one.entered_by
        one.corrected_by = known[one.corrected_by].name if one.corrected_by in known else one.corrected_by


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
