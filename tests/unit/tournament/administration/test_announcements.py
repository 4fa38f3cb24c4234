from __future__ import annotations

import dataclasses
from datetime import timedelta

import pytest
from tests.support.halls import NOON, Hall, decide_command

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.kernel.times import to_datetime, to_timestamp
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb


def hall_of_five_rounds() -> Hall:
    return Hall({f"p{number}": 1500 - number for number in range(1, 7)})


def build_announcement(*hours: tuple[int, int]) -> pb.AnnounceRoundsRequest:
    """Return rounds with the hours after noon at which they are to begin."""
    times = [
        events.RoundTime(round=number, starts_at=to_timestamp(NOON + timedelta(hours=hour))) for number, hour in hours
    ]
    return pb.AnnounceRoundsRequest(times=times)


def test_times_are_kept_in_the_order_of_the_rounds_and_take_the_place_of_those_before() -> None:
    hall = hall_of_five_rounds()
    hall.carry_out(build_announcement((1, 0), (2, 2)))
    hall.carry_out(build_announcement((3, 9), (2, 3)))
    assert [(time.round, to_datetime(time.starts_at) - NOON) for time in hall.state.announced] == [
        (2, timedelta(hours=3)),
        (3, timedelta(hours=9)),
    ]
    hall.carry_out(build_announcement())
    assert hall.state.announced == ()


@pytest.mark.parametrize(
    ("times", "why"),
    [
        ([(0, 1)], "expected 1 to 5"),
        ([(6, 1)], "expected 1 to 5"),
        ([(2, 1), (2, 3)], "twice"),
        ([(1, 3), (2, 3)], "round 2 would not begin later than round 1"),
        ([(3, 1), (1, 2)], "round 3 would not begin later than round 1"),
    ],
)
def test_a_round_that_is_none_or_in_no_order_is_refused(times: list[tuple[int, int]], why: str) -> None:
    with pytest.raises(Invalid, match=why):
        hall_of_five_rounds().decide(build_announcement(*times))


def test_a_round_without_a_time_is_refused() -> None:
    with pytest.raises(Invalid, match="round 1 has no starting time"):
        hall_of_five_rounds().decide(pb.AnnounceRoundsRequest(times=[events.RoundTime(round=1)]))


def test_nothing_is_announced_once_the_standings_are_published() -> None:
    hall = hall_of_five_rounds()
    with pytest.raises(Refusal):
        decide_command(dataclasses.replace(hall.state, over=True), build_announcement((1, 1)), now=hall.now)


def test_times_that_are_undone_are_those_that_there_were_before() -> None:
    hall = hall_of_five_rounds()
    hall.carry_out(build_announcement((1, 1)))
    hall.carry_out(build_announcement((1, 2)))
    hall.carry_out(pb.UndoActRequest(version=len(hall.events), note="a slip"))
    assert [to_datetime(time.starts_at) - NOON for time in hall.state.announced] == [timedelta(hours=1)]
