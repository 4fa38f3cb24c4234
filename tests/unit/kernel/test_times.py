"""A time that clocks show is one moment, none, or two."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.kernel.errors import Invalid
from faristol.kernel.times import moments_of
from faristol.text import say
from faristol.typed_input.fields import AmbiguousTime, parse_moment

ZONES = [
    "Europe/Madrid",
    "Europe/Athens",
    "Europe/Andorra",
    "Atlantic/Azores",
    "America/Sao_Paulo",
    "Pacific/Apia",
    "UTC",
]


@pytest.mark.parametrize(
    ("local", "zone", "moments"),
    [
        ("2026-03-29T02:30", "Europe/Madrid", []),
        ("2026-03-29T03:00", "Europe/Madrid", ["2026-03-29T01:00"]),
        ("2026-10-25T02:30", "Europe/Madrid", ["2026-10-25T00:30", "2026-10-25T01:30"]),
        ("2026-10-25T03:30", "Europe/Athens", ["2026-10-25T00:30", "2026-10-25T01:30"]),
        ("2026-10-25T03:00", "Europe/Madrid", ["2026-10-25T02:00"]),
        ("2011-12-30T12:00", "Pacific/Apia", []),
    ],
)
def test_times_of_the_change_of_clocks_are_none_or_two(local: str, zone: str, moments: list[str]) -> None:
    expected = tuple(datetime.fromisoformat(moment).replace(tzinfo=UTC) for moment in moments)
    assert moments_of(datetime.fromisoformat(local), ZoneInfo(zone)) == expected


@pytest.mark.parametrize(
    ("typed", "which", "hour"),
    [
        ("2026-10-25T02:30", "first", 0),
        ("2026-10-25T02:30", "second", 1),
        ("2026-10-25T04:30", "", 3),
        ("2026-10-25 4.30", "", 3),
        ("2026-10-25T04.30", "", 3),
        ("2026-10-25T03:30:00 z", "", 3),
        ("2026-10-25T02:30+01:00", "", 1),
    ],
)
def test_a_form_says_which_of_two_times_it_means(typed: str, which: str, hour: int) -> None:
    assert parse_moment("at", typed, "Europe/Madrid", which) == datetime(2026, 10, 25, hour, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("typed", "is_ambiguous", "text"),
    [
        (
            "2026-10-25T02:30",
            True,
            "02:30 occurs twice on 2026-10-25, when daylight saving time ends. Choose one of the two.",
        ),
        ("2026-03-29T02:30", False, "There is no 02:30 on 2026-03-29: daylight saving time begins."),
        ("soon", False, "Expected a date and a time."),
        ("2026-10-25", False, "Expected a date and a time."),
        ("2026-10-25T04", False, "Expected a date and a time."),
        ("2026-10-25T04.300", False, "Expected a date and a time."),
        ("2026-10-25T24:30", False, "Expected a date and a time."),
    ],
)
def test_a_form_with_a_time_that_is_none_or_two_is_asked_again(typed: str, is_ambiguous: bool, text: str) -> None:
    with pytest.raises(Invalid) as told:
        parse_moment("at", typed, "Europe/Madrid")
    assert (told.value.field, isinstance(told.value, AmbiguousTime)) == ("at", is_ambiguous)
    assert say(told.value.problem, told.value.params, "en") == text


@given(st.datetimes(datetime(1990, 1, 1), datetime(2040, 1, 1)), st.sampled_from(ZONES))
def test_every_moment_is_among_those_of_the_time_that_it_is_shown_as(moment: datetime, name: str) -> None:
    zone = ZoneInfo(name)
    at = moment.replace(tzinfo=UTC)
    assert at in moments_of(at.astimezone(zone).replace(tzinfo=None), zone)
