from __future__ import annotations

import pytest

from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.presentation.halls import build_plan, describe_place


def hall(**fields: object) -> events.Hall:
    return events.Hall(**{"name": "Main", "first_table": 11, "last_table": 20, **fields})  # type: ignore[arg-type]


def test_a_plan_has_the_rows_of_a_hall_and_the_last_number_holds_for_further_rows() -> None:
    plan = build_plan(hall(row_tables=[4, 3]))
    assert plan is not None
    assert plan.rows == [[11, 12, 13, 14], [15, 16, 17], [18, 19, 20]]
    turning = build_plan(hall(row_tables=[4], rows_turn=True))
    assert turning is not None
    assert turning.rows == [[11, 12, 13, 14], [18, 17, 16, 15], [19, 20]]
    assert build_plan(hall()) is None


@pytest.mark.parametrize(
    ("entrance", "place"),
    [
        (events.HALL_SIDE_UNSPECIFIED, "Row 2, place 1 from the left."),
        (events.HALL_SIDE_LEFT, "Row 2, place 1 from the entrance. Entrance: on the left."),
        (events.HALL_SIDE_RIGHT, "Row 2, place 4 from the entrance. Entrance: on the right."),
        (
            events.HALL_SIDE_FIRST_ROW,
            "Row 2 from the entrance, place 1 from the left. Entrance: before the first row.",
        ),
        (
            events.HALL_SIDE_LAST_ROW,
            "Row 2 from the entrance, place 1 from the left. Entrance: behind the last row.",
        ),
    ],
)
def test_a_place_is_counted_from_the_entrance(entrance: events.HallSide.ValueType, place: str) -> None:
    assert describe_place(hall(row_tables=[4], entrance=entrance), 15, "en") == place
    assert describe_place(hall(row_tables=[4], entrance=entrance), 99, "en") == ""


def test_a_place_names_the_stage() -> None:
    assert describe_place(hall(row_tables=[5], stage=events.HALL_SIDE_RIGHT), 16, "en") == (
        "Row 2, place 1 from the left. Stage: on the right."
    )
