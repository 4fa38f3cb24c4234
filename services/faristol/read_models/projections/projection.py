"""The projection of the read models: ``model.fold`` applied to events, and stored as rows.

A unit of work reads the rows that a batch of events touches once, changes them in memory, and writes the changed ones.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar

from google.protobuf.message import Message
from sqlalchemy import true
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.consumers import Live, NotBuilt, Projection, read
from faristol.event_store import Record, Recorded
from faristol.event_store.long_work import LongWork
from faristol.host.rpc.errors import Unreachable
from faristol.kernel.bounded import split_batches
from faristol.kernel.event_types import game_of as named_game
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.rating.v1 import events_pb2 as rating
from faristol.read_models.projections import ranks, scoresheet, waits
from faristol.read_models.projections.championship import Championship
from faristol.read_models.projections.clocks import CLOCK_HANDLERS
from faristol.read_models.projections.model import (
    EVERY_ROUND_NUMBER,
    FOLDS,
    PROJECTED_TYPES,
    WHOLE_ROUND,
    State,
    game_of,
)
from faristol.read_models.projections.players import PLAYER_HANDLERS
from faristol.read_models.projections.rounds import RESULT_HANDLERS, ROUND_HANDLERS, takes_no_points
from faristol.read_models.storage.rows import (
    CLASSES,
    Bye,
    Game,
    Match,
    Player,
    Round,
    Ruleset,
    StoredRow,
    Team,
    Tournament,
)
from faristol.read_models.storage.store import Reader, Tables, remove, remove_round, write
from faristol.read_models.storage.tables import LAYOUTS, TABLES_VERSION, metadata_of, schema

T = TypeVar("T")

PROJECTION_NAME = "results"

REBUILD_CACHE_SIZE = 256
"""Games and tournaments cached by a rebuild: games played at the same time are used repeatedly."""

APPLIED_EVENTS = 32
"""Events that are applied before other tasks may go on."""

Scope = tuple[str, str]
"""The kind and id of a tournament or a game, whose rows are compared and written together."""

Stored = dict[tuple[type[StoredRow], tuple[Any, ...]], tuple[Any, ...]]
"""Rows as in their tables: values by class and key."""

_OF_LINES = (scoresheet.FOLDS.keys() | {game_events.GameOpened}) - scoresheet.WITHOUT_LINES
_OF_TABLES = CLOCK_HANDLERS.keys() | scoresheet.FOLDS.keys() | waits.WAIT_HANDLERS.keys() | {game_events.GameOpened}
_OF_TOURNAMENTS = FOLDS.keys() - _OF_TABLES - {pairing.TournamentCreated, pairing.RulesetKept}
_OF_TEAMS: frozenset[type[Message]] = frozenset(
    (pairing.TeamRegistered, pairing.LineUpSet, pairing.TeamWithdrawn, pairing.TeamReinstated)
)


@dataclass
class Needs:
    """The rows to load before events are applied."""

    tournaments: set[str] = field(default_factory=set)
    rounds: set[str] = field(default_factory=set)
    """Tournaments with their rounds."""
    players: set[tuple[str, str]] = field(default_factory=set)
    """Players, each with the tournament."""
    all_players: set[str] = field(default_factory=set)
    """Tournaments with all their players and teams."""
    games: set[str] = field(default_factory=set)
    lines: set[str] = field(default_factory=set)
    """Games with the lines of their sheets."""

    def add(self, event: Recorded) -> None:
        """Add the rows that ``event`` touches."""
        kind = type(event.message)
        if kind in _OF_TABLES:
            self.games.add(game_of(event))
            if kind in _OF_LINES:
                self.lines.add(game_of(event))
        elif kind in _OF_TOURNAMENTS and not takes_no_points(event.message):
            self._add_of_tournament(event, kind)

    def _add_of_tournament(self, event: Recorded, kind: type[Message]) -> None:
        self.tournaments.add(event.tournament)
        if kind in RESULT_HANDLERS:
            self.rounds.add(event.tournament)
            self.games.add(named_game(event.message))
        elif kind in ROUND_HANDLERS:
            self.rounds.add(event.tournament)
        elif kind in _OF_TEAMS:
            self.all_players.add(event.tournament)
        elif kind in PLAYER_HANDLERS and kind is not rating.RatingListPublished:
            self.players.add((event.tournament, event.message.player_id))  # type: ignore[attr-defined] # all have one


class Unit:
    """The rows of one version and generation, with no concurrent writer.

    Only rows that differ from those read are written: a statement for each table. Then standings are recomputed, once
    for each tournament with changed results. ``keep`` is the number of games and tournaments cached for the next batch.
    """

    def __init__(self, tables: Tables, keep: int = 0) -> None:
        self._tables = tables
        self._keep = keep
        self._state = State()
        self._loaded = Needs()
        self._stored: dict[Scope, Stored] = {}
        """Of every tournament and game in memory."""
        self._ranked_at: dict[str, int] = {}
        """``ranked_at`` of the standings in the tables, by tournament."""
        self._touched: set[Scope] = set()
        """Tournaments and games of the events since the last write."""

    async def take(self, connection: AsyncConnection, events: Sequence[Recorded]) -> None:
        """Apply events in the order of their positions. Raises ``CannotTake`` for one that cannot be applied."""
        needs = Needs()
        for event in events:
            try:
                needs.add(event)
            except Exception:  # noqa: BLE001, S112 # applying the event reports the failure
                continue
        await self._load(Reader(connection, self._tables), needs)
        self._touched |= {("tournament", event.tournament) for event in events}
        self._touched |= {("game", game_id) for game_id in needs.games}
        state, loaded, work = self._state, self._loaded, LongWork(is_urgent=True)
        for some in split_batches(events, APPLIED_EVENTS):
            state.apply(some)
            await work.let_others()
        for made in state.championships.keys() - loaded.tournaments:
            for here in (loaded.tournaments, loaded.rounds, loaded.all_players):
                here.add(made)
        made_games = state.games.keys() - loaded.games
        self._touched |= {("game", game_id) for game_id in made_games}
        loaded.games |= made_games
        loaded.lines |= made_games

    @property
    def held(self) -> int:
        """Number of tournaments and games that were touched and are not written."""
        return len(self._touched)

    async def write(self, connection: AsyncConnection) -> None:
        """Write changed rows and standings."""
        await self._write_rows(connection)
        await self._rank(connection, self._state.stale)

    async def _write_rows(self, connection: AsyncConnection) -> None:
        kept = self._state.rulesets.keys()
        for tournament in await Reader(connection, self._tables).those(Tournament, "ruleset_digest", kept):
            self._state.stale.setdefault(tournament.tournament_id, {})[EVERY_ROUND_NUMBER] = {WHOLE_ROUND}
        for tournament_id, number in self._state.taken_back:
            await remove_round(connection, self._tables, tournament_id, number)
            self._forget_round(tournament_id, number)
        changed, gone = self._differences()
        changed[Ruleset].extend(self._state.rulesets.values())
        for cls, keys in gone.items():
            await remove(connection, self._tables[cls], keys)
        for cls in CLASSES:
            await write(connection, self._tables[cls], changed[cls])
        self._state.taken_back.clear()
        self._state.rulesets.clear()
        self._touched.clear()
        if len(self._stored) > self._keep:
            self._forget()

    def _differences(
        self,
    ) -> tuple[dict[type[StoredRow], list[StoredRow]], dict[type[StoredRow], list[tuple[Any, ...]]]]:
        """Return the rows to write, and the keys of the rows to delete."""
        changed, gone = (
            defaultdict[type[StoredRow], list[StoredRow]](list),
            defaultdict[type[StoredRow], list[tuple[Any, ...]]](list),
        )
        for scope in sorted(self._touched):
            stored, now = self._stored.get(scope, {}), Stored()
            for row in self._rows_of(scope):
                known = LAYOUTS[type(row)]
                at = type(row), known.key(row)
                now[at] = known.values(row)
                if stored.get(at) != now[at]:
                    changed[type(row)].append(row)
            for cls, key in stored.keys() - now.keys():
                gone[cls].append(key)
            self._stored[scope] = now
        return changed, gone

    def _rows_of(self, scope: Scope) -> Iterator[StoredRow]:
        """Yield the rows of a tournament or a game that are in memory."""
        kind, scope_id = scope
        if kind == "game":
            game = self._state.games.get(scope_id)
            if game is not None:
                yield game
                yield from game.seats
                yield from game.lines
                if game.sheet is not None:
                    yield game.sheet
        elif (of := self._state.championships.get(scope_id)) is not None:
            yield of.tournament
            yield from of.players.values()
            yield from of.teams.values()
            for round_ in of.rounds.values():
                yield round_
                yield from round_.byes
                yield from round_.matches

    async def _rank(self, connection: AsyncConnection, tournaments: Iterable[str]) -> None:
        for tournament_id in sorted(tournaments):
            changed, ranked_at = self._state.stale.pop(tournament_id), self._ranked_at.pop(tournament_id, None)
            await ranks.project(connection, self._tables, tournament_id, changed, ranked_at)

    def _forget(self) -> None:
        self._state.championships.clear()
        self._state.games.clear()
        self._stored.clear()
        self._loaded = Needs()

    def _forget_round(self, tournament_id: str, number: int) -> None:
        """Drop the stored rows of a round that were deleted from the tables."""
        for scope in [scope for scope, stored in self._stored.items() if _is_of(stored, tournament_id, number)]:
            del self._stored[scope]
            self._touched.add(scope)
        stored = self._stored.get(("tournament", tournament_id), {})
        for cls, key in [at for at in stored if at[0] in _OF_ROUND and at[1][1] == number]:
            del stored[cls, key]

    # --- reading ---------------------------------------------------------------------------------------------------

    async def _load(self, reader: Reader, needs: Needs) -> None:
        """Load the rows needed that are not in memory yet."""
        of, loaded = self._state.championships, self._loaded
        for tournament in await reader.those(Tournament, "tournament_id", needs.tournaments - loaded.tournaments):
            of[tournament.tournament_id] = Championship(tournament)
            self._store("tournament", tournament.tournament_id, [tournament])
            self._ranked_at[tournament.tournament_id] = tournament.ranked_at
        loaded.tournaments |= needs.tournaments
        for round_ in await reader.those(Round, "tournament_id", needs.rounds - loaded.rounds):
            of[round_.tournament_id].rounds[round_.round] = round_
            self._store("tournament", round_.tournament_id, [round_])
        loaded.rounds |= needs.rounds
        await self._load_players(reader, needs)
        await self._load_games(reader, needs)

    async def _load_players(self, reader: Reader, needs: Needs) -> None:
        of, loaded = self._state.championships, self._loaded
        all_of = needs.all_players - loaded.all_players
        loaded.all_players |= all_of
        for team in await reader.those(Team, "tournament_id", all_of):
            of[team.tournament_id].teams[team.team_id] = team
            self._store("tournament", team.tournament_id, [team])
        players = await reader.those(Player, "tournament_id", all_of)
        missing = defaultdict[str, set[str]](set)
        for tournament_id, player_id in needs.players - loaded.players:
            if tournament_id not in loaded.all_players:
                missing[tournament_id].add(player_id)
        loaded.players |= needs.players
        for tournament_id, player_ids in missing.items():
            players += await reader.players(tournament_id, player_ids)
        for player in players:
            if player.player_id not in of[player.tournament_id].players:
                of[player.tournament_id].players[player.player_id] = player
                self._store("tournament", player.tournament_id, [player])

    async def _load_games(self, reader: Reader, needs: Needs) -> None:
        games, loaded = self._state.games, self._loaded
        for game_id, game in (await reader.those_games(needs.games - loaded.games)).items():
            games[game_id] = game
            self._store("game", game_id, [game, *game.seats, *([game.sheet] if game.sheet else [])])
        loaded.games |= needs.games
        opened = {game_id for game_id in needs.lines - loaded.lines if game_id in games and games[game_id].sheet}
        await reader.add_lines(games, opened)
        for game_id in opened:
            self._store("game", game_id, games[game_id].lines)
        loaded.lines |= needs.lines

    def _store(self, kind: str, scope_id: str, found: Iterable[StoredRow]) -> None:
        """Store rows as they were read, for the comparison."""
        stored = self._stored.setdefault((kind, scope_id), {})
        for row in found:
            known = LAYOUTS[type(row)]
            stored[type(row), known.key(row)] = known.values(row)


_OF_ROUND = frozenset((Round, Bye, Match))


def _is_of(stored: Stored, tournament_id: str, number: int) -> bool:
    """Check whether stored rows are of a game of a round."""
    at = next((at for at in stored if at[0] is Game), None)
    return at is not None and stored[at][1:3] == (tournament_id, number)


class Rebuilding(Unit):
    """The unit of work of a rebuild: standings are computed once, at its end, as they have no readers before."""

    _all_ranked = False

    async def write(self, connection: AsyncConnection) -> None:
        """Write changed rows without standings."""
        await self._write_rows(connection)

    async def finish(self, connection: AsyncConnection) -> bool:
        """Compute the standings of one tournament; return False if none are missing.

        At first they are missing for every tournament: rows written before this unit of work have no standings either.
        """
        stale = self._state.stale
        if not self._all_ranked:
            tournaments = await Reader(connection, self._tables).rows(Tournament, true())
            stale.update((tournament.tournament_id, {EVERY_ROUND_NUMBER: {WHOLE_ROUND}}) for tournament in tournaments)
            self._all_ranked = True
        tournament_id = next(iter(stale), None)
        if tournament_id is None:
            return False
        await self._rank(connection, [tournament_id])
        return True


@cache
def projection(generation: int = 1) -> Projection:
    """Return the projection of the read models on the tables of a generation."""
    tables = schema(TABLES_VERSION, generation)

    async def apply(connection: AsyncConnection, events: Sequence[Recorded]) -> None:
        """Apply events in order. Raises ``CannotTake`` with the event that cannot be applied."""
        unit = Unit(tables)
        await unit.take(connection, events)
        await unit.write(connection)

    return Projection(
        name=PROJECTION_NAME,
        version=TABLES_VERSION,
        types=PROJECTED_TYPES,
        tables=metadata_of(TABLES_VERSION, generation),
        apply=apply,
        generation=generation,
        again=projection,
        fold=lambda: Rebuilding(tables, REBUILD_CACHE_SIZE),
    )


async def read_now(record: Record, look: Callable[[Reader], Awaitable[T]], tournament_id: str = "") -> tuple[T, int]:
    """Return the result of ``look`` on the live tables, and the position of a tournament in them.

    Raises ``Unreachable`` while no tables are built.
    """

    async def at(connection: AsyncConnection, live: Live) -> T:
        return await look(Reader(connection, schema(live.version, live.generation)))

    try:
        found, live = await read(record, projection(), at, tournament_id)
    except NotBuilt as error:
        raise Unreachable(PROJECTION_NAME) from error
    return found, live.position
