"""Slips that a phone saved in time and sent after the end: they are scored or wait for an arbiter."""

from __future__ import annotations

from operator import eq

from google.protobuf.timestamp_pb2 import Timestamp

from faristol.duplicate_game.game import Timer
from faristol.duplicate_game.hall import Counting, Hall, WaitingReason, evolve
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.rules.duplicate_game.slips import Handed

SECOND_NS = 1_000_000_000
BEGIN = 1_000 * SECOND_NS
TIMER = Timer(BEGIN, BEGIN, 180_000)


def at(seconds: float) -> Timestamp:
    found = Timestamp()
    found.FromNanoseconds(BEGIN + int(seconds * SECOND_NS))
    return found


def save_slip(
    hall: Hall, coordinates: str, written: float, arrived: float, collector: str = "anna", after_close: bool = False
) -> Hall:
    slip = events.Slip(
        player_id="anna", coordinates=coordinates, word="C A S A", handed=events.HANDED_IN_TIME, written_at=at(written)
    )
    taken = events.SlipsTaken(
        turn=1,
        source=events.SLIP_SOURCE_PHONE,
        collector_id=collector,
        slips=[slip],
        occurred_at=at(arrived),
        after_close=after_close,
    )
    return evolve(hall, taken)


def counts(hall: Hall) -> Counting:
    return hall.turn(1).counting("anna", TIMER, eq)


def test_what_is_a_few_seconds_on_its_way_counts() -> None:
    found = counts(save_slip(Hall(), "H8", 179.9, 189))
    assert (found.slip.coordinates, found.slip.handed, found.waits) == ("H8", Handed.IN_TIME, None)


def test_what_is_sent_long_after_the_end_waits_for_an_arbiter() -> None:
    found = counts(save_slip(Hall(), "H8", 100, 400))
    assert (found.slip.handed, found.waits) == (Handed.IN_TIME, WaitingReason.SENT_LATER)
    assert [entry.slip.coordinates for entry in found.entries] == ["H8"]


def test_the_same_that_had_come_before_does_not_wait() -> None:
    before = save_slip(Hall(), "H8", 90, 90)
    assert counts(save_slip(before, "H8", 100, 400)).waits is None
    assert counts(save_slip(before, "H4", 100, 400)).waits is WaitingReason.SENT_LATER


def test_what_was_saved_last_counts_in_whatever_order_it_arrives() -> None:
    found = counts(save_slip(save_slip(Hall(), "H8", 100, 101), "H4", 60, 150))
    assert (found.slip.coordinates, found.waits) == ("H8", None)
    assert counts(save_slip(save_slip(Hall(), "H8", 100, 101), "H4", 60, 400)).waits is None, (
        "an older one changes nothing"
    )


def test_what_was_saved_after_the_end_is_late_and_does_not_take_the_place_of_what_came_in_time() -> None:
    assert counts(save_slip(Hall(), "H8", 180.001, 181)).slip.handed is Handed.LATE
    assert counts(save_slip(Hall(), "H8", 180, 181)).slip.handed is Handed.IN_TIME
    assert counts(save_slip(save_slip(Hall(), "H8", 100, 100), "H4", 181, 182)).slip.coordinates == "H8"


def test_the_server_of_a_hall_that_was_cut_off_is_believed() -> None:
    assert counts(save_slip(Hall(), "H8", 100, 400, collector="server")).waits is None
