"""Rows read from the tables of the read models and written to them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Insert, Select, Table, and_, bindparam, delete, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store.backends.backend import Backend
from faristol.event_store.backends.databases import kind_of
from faristol.event_store.backends.tables import people
from faristol.event_store.beside_events.bindings import PERSON_COLUMNS, to_person
from faristol.event_store.long_work import LongWork
from faristol.kernel.bounded import split_batches
from faristol.kernel.details import Person
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.storage.rows import (
    Bye,
    Game,
    Line,
    Match,
    Player,
    Round,
    Seat,
    Sheet,
    Standing,
    StoredRow,
    TeamStanding,
    Tournament,
)
from faristol.read_models.storage.tables import LAYOUTS
from faristol.rules.standings import Carried, build_carried

WRITTEN_ROWS = 128
"""Rows in one statement that writes, after which other tasks may go on."""

LOOKUP_BATCH_SIZE = 400
"""Keys per statement."""

Tables = Mapping[type[StoredRow], Table]
R = TypeVar("R", bound=StoredRow)
S = TypeVar("S", Standing, TeamStanding)
MAX_ROUND_NUMBER = 2**31 - 1
"""Number after that of every round."""

K = TypeVar("K", str, tuple[Any, ...])


class Reader:
    """A reader of the rows of a version and a generation."""

    def __init__(self, connection: AsyncConnection, tables: Tables) -> None:
        self._connection = connection
        self.tables = tables

    async def rows(self, cls: type[R], where: ColumnElement[bool], *order: str) -> list[R]:
        """Return the rows of a class, in the order of some columns."""
        table = self.tables[cls]
        query = select(table).where(where).order_by(*(table.c[name] for name in order))
        return [cls(*row) for row in await self._connection.execute(query)]

    async def those(self, cls: type[R], column: str, values: Iterable[str], *order: str) -> list[R]:
        """Return the rows that have one of these values in a column."""
        query = _those(self.tables[cls], column, order)
        return [
            cls(*row) for some in _slices(values) for row in await self._connection.execute(query, {"values": some})
        ]

    async def of_tournament(self, cls: type[R], tournament_id: str, *order: str) -> list[R]:
        """Return all rows of a tournament."""
        found = await self._connection.execute(
            _of_tournament(self.tables[cls], order), {"tournament_id": tournament_id}
        )
        return [cls(*row) for row in found]

    async def tournament(self, tournament_id: str) -> tuple[Tournament | None, dict[int, Round]]:
        """Return a tournament and its rounds in order, without their tables and byes."""
        query = _with_rounds(self.tables[Tournament], self.tables[Round])
        found, rounds = None, dict[int, Round]()
        for row in await self._connection.execute(query, {"tournament_id": tournament_id}):
            found = found or Tournament(*row[:_AFTER_TOURNAMENT])
            if row[_AFTER_TOURNAMENT] is not None:
                round_ = Round(*row[_AFTER_TOURNAMENT:])
                rounds[round_.round] = round_
        return found, rounds

    async def players(self, tournament_id: str, player_ids: Iterable[str]) -> list[Player]:
        """Return some players of a tournament."""
        query = _of_players(self.tables[Player])
        return [
            Player(*row)
            for some in _slices(player_ids)
            for row in await self._connection.execute(query, {"tournament_id": tournament_id, "values": some})
        ]

    async def attendance(self, tournament_id: str) -> tuple[dict[str, bool], dict[str, int], dict[str, Carried]]:
        """Return whether each player was present, the first round of absence of those who left, and carried points.

        See ``Player.never_came`` and ``Player.withdrawn_round``. Carried points and spreads are those of an earlier
        stage; players without any are omitted.
        """
        of = self.tables[Player].c
        came = (of.withdrawn_round == 0) | (of.withdrawn_round > of.entered_round)
        columns = (of.player_id, came, of.withdrawn_round, of.carried_half_points, of.carried_spread)
        query = select(*columns).where(of.tournament_id == tournament_id)
        found = list(await self._connection.execute(query))
        return (
            {row[0]: row[1] for row in found},
            {row[0]: row[2] for row in found if row[2]},
            build_carried((row[0], row[3], row[4]) for row in found),
        )

    async def rounds(self, tournament_id: str) -> dict[int, Round]:
        """Return the rounds of a tournament with their tables, byes and matches, by number."""
        found = {each.round: each for each in await self.of_tournament(Round, tournament_id, "round")}
        await self.add_tables(found, tournament_id)
        return found

    async def add_tables(
        self,
        rounds: Mapping[int, Round],
        tournament_id: str,
        up_to: int = 0,
        *,
        only: int = 0,
        teams: bool = True,
        player_id: str = "",
    ) -> None:
        """Add to rounds their tables and byes, and their matches if ``teams``.

        The rounds are all of them, those up to a round, or only one. With a ``player_id``, only the player's tables and
        byes are added. Tables have the fields that the tournament shows, without their sheets.
        """
        numbers = (only, only) if only else (0, up_to or MAX_ROUND_NUMBER)
        values = {"tournament_id": tournament_id, "first": numbers[0], "last": numbers[1], "player_id": player_id}

        async def read(cls: type[R], *order: str) -> list[R]:
            query = _of_rounds(self.tables[cls], self.tables[Seat], order, cls is not Match and bool(player_id))
            return [cls(*row) for row in await self._connection.execute(query, values)]

        games: dict[str, Game] = {}
        for game in await read(Game, "round", "place"):
            games[game.game_id] = game
            rounds[game.round].games.append(game)
        for seat in await read(Seat, "place"):
            games[seat.game_id].seats.append(seat)
        for bye in await read(Bye, "round", "place"):
            rounds[bye.round].byes.append(bye)
        if teams:
            for match in await read(Match, "round", "match"):
                rounds[match.round].matches.append(match)

    async def standings_from(self, cls: type[S], tournament_id: str, first: int) -> list[S]:
        """Return the standings after a round and after all that follow it."""
        of = self.tables[cls].c
        return await self.rows(cls, and_(of.tournament_id == tournament_id, of.round >= first))

    async def standings(self, cls: type[S], tournament_id: str, round_: int) -> list[S]:
        """Return the standings after a round, in rank order; empty if they were not computed."""
        of = self.tables[cls].c
        found = await self.rows(cls, and_(of.tournament_id == tournament_id, of.round == round_))
        key = LAYOUTS[cls].key
        return sorted(found, key=lambda each: (each.rank, key(each)))

    async def plays(self, tournament_id: str, expelled: Collection[str]) -> tuple[dict[str, int], list[Line], bool]:
        """Return the bingos by player, the best plays, and whether any play is complete, in a tournament.

        Only complete plays count. Plays of ``expelled`` players are not among the best.
        """
        of = self.tables[Line].c
        stands = and_(of.tournament_id == tournament_id, of.kind == results.ENTRY_KIND_PLAY, of.complete)
        eligible = and_(stands, of.player_id.not_in(expelled)) if expelled else stands
        most = select(func.max(of.score)).where(eligible).scalar_subquery()
        best = await self.rows(Line, and_(eligible, of.score == most), "game_id", "number")
        recorded = bool(best) or bool(
            (await self._connection.execute(select(of.number).where(stands).limit(1))).first()
        )
        counted = select(of.player_id, func.count()).where(stands, of.bingo).group_by(of.player_id)
        bingos = {row[0]: row[1] for row in await self._connection.execute(counted)}
        return bingos, best, recorded

    async def best_plays(self, tournament_id: str) -> list[Line]:
        """Return the highest-scoring complete plays of each player of a tournament, the highest first."""
        of = self.tables[Line].c
        stands = and_(of.tournament_id == tournament_id, of.kind == results.ENTRY_KIND_PLAY, of.complete)
        highest = select(of.player_id, func.max(of.score)).where(stands).group_by(of.player_id)
        found = await self.rows(Line, and_(stands, tuple_(of.player_id, of.score).in_(highest)), "game_id", "number")
        return sorted(found, key=lambda line: -line.score)

    async def games(self, query: Select[Any], **values: Any) -> dict[str, Game]:
        """Return games by id with their seats and, for open tables, their sheets, without lines."""
        after_game, after_sheet = len(_GAME.columns), len(_GAME.columns) + len(_SHEET.columns)
        found: dict[str, Game] = {}
        for row in await self._connection.execute(query, values):
            known = found.get(row[0])
            if known is None:
                known = found[row[0]] = Game(*row[:after_game])
                if row[after_game] is not None:
                    known.sheet = Sheet(*row[after_game:after_sheet])
            known.seats.append(Seat(*row[after_sheet:]))
        return found

    async def games_of_round(self, tournament_id: str, number: int, hall: str = "") -> list[Game]:
        """Return the games of a round, or those in a hall, in the order of the tables."""
        game, sheet, seat = (self.tables[cls] for cls in (Game, Sheet, Seat))
        query = _games(game, sheet, seat).where(game.c.tournament_id == tournament_id, game.c.round == number)
        found = await self.games(query.where(game.c.hall == hall) if hall else query)
        return sorted(found.values(), key=lambda each: (each.table, each.place))

    async def recorded_games(self, limit: int, tournament_ids: Collection[str] = ()) -> list[Game]:
        """Return final games whose turns are on the record, without seats and sheets, at most ``limit``.

        Those of the latest tournaments come first. With ``tournament_ids``, only games of these are returned.
        """
        game, tournament = self.tables[Game], self.tables[Tournament]
        query = (
            select(game)
            .join_from(game, tournament, tournament.c.tournament_id == game.c.tournament_id)
            .where(game.c.final, game.c.turns > 0, ~tournament.c.removed)
        )
        if tournament_ids:
            query = query.where(game.c.tournament_id.in_(tournament_ids))
        order = (tournament.c.created_at.desc(), game.c.tournament_id, game.c.round, game.c.game_id)
        return [Game(*row) for row in await self._connection.execute(query.order_by(*order).limit(limit))]

    async def those_games(self, game_ids: Iterable[str]) -> dict[str, Game]:
        """Return the games with these ids."""
        found: dict[str, Game] = {}
        for some in _slices(game_ids):
            found |= await self.games(_those_games(*(self.tables[cls] for cls in (Game, Sheet, Seat))), values=some)
        return found

    async def games_of_player(self, player_id: str) -> list[Game]:
        """Return every game of a player, in the order of tournaments and rounds."""
        game, sheet, seat = (self.tables[cls] for cls in (Game, Sheet, Seat))
        own = select(seat.c.game_id).where(seat.c.player_id == player_id)
        found = await self.games(_games(game, sheet, seat).where(game.c.game_id.in_(own)))
        return sorted(found.values(), key=lambda each: (each.tournament_id, each.round, each.game_id))

    async def byes_of_player(self, tournament_id: str, player_id: str) -> list[Bye]:
        """Return the byes of a player in a tournament."""
        of = self.tables[Bye].c
        return await self.rows(Bye, and_(of.tournament_id == tournament_id, of.player_id == player_id))

    async def standing(self, tournament_id: str, round_: int, player_id: str) -> Standing | None:
        """Return a player's line in the standings after a round; None if it does not exist."""
        values = {"tournament_id": tournament_id, "round": round_, "player_id": player_id}
        row = (await self._connection.execute(_standing_of(self.tables[Standing]), values)).first()
        return Standing(*row) if row else None

    async def entrants(self) -> list[tuple[Person, int]]:
        """Return all who ever entered a tournament, with the number of theirs, except erased people."""
        player = self.tables[Player]
        query = (
            select(*PERSON_COLUMNS, func.count().label("tournaments"))
            .join_from(people, player, player.c.player_id == people.c.player_id)
            .group_by(*PERSON_COLUMNS)
        )
        return [(to_person(row), row.tournaments) for row in await self._connection.execute(query)]

    async def people(self, tournament_id: str) -> list[tuple[str, str, str]]:
        """Return id, name and club of the players of a tournament, except erased ones."""
        of = self.tables[Player].c
        players = select(of.player_id).where(of.tournament_id == tournament_id)
        named = select(people.c.player_id, people.c.name, people.c.club).where(people.c.player_id.in_(players))
        return [(row[0], row[1], row[2]) for row in await self._connection.execute(named)]

    async def add_lines(self, games: Mapping[str, Game], game_ids: Iterable[str]) -> None:
        """Add their lines to games."""
        for line in await self.those(Line, "game_id", game_ids, "game_id", "number"):
            games[line.game_id].lines.append(line)


