"""Sentences on a proof of the log: the event that it proves, until when, and the rest that it does not prove."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from faristol.event_store.event import moment
from faristol.event_store.transparency.entry import DisclosedEvent
from faristol.event_store.transparency.policy import TrustPolicy
from faristol.event_store.transparency.signed_note import LogCheckpoint
from faristol.kernel.refusal import N_
from faristol.text import say

PROVEN_EVENT = N_(
    "Proven: event {number} of the log {origin} is {type} of the tournament {tournament}, recorded at {time}, with"
    " exactly this content."
)
PROVEN_BY_WITNESSES = N_(
    "Proven: the time. {witnesses} confirm that it was in the log at {time} at the latest, and that no earlier event"
    " of the log was changed or removed between their checks."
)
PROVEN_BY_LOG = N_(
    "Not proven: a time. The policy requires no witness, so the owner of the log could show another history to others."
)
NOT_PROVEN = N_(
    "Not proven: that the event is true, and the events after number {size}. A later correction is a later event."
)

EXPLANATION = (
    N_(
        "Each event of the championship has a place in a log that can only grow: a changed, removed or inserted event"
        " gives another checksum of the whole log."
    ),
    N_(
        "Independent witnesses sign that checksum only if every earlier one still fits, so two different histories"
        " cannot be shown to two people."
    ),
    N_(
        "The proof is a small file that shows the event under the signatures, and any program for C2SP transparency"
        " logs can check it years later without this site."
    ),
)
"""Three sentences that explain a proof."""


def format_utc(seconds: float) -> str:
    """Return a time in seconds since 1970 in UTC, such as ``2026-11-21 10:30:00 UTC``."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def list_proof_sentences(
    event: DisclosedEvent,
    index: int,
    checkpoint: LogCheckpoint,
    times: Mapping[str, int],
    policy: TrustPolicy,
    language: str,
) -> Iterator[str]:
    """Yield what a valid proof proves, until when, and what it does not prove. ``times`` are those of the witnesses."""
    yield say(
        PROVEN_EVENT,
        {
            "number": str(index + 1),
            "origin": checkpoint.origin,
            "type": event.type.rpartition(".")[2],
            "tournament": event.tournament,
            "time": format_utc(moment(event.recorded_at).timestamp()),
        },
        language,
    )
    met = policy.find_met_time(times)
    if met is None:
        yield say(PROVEN_BY_LOG, {}, language)
    else:
        yield say(PROVEN_BY_WITNESSES, {"witnesses": ", ".join(sorted(times)), "time": format_utc(met)}, language)
    yield say(NOT_PROVEN, {"size": str(checkpoint.size)}, language)
