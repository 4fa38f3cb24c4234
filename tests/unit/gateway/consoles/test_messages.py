"""The day of a time that a message names without one."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from faristol.gateway.consoles.messages.form import add_day
from faristol.kernel.errors import Invalid

MORNING = datetime(2026, 11, 30, 4, 49, tzinfo=UTC)
"""05:49 in Andorra."""


@pytest.mark.parametrize(
    ("given", "now", "until"),
    [
        ({"until": "05:50"}, MORNING, "2026-11-30 05:50"),
        ({"until": "23:59"}, MORNING, "2026-11-30 23:59"),
        ({"until": "0.10"}, MORNING.replace(hour=22), "2026-12-01 00:10"),
        ({"until": "05:30", "tomorrow": "true"}, MORNING, "2026-12-01 05:30"),
        ({"until": "23:59", "tomorrow": "true"}, MORNING, "2026-12-01 23:59"),
        ({"until": "2026-12-05 05:30"}, MORNING, "2026-12-05 05:30"),
    ],
)
def test_a_time_without_a_day_is_of_today_or_of_the_night(given: dict[str, str], now: datetime, until: str) -> None:
    assert add_day(given, now, "Europe/Andorra") == {"until": until}


def test_a_time_that_is_past_today_is_not_taken_as_tomorrow_without_a_question() -> None:
    with pytest.raises(Invalid) as refused:
        add_day({"until": "05:30"}, MORNING, "Europe/Andorra")
    assert (refused.value.field, refused.value.params) == ("until", {"time": "05:30"})