@cache
def _those(table: Table, column: str, order: Sequence[str]) -> Select[Any]:
    """Build the statement for the rows with one of some values in a column."""
    asked = table.c[column].in_(bindparam("values", expanding=True))
    return select(table).where(asked).order_by(*(table.c[name] for name in order))


@cache
def _of_tournament(table: Table, order: Sequence[str]) -> Select[Any]:
    """Build the statement for the rows of a tournament."""
    asked = table.c.tournament_id == bindparam("tournament_id")
    return select(table).where(asked).order_by(*(table.c[name] for name in order))


@cache
def _of_players(table: Table) -> Select[Any]:
    """Build the statement for the rows of some players of a tournament."""
    own = table.c.player_id.in_(bindparam("values", expanding=True))
    return select(table).where(table.c.tournament_id == bindparam("tournament_id"), own)


@cache
def _standing_of(table: Table) -> Select[Any]:
    """Build the statement for a player's line in the standings after a round."""
    return select(table).where(*(table.c[name] == bindparam(name) for name in ("tournament_id", "round", "player_id")))


@cache
def _of_rounds(table: Table, seats: Table, order: Sequence[str], of_player: bool) -> Select[Any]:  # noqa: FBT001 # a key
    """Build the statement for the rows of rounds of a tournament; with ``of_player``, those of a player.

    A statement that is built for each question costs more processor time than its execution.
    """
    columns = table.c
    query = select(table).where(
        columns.tournament_id == bindparam("tournament_id"),
        columns.round.between(bindparam("first"), bindparam("last")),
    )
    if of_player and "player_id" in columns and "game_id" not in columns:
        query = query.where(columns.player_id == bindparam("player_id"))
    elif of_player:
        seat = seats.alias()
        own = select(seat.c.game_id).where(
            seat.c.tournament_id == bindparam("tournament_id"), seat.c.player_id == bindparam("player_id")
        )
        query = query.where(columns.game_id.in_(own))
    return query.order_by(*(columns[name] for name in order))


