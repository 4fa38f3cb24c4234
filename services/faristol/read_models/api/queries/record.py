"""Queries of the record: its events, its seals and its consumers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing

from faristol.consumers.status import status
from faristol.event_store import stored
from faristol.event_store.integrity import seals as record_seals
from faristol.host.rpc.dispatch import Context
from faristol.host.security.authorization import caller
from faristol.kernel.errors import Invalid, check_range
from faristol.kernel.likeness import like
from faristol.kernel.refusal import N_
from faristol.kernel.times import timestamp
from faristol.kernel.topics import Topic
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.api import operation
from faristol.read_models.api.event_tail import MayKnow
from faristol.read_models.storage import lookup
from faristol.read_models.storage.models import NO_POSITION, ReadModels
from faristol.webhooks import registry

DEFAULT_SEALS = 100
"""Seals in one answer by default."""

MAX_SEALS = 1_000
"""Most seals in one answer."""

MAX_SUBSCRIPTION_VALUES = 1_000
"""Tournaments, games, rounds, tables and types that a subscription may name, of each."""


async def get_status(
    models: ReadModels, request: results.GetStatusRequest, context: Context
) -> results.GetStatusResponse:
    """Return the status of the consumers of the record."""
    async with models.record.reading() as connection:
        webhooks = await registry.numbers(connection)
    return operation.answer(*await status(models.record, models.pace), models.record.trouble, webhooks)


async def follow(
    models: ReadModels, request: results.FollowRequest, context: Context
) -> AsyncIterator[results.FollowResponse]:
    """Yield events of tournaments after a position, then live ones."""
    if request.after_position < 0:
        raise Invalid("after_position", NO_POSITION, {"position": request.after_position})
    for field in ("limit", "last"):
        if (number := getattr(request, field)) < 0:
            raise Invalid(field, N_("{number} is below 0"), {"number": number})
    for field in ("tournament_ids", "game_ids", "rounds", "tables", "types"):
        if len(getattr(request, field)) > MAX_SUBSCRIPTION_VALUES:
            raise Invalid(field, N_("expected {most} at most"), {"most": MAX_SUBSCRIPTION_VALUES})
    named = {*request.tournament_ids, *filter(None, [request.tournament_id])}
    division_of = {each: (await lookup.tournament(models.record, each)).head.division_of for each in sorted(named)}
    topic = Topic.of(division_of, request.game_ids, request.rounds, request.tables, request.types)
    last = request.last if request.HasField("last") else None
    events = models.tail.follow(
        topic,
        request.after_position,
        limit=request.limit,
        marks=request.marks,
        last=last,
        may_know=_may_know(models) if request.for_officials else None,
    )
    async with aclosing(events):
        async for news in events:
            yield news


def _may_know(models: ReadModels) -> MayKnow:
    """Return a check of which events for officials the caller may know; all of them if access is not checked."""
    admission, credential = models.admission(), caller()

    async def ask_admission(news: results.FollowResponse) -> bool:
        if admission is None or credential is None:
            return admission is None
        return await admission.may_know(credential, news.tournament_id, news.game_id, news.case_id)

    return ask_admission


async def list_seals(
    models: ReadModels, request: results.ListSealsRequest, context: Context
) -> results.ListSealsResponse:
    """List seals that reach beyond a position, or only the newest, with the record's end at that moment."""
    if request.after_position < 0:
        raise Invalid("after_position", NO_POSITION, {"position": request.after_position})
    check_range("limit", request.limit, 0, MAX_SEALS)
    async with models.record.reading() as connection:
        end, _ = await stored.end(connection)
        if request.newest:
            last = await record_seals.last(connection)
            found = [last] if last else []
        else:
            found = await record_seals.read(connection, request.after_position, request.limit or DEFAULT_SEALS)
    seals = [
        like(results.Seal, seal, sealed_at=timestamp(seal.sealed_at * 1_000), statement=seal.statement.decode())
        for seal in found
    ]
    return results.ListSealsResponse(seals=seals, position=end)
