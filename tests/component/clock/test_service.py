"""The clock over gRPC and on its own, on a real record."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from tests.component.running_clocks import deal_racks

from faristol.clock.service_module import part
from faristol.event_store import Conflict, Decision, Guard, Metadata, Record, Write
from faristol.host import Runtime, Settings
from faristol.host.rpc.interceptor import ErrorInterceptor
from faristol.host.table_store import Settled, load_table
from faristol.kernel.refusal import Refusal
from faristol.kernel.times import Instant, timestamp
from faristol.pb.clock.v1 import clock_pb2, clock_pb2_grpc
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.rules.ruleset.file import load_ruleset

START_NS = 1_700_000_000_000_000_000
SECOND_NS = 1_000_000_000
NOW = datetime(2023, 11, 14, 22, 20, tzinfo=UTC)
GAME = "cup-r1-t1"

OPENED = game_events.GameOpened(
    game_id=GAME,
    tournament_id="cup",
    player_ids=["anna", "biel"],
    ruleset=game_events.Pin(name="fisc-2023", digest=load_ruleset("fisc-2023").digest),
    occurred_at=timestamp(START_NS),
)
DEALT = deal_racks(["anna", "biel"], timestamp(START_NS - 3_600 * SECOND_NS))
STARTED = game_events.GameStarted(first_player_id="biel", occurred_at=timestamp(START_NS))
PASSED = game_events.Passed(turn=1, player_id="biel", occurred_at=timestamp(START_NS + SECOND_NS))


@pytest.fixture
async def record(tmp_path: Path) -> AsyncIterator[Record]:
    record = await Record.open(f"sqlite:///{tmp_path / 'record.db'}")
    yield record
    await record.close()


@pytest.fixture
async def clocks(record: Record) -> AsyncIterator[clock_pb2_grpc.ClockServiceAsyncStub]:
    server = grpc.aio.server(interceptors=(ErrorInterceptor(),))
    for servicer in part(Runtime(Settings.model_validate({}), record, lambda: NOW)).servicers:
        servicer.add_to(server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield clock_pb2_grpc.ClockServiceStub(channel)
    await server.stop(None)


async def play(record: Record, *events: Message) -> None:
    """Continue the game."""
    stream = f"game-{GAME}"
    version = len(await record.read_stream(stream))
    await record.append(Decision([Write(stream, version, events, "cup")]), Metadata())


async def load_settled(record: Record) -> Settled:
    """Return the table, settled."""
    settled = await load_table(record, GAME)
    assert settled is not None
    return settled


async def follow(record: Record) -> Decision:
    """Return the consequences at the table of the recorded events."""
    return (await load_settled(record)).decision()


async def events(record: Record) -> list[str]:
    return [event.name for event in await record.read_stream(f"clock-{GAME}")]


def pressing(player_id: str = "biel", at: Instant | None = None) -> clock_pb2.PressRequest:
    return clock_pb2.PressRequest(
        command_id=str(uuid.uuid4()),
        game_id=GAME,
        player_id=player_id,
        occurred_at=timestamp(at) if at else None,
    )


def problem(caught: pytest.ExceptionInfo[grpc.aio.AioRpcError]) -> tuple[grpc.StatusCode, error_details_pb2.ErrorInfo]:
    status = rpc_status.from_call(caught.value)  # type: ignore[arg-type] # an AioRpcError tells as much as a Call
    assert status is not None
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    return caught.value.code(), info


async def test_a_press_does_not_wait_for_the_clock_to_have_heard_of_the_game(
    record: Record, clocks: clock_pb2_grpc.ClockServiceAsyncStub
) -> None:
    await play(record, OPENED, *DEALT, STARTED, PASSED)
    answer = await clocks.Press(pressing(at=START_NS + 3 * SECOND_NS))
    assert await events(record) == ["ClockOpened", "ClockStarted", "ClockPressed"]
    assert (answer.used_ms, answer.position) == (3_000, await record.last_position())


async def test_the_clock_is_told_as_it_stands_in_the_record(
    record: Record, clocks: clock_pb2_grpc.ClockServiceAsyncStub
) -> None:
    await play(record, OPENED, *DEALT, STARTED, PASSED)
    await clocks.Press(pressing(at=START_NS + 3 * SECOND_NS))
    assert await clocks.GetClock(clock_pb2.GetClockRequest(game_id=GAME)) == clock_pb2.GetClockResponse(
        game_id=GAME,
        running_player_id="anna",
        running_since=timestamp(START_NS + 3 * SECOND_NS),
        running=[clock_pb2.RunningClock(player_id="anna", since=timestamp(START_NS + 3 * SECOND_NS))],
        times=[clock_events.SideTime(player_id="anna"), clock_events.SideTime(player_id="biel", used_ms=3_000)],
        allowance_ms=25 * 60_000,
        version=3,
        turn=2,
        deadline="OvertimeCapExceeded",
        deadline_at=timestamp(START_NS + (3 + 35 * 60) * SECOND_NS + SECOND_NS // 1_000),
    )


async def test_a_press_sent_twice_is_one_press_with_one_answer(
    record: Record, clocks: clock_pb2_grpc.ClockServiceAsyncStub
) -> None:
    await play(record, OPENED, *DEALT, STARTED, PASSED)
    request = pressing(at=START_NS + 3 * SECOND_NS)
    assert await clocks.Press(request) == await clocks.Press(request)
    assert (await events(record)).count("ClockPressed") == 1


async def test_a_press_without_a_time_happens_now(record: Record, clocks: clock_pb2_grpc.ClockServiceAsyncStub) -> None:
    await play(record, OPENED, *DEALT, STARTED, PASSED)
    assert (await clocks.Press(pressing())).used_ms == (NOW.timestamp() * 1000) - START_NS // 1_000_000


async def test_a_press_without_a_time_is_never_before_the_last_event(
    record: Record, clocks: clock_pb2_grpc.ClockServiceAsyncStub
) -> None:
    ahead = int(NOW.timestamp()) * SECOND_NS + 60 * SECOND_NS
    passed = game_events.Passed(turn=1, player_id="biel", occurred_at=timestamp(ahead))
    await play(record, OPENED, *DEALT, STARTED, passed)
    await clocks.Press(pressing())
    assert (await load_settled(record)).table.clock.running_since == ahead


async def test_a_refused_press_names_its_article_and_writes_nothing(
    record: Record, clocks: clock_pb2_grpc.ClockServiceAsyncStub
) -> None:
    await play(record, OPENED, *DEALT, STARTED)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await clocks.Press(pressing(at=START_NS + SECOND_NS))
    code, info = problem(caught)
    assert (code, info.reason, info.metadata["article"]) == (
        grpc.StatusCode.FAILED_PRECONDITION,
        "TURN_NOT_TAKEN",
        "FISC I.11",
    )
    assert await events(record) == []


async def test_a_press_before_the_last_event_is_an_invalid_argument(
    record: Record, clocks: clock_pb2_grpc.ClockServiceAsyncStub
) -> None:
    await play(record, OPENED, *DEALT, STARTED, PASSED)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await clocks.Press(pressing(at=START_NS))
    code, info = problem(caught)
    assert (code, info.metadata["field"]) == (grpc.StatusCode.INVALID_ARGUMENT, "occurred_at")


async def test_a_stop_holds_the_clock_where_the_book_has_it(
    record: Record, clocks: clock_pb2_grpc.ClockServiceAsyncStub
) -> None:
    opened = game_events.GameOpened()
    opened.CopyFrom(OPENED)
    opened.ruleset.name, opened.ruleset.digest = "pes-2024", load_ruleset("pes-2024").digest
    await play(record, opened, *DEALT, STARTED, PASSED)
    request = clock_pb2.StopRequest(
        command_id=str(uuid.uuid4()), game_id=GAME, player_id="biel", occurred_at=timestamp(START_NS + 3 * SECOND_NS)
    )
    answer = await clocks.Stop(request)
    assert (answer.used_ms, answer.too_late) == (3_000, False)
    shown = await clocks.GetClock(clock_pb2.GetClockRequest(game_id=GAME))
    assert (shown.held, shown.running_player_id, shown.turn_used_ms) == (True, "", 3_000)


async def test_what_an_arbiter_does_to_a_clock_is_on_the_record_with_the_arbiter(
    record: Record, clocks: clock_pb2_grpc.ClockServiceAsyncStub
) -> None:
    await play(record, OPENED, *DEALT, STARTED)
    common: dict[str, Any] = {"game_id": GAME, "arbiter_id": "arbiter-1"}
    reason = clock_events.NEUTRALISATION_REASON_FORCE_MAJEURE
    await clocks.Neutralise(clock_pb2.NeutraliseRequest(command_id=str(uuid.uuid4()), reason=reason, **common))
    assert (await clocks.GetClock(clock_pb2.GetClockRequest(game_id=GAME))).reason == reason
    await clocks.Resume(clock_pb2.ResumeRequest(command_id=str(uuid.uuid4()), **common))
    await clocks.CorrectClock(
        clock_pb2.CorrectClockRequest(
            command_id=str(uuid.uuid4()),
            player_id="biel",
            used_ms=7_000,
            reason=clock_events.CORRECTION_REASON_DEVICE,
            **common,
        )
    )
    shown = await clocks.GetClock(clock_pb2.GetClockRequest(game_id=GAME))
    assert [side.used_ms for side in shown.times] == [0, 7_000]
    written: list[Any] = [event.message for event in await record.read_stream(f"clock-{GAME}")][2:]
    assert [message.arbiter_id for message in written] == ["arbiter-1"] * 3


async def test_players_who_are_not_there_are_noted_and_come(
    record: Record, clocks: clock_pb2_grpc.ClockServiceAsyncStub
) -> None:
    await play(record, OPENED, *DEALT, STARTED)
    who: dict[str, Any] = {"game_id": GAME, "player_id": "anna"}
    minute = timestamp(START_NS + 60 * SECOND_NS)
    await clocks.ReportAbsence(
        clock_pb2.ReportAbsenceRequest(command_id=str(uuid.uuid4()), arbiter_id="arbiter-1", occurred_at=minute, **who)
    )
    shown = await clocks.GetClock(clock_pb2.GetClockRequest(game_id=GAME))
    assert (list(shown.absent_player_ids), shown.deadline) == (["anna"], "TimeForfeited")
    two_minutes = timestamp(START_NS + 120 * SECOND_NS)
    await clocks.RecordArrival(
        clock_pb2.RecordArrivalRequest(command_id=str(uuid.uuid4()), occurred_at=two_minutes, **who)
    )
    await clocks.LeaveTable(
        clock_pb2.LeaveTableRequest(command_id=str(uuid.uuid4()), told=True, occurred_at=two_minutes, **who)
    )
    shown = await clocks.GetClock(clock_pb2.GetClockRequest(game_id=GAME))
    assert (list(shown.absent_player_ids), list(shown.away_player_ids)) == ([], ["anna"])
    await clocks.ReturnToTable(clock_pb2.ReturnToTableRequest(command_id=str(uuid.uuid4()), **who))
    assert (await events(record))[2:] == [
        "PlayerAbsent",
        "PlayerArrived",
        "ClockStarted",
        "PlayerLeft",
        "PlayerReturned",
    ]


async def test_an_arbiter_ends_the_time_of_the_round(
    record: Record, clocks: clock_pb2_grpc.ClockServiceAsyncStub
) -> None:
    await play(record, OPENED, *DEALT, STARTED)
    await clocks.ExpireRoundTime(
        clock_pb2.ExpireRoundTimeRequest(command_id=str(uuid.uuid4()), game_id=GAME, arbiter_id="arbiter-1")
    )
    shown = await clocks.GetClock(clock_pb2.GetClockRequest(game_id=GAME))
    assert (shown.round_time_over, shown.last_turn, shown.deadline) == (True, 4, "TurnTimedOut")


async def test_a_press_that_comes_too_late_says_so(
    record: Record, clocks: clock_pb2_grpc.ClockServiceAsyncStub
) -> None:
    started = game_events.GameStarted(first_player_id="biel", occurred_at=timestamp(START_NS - 40 * 60 * SECOND_NS))
    await play(record, OPENED, *DEALT, started, PASSED)
    answer = await clocks.Press(pressing())
    assert (answer.too_late, answer.used_ms) == (True, 35 * 60_000)
    assert (await events(record))[-2:] == ["OvertimeCapExceeded", "ClockStopped"]


async def test_a_time_that_is_over_goes_on_the_record_when_it_is_claimed(
    record: Record, clocks: clock_pb2_grpc.ClockServiceAsyncStub
) -> None:
    started = game_events.GameStarted(first_player_id="biel", occurred_at=timestamp(START_NS - 40 * 60 * SECOND_NS))
    await play(record, OPENED, *DEALT, started)
    claim = clock_pb2.ClaimTimeRequest(command_id=str(uuid.uuid4()), game_id=GAME, player_id="anna")
    answer = await clocks.ClaimTime(claim)
    assert answer.position == await record.last_position()
    assert (await events(record))[-2:] == ["OvertimeCapExceeded", "ClockStopped"]


async def test_what_does_not_exist_is_not_found_by_its_id(clocks: clock_pb2_grpc.ClockServiceAsyncStub) -> None:
    for call in (clocks.Press(pressing()), clocks.GetClock(clock_pb2.GetClockRequest(game_id=GAME))):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call
        code, info = problem(caught)
        assert (code, info.metadata["id"]) == (grpc.StatusCode.NOT_FOUND, GAME)


async def test_the_clock_follows_its_game_once(record: Record) -> None:
    await play(record, OPENED, *DEALT, STARTED)
    decision = await follow(record)
    await record.append(decision, Metadata())
    assert await events(record) == ["ClockOpened", "ClockStarted"]
    assert not (await follow(record)).writes


async def test_what_the_clock_decides_holds_only_for_the_game_that_it_saw(record: Record) -> None:
    await play(record, OPENED, *DEALT, STARTED)
    decision = await follow(record)
    assert list(decision.guards) == [Guard(f"game-{GAME}", 4)]
    await play(record, PASSED)
    with pytest.raises(Conflict) as caught:
        await record.append(decision, Metadata())
    assert caught.value.stream == f"game-{GAME}"
    assert await events(record) == []


async def test_what_two_replicas_decide_at_once_is_written_once(record: Record) -> None:
    await play(record, OPENED, *DEALT, STARTED)
    first, second = await follow(record), await follow(record)
    await record.append(first, Metadata())
    with pytest.raises(Conflict):
        await record.append(second, Metadata())
    assert not (await follow(record)).writes


async def test_a_clock_that_is_behind_its_game_follows_all_of_it(record: Record) -> None:
    raised = game_events.ChallengeRaised(turn=1, challenge=1, occurred_at=timestamp(START_NS + 2 * SECOND_NS))
    ruled = game_events.ChallengeRuled(turn=1, challenge=1, valid=True, occurred_at=timestamp(START_NS + 2 * SECOND_NS))
    placed = game_events.PlayPlaced(turn=1, player_id="biel", occurred_at=timestamp(START_NS + SECOND_NS))
    written = game_events.ScoreWritten(turn=1, player_id="biel", occurred_at=timestamp(START_NS + 2 * SECOND_NS))
    await play(record, OPENED, *DEALT, STARTED, placed, raised, ruled, written)
    await record.append(await follow(record), Metadata())
    assert await events(record) == ["ClockOpened", "ClockStarted", "ClockNeutralised", "ClockResumed"]
    assert not (await follow(record)).writes


async def test_a_ruleset_other_than_the_pinned_one_stops_the_clock_with_both_digests(record: Record) -> None:
    opened = game_events.GameOpened()
    opened.CopyFrom(OPENED)
    opened.ruleset.digest = "0" * 64
    await play(record, opened, *DEALT, STARTED)
    with pytest.raises(Refusal) as caught:
        await follow(record)
    assert caught.value.reason == "RULESET_MISSING"
    assert "0" * 64 in str(caught.value)


async def test_what_follows_from_the_game_is_shown_before_the_clock_has_heard_of_it(
    record: Record, clocks: clock_pb2_grpc.ClockServiceAsyncStub
) -> None:
    await play(record, OPENED, *DEALT, STARTED)
    await record.append(await follow(record), Metadata())
    placed = game_events.PlayPlaced(turn=1, player_id="biel", score=2, occurred_at=timestamp(START_NS + SECOND_NS))
    raised = game_events.ChallengeRaised(
        turn=1, challenge=1, player_id="anna", occurred_at=timestamp(START_NS + SECOND_NS)
    )
    await play(record, placed, raised)
    before = await clocks.GetClock(clock_pb2.GetClockRequest(game_id=GAME))
    assert (before.running_player_id, before.neutralised, before.following) == ("", True, 1)
    await record.append(await follow(record), Metadata())
    after = await clocks.GetClock(clock_pb2.GetClockRequest(game_id=GAME))
    assert (after.running_player_id, after.neutralised, after.following) == ("", True, 0)