@cache
def _with_rounds(tournament: Table, round_: Table) -> Select[Any]:
    """Build the statement for a tournament with each of its rounds."""
    return (
        select(tournament, round_)
        .join_from(tournament, round_, round_.c.tournament_id == tournament.c.tournament_id, isouter=True)
        .where(tournament.c.tournament_id == bindparam("tournament_id"))
        .order_by(round_.c.round)
    )


@cache
def _those_games(game: Table, sheet: Table, seat: Table) -> Select[Any]:
    """Build the statement for the games with some ids."""
    return _games(game, sheet, seat).where(game.c.game_id.in_(bindparam("values", expanding=True)))


def _games(game: Table, sheet: Table, seat: Table) -> Select[Any]:
    return (
        select(game, sheet, seat)
        .join_from(game, seat, seat.c.game_id == game.c.game_id)
        .join(sheet, sheet.c.game_id == game.c.game_id, isouter=True)
        .order_by(seat.c.game_id, seat.c.place)
    )


def _slices(keys: Iterable[K]) -> Iterator[Sequence[K]]:
    """Split keys into batches of the size of one statement."""
    return split_batches(sorted(keys), LOOKUP_BATCH_SIZE)


_GAME, _SHEET = LAYOUTS[Game], LAYOUTS[Sheet]
_AFTER_TOURNAMENT = len(LAYOUTS[Tournament].columns)


