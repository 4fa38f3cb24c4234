"""The consequence of each answer of a receiver, after any earlier answers."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.webhooks.retry_policy import (
    DEFAULT_DELIVERY_LIMITS,
    DeadLetter,
    DeliveryOutcome,
    DeliveryState,
    Failure,
    Limits,
    OutcomeKind,
    StopReason,
    apply_outcome,
    apply_redelivery,
    apply_resume,
    outcome_of,
)

NOW = datetime(2026, 3, 7, 10, tzinfo=UTC)
HERE = DeliveryState(40)
AWAY = DeliveryOutcome(503, Failure.STATUS)
BAD = DeliveryOutcome(400, Failure.STATUS)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        *[(status, OutcomeKind.DELIVERED) for status in (200, 201, 202, 204, 299)],
        (410, OutcomeKind.GONE),
        *[(status, OutcomeKind.AWAY) for status in (408, 425, 429, 500, 502, 503, 504, 599)],
        *[
            (status, OutcomeKind.REFUSED)
            for status in (101, 300, 301, 302, 307, 308, 400, 401, 403, 404, 405, 413, 422)
        ],
    ],
)
def test_a_status_says_what_follows(status: int, kind: OutcomeKind) -> None:
    assert outcome_of(status, "", NOW).kind is kind


def test_where_no_answer_came_the_receiver_is_away() -> None:
    assert {DeliveryOutcome(failure=failure).kind for failure in Failure if failure} == {OutcomeKind.AWAY}


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("", 0),
        ("120", 120),
        (" 7 ", 7),
        ("-5", 0),
        ("1e9", 0),
        ("soon", 0),
        ("٣", 0),
        ("9" * 50, 999_999_999),
        ("Sat, 07 Mar 2026 10:02:00 GMT", 120),
        ("Sat, 07 Mar 2026 09:00:00 GMT", 0),
        ("Sat, 07 Mar 2026 10:02:00", 0),
        ("Sat, 07 Mar 99999999999 10:02:00 GMT", 0),
        ("Sat, 07 Mar 2026 10:02:00 +99999999999999999999", 0),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str, seconds: float) -> None:
    assert outcome_of(503, value, NOW).retry_after == seconds


def fail(
    course: DeliveryState, outcome: DeliveryOutcome, times: int, *, now: datetime = NOW, chance: float = 1
) -> DeliveryState:
    for _ in range(times):
        course, letter = apply_outcome(course, course.position + 1, outcome, now, chance)
        assert letter is None
    return course


def test_who_is_away_is_tried_again_ever_later_up_to_some_minutes() -> None:
    waits = []
    course = HERE
    for _ in range(12):
        course = fail(course, AWAY, 1)
        assert course.due is not None
        waits.append((course.due - NOW).total_seconds())
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]
    assert (course.position, course.failing_since, course.tries, course.stop) == (40, NOW, 12, StopReason.NONE)


def test_tries_of_many_are_spread() -> None:
    dues = {fail(HERE, AWAY, 1, chance=chance).due for chance in (0, 0.5, 1)}
    assert dues == {NOW + timedelta(seconds=seconds) for seconds in (0.5, 0.75, 1)}


@pytest.mark.parametrize(("asked", "waited"), [(0.1, 1), (90, 90), (86_400, 3_600)])
def test_retry_after_is_respected_within_bounds(asked: float, waited: float) -> None:
    assert fail(HERE, replace(AWAY, retry_after=asked), 1).due == NOW + timedelta(seconds=waited)


def test_an_answer_that_takes_the_message_ends_the_trouble() -> None:
    course = fail(HERE, AWAY, 3)
    later = NOW + timedelta(minutes=1)
    course, letter = apply_outcome(course, 41, DeliveryOutcome(204), later, 0)
    assert letter is None
    assert course == DeliveryState(41, last_status=204, last_failure=Failure.STATUS, delivered_at=later)


def test_after_24_hours_it_stops_where_it_is_and_goes_on_from_there() -> None:
    course = fail(HERE, AWAY, 3)
    course = fail(course, AWAY, 1, now=NOW + timedelta(hours=23, minutes=59))
    assert not course.stop
    course = fail(course, AWAY, 1, now=NOW + timedelta(hours=24))
    assert (course.stop, course.position, course.due, course.failing_since) == (StopReason.FAILING, 40, None, NOW)
    again = apply_resume(course)
    assert (again.stop, again.position, again.tries, again.failing_since) == (StopReason.NONE, 40, 0, None)
    assert apply_resume(course, 7).position == 7


def test_who_is_gone_is_not_tried_again() -> None:
    course, letter = apply_outcome(HERE, 41, DeliveryOutcome(410, Failure.STATUS), NOW, 0)
    assert (course.stop, course.position, course.due, letter) == (StopReason.GONE, 40, None, None)


def test_a_message_that_is_refused_five_times_is_left_out_and_the_next_one_comes() -> None:
    course = fail(HERE, AWAY, 7)  # a missing receiver is not a refusal
    course = fail(course, BAD, 4)
    course, letter = apply_outcome(course, 41, BAD, NOW, 0)
    assert letter == DeadLetter(41, 12, BAD, NOW)
    assert (course.position, course.dead, course.tries, course.refusals, course.due) == (41, 1, 0, 0, None)
    assert course.failing_since == NOW


def test_with_too_many_dead_letters_it_stops_before_the_next_is_lost() -> None:
    course = fail(replace(HERE, dead=DEFAULT_DELIVERY_LIMITS.dead_letters), BAD, 4)
    course, letter = apply_outcome(course, 41, BAD, NOW, 0)
    assert (course.stop, course.position, course.dead, letter) == (
        StopReason.DEAD_LETTERS,
        40,
        DEFAULT_DELIVERY_LIMITS.dead_letters,
        None,
    )


def test_a_dead_letter_that_arrives_is_one_no_more_and_changes_no_position() -> None:
    letter = DeadLetter(12, 5, BAD, NOW, again=True)
    behind = replace(HERE, dead=2)
    course, left = apply_redelivery(behind, letter, DeliveryOutcome(200), NOW, 0)
    assert (course.position, course.dead, left) == (40, 1, None)
    course, left = apply_redelivery(behind, letter, BAD, NOW, 0)
    assert (course.position, course.dead, left) == (40, 2, DeadLetter(12, 6, BAD, NOW))
    course, left = apply_redelivery(behind, letter, AWAY, NOW, 0)
    assert (course.position, course.dead, left, course.failing_since) == (
        40,
        2,
        DeadLetter(12, 6, AWAY, NOW, True),
        NOW,
    )
    course, left = apply_redelivery(behind, letter, DeliveryOutcome(410, Failure.STATUS), NOW, 0)
    assert (course.stop, left is not None) == (StopReason.GONE, True)


OUTCOMES = st.sampled_from(
    [
        DeliveryOutcome(200),
        AWAY,
        BAD,
        DeliveryOutcome(410, Failure.STATUS),
        DeliveryOutcome(failure=Failure.TIMEOUT),
        DeliveryOutcome(302, Failure.STATUS),
    ]
)


@given(st.lists(st.tuples(OUTCOMES, st.floats(0, 40_000), st.floats(0, 1)), max_size=60))
def test_every_message_is_delivered_or_a_dead_letter_and_none_is_passed_over(
    answers: list[tuple[DeliveryOutcome, float, float]],
) -> None:
    limits = Limits(tries=2, dead_letters=3)
    course, now, arrived, dead = DeliveryState(0), NOW, [], []
    for outcome, seconds, chance in answers:
        now += timedelta(seconds=seconds)
        if course.stop:
            course = apply_resume(course)
        course, letter = apply_outcome(course, course.position + 1, outcome, now, chance, limits)
        if letter:
            dead.append(letter.position)
        elif not outcome.failure:
            arrived.append(course.position)
        assert sorted([*arrived, *dead]) == list(range(1, course.position + 1))
        assert course.dead == len(dead) <= limits.dead_letters
        assert bool(course.stop) <= bool(outcome.failure)
        assert course.due is None or course.due > now
