"""Past states of the read models: folded from the record up to a moment, by the code of the live ones.

Only the streams behind the answer are read. A tournament and its standings need its own stream, as the tournament
records the results of its tables. A division also needs the stream of the first division. The list of tournaments needs
those streams of all.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from operator import attrgetter

from sqlalchemy import func, select

from faristol.event_store import Record, Recorded
from faristol.event_store.backends.tables import events
from faristol.event_store.event import microseconds
from faristol.host.held_events import find_told
from faristol.kernel import event_types
from faristol.kernel.errors import NotFound
from faristol.kernel.event_types import HELD_TYPES
from faristol.pb.event.v1 import event_pb2 as options
from faristol.read_models.projections.model import State, tournament_of
from faristol.read_models.storage import lookup
from faristol.read_models.storage.lookup import Found
from faristol.read_models.storage.rows import Game, Tournament

FOLD_BATCH_EVENTS = 200
"""Events applied before other tasks run."""

_OF_LIST = event_types.types_of(
    event_types.types_that_change(options.CHANGE_TOURNAMENT, options.CHANGE_PLAYERS, options.CHANGE_ROUND)
)
"""Events behind the list of tournaments."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The moment of an answer: a position of the record, or a time."""

    position: int = 0
    time: datetime | None = None
    told: int | None = None
    """Position up to which the events count that a delay of the broadcast holds back; None for all."""

    async def resolve_position(self, record: Record, tournament_id: str = "") -> int:
        """Return the last position that counts: for a time, the one before the first event recorded after it.

        Only events of the tournament count, or all events without a ``tournament_id``.
        """
        if self.time is None:
            return self.position
        query = select(func.min(events.c.position)).where(events.c.recorded_at > microseconds(self.time))
        if tournament_id:
            query = query.where(events.c.tournament == tournament_id)
        async with record.reading() as connection:
            later = (await connection.execute(query)).scalar_one()
        return await record.last_position() if later is None else later - 1


async def tournaments(record: Record, moment: Moment) -> lookup.Listing:
    """Return all tournaments."""
    position = await moment.resolve_position(record)
    state, after = State(), 0
    while found := await record.read(after, types=_OF_LIST, up_to=position, limit=FOLD_BATCH_EVENTS):
        state.apply(found)
        after = found[-1].position
    return lookup.build_listing(state.championships, position)


async def tournament(record: Record, tournament_id: str, moment: Moment) -> Found:
    """Return a tournament with its players and rounds from its own stream. Raises ``NotFound``."""
    return await _tournament(record, tournament_id, moment, [f"tournament-{tournament_id}"])


async def players(record: Record, tournament_id: str, moment: Moment) -> Found:
    """Return a tournament with the ratings published after it. Raises ``NotFound``."""
    streams = [f"tournament-{tournament_id}", f"ratings-{tournament_id}"]
    return await _tournament(record, tournament_id, moment, streams)


async def pairings(record: Record, tournament_id: str, number: int, moment: Moment) -> Found:
    """Return a tournament with its rounds, and the games of the tables of round ``number``. Raises ``NotFound``."""
    before = await tournament(record, tournament_id, moment)
    return await _with_games(record, before, [game.game_id for game in before.round(number).games], moment)


async def games(record: Record, tournament_id: str, moment: Moment) -> Found:
    """Return a tournament with the games of all its tables. Raises ``NotFound``."""
    before = await tournament(record, tournament_id, moment)
    games = [game.game_id for round_ in before.rounds for game in round_.games]
    return await _with_games(record, before, games, moment)


async def games_of_player(record: Record, tournament_id: str, player_id: str, moment: Moment) -> Found:
    """Return a tournament with the games of one player. Raises ``NotFound``."""
    before = await tournament(record, tournament_id, moment)
    own = [game.game_id for round_ in before.rounds for game in round_.games if game.seat(player_id) is not None]
    return await _with_games(record, before, own, moment)


async def _with_games(record: Record, before: Found, game_ids: Iterable[str], moment: Moment) -> Found:
    streams = [f"tournament-{before.of.id}", *(f"game-{game_id}" for game_id in game_ids)]
    state = await _fold_streams(record, streams, before.position, moment.told)
    return Found(state.championships[before.of.id], before.position, before.divisions)


async def _tournament(record: Record, tournament_id: str, moment: Moment, streams: Iterable[str]) -> Found:
    position = await moment.resolve_position(record, tournament_id)
    found = (await _fold_streams(record, streams, position, moment.told)).championships.get(tournament_id)
    if found is None or not lookup.is_made(found.tournament):
        raise NotFound("tournament", tournament_id)
    if not (first := found.tournament.division_of):
        return Found(found, position, found.tournament.divisions)
    known = await _fold_streams(record, [f"tournament-{first}"], await moment.resolve_position(record, first))
    return Found(found, position, known.championships[first].tournament.divisions)


async def game(record: Record, game_id: str, moment: Moment) -> tuple[tuple[Game, Tournament, int], int]:
    """Return a game, its tournament and the phase of its round, and the position of ``moment``.

    Raises ``NotFound`` if the game was not paired yet.
    """
    opened = await record.read_stream(f"game-{game_id}")
    tournament_id = opened[0].tournament if opened else tournament_of(game_id)
    position = await moment.resolve_position(record, tournament_id)
    state = await _fold_streams(
        record, [f"tournament-{tournament_id}", f"game-{game_id}", f"clock-{game_id}"], position, moment.told
    )
    found = state.games.get(game_id)
    if found is None:
        raise NotFound("game", game_id)
    of = state.championships[tournament_id]
    return (found, of.tournament, of.rounds[found.round].phase), position


async def as_told(record: Record, tournament_id: str, moment: Moment) -> Moment:
    """Return a moment as the public knew it: without the events that were held back then."""
    position = await moment.resolve_position(record, tournament_id)
    return replace(moment, told=await find_told(record, tournament_id, position))


async def _fold_streams(record: Record, streams: Iterable[str], position: int, told: int | None = None) -> State:
    """Fold the events of some streams up to a position, in the order of the record.

    With ``told``, the held events after it are left out.
    """
    read = [await record.read_stream(stream) for stream in streams]
    counted: list[Recorded] = [
        event
        for event in heapq.merge(*read, key=attrgetter("position"))
        if event.position <= position and (told is None or event.position <= told or event.type not in HELD_TYPES)
    ]
    state = State()
    for start in range(0, len(counted), FOLD_BATCH_EVENTS):
        state.apply(counted[start : start + FOLD_BATCH_EVENTS])
        await asyncio.sleep(0)
    return state
