"""The projection: events in, rows out, by ``model.apply`` alone."""

from __future__ import annotations

from collections.abc import Sequence

from google.protobuf.message import Message
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.bus import Projection
from faristol.pb.results.v1 import results_pb2 as results
from faristol.record import Recorded
from faristol.results import store
from faristol.results.broken import Broken
from faristol.results.model import TYPES, View, apply
from faristol.results.store import Kind, Sheaf, round_id


def projection() -> Projection:
    """The read models as a projection."""
    return Projection(name="results", version=store.VERSION, types=TYPES, tables=store.metadata, apply=apply_batch)


async def apply_batch(connection: AsyncConnection, batch: Sequence[Recorded]) -> None:
    """Apply events, in the order of their positions. Raises ``Broken``, naming the event that cannot be applied."""
    sheaf = Sheaf(connection)
    for event in batch:
        try:
            await _apply_one(sheaf, event)
        except Broken as problem:
            raise Broken(f"event {event.position} on {event.stream}: {problem}") from problem
    await sheaf.write()


async def _apply_one(sheaf: Sheaf, event: Recorded) -> None:
    message = event.message
    tournament_id = event.tournament
    game_id = game_of(event)
    game = await sheaf.get(Kind.GAME, game_id, results.GetGameResponse) if game_id else None
    number: int = game.round if game else getattr(message, "round", 0)
    before = View(
        tournament=await sheaf.get(Kind.TOURNAMENT, tournament_id, results.Tournament),
        players=await sheaf.get(Kind.PLAYERS, tournament_id, results.ListPlayersResponse),
        round=await sheaf.get(Kind.ROUND, round_id(tournament_id, number), results.GetPairingsResponse),
        game=game,
    )
    after = apply(before, message)
    changes: tuple[tuple[Kind, str, Message | None, Message | None], ...] = (
        (Kind.TOURNAMENT, tournament_id, before.tournament, after.tournament),
        (Kind.PLAYERS, tournament_id, before.players, after.players),
        (Kind.ROUND, round_id(tournament_id, number), before.round, after.round),
        (Kind.GAME, game_id, before.game, after.game),
    )
    for kind, row_id, old, new in changes:
        if new is not old and new is not None:
            sheaf.put(kind, row_id, tournament_id, event.position, new)


def game_of(event: Recorded) -> str:
    """The game whose table or clock an event is of; empty for the tournament's own."""
    kind, _, game_id = event.stream.partition("-")
    return game_id if kind in {"game", "clock"} else ""
