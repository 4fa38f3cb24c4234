"""Drafts that are published at a time, by whichever process runs then."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from tests.component.tournament.test_service import open_tournament
from tests.support.court import until
from tests.support.pairing_service import PairingService

from faristol.event_store import Record
from faristol.kernel.mentions import players_of
from faristol.kernel.times import to_timestamp
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.publication_timer import PublicationTimer


async def draft_round(service: PairingService) -> datetime:
    """Pair the first round as a draft that is published in an hour; return that time."""
    await open_tournament(service)
    publish_at = service.runtime.now() + timedelta(hours=1)
    common: dict[str, Any] = {"tournament_id": "open", "round": 1}
    await service.stub.PairRound(pb.PairRoundRequest(command_id=str(uuid.uuid4()), draft=True, **common))
    request = pb.SchedulePublicationRequest(command_id=str(uuid.uuid4()), publish_at=to_timestamp(publish_at), **common)
    await service.stub.SchedulePublication(request)
    return publish_at


async def run_for_a_while(*timers: PublicationTimer, seconds: float = 1.5) -> None:
    tasks = [asyncio.ensure_future(timer.run()) for timer in timers]
    await asyncio.sleep(seconds)
    for task in tasks:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def types_of(record: Record) -> list[str]:
    return [event.name for event in await record.read_stream("tournament-open")]


def at(moment: datetime) -> Callable[[], datetime]:
    return lambda: moment


async def test_a_draft_is_published_at_its_time_and_not_before(service: PairingService, record: Record) -> None:
    publish_at = await draft_round(service)
    await run_for_a_while(PublicationTimer(record, at(publish_at - timedelta(seconds=1))))
    assert "RoundPaired" not in await types_of(record)
    timer = asyncio.ensure_future(PublicationTimer(record, at(publish_at)).run())

    async def is_published() -> bool | None:
        return "RoundPublished" in await types_of(record) or None

    await until(is_published)
    timer.cancel()


async def test_a_publication_that_was_due_while_no_process_ran_is_made_once_by_several(
    service: PairingService, record: Record
) -> None:
    publish_at = await draft_round(service)
    late = at(publish_at + timedelta(hours=3))
    await run_for_a_while(*(PublicationTimer(record, late) for _ in range(3)), seconds=3)
    assert (await types_of(record))[-2:] == ["RoundPaired", "RoundPublished"]
    assert (await types_of(record)).count("RoundPaired") == 1


async def test_a_draft_that_cannot_be_published_stays_until_it_is_paired_again(
    service: PairingService, record: Record
) -> None:
    publish_at = await draft_round(service)
    request = pb.WithdrawPlayerRequest(command_id=str(uuid.uuid4()), tournament_id="open", player_id="p1")
    await service.stub.WithdrawPlayer(request)
    await run_for_a_while(PublicationTimer(record, at(publish_at)))
    assert "RoundPaired" not in await types_of(record)
    draft = await service.stub.GetDraft(pb.GetDraftRequest(tournament_id="open"))
    assert [each.reason for each in draft.obstacles] == ["PAIRED_AND_WITHDRAWN"]
    paired = pb.PairRoundRequest(command_id=str(uuid.uuid4()), tournament_id="open", round=1)
    await service.stub.PairRound(paired)
    await run_for_a_while(PublicationTimer(record, at(publish_at)), seconds=3)
    recorded = await record.read_stream("tournament-open")
    published = [event.message for event in recorded if isinstance(event.message, events.RoundPaired)]
    assert len(published) == 1
    assert "p1" not in players_of(published[0])
