"""The course of a webhook: its delivery state and the effect of an answer on it. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from enum import StrEnum


class Stop(StrEnum):
    """The reason that a webhook is stopped."""

    NONE = ""
    FAILING = "failing"
    """No message arrived for the time in ``Limits``."""
    GONE = "gone"
    """The receiver answered 410."""
    DEAD_LETTERS = "dead_letters"
    """A message was refused and the dead letters are full."""


class Failure(StrEnum):
    """The reason that a message did not arrive."""

    NONE = ""
    STATUS = "status"
    NO_ADDRESS = "no_address"
    ADDRESS_REFUSED = "address_refused"
    NO_CONNECTION = "no_connection"
    CERTIFICATE = "certificate"
    TIMEOUT = "timeout"


class Kind(StrEnum):
    """The meaning of an outcome."""

    DELIVERED = "delivered"
    GONE = "gone"
    REFUSED = "refused"
    """The receiver is available and refuses this message."""
    AWAY = "away"
    """The receiver is unavailable."""


LATER = frozenset({408, 425, 429})
"""Statuses below 500 that request a retry later."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of sending a message."""

    status: int = 0
    """Of the answer; 0 without an answer."""
    failure: Failure = Failure.NONE
    retry_after: float = 0.0
    """Seconds that the receiver requests."""

    @property
    def kind(self) -> Kind:
        """The meaning for the webhook."""
        if not self.failure:
            return Kind.DELIVERED
        if self.status == 410:
            return Kind.GONE
        if self.status and self.status < 500 and self.status not in LATER:
            return Kind.REFUSED
        return Kind.AWAY


def outcome_of(status: int, retry_after: str, now: datetime) -> Outcome:
    """Return the outcome of an answer with a status and the value of ``Retry-After``, empty if absent."""
    if 200 <= status < 300:
        return Outcome(status)
    return Outcome(status, Failure.STATUS, _seconds(retry_after.strip(), now))


def _seconds(value: str, now: datetime) -> float:
    """Parse ``Retry-After``, a number or a date, to seconds; 0 for any other value."""
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        at = parsedate_to_datetime(value)
    except (ValueError, OverflowError):  # the latter for numbers beyond the calendar
        return 0.0
    return max(0.0, (at - now).total_seconds()) if at.tzinfo else 0.0


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of time and number for retries."""

    first: float = 1.0
    """Seconds until the first retry, about; each further pause is twice as long."""
    longest: float = 300.0
    """Maximum seconds between two attempts, unless the receiver requests more."""
    longest_asked: float = 3_600.0
    """The same if it requests more by ``Retry-After``."""
    give_up: timedelta = timedelta(hours=24)
    """The time without a delivered message after which the webhook stops."""
    tries: int = 5
    """Refusals after which a message becomes a dead letter."""
    dead_letters: int = 100
    """Dead letters stored per webhook."""


USUAL = Limits()


@dataclass(frozen=True, slots=True)
class Letter:
    """A message that was skipped, or is to be redelivered."""

    position: int
    tries: int
    outcome: Outcome
    failed_at: datetime
    again: bool = False
    """Whether it is to be redelivered."""


@dataclass(frozen=True, slots=True)
class Course:
    """The delivery state of a webhook."""

    position: int
    """Everything up to here was delivered or is a dead letter."""
    stop: Stop = Stop.NONE
    failing_since: datetime | None = None
    """The time since which no message has arrived."""
    tries: int = 0
    """Attempts of the next message."""
    refusals: int = 0
    """Refusals of the next message."""
    due: datetime | None = None
    """The time of the next attempt."""
    last_status: int = 0
    """Of the last answer; 0 without an answer."""
    last_failure: Failure = Failure.NONE
    """Of the last message that did not arrive, even if later ones did."""
    delivered_at: datetime | None = None
    dead: int = 0
    """The number of dead letters."""


def resumed(course: Course, position: int | None = None) -> Course:
    """Return the course of a resumed webhook: from where it stopped, or after another position."""
    return Course(
        course.position if position is None else position,
        last_status=course.last_status,
        last_failure=course.last_failure,
        delivered_at=course.delivered_at,
        dead=course.dead,
    )


def after(
    course: Course, position: int, outcome: Outcome, now: datetime, random: float, limits: Limits = USUAL
) -> tuple[Course, Letter | None]:
    """Return the course after sending the message of a position, and the dead letter that it became, if any.

    ``random`` is from 0 to 1 and spreads the retries of many webhooks.
    """
    match outcome.kind:
        case Kind.DELIVERED:
            return _delivered(course, max(course.position, position), outcome, now), None
        case Kind.GONE:
            return _stopped(_failed(course, outcome, now, random, limits), Stop.GONE), None
        case Kind.REFUSED:
            return _refused(course, position, outcome, now, random, limits)
    return _away(course, outcome, now, random, limits), None


def after_again(
    course: Course, letter: Letter, outcome: Outcome, now: datetime, random: float, limits: Limits = USUAL
) -> tuple[Course, Letter | None]:
    """Return the same for a redelivered dead letter: the course, and the letter, or None if it arrived."""
    tried = Letter(letter.position, letter.tries + 1, outcome, now, again=outcome.kind is not Kind.REFUSED)
    match outcome.kind:
        case Kind.DELIVERED:
            return replace(_delivered(course, course.position, outcome, now), dead=max(0, course.dead - 1)), None
        case Kind.GONE:
            return _stopped(_failed(course, outcome, now, random, limits), Stop.GONE), tried
        case Kind.REFUSED:
            return replace(course, last_status=outcome.status, last_failure=outcome.failure), tried
    return _away(course, outcome, now, random, limits), tried


def _delivered(course: Course, position: int, outcome: Outcome, now: datetime) -> Course:
    return replace(resumed(course, position), last_status=outcome.status, delivered_at=now)


def _failed(course: Course, outcome: Outcome, now: datetime, random: float, limits: Limits) -> Course:
    usual = min(limits.longest, limits.first * 2 ** min(course.tries, 30)) * (0.5 + random / 2)
    seconds = max(usual, min(outcome.retry_after, limits.longest_asked))
    since = now if course.failing_since is None else course.failing_since
    due = now + timedelta(seconds=seconds)
    return replace(
        course,
        failing_since=since,
        tries=course.tries + 1,
        due=due,
        last_status=outcome.status,
        last_failure=outcome.failure,
    )


def _away(course: Course, outcome: Outcome, now: datetime, random: float, limits: Limits) -> Course:
    failed = _failed(course, outcome, now, random, limits)
    since = failed.failing_since
    return _stopped(failed, Stop.FAILING) if since is not None and now - since >= limits.give_up else failed


def _refused(
    course: Course, position: int, outcome: Outcome, now: datetime, random: float, limits: Limits
) -> tuple[Course, Letter | None]:
    failed = _failed(course, outcome, now, random, limits)
    failed = replace(failed, refusals=course.refusals + 1)
    if failed.refusals < limits.tries:
        return failed, None
    if course.dead >= limits.dead_letters:
        return _stopped(failed, Stop.DEAD_LETTERS), None
    letter = Letter(position, failed.tries, outcome, now)
    gone_on = replace(failed, position=position, tries=0, refusals=0, due=None, dead=course.dead + 1)
    return gone_on, letter


def _stopped(course: Course, stop: Stop) -> Course:
    return replace(course, stop=stop, due=None)
