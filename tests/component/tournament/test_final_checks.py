"""The checks before a tournament is finalised, on a record with what they look for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from sqlalchemy import insert
from tests.component.tournament.test_stages import ask, open_tournament, play_round, reason
from tests.support.pairing_service import PairingService

from faristol.consumers import tables
from faristol.event_store import Decision, Metadata, Write
from faristol.event_store.backends.tables import checkpoints
from faristol.host.halls.heartbeats import note_heartbeat
from faristol.pb.hall.v1 import events_pb2 as hall
from faristol.pb.lexicon.v1 import events_pb2 as lexicon
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.presentation.labels import FINAL_CHECKS

NOW = Timestamp(seconds=1_700_000_000)


async def with_consumers(service: PairingService) -> None:
    """Create the tables of consumers, as every process with a reaction does at its start."""
    async with service.record.writing() as connection:
        await tables.make(connection)


async def publish(service: PairingService) -> None:
    """Play the tournament ``open`` of five rounds, and publish its final standings."""
    await with_consumers(service)
    await open_tournament(service)
    for number in range(1, 6):
        await play_round(service, number)
    await ask(service, pb.PublishStandingsRequest())


async def write(service: PairingService, stream: str, *messages: Message) -> None:
    """Write events of another service to the record of the tournament ``open``."""
    version = len(await service.record.events(stream))
    await service.record.append(Decision([Write(stream, version, [*messages], "open")]), Metadata(actor="test"))


async def open_of(service: PairingService) -> Mapping[events.FinalCheck.ValueType, tuple[int, list[str]]]:
    """Return what is open, by check."""
    answer = await ask(service, pb.ListFinalChecksRequest())
    assert [found.check for found in answer.checks] == [*FINAL_CHECKS]
    return {found.check: (found.open, [*found.subjects]) for found in answer.checks if found.open}


async def test_a_tournament_without_open_matters_is_finalised_once(service: PairingService) -> None:
    await with_consumers(service)
    await open_tournament(service)
    assert await reason(ask(service, pb.FinaliseTournamentRequest())) == "NOT_PUBLISHED"
    for number in range(1, 6):
        await play_round(service, number)
    await ask(service, pb.PublishStandingsRequest())
    assert await open_of(service) == {}

    answer = await ask(service, pb.FinaliseTournamentRequest())

    assert not answer.excused
    assert (await ask(service, pb.ListFinalChecksRequest())).finalised
    assert await reason(ask(service, pb.FinaliseTournamentRequest())) == "FINALISED"


async def test_every_check_sees_what_it_looks_for_and_a_reason_is_kept_beside_the_record(
    service: PairingService,
) -> None:
    await publish(service)
    await plant_everything(service)
    found = await open_of(service)
    assert found == {
        events.FINAL_CHECK_CASES: (1, ["open-r1-t1"]),
        events.FINAL_CHECK_REQUESTS: (1, ["p1"]),
        events.FINAL_CHECK_UNSENT: (7, ["hort"]),
        events.FINAL_CHECK_HALLS: (1, ["hort"]),
        events.FINAL_CHECK_KEPT_ASIDE: (3, ["hort"]),
        events.FINAL_CHECK_PARKED: (1, ["rating.results"]),
        events.FINAL_CHECK_SEALS: (2, ["sealer", "witness:folder:0a1b2c3d"]),
    }
    assert await reason(ask(service, pb.FinaliseTournamentRequest())) == "FINAL_CHECK_OPEN"

    reasons = [pb.FinalReason(check=check, reason=f"Reason {check}.") for check in found]
    answer = await ask(service, pb.FinaliseTournamentRequest(reasons=reasons))

    assert [*answer.excused] == [*found]
    acts = (await ask(service, pb.ListActsRequest())).acts
    assert [act.note for act in acts if act.type == "FinalCheckExcused"] == [f"Reason {check}." for check in found]
    (ended,) = [act for act in acts if act.type == "TournamentFinalised"]
    assert "checks: results, shadow" in ended.details
    for event in await service.record.read_stream("tournament-open"):
        assert b"Reason" not in event.message.SerializeToString(), "the record has reasons beside events only"


async def test_settled_matters_are_open_no_longer(service: PairingService) -> None:
    await publish(service)
    await plant_everything(service)
    await write(service, "case-1", lexicon.CaseRuled(case_id="1", occurred_at=NOW))
    await write(
        service,
        "halls-open",
        hall.HallCaughtUp(hall="hort", occurred_at=NOW),
        hall.KeptAsideDecided(number=1, verdict=hall.ASIDE_VERDICT_DISREGARDED, occurred_at=NOW),
    )
    await note_heartbeat(service.record, "open", "hort", 0)

    assert set(await open_of(service)) == {
        events.FINAL_CHECK_REQUESTS,
        events.FINAL_CHECK_PARKED,
        events.FINAL_CHECK_SEALS,
    }


async def plant_everything(service: PairingService) -> None:
    """Leave something open for each check but that of results, which a closed round cannot have."""
    await write(service, "case-1", lexicon.CaseOpened(case_id="1", game_id="open-r1-t1", occurred_at=NOW))
    await ask(service, pb.LodgeDataRequestRequest(player_id="p1", kind=events.DATA_REQUEST_KIND_ERASURE))
    kept = hall.EventsKeptAside(number=1, hall="hort", game_id="open-r1-t1", events=3, occurred_at=NOW)
    await write(
        service,
        "halls-open",
        hall.HallJoined(hall="hort", key=b"k", occurred_at=NOW),
        hall.HallFellBehind(hall="hort", since=NOW, occurred_at=NOW),
        kept,
    )
    await note_heartbeat(service.record, "open", "hort", 7)
    row: dict[str, Any] = {
        "consumer": "rating.results",
        "key": "tournament-open",
        "tournament": "open",
        "done": 0,
        "position": 1,
        "event_id": "e",
        "type": "T",
        "stream": "tournament-open",
        "error": "",
        "since": 0,
        "attempts": 1,
        "retry": False,
    }
    async with service.record.writing() as connection:
        await connection.execute(insert(tables.parked).values(**row))
        await connection.execute(insert(checkpoints).values(consumer="rating.results", position=1))
        await connection.execute(insert(checkpoints).values(consumer="witness:folder:0a1b2c3d", position=1))
