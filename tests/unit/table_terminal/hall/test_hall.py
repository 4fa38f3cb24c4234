"""A hall without a connection: the time of the services, and its journal."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from faristol.host import StartError
from faristol.kernel.refusal import Refusal
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.table_terminal.hall import bundle as bundles
from faristol.table_terminal.hall.hall import CommandRefused, HallState, ServicesUnavailable
from faristol.table_terminal.hall.journal import HallJournal, PlayedHallTurn
from faristol.table_terminal.hall.terminal import parse_slip
from faristol.table_terminal.hall.times import SyncedClock

SECOND_NS = 1_000_000_000


class Device:
    """A device whose wall clock is an hour behind, and may be set."""

    def __init__(self) -> None:
        self.steady, self.behind = 0, 3_600 * SECOND_NS

    def wall(self) -> int:
        return 1_000_000 * SECOND_NS + self.steady - self.behind

    def clock(self) -> SyncedClock:
        return SyncedClock(self.wall, lambda: self.steady)


def test_time_is_that_of_the_services_whatever_the_clock_of_the_device_says() -> None:
    device = Device()
    clock = device.clock()
    for took, late in ((4, 2), (1, 0), (10, 9)):  # the fastest answer is the most accurate
        asked_at = clock.steady()
        device.steady += took * SECOND_NS
        clock.compare(
            asked_at, (1_000_000 + device.steady // SECOND_NS) * SECOND_NS - (took * SECOND_NS) // 2 - late * SECOND_NS
        )
    device.steady += 60 * SECOND_NS
    assert clock.now() == 1_000_000 * SECOND_NS + device.steady
    device.behind = 0  # the clock of the device is set
    assert clock.now() == 1_000_000 * SECOND_NS + device.steady


def test_a_process_that_is_started_again_without_a_line_goes_on_by_what_was_heard() -> None:
    device = Device()
    clock = device.clock()
    clock.compare(clock.steady(), 1_000_000 * SECOND_NS)
    again = device.clock()
    again.restore(clock.ahead)
    device.steady += 30 * SECOND_NS
    assert again.now() == clock.now()


def test_a_journal_has_what_was_done_over_a_process_that_was_killed_while_it_wrote(tmp_path: Path) -> None:
    file = tmp_path / "hall.jsonl"
    journal = HallJournal(file)
    journal.keep_turn(PlayedHallTurn(1, ("A", "?"), began_at=5, ends_at=9))
    for number in ("1", "2", "3"):
        journal.keep_command("slips", 1, pb.SubmitSlipsRequest(command_id=number, turn=1))
    journal.keep_sent("1")
    journal.keep_refused("2", "another rack")
    with file.open("a", encoding="utf-8") as torn:
        torn.write('{"sent": "3')
    again = HallJournal(file)
    assert [kept.command_id for kept in again.unsent] == ["3"]
    assert [(kept.command_id, why) for kept, why in again.refused] == [("2", "another rack")]
    assert again.turns == {1: PlayedHallTurn(1, ("A", "?"), began_at=5, ends_at=9)}
    again.keep_sent("3")
    assert not HallJournal(file).unsent
    file.write_text(json.dumps({"text": "no line of it"}) + "\n", encoding="utf-8")
    with pytest.raises(StartError, match="line 1 is not a line of this journal"):
        HallJournal(file)


@pytest.mark.parametrize("hall", ["Nord", ""])
def test_a_bundle_is_read_as_it_was_written_and_by_nobody_else(tmp_path: Path, hall: str) -> None:
    file = tmp_path / "nord.bundle"
    bundle = bundles.Bundle(pb.GetBundleResponse(game_id="cup-r1", seconds=180, key=b"k" * 32), hall)
    bundles.write(bundle, file)
    assert bundles.read(file) == bundle
    assert file.stat().st_mode & 0o077 == 0
    for content in ("Nord\n{}", f"{bundles.HEAD}Nord\nnothing of the kind"):
        file.write_text(content, encoding="utf-8")
        with pytest.raises(StartError, match="is not a bundle"):
            bundles.read(file)


@pytest.mark.parametrize(
    ("typed", "slip"),
    [
        ("H4 C A S A", events.Slip(coordinates="H4", word="C A S A", handed=events.HANDED_IN_TIME)),
        ("# CASA", events.Slip(coordinates_illegible=True, word="CASA", handed=events.HANDED_IN_TIME)),
        ("H4 #", events.Slip(coordinates="H4", word_illegible=True, handed=events.HANDED_IN_TIME)),
        ("late", events.Slip(handed=events.HANDED_LATE)),
    ],
)
def test_a_slip_is_typed_as_it_was_written(typed: str, slip: events.Slip) -> None:
    assert parse_slip(typed.split()) == slip


def test_a_slip_of_a_turn_that_was_closed_without_a_line_counts_as_it_was_typed() -> None:
    device = Device()
    answer = pb.GetBundleResponse(game_id="cup-r1", seats=[events.DuplicateSeat(player_id="didac", number=4)])
    has_line, sent = False, list[Any]()

    async def ask(request: Any) -> Any:
        if not has_line:
            raise ServicesUnavailable
        if isinstance(request, pb.GetDuplicateRequest):
            turn = pb.DuplicateTurn(turn=1, faces=["A", "S"])
            turn.started_at.FromSeconds(1_000_000)
            return pb.GetDuplicateResponse(turns=[turn])
        if isinstance(request, pb.SubmitSlipsRequest) and request.check_form:
            raise CommandRefused("SLIP_COORDINATES_DOUBTED", "P8 is no square")
        sent.append(request)
        return None

    hall = HallState(bundles.Bundle(answer, "Sud"), HallJournal(None), ask, device.clock(), "ona")
    hall.journal.keep_turn(PlayedHallTurn(1, ("A", "S"), began_at=1, ends_at=2))
    hall.take(4, parse_slip(["P8", "AS"]), check_form=True)
    hall.close()
    has_line = True
    asyncio.run(hall.sync())
    assert [type(request) for request in sent] == [pb.SubmitSlipsRequest, pb.CloseHallRequest]
    assert (sent[0].slips[0].coordinates, sent[0].check_form, hall.doubted) == ("P8", False, {})
    assert hall.journal.unsent == ()


def test_a_slip_that_was_refused_by_its_form_holds_the_hall_open_over_a_restart(tmp_path: Path) -> None:
    device = Device()
    seats = [events.DuplicateSeat(player_id="didac", number=4), events.DuplicateSeat(player_id="eva", number=5)]
    answer = pb.GetBundleResponse(game_id="cup-r1", seats=seats)

    async def ask(request: Any) -> Any:
        if isinstance(request, pb.GetDuplicateRequest):
            turn = pb.DuplicateTurn(turn=1, faces=["A", "S"])
            turn.started_at.FromSeconds(1)
            turn.ends_at.FromSeconds(2)
            return pb.GetDuplicateResponse(turns=[turn])
        if isinstance(request, pb.SubmitSlipsRequest) and request.check_form:
            raise CommandRefused("SLIP_COORDINATES_DOUBTED", "P8 is no square")
        return None

    def start() -> HallState:
        return HallState(
            bundles.Bundle(answer, "Sud"), HallJournal(tmp_path / "hall.jsonl"), ask, device.clock(), "ona"
        )

    hall = start()
    hall.journal.keep_turn(PlayedHallTurn(1, ("A", "S"), began_at=1, ends_at=2))
    hall.take(4, parse_slip(["P8", "AS"]), check_form=True)
    asyncio.run(hall.sync())
    again = start()
    assert {number: slip.coordinates for number, slip in again.doubted.items()} == {4: "P8"}
    with pytest.raises(Refusal, match="4"):
        again.close()
    again.take(5, parse_slip(["H8", "AS"]))
    assert list(again.doubted) == [4]
    again.take(4, parse_slip(["P8", "AS"]))
    assert again.doubted == {}
    assert start().doubted == {}
