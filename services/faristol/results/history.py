"""Read models as they were: folded from the record up to a moment, by the same code as the live ones.

Only the streams that the answer rests on are read. A tournament and its standings rest on the tournament's own stream,
for a table's result is what the tournament recorded, and on that of the first division for which others there are; the
list of tournaments, on those streams of all.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter

from sqlalchemy import func, select

from faristol.kernel import facts
from faristol.kernel.errors import NotFound
from faristol.pb.event.v1 import event_pb2 as options
from faristol.pb.results.v1 import results_pb2 as results
from faristol.record import Record, Recorded
from faristol.record.event import microseconds
from faristol.record.tables import events
from faristol.results import lookup
from faristol.results.lookup import Found
from faristol.results.model import State, tournament_of

SLICE = 200
"""Events after which others have their turn."""

_OF_LIST = facts.types_of(facts.that_change(options.CHANGE_TOURNAMENT, options.CHANGE_PLAYERS, options.CHANGE_ROUND))
"""Events that the list of tournaments rests on."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What an answer is as of: a position of the record, or a time."""

    position: int = 0
    time: datetime | None = None

    async def resolved(self, record: Record, tournament_id: str = "") -> int:
        """The last position that counts: of a time, the one before the first event recorded after it.

        Events of the tournament count, or of all.
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
    """All tournaments."""
    position = await moment.resolved(record)
    state, after = State(), 0
    while found := await record.read(after, types=_OF_LIST, up_to=position, limit=SLICE):
        state.apply(found)
        after = found[-1].position
    return lookup.listed(state.championships, position)


async def tournament(record: Record, tournament_id: str, moment: Moment) -> Found:
    """A tournament with its players and rounds as its own stream told them. Raises ``NotFound``."""
    return await _tournament(record, tournament_id, moment, [f"tournament-{tournament_id}"])


async def players(record: Record, tournament_id: str, moment: Moment) -> Found:
    """The same, with the ratings after it once they were published. Raises ``NotFound``."""
    streams = [f"tournament-{tournament_id}", f"ratings-{tournament_id}"]
    return await _tournament(record, tournament_id, moment, streams)


async def pairings(record: Record, tournament_id: str, number: int, moment: Moment) -> Found:
    """A tournament with its rounds, the tables of round ``number`` as their games stood. Raises ``NotFound``."""
    before = await tournament(record, tournament_id, moment)
    return await _with_games(record, before, [game.game_id for game in before.round(number).games])


async def games(record: Record, tournament_id: str, moment: Moment) -> Found:
    """A tournament with all its tables as their games stood. Raises ``NotFound``."""
    before = await tournament(record, tournament_id, moment)
    return await _with_games(record, before, [game.game_id for round_ in before.rounds for game in round_.games])


async def _with_games(record: Record, before: Found, game_ids: Iterable[str]) -> Found:
    streams = [f"tournament-{before.of.id}", *(f"game-{game_id}" for game_id in game_ids)]
    state = await _folded(record, streams, before.position)
    return Found(state.championships[before.of.id], before.position, before.divisions)


async def _tournament(record: Record, tournament_id: str, moment: Moment, streams: Iterable[str]) -> Found:
    position = await moment.resolved(record, tournament_id)
    found = (await _folded(record, streams, position)).championships.get(tournament_id)
    if found is None or not lookup.is_made(found.tournament):
        raise NotFound("tournament", tournament_id)
    if not (first := found.tournament.division_of):
        return Found(found, position, found.tournament.divisions)
    known = await _folded(record, [f"tournament-{first}"], await moment.resolved(record, first))
    return Found(found, position, known.championships[first].tournament.divisions)


async def game(record: Record, game_id: str, moment: Moment) -> results.GetGameResponse:
    """A game with the name of its tournament. Raises ``NotFound`` when it had not been paired."""
    opened = await record.read_stream(f"game-{game_id}")
    tournament_id = opened[0].tournament if opened else tournament_of(game_id)
    position = await moment.resolved(record, tournament_id)
    state = await _folded(record, [f"tournament-{tournament_id}", f"game-{game_id}", f"clock-{game_id}"], position)
    found = state.games.get(game_id)
    if found is None:
        raise NotFound("game", game_id)
    of = state.championships[tournament_id]
    answer = lookup.shown_game(found, of.tournament, of.rounds[found.round].phase)
    answer.position = position
    return answer


async def _folded(record: Record, streams: Iterable[str], position: int) -> State:
    """What the events of some streams come to, up to a position, in the order of the record."""
    read = [await record.read_stream(stream) for stream in streams]
    counted: list[Recorded] = [
        event for event in heapq.merge(*read, key=attrgetter("position")) if event.position <= position
    ]
    state = State()
    for start in range(0, len(counted), SLICE):
        state.apply(counted[start : start + SLICE])
        await asyncio.sleep(0)
    return state
