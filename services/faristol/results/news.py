"""News of a tournament: from a position on, then live, without a gap.

News comes from the record and not from the bus, and never runs ahead of the read models: what a piece of news
is about can be read when it arrives.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from operator import attrgetter

from google.protobuf.timestamp_pb2 import Timestamp

from faristol.bus import Progress
from faristol.kernel import facts
from faristol.pb.event.v1 import event_pb2 as options
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.results.v1 import results_pb2 as results
from faristol.record import Record, Recorded
from faristol.results import lookup
from faristol.results.model import game_of

PUBLIC = facts.types_of(facts.told_to(options.AUDIENCE_PUBLIC))
"""Events that the public hears of. Draws are not among them, nor is anything that is for officials."""

_OF_DIVISIONS = facts.types_of([pairing.DivisionAdded])

BATCH = 500
LOOK = 15.0
"""Seconds after which a follower looks by itself whether there is news."""


async def follow(
    record: Record, progress: Progress, tournament_id: str, after_position: int, *, first_division: str = ""
) -> AsyncIterator[results.FollowResponse]:
    """Every public event of a tournament after a position, in order; ends only when it is closed.

    With a ``first_division``, which is another tournament, what it says of the divisions of the championship too.
    """
    after = after_position
    rounds: dict[str, int] = {}
    while True:
        here = await progress.position()
        while after < here:
            batch = await record.read(after, limit=BATCH, tournament=tournament_id, types=PUBLIC, up_to=here)
            if any(game_of(event) not in rounds for event in batch if game_of(event)):
                rounds = await lookup.rounds_of_games(record, tournament_id)
            end = batch[-1].position if len(batch) == BATCH else here
            if first_division:
                added = await record.read(after, tournament=first_division, types=_OF_DIVISIONS, up_to=end)
                batch = sorted([*batch, *added], key=attrgetter("position"))
            for event in batch:
                yield _news(event, rounds)
            after = end
        await progress.reached(after + 1, LOOK)


def _news(event: Recorded, rounds: dict[str, int]) -> results.FollowResponse:
    game_id = game_of(event) or facts.game_of(event.message)
    recorded_at = Timestamp()
    recorded_at.FromDatetime(event.recorded_at)
    return results.FollowResponse(
        position=event.position,
        type=event.name,
        game_id=game_id,
        round=rounds.get(game_id, 0) or facts.round_of(event.message),
        recorded_at=recorded_at,
    )
