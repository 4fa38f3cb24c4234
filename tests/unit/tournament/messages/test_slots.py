"""Stream slots and claimed tables: what may be pointed where, and which claims exclude each other."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.halls import Hall, hall_of

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb


def stage(rounds: int = 1) -> Hall:
    """Return a hall with four tables in round 1."""
    hall = hall_of(8)
    if rounds:
        hall.pair(1)
    return hall


def reason(hall: Hall, request: Any) -> str:
    with pytest.raises((Refusal, Invalid)) as problem:
        hall.decide(request)
    against: Any = problem.value
    return against.reason if isinstance(against, Refusal) else against.field


def test_a_slot_points_at_a_table_before_any_round_is_paired() -> None:
    hall = stage(rounds=0)
    (pointed,) = hall.carry_out(pb.PointSlotRequest(slot=1, table=2))
    assert isinstance(pointed, events.SlotPointed)
    assert (pointed.slot, pointed.table, pointed.for_round) == (1, 2, 0)
    assert hall.state.slots == {1}


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"slot": 0, "table": 1}, "slot"),
        ({"slot": 100, "table": 1}, "slot"),
        ({"slot": 1, "table": 0}, "table"),
        ({"slot": 1, "table": 1001}, "table"),
        ({"slot": 1}, "table"),
        ({"slot": 1, "rank": 101}, "rank"),
        ({"slot": 1, "rank": 1, "table": 1}, "rank"),
        ({"slot": 1, "rank": 1, "for_round": 1}, "rank"),
        ({"slot": 1, "table": 1, "for_round": 2}, "ROUND_NOT_PAIRED"),
        ({"slot": 1, "table": 5, "for_round": 1}, "NO_SUCH_TABLE"),
    ],
)
def test_a_slot_that_cannot_be_pointed_says_why(fields: dict[str, Any], why: str) -> None:
    assert reason(stage(), pb.PointSlotRequest(**fields)) == why


def test_a_table_beyond_those_of_the_halls_is_refused_with_their_numbers() -> None:
    hall = stage(rounds=0)
    halls = [events.Hall(name="A", first_table=1, last_table=4), events.Hall(name="B", first_table=11, last_table=12)]
    hall.carry_out(pb.SetHallsRequest(halls=halls))
    for request in (pb.PointSlotRequest(slot=1, table=7), pb.ClaimTableRequest(table=7, annotator_id="rosa")):
        with pytest.raises(Invalid) as problem:
            hall.decide(request)
        assert (problem.value.field, problem.value.params) == ("table", {"given": 7, "tables": "1–4, 11–12"})
    hall.carry_out(pb.PointSlotRequest(slot=1, table=11))


def test_the_undo_of_a_pointed_slot_restores_its_table_or_removes_a_new_slot() -> None:
    hall = stage()
    hall.carry_out(pb.PointSlotRequest(slot=1, table=1, for_round=1))
    hall.carry_out(pb.PointSlotRequest(slot=1, table=2))
    (back,) = hall.carry_out(pb.UndoActRequest(version=len(hall.events)))
    assert isinstance(back, events.SlotPointed)
    assert (back.table, back.for_round) == (1, 1)
    hall.carry_out(pb.PointSlotRequest(slot=1, rank=3))
    hall.carry_out(pb.PointSlotRequest(slot=1, table=4))
    (rank,) = hall.carry_out(pb.UndoActRequest(version=len(hall.events)))
    assert isinstance(rank, events.SlotPointed)
    assert (rank.rank, rank.table) == (3, 0)
    hall.carry_out(pb.PointSlotRequest(slot=2, table=2))
    (gone,) = hall.carry_out(pb.UndoActRequest(version=len(hall.events)))
    assert isinstance(gone, events.SlotRemoved)
    assert hall.state.slots == {1}
    assert reason(hall, pb.RemoveSlotRequest(slot=2)) == "NO_SUCH_SLOT"


def test_a_table_has_one_annotator_and_an_annotator_one_table() -> None:
    hall = stage()
    hall.carry_out(pb.ClaimTableRequest(table=1, annotator_id="rosa"))
    assert reason(hall, pb.ClaimTableRequest(table=1, annotator_id="pau")) == "TABLE_CLAIMED"
    hall.carry_out(pb.ClaimTableRequest(table=2, annotator_id="rosa"))
    assert hall.state.claims == {2: "rosa"}
    hall.carry_out(pb.ClaimTableRequest(table=1, annotator_id="pau"))
    assert reason(hall, pb.ReleaseClaimRequest(table=2, annotator_id="pau")) == "TABLE_NOT_CLAIMED"
    hall.carry_out(pb.ReleaseClaimRequest(table=2, annotator_id="rosa"))
    assert hall.state.claims == {1: "pau"}
    assert reason(hall, pb.ClaimTableRequest(table=2)) == "annotator_id"
