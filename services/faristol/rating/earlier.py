"""What earlier lists of the cell say of players: how certain their ratings are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from google.protobuf.message import Message

from faristol.pb.rating.v1 import events_pb2 as events
from faristol.rating.model import TournamentView, stream, tournament_stream
from faristol.record import Record, Recorded

SLICE = 1_000
"""Lines read at once."""

_LINES = frozenset({events.RatingUpdated.DESCRIPTOR.full_name})


async def with_earlier(record: Record, tournament_id: str, tournament: TournamentView, up_to: int) -> TournamentView:
    """The tournament whose players have the deviations and volatilities of the last lists before a position."""
    known: dict[str, events.RatingUpdated] = {}
    after = 0
    while found := await record.read(after, types=_LINES, up_to=up_to, limit=SLICE):
        known.update(_lines(found, stream(tournament_id)))
        after = found[-1].position
    players = tuple(
        replace(player, deviation=known[player.player_id].deviation, volatility=known[player.player_id].volatility)
        if player.player_id in known
        else player
        for player in tournament.players
    )
    return replace(tournament, players=players)


async def first_followed(record: Record, tournament_id: str) -> int:
    """Position of the event that a published list followed when it was published first.

    Lists after that one are no earlier lists, however often this one is revised: they may rest on it.
    """
    published = next(event for event in await record.read_stream(stream(tournament_id)) if _is_published(event.message))
    for event in await record.read_stream(tournament_stream(tournament_id)):
        if event.event_id == published.metadata.causation_id:
            return event.position
    return published.position - 1


def _is_published(fact: Message) -> bool:
    return isinstance(fact, events.RatingListPublished)


def _lines(found: Iterable[Recorded], own: str) -> Iterable[tuple[str, events.RatingUpdated]]:
    for event in found:
        line = event.message
        assert isinstance(line, events.RatingUpdated)
        if event.stream != own and line.deviation:
            yield line.player_id, line
