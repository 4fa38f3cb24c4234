"""A hall copies the events of the championship only if they follow on those that it has."""

from __future__ import annotations

import pytest

from faristol.hall.follower import check_order
from faristol.host.halls import wire
from faristol.pb.hall.v1 import hall_pb2 as pb


def answer(after: int | None, position: int = 20) -> pb.FollowChampionshipResponse:
    return wire.add_checksum(
        pb.FollowChampionshipResponse(position=position, last_position=position, after_position=after)
    )


def test_events_after_a_later_position_than_the_requested_one_are_refused() -> None:
    check_order(answer(12), 12)
    for other in (0, 11, 12 + 4_096):
        with pytest.raises(ValueError, match="expected those after 12"):
            check_order(answer(other), 12)


def test_an_answer_of_an_earlier_version_states_no_position_before_it() -> None:
    check_order(answer(None), 12)
    check_order(pb.FollowChampionshipResponse(position=20), 12)


def test_an_answer_without_the_checksum_that_its_version_has_is_refused() -> None:
    changed = answer(12)
    changed.ClearField("checksum")
    with pytest.raises(ValueError, match="changed on the way"):
        check_order(changed, 12)
