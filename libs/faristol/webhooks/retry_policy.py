"""The delivery state of a webhook, and the effect of an answer on it. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from enum import StrEnum


class StopReason(StrEnum):
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


class OutcomeKind(StrEnum):
    """The meaning of an outcome."""

    DELIVERED = "delivered"
    GONE = "gone"
    REFUSED = "refused"
    """The receiver is available and refuses this message."""
    AWAY = "away"
    """The receiver is unavailable."""


RETRY_LATER_STATUSES = frozenset({408, 425, 429})
"""Statuses below 500 that request a retry later."""


@dataclass(frozen=True, slots=True)
class DeliveryOutcome:
    """The outcome of sending a message."""

    status: int = 0
    """Of the answer; 0 without an answer."""
    failure: Failure = Failure.NONE
    retry_after: float = 0.0
    """Seconds that the receiver requests."""

    @property
    def kind(self) -> OutcomeKind:
        """The meaning for the webhook."""
        if not self.failure:
            return OutcomeKind.DELIVERED
        if self.status == 410:
            return OutcomeKind.GONE
        if self.status and self.status < 500 and self.status not in RETRY_LATER_STATUSES:
            return OutcomeKind.REFUSED
        return OutcomeKind.AWAY


def outcome_of(status: int, retry_after: str, now: datetime) -> DeliveryOutcome:
    """Return the outcome of an answer with a status and the value of ``Retry-After``, empty if absent."""
    if 200 <= status < 300:
        return DeliveryOutcome(status)
    return DeliveryOutcome(status, Failure.STATUS, _seconds(retry_after.strip(), now))


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


DEFAULT_DELIVERY_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A message that was skipped, or is to be redelivered."""

    position: int
    tries: int
    outcome: DeliveryOutcome
    failed_at: datetime
    again: bool = False
    """Whether it is to be redelivered."""


@dataclass(frozen=True, slots=True)
class DeliveryState:
    """The delivery state of a webhook."""

    position: int
    """Everything up to here was delivered or is a dead letter."""
    stop: StopReason = StopReason.NONE
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


def apply_resume(course: DeliveryState, position: int | None = None) -> DeliveryState:
    """Return the delivery state of a resumed webhook: from where it stopped, or after another position."""
    return DeliveryState(
        course.position if position is None else position,
        last_status=course.last_status,
        last_failure=course.last_failure,
        delivered_at=course.delivered_at,
        dead=course.dead,
    )


def apply_outcome(
    course: DeliveryState,
    position: int,
    outcome: DeliveryOutcome,
    now: datetime,
    random: float,
    limits: Limits = DEFAULT_DELIVERY_LIMITS,
) -> tuple[DeliveryState, DeadLetter | None]:
    """Return the delivery state after sending the message of a position, and the dead letter that it became, if any.

    ``random`` is from 0 to 1 and spreads the retries of many webhooks.
    """
    match outcome.kind:
        case OutcomeKind.DELIVERED:
            return _apply_delivered(course, max(course.position, position), outcome, now), None
        case OutcomeKind.GONE:
            return _apply_stop(_apply_failure(course, outcome, now, random, limits), StopReason.GONE), None
        case OutcomeKind.REFUSED:
            return _apply_refusal(course, position, outcome, now, random, limits)
    return _apply_unavailable(course, outcome, now, random, limits), None


def apply_redelivery(
    course: DeliveryState,
    letter: DeadLetter,
    outcome: DeliveryOutcome,
    now: datetime,
    random: float,
    limits: Limits = DEFAULT_DELIVERY_LIMITS,
) -> tuple[DeliveryState, DeadLetter | None]:
    """Return the same for a redelivered dead letter: the delivery state, and the letter, or None if it arrived."""
    tried = DeadLetter(letter.position, letter.tries + 1, outcome, now, again=outcome.kind is not OutcomeKind.REFUSED)
    match outcome.kind:
        case OutcomeKind.DELIVERED:
            return replace(_apply_delivered(course, course.position, outcome, now), dead=max(0, course.dead - 1)), None
        case OutcomeKind.GONE:
            return _apply_stop(_apply_failure(course, outcome, now, random, limits), StopReason.GONE), tried
        case OutcomeKind.REFUSED:
            return replace(course, last_status=outcome.status, last_failure=outcome.failure), tried
    return _apply_unavailable(course, outcome, now, random, limits), tried


def _apply_delivered(course: DeliveryState, position: int, outcome: DeliveryOutcome, now: datetime) -> DeliveryState:
    return replace(apply_resume(course, position), last_status=outcome.status, delivered_at=now)


def _apply_failure(
    course: DeliveryState, outcome: DeliveryOutcome, now: datetime, random: float, limits: Limits
) -> DeliveryState:
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


def _apply_unavailable(
    course: DeliveryState, outcome: DeliveryOutcome, now: datetime, random: float, limits: Limits
) -> DeliveryState:
    failed = _apply_failure(course, outcome, now, random, limits)
    since = failed.failing_since
    return _apply_stop(failed, StopReason.FAILING) if since is not None and now - since >= limits.give_up else failed


def _apply_refusal(
    course: DeliveryState, position: int, outcome: DeliveryOutcome, now: datetime, random: float, limits: Limits
) -> tuple[DeliveryState, DeadLetter | None]:
    failed = _apply_failure(course, outcome, now, random, limits)
    failed = replace(failed, refusals=course.refusals + 1)
    if failed.refusals < limits.tries:
        return failed, None
    if course.dead >= limits.dead_letters:
        return _apply_stop(failed, StopReason.DEAD_LETTERS), None
    letter = DeadLetter(position, failed.tries, outcome, now)
    gone_on = replace(failed, position=position, tries=0, refusals=0, due=None, dead=course.dead + 1)
    return gone_on, letter


def _apply_stop(course: DeliveryState, stop: StopReason) -> DeliveryState:
    return replace(course, stop=stop, due=None)