async def write(connection: AsyncConnection, table: Table, new: Sequence[StoredRow]) -> None:
    """Insert or replace rows of one class by their keys."""
    if new:
        known = LAYOUTS[type(new[0])]
        statement, work = _upsert(kind_of(connection), table), LongWork(is_urgent=True)
        for some in split_batches(new, WRITTEN_ROWS):
            values = [dict(zip(known.columns, known.values(row), strict=True)) for row in some]
            await connection.execute(statement, values)
            await work.let_others()


@cache
def _upsert(kind: type[Backend], table: Table) -> Insert:
    return kind.upsert(table, [column.name for column in table.columns if not column.primary_key])


async def remove(connection: AsyncConnection, table: Table, keys: Collection[tuple[Any, ...]]) -> None:
    """Delete the rows that have one of these keys."""
    for some in _slices(keys):
        await connection.execute(delete(table).where(tuple_(*table.primary_key.columns).in_(some)))


async def remove_round(connection: AsyncConnection, tables: Tables, tournament_id: str, number: int) -> None:
    """Delete all rows of a round."""
    game = tables[Game].c
    of_round = select(game.game_id).where(game.tournament_id == tournament_id, game.round == number)
    for at_table in (tables[Line], tables[Sheet]):
        await connection.execute(delete(at_table).where(at_table.c.game_id.in_(of_round)))
    for table in (
        tables[Seat],
        tables[Game],
        tables[Bye],
        tables[Match],
        tables[Standing],
        tables[TeamStanding],
        tables[Round],
    ):
        those = and_(table.c.tournament_id == tournament_id, table.c.round == number)
        await connection.execute(delete(table).where(those))
