"""A hall cell and its championship on real records: a table goes to the hall, is played there, and comes back."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy.ext.asyncio import AsyncConnection
from tests.component.game.hall_cells import (
    GRAN,
    NOW,
    Cell,
    Hall,
    command,
    create_tournament,
    reason,
    serve,
    start_round,
    streams,
)
from tests.support.table_games import SEED

from faristol.client.problems import reason_of
from faristol.event_store import AppendCommand, Decision, Metadata, Write
from faristol.event_store.append.copies import Divergence
from faristol.event_store.append.extracts import extract
from faristol.event_store.beside_events.bindings import list_stored_names
from faristol.event_store.event import GENESIS
from faristol.event_store.folds import Folds
from faristol.event_store.integrity.verification import verify
from faristol.game.halls import asides
from faristol.game.halls.following import HallFilter
from faristol.host.halls import wire
from faristol.host.halls.kept import kept_stream, outcome_stream
from faristol.host.table_store import Halves, _halves, game_stream, load_table
from faristol.kernel.times import to_timestamp
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.pb.hall.v1 import events_pb2 as hall_events
from faristol.pb.hall.v1 import hall_pb2 as pb
from faristol.pb.lexicon.v1 import events_pb2 as lexicon_events
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.personal_data.erasure import erase
from faristol.personal_data.people import store_player, when_erased
from faristol.rules import derive_seed
from faristol.table import ownership


@pytest.fixture
async def championship(tmp_path: Path) -> AsyncIterator[Cell]:
    async with serve(tmp_path / "championship.db") as cell:
        await create_tournament(cell)
        yield cell


@pytest.fixture
async def hall(tmp_path: Path, championship: Cell) -> AsyncIterator[Hall]:
    async with serve(tmp_path / "hall.db") as cell:
        joined = Hall(cell, championship)
        await joined.join()
        yield joined


STREAMS = "game", "clock"
ONE, TWO, OTHER = "cup-r1-t1", "cup-r1-t2", "cup-r1-t3"


@pytest.fixture
async def playing(championship: Cell, hall: Hall) -> Hall:
    """Return the hall after a round has started and it has followed."""
    await start_round(championship)
    await hall.follow()
    return hall


async def test_a_table_opens_as_one_of_the_hall_that_has_joined(playing: Hall) -> None:
    championship = playing.championship
    for game, is_halls in ((ONE, True), (TWO, True), (OTHER, False)):
        assert ("TableHandedOver" in await championship.names(game)) is is_halls
    assert "TABLE_HANDED_OVER" in await reason(championship.do(ONE))
    await championship.do(OTHER)


async def test_the_hall_has_its_tables_as_they_are_and_none_of_another_hall(playing: Hall) -> None:
    for game in (ONE, TWO):
        assert await streams(playing.cell, game) == await streams(playing.championship, game)
    assert await playing.cell.record.read_stream(f"game-{OTHER}") == []
    assert (await verify(playing.cell.record)).wrong == ""


async def test_tables_of_a_round_that_is_paired_while_the_hall_follows_are_followed(
    championship: Cell, hall: Hall
) -> None:
    wanted = HallFilter(championship.record, "cup", GRAN)
    await wanted.begin()
    position = await championship.record.last_position()
    await start_round(championship)
    found = await extract(championship.record, position, wanted)
    streams_found = {event.stream for event in found.batch.events}
    assert {f"game-{ONE}", f"game-{TWO}"} <= streams_found
    assert f"game-{OTHER}" not in streams_found


async def test_each_answer_states_the_position_after_which_its_events_come(playing: Hall) -> None:
    half = playing.position // 2
    for after in (0, half, playing.position, playing.position + 4_096):
        request = pb.FollowChampionshipRequest(tournament_id="cup", hall=GRAN, after_position=after)
        call = playing.championship.halls.FollowChampionship(request)
        response = await call.read()
        assert isinstance(response, pb.FollowChampionshipResponse)
        assert response.after_position == after
        call.cancel()


async def test_events_that_a_cell_sends_during_its_call_come_back_in_later_calls_only(playing: Hall) -> None:
    request = pb.FollowChampionshipRequest(
        tournament_id="cup", hall=GRAN, after_position=playing.position, key=playing.key
    )

    async def read(call: Any) -> set[str]:
        """Return the streams of the events in the next response."""
        return {event.stream for event in (await call.read()).events}

    call = playing.championship.halls.FollowChampionship(request)
    assert not await read(call)
    await playing.cell.do(ONE)
    await playing.push(await playing.batch(ONE))
    announced = pairing_events.RoundPublished(round=1, occurred_at=to_timestamp(NOW))
    await playing.championship.write("tournament-cup", announced)
    assert await read(call) == {"tournament-cup"}
    call.cancel()
    again = playing.championship.halls.FollowChampionship(request)
    assert {f"game-{ONE}", "tournament-cup"} <= await read(again)
    again.cancel()


async def test_the_state_that_a_batch_leaves_in_memory_is_that_of_the_record(playing: Hall) -> None:
    record = playing.championship.record
    await load_table(record, ONE)
    for _ in range(3):
        await playing.cell.do(ONE)
        await playing.push(await playing.batch(ONE))
        in_memory = record.folds.last(_halves, game_stream(ONE))
        assert in_memory is not None
        assert in_memory.version == sum(map(len, [await record.read_stream(f"{kind}-{ONE}") for kind in STREAMS]))
        record.folds = Folds()
        settled = await load_table(record, ONE)
        assert settled is not None
        assert settled.recorded is not None
        of_record = Halves(settled.recorded.game, settled.recorded.clock, settled.versions)
        assert in_memory.state == of_record
        assert in_memory.state.versions == of_record.versions


async def test_a_turn_of_the_hall_is_in_the_championship_as_it_was_written(playing: Hall) -> None:
    await playing.cell.do(ONE)
    await playing.cell.do(ONE)
    answer = await playing.push(await playing.batch(ONE))
    assert not answer.aside
    assert await streams(playing.championship, ONE) == await streams(playing.cell, ONE)
    assert {each.stream for each in answer.versions} == {f"game-{ONE}", f"clock-{ONE}"}
    assert (await verify(playing.championship.record)).wrong == ""


async def test_a_batch_that_comes_again_has_no_effect(playing: Hall) -> None:
    await playing.cell.do(ONE)
    batch = await playing.batch(ONE)
    await playing.push(batch)
    end = await playing.championship.record.last_position()
    assert not (await playing.push(batch)).aside
    assert await playing.championship.record.last_position() == end


async def test_events_after_a_gap_are_refused_with_the_version_that_is_there(playing: Hall) -> None:
    await playing.cell.do(ONE)
    first = await playing.cell.record.last_position()
    await playing.cell.do(ONE)
    assert "EVENTS_MISSING" in await reason(playing.push(await playing.batch(ONE, after=first)))


async def test_a_batch_with_a_wrong_signature_is_refused(playing: Hall) -> None:
    await playing.cell.do(ONE)
    batch = await playing.batch(ONE)
    assert "INVALID_ARGUMENT signature" in await reason(playing.push(batch, key=Ed25519PrivateKey.generate()))


@pytest.mark.parametrize(
    ("field", "value"), [("address", "javascript:alert(1)"), ("address", "https://a/<b>"), ("version", "<b>1</b>")]
)
async def test_a_hall_joins_with_an_address_and_a_version_alone(playing: Hall, field: str, value: str) -> None:
    request = pb.JoinHallRequest(command_id=command(), tournament_id="cup", hall=playing.name, key=playing.key)
    setattr(request, field, value)
    assert f"INVALID_ARGUMENT {field}" in await reason(playing.championship.halls.JoinHall(request))


HOSTILE: Sequence[tuple[str, str]] = [
    ("another hall's table", "is not in this hall"),
    ("the tournament's stream", "is not in the stream of a table"),
    ("what another hall keeps", "is not in the stream of a table"),
    ("the outcomes of kept commands", "is not in the stream of a table"),
]
"""Batches that no honest hall sends."""

WRONG: Sequence[tuple[str, str]] = [
    ("a rewritten event", "do not give its hash"),
    ("a past date", "before the table was handed over"),
    ("a future date", "in the future"),
    ("a table that it opens", "not an event of a table in play"),
    ("a player of another table", "does not sit at the table"),
    ("a turn that the table cannot take", "of turn 9, and turn 1"),
    ("after the return", "comes after the return of the table"),
    ("a ruling of a judge", "a hall rules by the lexicon only"),
    ("a command without its answer", "the answer to its command"),
]
"""Wrong events of one table."""


@pytest.mark.parametrize(("attack", "said"), HOSTILE)
async def test_a_hostile_hall_changes_nothing(playing: Hall, attack: str, said: str) -> None:
    await playing.cell.do(ONE)
    batch = await playing.batch(ONE)
    forge(batch, attack, playing.key, b"")
    end = await playing.championship.record.last_position()
    assert said in await reason(playing.push(batch))
    assert await playing.championship.record.last_position() == end
    (line,) = (await playing.championship.halls.ListHalls(pb.ListHallsRequest(tournament_id="cup"))).halls
    assert line.refusal == pb.PUSH_REFUSAL_INVALID


@pytest.mark.parametrize(("attack", "said"), WRONG)
async def test_a_wrong_event_has_an_effect_on_its_own_table_only(playing: Hall, attack: str, said: str) -> None:
    championship = playing.championship
    before = await streams(championship, ONE)
    for game in (TWO, ONE):
        await playing.cell.do(game)
    batch = await playing.batch(ONE, TWO)
    last = await championship.record.last_events({f"game-{ONE}"})
    forge(batch, attack, playing.key, last[f"game-{ONE}"].hash)
    for _ in range(2):
        answer = await playing.push(batch)
        assert [(each.game_id, each.reason) for each in answer.aside] == [(ONE, hall_events.ASIDE_REASON_INVALID)]
    assert await streams(championship, TWO) == await streams(playing.cell, TWO)
    assert await streams(championship, ONE) == before
    (kept,) = (await championship.halls.ListKeptAside(pb.ListKeptAsideRequest(tournament_id="cup"))).aside
    assert said in kept.problem
    (line,) = (await championship.halls.ListHalls(pb.ListHallsRequest(tournament_id="cup"))).halls
    assert line.aside == kept.count == len(kept.events)
    assert (await verify(championship.record)).wrong == ""


async def test_a_command_that_is_none_ends_what_the_hall_keeps_and_no_table(playing: Hall) -> None:
    await playing.cell.do(ONE)
    batch = await playing.batch(ONE)
    forge(batch, "a play among the commands that it keeps", playing.key, b"")
    await playing.push(batch)
    (kept, *_) = (await playing.championship.halls.ListKeptAside(pb.ListKeptAsideRequest(tournament_id="cup"))).aside
    assert (kept.game_id, kept.reason) == ("", hall_events.ASIDE_REASON_INVALID)
    assert "is not a command that this hall keeps" in kept.problem


async def impose_without_arbiter(hall: Hall, game_id: str) -> None:
    """Write an event that no rule writes into the record of a hall, whose state can take it."""
    settled = await load_table(hall.cell.record, game_id)
    assert settled is not None
    imposed = events.SanctionImposed(
        turn=settled.game.turn,
        player_id=settled.game.mover,
        kind=events.SANCTION_KIND_WARNING,
        note="Invented",
        occurred_at=to_timestamp(hall.cell.now()),
    )
    await hall.cell.record.append(settled.decision([imposed]), Metadata())


async def decide(championship: Cell, number: int, verdict: hall_events.AsideVerdict.ValueType) -> int:
    """Give a verdict, and return the number of events that it added."""
    request = pb.DecideKeptAsideRequest(
        command_id=command(), tournament_id="cup", number=number, verdict=verdict, arbiter_id="rosa"
    )
    return (await championship.halls.DecideKeptAside(request)).added


async def test_a_table_goes_on_with_its_later_events_after_a_wrong_one_was_disregarded(playing: Hall) -> None:
    championship = playing.championship
    await playing.cell.do(ONE)
    await impose_without_arbiter(playing, ONE)
    for _ in range(2):
        await playing.cell.do(ONE)
    first = await playing.batch(ONE)
    position = await playing.cell.record.last_position()
    await playing.cell.do(ONE)
    assert [each.game_id for each in (await playing.push(first)).aside] == [ONE]
    later = await playing.batch(ONE, after=position)
    assert [each.reason for each in (await playing.push(later)).aside] == [hall_events.ASIDE_REASON_INVALID]
    assert "TABLE_HANDED_OVER" in await reason(championship.do(ONE))

    assert await decide(championship, 1, hall_events.ASIDE_VERDICT_DISREGARDED) > 0
    here = [name for name in await championship.names(ONE) if name != "TableTakenBack"]
    assert here == [name for name in await playing.cell.names(ONE) if name != "SanctionImposed"]
    ours, theirs = await load_table(championship.record, ONE), await load_table(playing.cell.record, ONE)
    assert ours is not None
    assert theirs is not None
    assert (ours.game.turn, ours.game.racks) == (theirs.game.turn, theirs.game.racks)
    assert ours.table.clock.used_ms == theirs.table.clock.used_ms
    assert await decide(championship, 2, hall_events.ASIDE_VERDICT_DISREGARDED) == 0
    arbiter = clock_pb2.ResumeRequest(command_id=command(), game_id=ONE, arbiter_id="rosa")
    await championship.clocks.Resume(arbiter)
    await championship.do(ONE)
    assert (await verify(championship.record)).wrong == ""
    for batch in (first, later):
        assert len((await playing.push(batch)).aside) == 1
    assert len((await championship.halls.ListKeptAside(pb.ListKeptAsideRequest(tournament_id="cup"))).aside) == 2


async def test_a_command_that_both_cells_executed_is_kept_aside_beside_what_the_championship_did(
    playing: Hall,
) -> None:
    championship = playing.championship
    same = command()
    for cell, game in ((championship, OTHER), (playing.cell, ONE)):
        settled = await load_table(cell.record, game)
        assert settled is not None
        request = game_pb2.PassRequest(command_id=same, game_id=game, player_id=settled.game.mover)
        await cell.games.Pass(request)
    await playing.cell.do(TWO)
    answer = await playing.push(await playing.batch(ONE, TWO))
    assert [(each.game_id, each.reason) for each in answer.aside] == [(ONE, hall_events.ASIDE_REASON_COMMAND_KNOWN)]
    assert await streams(championship, TWO) == await streams(playing.cell, TWO)
    (kept,) = (await championship.halls.ListKeptAside(pb.ListKeptAsideRequest(tournament_id="cup"))).aside
    assert "Passed" in {event.type.rpartition(".")[2] for event in kept.events}
    assert [(event.stream, event.type.rpartition(".")[2]) for event in kept.here] == [(f"game-{OTHER}", "Passed")]


async def test_a_hall_follows_a_command_of_the_championship_that_it_has_executed_too(playing: Hall) -> None:
    same = command()
    settled = await load_table(playing.cell.record, ONE)
    assert settled is not None
    request = game_pb2.PassRequest(command_id=same, game_id=ONE, player_id=settled.game.mover)
    answer = await playing.cell.games.Pass(request)
    told = pairing_events.MessageSent(text="Lunch at two")
    version = len(await playing.championship.record.read_stream("tournament-cup"))
    written = Write("tournament-cup", version, [told], "cup")
    await playing.championship.record.append(
        Decision([written]), Metadata(command_id=same), command=AppendCommand(same, lambda position: b"told")
    )
    await playing.follow()
    assert (await playing.cell.record.read_stream("tournament-cup"))[-1].name == "MessageSent"
    assert await playing.cell.games.Pass(request) == answer
    assert (await verify(playing.cell.record)).wrong == ""


async def test_a_hall_cannot_fill_the_disk_with_events_that_are_kept_aside(
    playing: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    championship = playing.championship
    await playing.cell.do(ONE)
    await impose_without_arbiter(playing, ONE)
    first = await playing.batch(ONE)
    await playing.push(first)
    monkeypatch.setattr(asides, "MAX_ASIDE_EVENTS", 2)
    position = await playing.cell.record.last_position()
    for game in (TWO, ONE):
        await playing.cell.do(game)
    batch = await playing.batch(ONE, TWO, after=position)
    end = await championship.record.last_position()
    assert "ASIDE_FULL" in await reason(playing.push(batch))
    assert await streams(championship, TWO) == await streams(playing.cell, TWO)
    assert "EventsKeptAside" not in {event.name for event in await championship.record.read(end)}
    (line,) = (await championship.halls.ListHalls(pb.ListHallsRequest(tournament_id="cup"))).halls
    assert line.refusal == pb.PUSH_REFUSAL_ASIDE_FULL
    await decide(championship, 1, hall_events.ASIDE_VERDICT_ENTERED)
    assert [each.game_id for each in (await playing.push(batch)).aside] == [ONE]


async def test_events_of_many_tables_that_are_kept_aside_store_their_batch_once(playing: Hall) -> None:
    for game in (ONE, TWO):
        await playing.cell.do(game)
    await playing.championship.halls.TakeBackTables(
        pb.TakeBackTablesRequest(command_id=command(), tournament_id="cup", hall=GRAN)
    )
    await playing.push(await playing.batch(ONE, TWO))
    written = [event.message for event in await playing.championship.record.read_stream("halls-cup")][-2:]
    assert [bool(each.batch) for each in written] == [True, False]  # type: ignore[attr-defined] # events kept aside
    first, second = (await playing.championship.halls.ListKeptAside(pb.ListKeptAsideRequest(tournament_id="cup"))).aside
    for kept in (first, second):
        assert {event.stream.partition("-")[2] for event in kept.events} == {kept.game_id}


async def test_an_event_of_a_later_version_waits_until_the_championship_knows_it_or_takes_the_table_back(
    playing: Hall,
) -> None:
    await playing.cell.do(ONE)
    batch = await playing.batch(ONE)
    batch.events[-1].type = "faristol.game.v1.NotYetInvented"
    assert "EVENT_UNKNOWN" in await reason(playing.push(batch))
    (line,) = (await playing.championship.halls.ListHalls(pb.ListHallsRequest(tournament_id="cup"))).halls
    assert line.refusal == pb.PUSH_REFUSAL_UNKNOWN_EVENT
    await playing.championship.halls.TakeBackTables(
        pb.TakeBackTablesRequest(command_id=command(), tournament_id="cup", hall=GRAN, game_ids=[ONE])
    )
    assert [each.game_id for each in (await playing.push(batch)).aside] == [ONE]


def forge(batch: pb.HallBatch, attack: str, key: bytes, previous: bytes) -> None:
    """Change a batch as a hostile hall that has its key would. ``previous`` is the hash of the event before it."""
    event = batch.events[-1]
    match attack:
        case "another hall's table":
            for each in batch.events:
                each.stream = each.stream.replace("t1", "t3")
        case "a rewritten event":
            event.metadata = '{"actor":"eve"}' if "command_id" not in event.metadata else event.metadata + " "
        case "a past date" | "a future date":
            days = -1 if attack == "a past date" else 1
            event.recorded_at += days * 86_400_000_000
        case "a table that it opens":
            opened = events.GameOpened(game_id="x", tournament_id="cup")
            event.type, event.payload = opened.DESCRIPTOR.full_name, opened.SerializeToString()
        case "the tournament's stream":
            event.stream = "tournament-cup"
        case "what another hall keeps":
            event.stream = kept_stream("cup", bytes(32))
        case "the outcomes of kept commands":
            event.stream = outcome_stream("cup")
        case "a play among the commands that it keeps":
            event.stream = kept_stream("cup", key)
        case "a player of another table" | "a turn that the table cannot take":
            of_one = [each.type.endswith(".Passed") and each.stream == f"game-{ONE}" for each in batch.events]
            place = of_one.index(True)
            del batch.events[place + 1 :]
            event = batch.events[place]
            passed = events.Passed.FromString(event.payload)
            if attack == "a player of another table":
                passed.player_id = "a3"
            else:
                passed.turn = 9
            event.payload = passed.SerializeToString()
            stored = wire.to_batch([event], ()).events[0]
            event.hash = stored.hash_after(previous)
        case "a ruling of a judge":
            judged = lexicon_events.CaseOpened(
                case_id="c" * 20, game_id=event.stream.partition("-")[2], panel=1, mode=lexicon_events.MODE_JUDGE
            )
            forged = pb.HallEvent(
                stream=f"case-{judged.case_id}",
                version=1,
                event_id=str(uuid.uuid4()),
                type=judged.DESCRIPTOR.full_name,
                schema_version=1,
                tournament_id="cup",
                payload=judged.SerializeToString(),
                metadata="{}",
                recorded_at=event.recorded_at,
            )
            forged.hash = wire.to_batch([forged], ()).events[0].hash_after(GENESIS)
            batch.events.insert(0, forged)
        case "a command without its answer":
            command_id = wire.to_batch([event], ()).events[0].command_id
            kept = [answer for answer in batch.answers if answer.command_id != command_id]
            del batch.answers[:]
            batch.answers.extend(kept)
        case "after the return":
            last = next(each for each in batch.events if each.stream == f"game-{ONE}")
            returned = pb.HallEvent()
            returned.CopyFrom(last)
            returned.type, returned.payload = events.TableReturned.DESCRIPTOR.full_name, b""
            place = list(batch.events).index(last)
            last.version += 1
            batch.events.insert(place, returned)


async def test_a_second_cell_with_the_token_of_a_hall_is_refused_until_the_first_is_released(
    playing: Hall, tmp_path: Path
) -> None:
    championship = playing.championship
    async with serve(tmp_path / "second.db") as cell:
        second = Hall(cell, championship)
        assert "HALL_JOINED" in await reason(second.join())
        await championship.halls.ReleaseHall(
            pb.ReleaseHallRequest(command_id=command(), tournament_id="cup", hall=GRAN)
        )
        await second.join()
        assert "HALL_RELEASED" not in await reason(playing.join())


async def test_a_table_that_was_taken_back_goes_on_here_and_late_events_are_kept_aside(playing: Hall) -> None:
    championship = playing.championship
    await playing.cell.do(ONE)
    await playing.push(await playing.batch(ONE))
    await playing.cell.do(ONE)  # never sent in time
    taken = await championship.halls.TakeBackTables(
        pb.TakeBackTablesRequest(command_id=command(), tournament_id="cup", hall=GRAN, note="The laptop was stolen")
    )
    assert sorted(taken.game_ids) == [ONE, TWO]
    before = await streams(championship, ONE)
    batch = await playing.batch(ONE)
    for _ in range(2):
        answer = await playing.push(batch)
        assert [(each.game_id, each.reason) for each in answer.aside] == [(ONE, hall_events.ASIDE_REASON_NOT_OWNER)]
    assert await streams(championship, ONE) == before

    listed = await championship.halls.ListKeptAside(pb.ListKeptAsideRequest(tournament_id="cup"))
    (kept,) = listed.aside
    assert (kept.hall, kept.game_id, kept.epoch) == (GRAN, ONE, 1)
    assert "TableTakenBack" in {event.type.rpartition(".")[2] for event in kept.here}
    assert list(kept.events) == list(batch.events)[-kept.count :]
    assert {event.event_id for event in kept.events}.isdisjoint(event.event_id for event in before)
    await championship.halls.DecideKeptAside(
        pb.DecideKeptAsideRequest(
            command_id=command(),
            tournament_id="cup",
            number=1,
            verdict=hall_events.ASIDE_VERDICT_DISREGARDED,
            arbiter_id="rosa",
        )
    )
    listed = await championship.halls.ListKeptAside(pb.ListKeptAsideRequest(tournament_id="cup"))
    assert listed.aside[0].verdict == hall_events.ASIDE_VERDICT_DISREGARDED


async def test_late_events_are_kept_aside_once_however_a_hall_divides_them(playing: Hall) -> None:
    for _ in range(3):
        await playing.cell.do(ONE)
    begin = await playing.cell.record.last_position()
    await playing.cell.do(ONE)
    await playing.championship.halls.TakeBackTables(
        pb.TakeBackTablesRequest(command_id=command(), tournament_id="cup", hall=GRAN, game_ids=[ONE])
    )
    for after in (0, begin, 0):
        assert (await playing.push(await playing.batch(ONE, after=after))).aside
    listed = await playing.championship.halls.ListKeptAside(pb.ListKeptAsideRequest(tournament_id="cup"))
    assert len(listed.aside) == 1


async def test_the_hall_learns_that_a_table_was_taken_back(playing: Hall) -> None:
    await playing.championship.halls.TakeBackTables(
        pb.TakeBackTablesRequest(command_id=command(), tournament_id="cup", hall=GRAN, game_ids=[ONE])
    )
    await playing.follow()
    assert "TABLE_TAKEN_BACK" in await reason(playing.cell.do(ONE))
    await playing.cell.do(TWO)


async def test_a_hall_that_wrote_before_it_learns_it_finds_the_fork(playing: Hall) -> None:
    await playing.cell.do(ONE)
    await playing.championship.halls.TakeBackTables(
        pb.TakeBackTablesRequest(command_id=command(), tournament_id="cup", hall=GRAN, game_ids=[ONE])
    )
    with pytest.raises(Divergence, match=f"game-{ONE}"):
        await playing.follow()


async def test_events_of_other_tables_in_the_batch_are_taken(playing: Hall) -> None:
    await playing.cell.do(ONE)
    await playing.cell.do(TWO)
    await playing.championship.halls.TakeBackTables(
        pb.TakeBackTablesRequest(command_id=command(), tournament_id="cup", hall=GRAN, game_ids=[ONE])
    )
    batch = await playing.batch(ONE, TWO)
    answer = await playing.push(batch)
    assert [each.game_id for each in answer.aside] == [ONE]
    assert await streams(playing.championship, TWO) == await streams(playing.cell, TWO)


async def test_a_wrong_epoch_is_kept_aside(playing: Hall) -> None:
    await playing.cell.do(ONE)
    answer = await playing.push(await playing.batch(ONE, epoch=7))
    assert [each.reason for each in answer.aside] == [hall_events.ASIDE_REASON_NOT_OWNER]


async def test_events_of_a_released_hall_are_kept_aside(playing: Hall) -> None:
    await playing.cell.do(ONE)
    await playing.championship.halls.ReleaseHall(
        pb.ReleaseHallRequest(command_id=command(), tournament_id="cup", hall=GRAN)
    )
    answer = await playing.push(await playing.batch(ONE))
    assert [each.reason for each in answer.aside] == [hall_events.ASIDE_REASON_RELEASED]


async def test_a_hall_without_a_cell_is_another_refusal_than_a_hall_that_does_not_exist(playing: Hall) -> None:
    halls = playing.championship.halls
    await halls.ReleaseHall(pb.ReleaseHallRequest(command_id=command(), tournament_id="cup", hall=GRAN))
    for hall, expected in ((GRAN, "HALL_NOT_JOINED"), ("Sala Grn", "NOT_FOUND")):
        named = {"command_id": command(), "tournament_id": "cup", "hall": hall}
        for call in (
            halls.ReleaseHall(pb.ReleaseHallRequest(**named)),
            halls.HandOverTables(pb.HandOverTablesRequest(**named)),
        ):
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await call
            assert expected in {reason_of(refused.value), refused.value.code().name}


async def test_a_final_table_is_returned_and_the_championship_decides_on_it(playing: Hall) -> None:
    settled = await load_table(playing.cell.record, ONE)
    assert settled is not None
    scores = [events.FinalScore(player_id=player) for player in ("a1", "b1")]
    final = events.ResultFinal(scores=scores, occurred_at=to_timestamp(NOW))
    new_events = [final, *ownership.return_table(settled.table.after([final]), settled.table.last_at)]
    await playing.cell.record.append(settled.decision(new_events), Metadata())
    await playing.push(await playing.batch(ONE))
    here = await load_table(playing.championship.record, ONE)
    assert here is not None
    assert here.is_own
    assert await streams(playing.championship, ONE) == await streams(playing.cell, ONE)


async def test_a_hall_is_behind_when_it_was_not_heard_also_if_its_tables_were_taken_back(playing: Hall) -> None:
    championship = playing.championship

    async def line() -> pb.HallLine:
        return (await championship.halls.ListHalls(pb.ListHallsRequest(tournament_id="cup"))).halls[0]

    assert (await line()).behind_since == (await line()).joined_at
    beat = pb.HeartbeatRequest(tournament_id="cup", hall=GRAN, key=playing.key, unsent=3)
    answer = await championship.halls.Heartbeat(beat)
    assert answer.joined
    assert [each.game_id for each in answer.tables] == [ONE, TWO]
    heard = await line()
    assert not heard.HasField("behind_since")
    assert (heard.unsent, list(heard.game_ids)) == (3, [ONE, TWO])
    championship.now.at += timedelta(seconds=31)
    assert (await line()).behind_since == to_timestamp(NOW)
    other = pb.HeartbeatRequest(tournament_id="cup", hall=GRAN, key=bytes(32))
    assert not (await championship.halls.Heartbeat(other)).joined
    take_back = pb.TakeBackTablesRequest(command_id=command(), tournament_id="cup", hall=GRAN)
    await championship.halls.TakeBackTables(take_back)
    later = await line()
    assert (list(later.game_ids), later.behind_since) == ([], to_timestamp(NOW))


async def test_the_director_hands_over_tables_of_a_hall_that_joined_later(championship: Cell, tmp_path: Path) -> None:
    await start_round(championship)
    await championship.do(ONE)
    async with serve(tmp_path / "hall.db") as cell:
        hall = Hall(cell, championship)
        await hall.join()
        request = pb.HandOverTablesRequest(command_id=command(), tournament_id="cup", hall=GRAN)
        assert list((await championship.halls.HandOverTables(request)).game_ids) == [ONE, TWO]
        await hall.follow()
        await cell.do(ONE)
        await hall.push(await hall.batch(ONE))
        assert await streams(championship, ONE) == await streams(cell, ONE)


async def test_a_copy_of_the_tournament_reveals_no_draw_of_another_hall(championship: Cell, hall: Hall) -> None:
    await start_round(championship)

    opened = (await championship.record.read_stream(f"game-{OTHER}"))[0].message
    assert isinstance(opened, events.GameOpened)
    assert opened.seed != derive_seed(SEED, OTHER)


async def test_a_result_by_paper_takes_the_table_back_and_what_the_hall_sends_is_kept_beside_it(playing: Hall) -> None:
    championship = playing.championship
    await playing.cell.do(ONE)
    at = to_timestamp(NOW)
    scores = [events.FinalScore(player_id="a1", score=400), events.FinalScore(player_id="b1", score=300)]
    await championship.write(
        "tournament-cup",
        pairing_events.ResultEntered(round=1, game_id=ONE, occurred_at=at),
        pairing_events.ResultRecorded(round=1, game_id=ONE, scores=scores, occurred_at=at),
    )
    entered = (await championship.record.read_stream("tournament-cup"))[-2]
    await championship.react(entered)
    assert (await championship.names(ONE))[-2:] == ["TableTakenBack", "TableClosed"]
    answer = await playing.push(await playing.batch(ONE))
    assert [each.game_id for each in answer.aside] == [ONE]
    (kept,) = (await championship.halls.ListKeptAside(pb.ListKeptAsideRequest(tournament_id="cup"))).aside
    assert "TableClosed" in {event.type.rpartition(".")[2] for event in kept.here}


async def test_a_hall_leaves_a_result_by_paper_to_the_championship(playing: Hall) -> None:
    at = to_timestamp(NOW)
    scores = [events.FinalScore(player_id="a1", score=400), events.FinalScore(player_id="b1", score=300)]
    await playing.championship.write(
        "tournament-cup",
        pairing_events.ResultEntered(round=1, game_id=ONE, occurred_at=at),
        pairing_events.ResultRecorded(round=1, game_id=ONE, scores=scores, occurred_at=at),
    )
    await playing.follow()
    before = await playing.cell.names(ONE)
    await playing.cell.react((await playing.cell.record.read_stream("tournament-cup"))[-2])
    assert await playing.cell.names(ONE) == before


async def test_a_take_back_at_the_same_time_as_a_batch_comes_before_or_after_all_of_it(playing: Hall) -> None:
    championship = playing.championship
    for _ in range(6):
        await playing.cell.do(ONE)
    batch = await playing.batch(ONE)
    own = {event.event_id for event in batch.events} - {event.event_id for event in await streams(championship, ONE)}
    taking = championship.halls.TakeBackTables(
        pb.TakeBackTablesRequest(command_id=command(), tournament_id="cup", hall=GRAN, game_ids=[ONE])
    )
    answer, _ = await asyncio.gather(playing.push(batch), taking)
    here = await championship.record.read_stream(f"game-{ONE}")
    taken = next(event.version for event in here if event.name == "TableTakenBack")
    assert not [event for event in here if event.event_id in own and event.version > taken]
    known = {event.event_id for event in await streams(championship, ONE)}
    assert own <= known if not answer.aside else own.isdisjoint(known)


async def test_a_person_who_is_erased_is_erased_in_the_hall(championship: Cell, hall: Hall) -> None:
    async def store(connection: AsyncConnection) -> str:
        return await store_player(connection, "anna", "Anna Puig", "Club", "AND")

    version = len(await championship.record.read_stream("tournament-cup"))
    registered = pairing_events.PlayerRegistered(player_id="anna")
    announced = pairing_events.MessageSent(text="Puig, Anna has left her coat")
    written = Write("tournament-cup", version, [registered, announced], "cup")
    await championship.record.append(Decision([written], also=store), Metadata())
    await hall.follow()
    assert await hall.cell.record.notes_of("tournament-cup")
    await erase(championship.record, "anna")
    await hall.follow()
    async with hall.cell.record.reading() as connection:
        assert await list_stored_names(connection) == []
        assert await when_erased(connection, "anna") is not None
    assert await hall.cell.record.notes_of("tournament-cup") == {}
    assert (await verify(hall.cell.record)).wrong == ""


def read_files(folder: Path, pattern: str) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.glob(pattern)))


async def test_a_hall_gets_no_address_no_need_and_no_private_text(
    championship: Cell, hall: Hall, tmp_path: Path
) -> None:
    details = {"school": "Institut", "email": "anna@example.org", "need": "step-free seating"}
    secrets = ("anna@example.org", "step-free seating", "He was rude")

    async def store(connection: AsyncConnection) -> str:
        return await store_player(connection, "anna", "Anna Puig", "Club", "AND", **details)

    version = len(await championship.record.read_stream("tournament-cup"))
    registered = pairing_events.PlayerRegistered(player_id="anna")
    written = Write("tournament-cup", version, [registered], "cup")
    await championship.record.append(Decision([written], also=store), Metadata())
    message = pairing_events.PlayerMessageSent(player_ids=["anna"], text="He was rude")
    announced = pairing_events.MessageSent(text="Lunch at two")
    await championship.write("tournament-cup", message, announced)

    sent = pb.FollowChampionshipRequest(tournament_id="cup", hall=GRAN)
    async for response in championship.halls.FollowChampionship(sent):
        content = response.SerializeToString()
        assert not [secret for secret in secrets if secret.encode() in content]
        if response.position >= response.last_position:
            break
    await hall.follow()
    async with hall.cell.record.reading() as connection:
        assert (await verify(hall.cell.record)).wrong == ""
        names = await list_stored_names(connection)
    assert [(person.player_id, dict(person.values)["school"]) for person in names] == [("anna", "Institut")]
    assert "Lunch at two" in (await hall.cell.record.notes_of("tournament-cup")).values()
    files = read_files(tmp_path, "hall.db*")
    assert b"Anna Puig" in files
    assert not [secret for secret in secrets if secret.encode() in files]


async def test_a_table_is_played_with_both_clocks_wrong_by_an_hour_and_uses_the_time_of_the_hall(
    championship: Cell, hall: Hall
) -> None:
    championship.now.at, hall.cell.now.at = NOW + timedelta(hours=1), NOW - timedelta(hours=1)
    await start_round(championship)
    await hall.follow()
    for cell in (championship, hall.cell):
        cell.now.at += timedelta(minutes=3)
    settled = await load_table(hall.cell.record, ONE)
    assert settled is not None
    first = settled.game.mover
    for _ in range(3):
        await hall.cell.do(ONE)
        hall.cell.now.at += timedelta(seconds=20)
    championship.now.at += timedelta(minutes=1)
    assert not (await hall.push(await hall.batch(ONE))).aside
    assert await streams(championship, ONE) == await streams(hall.cell, ONE)
    here = await load_table(championship.record, ONE)
    assert here is not None
    assert here.table.clock.turn > 1
    assert here.table.clock.compute_used_ms(first) < 25 * 60_000
    taken = pb.TakeBackTablesRequest(command_id=command(), tournament_id="cup", hall=GRAN, game_ids=[ONE])
    await championship.halls.TakeBackTables(taken)
    await championship.clocks.Resume(clock_pb2.ResumeRequest(command_id=command(), game_id=ONE, arbiter_id="rosa"))
    await championship.do(ONE)
    assert (await verify(championship.record)).wrong == ""


async def test_another_laptop_replaces_a_lost_one_and_goes_on_with_its_tables(playing: Hall, tmp_path: Path) -> None:
    championship = playing.championship
    await playing.cell.do(ONE)
    await playing.push(await playing.batch(ONE))
    of_hall = {"tournament_id": "cup", "hall": GRAN}
    await championship.halls.ReleaseHall(pb.ReleaseHallRequest(command_id=command(), **of_hall))
    await championship.halls.TakeBackTables(pb.TakeBackTablesRequest(command_id=command(), **of_hall))
    async with serve(tmp_path / "second.db") as cell:
        second = Hall(cell, championship)
        await second.join()
        handed = await championship.halls.HandOverTables(pb.HandOverTablesRequest(command_id=command(), **of_hall))
        assert list(handed.game_ids) == [ONE, TWO]
        await second.follow()
        assert await streams(cell, ONE) == await streams(championship, ONE)
        arbiter = clock_pb2.ResumeRequest(command_id=command(), game_id=ONE, arbiter_id="rosa")
        await cell.clocks.Resume(arbiter)
        await cell.do(ONE)
        answer = await second.push(await second.batch(ONE, epoch=3))
        assert not answer.aside
        assert await streams(cell, ONE) == await streams(championship, ONE)
        late = await playing.push(await playing.batch(ONE))
        assert not late.aside  # it had sent all of them before
        await playing.cell.do(ONE)
        late = await playing.push(await playing.batch(ONE))
        assert [each.game_id for each in late.aside] == [ONE]
        assert await streams(cell, ONE) == await streams(championship, ONE)
