"""Questions of the record: its news, its seals and what follows it."""

from __future__ import annotations

from collections.abc import AsyncIterator

from faristol.bus.status import status
from faristol.host.dispatch import Context
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_
from faristol.pb.results.v1 import results_pb2 as results
from faristol.results import lookup, news, operation
from faristol.results.models import NO_POSITION, ReadModels

SEALS = 100
"""Seals in one answer, when no other number is asked for."""

MOST_SEALS = 1_000
"""Seals that may be asked for at once."""


async def get_status(
    models: ReadModels, request: results.GetStatusRequest, context: Context
) -> results.GetStatusResponse:
    """Where everything stands that follows the record."""
    return operation.answer(*await status(models.record, models.pace), models.record.trouble)


async def follow(
    models: ReadModels, request: results.FollowRequest, context: Context
) -> AsyncIterator[results.FollowResponse]:
    """News of a tournament from a position on, then live."""
    if request.after_position < 0:
        raise Invalid("after_position", NO_POSITION, {"position": request.after_position})
    head = (await lookup.tournament(models.record, request.tournament_id)).head
    first, after = head.division_of, request.after_position
    async for piece in news.follow(models.record, models.progress, head.tournament_id, after, first_division=first):
        yield piece


async def list_seals(
    models: ReadModels, request: results.ListSealsRequest, context: Context
) -> results.ListSealsResponse:
    """Seals of the record, from a position on, or the newest."""
    if request.after_position < 0:
        raise Invalid("after_position", NO_POSITION, {"position": request.after_position})
    if not 0 <= request.limit <= MOST_SEALS:
        raise Invalid(
            "limit",
            N_("{limit} cannot be asked for: expected 1 to {most}, or 0 for {usual}"),
            {"limit": request.limit, "most": MOST_SEALS, "usual": SEALS},
        )
    return await lookup.seals(models.record, request.after_position, request.limit or SEALS, newest=request.newest)
