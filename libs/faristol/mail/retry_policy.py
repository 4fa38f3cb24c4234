"""The outcomes of an attempt to send a message, and the time of the next one. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum

FIRST_RETRY_SECONDS = 15.0
"""Seconds before the second attempt. Each further delay is twice as long."""

MAX_RETRY_DELAY_SECONDS = 900.0
"""Longest delay between two attempts: after an outage of an hour, a message waits at most so long."""

MAX_MAIL_AGE = timedelta(days=5)
"""Age at which a message that no server took is given up, as RFC 5321 (4.5.4.1) proposes."""


class MailState(Enum):
    """State of a message."""

    WAITING = "waiting"
    SENT = "sent"
    REFUSED = "refused"
    """The server refused it for good, or it is too old."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """The outcome of an attempt."""

    is_sent: bool = False
    is_final: bool = False
    """Whether the server refused this message for good."""
    status: int = 0
    """Reply code of SMTP; 0 without a reply."""
    problem: str = ""
    """Description for the operator, without addresses."""


SENT = Attempt(is_sent=True, status=250)


@dataclass(frozen=True, slots=True)
class NextStep:
    """The state after an attempt, and the time of the next one."""

    state: MailState
    due: datetime


def after_attempt(attempt: Attempt, attempts: int, created_at: datetime, now: datetime, random: float) -> NextStep:
    """Return the state of a message after its attempt number ``attempts``, from 1. ``random`` is in [0, 1)."""
    if attempt.is_sent:
        return NextStep(MailState.SENT, now)
    if attempt.is_final or now - created_at >= MAX_MAIL_AGE:
        return NextStep(MailState.REFUSED, now)
    delay = min(MAX_RETRY_DELAY_SECONDS, FIRST_RETRY_SECONDS * 2 ** min(attempts - 1, 30))
    return NextStep(MailState.WAITING, now + timedelta(seconds=delay * (0.5 + random / 2)))
