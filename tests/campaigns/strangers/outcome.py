"""The attempts of attackers, their outcome, and unauthorised changes or reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from google.protobuf.message import Message

from faristol.event_store import Recorded
from faristol.pb.access.v1.events_pb2 import SignedIn

PRIVATE = frozenset({"rack", "seed", "note", "token", "code", "pin"})
"""Fields that no stranger is ever told; the seed of a game that is over apart, and none is over here."""

LIMITS: Mapping[str, tuple[float, float]] = {"p50_ms": (20.0, 1.5), "p95_ms": (35.0, 2.0), "p99_ms": (50.0, 3.0)}
"""Of each percentile of officials' commands: milliseconds that are fast enough on any machine, and the multiple of the
time on the twin up to which the times count as equal. The high percentiles of ``FEWEST_PAIRS_COUNT`` commands vary that
much by chance.
"""
FEWEST_PAIRS_COUNT = 200
"""Commands that are needed to compare the platforms."""


class Pair(NamedTuple):
    """The milliseconds of one command on the attacked platform, and of the same command on its twin."""

    attacked: float
    twin: float


@dataclass
class Attack:
    """One kind of attack."""

    name: str
    tries: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    """How often each status and reason was the answer."""
    wrong: list[str] = field(default_factory=list)
    """Answers that should have been refused."""

    def as_json(self) -> dict[str, Any]:
        """Return the attack for the report."""
        return asdict(self) | {"refused": dict(self.refused.most_common())}


def private_in(message: Message) -> Iterator[str]:
    """Yield the paths of private data in an answer."""
    for descriptor, value in message.ListFields():
        if descriptor.message_type is None:
            if descriptor.name in PRIVATE:
                yield descriptor.name
        elif not descriptor.message_type.GetOptions().map_entry:
            for part in value if descriptor.is_repeated else (value,):
                yield from (f"{descriptor.name}.{path}" for path in private_in(part))


def find_events_of_strangers(
    events: Iterable[Recorded], entitled: frozenset[str], entered: frozenset[str] = frozenset()
) -> Iterator[str]:
    """Yield the events since the attack began that no entitled caller caused.

    ``entitled`` are ids of credentials. A wrong PIN is on the record because it counts. The people in the hall sign in
    and out with those of ``entered``.
    """
    of_the_hall: set[str] = set()
    for event in events:
        message = event.message
        if isinstance(message, SignedIn) and message.credential_id in entered:
            of_the_hall.add(message.session_id)
        elif event.name != "PinRefused" and event.metadata.credential not in {*entitled, *of_the_hall}:
            yield f"{event.position}: {event.name} in {event.stream} by {event.metadata}"


def names_of_others(events: Iterable[Recorded], credential_id: str, subject: str) -> Iterator[str]:
    """Yield commands by a credential under a name other than that of its holder."""
    for event in events:
        if event.metadata.credential == credential_id and event.metadata.actor != subject:
            yield f"{event.position}: {event.name} names {event.metadata.actor} and not {subject}"


def secrets_in(text: str, secrets: Sequence[str]) -> Iterator[str]:
    """Yield the number of occurrences of each secret in a text."""
    for number, secret in enumerate(secrets, start=1):
        if times := text.count(secret):
            yield f"secret {number} of {len(secrets)} stands {times} times in the log"


def measure_commands(pairs: Sequence[Pair]) -> dict[str, float]:
    """Get the count of commands, and their percentiles and maximum in milliseconds, on each platform."""
    figures: dict[str, float] = {"commands": len(pairs)}
    for prefix, times in (("", [pair.attacked for pair in pairs]), ("twin_", [pair.twin for pair in pairs])):
        ordered = sorted(times)
        for percent in (50, 95, 99):
            figures[f"{prefix}p{percent}_ms"] = ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]
        figures[f"{prefix}longest_ms"] = ordered[-1]
    return figures


def find_delays(during: str, figures: Mapping[str, float]) -> Iterator[str]:
    """Find delays of officials' commands that a crowd caused.

    A busy machine delays commands on both platforms, a crowd only those on the attacked one.
    """
    if figures["commands"] < FEWEST_PAIRS_COUNT:
        yield f"{during}: {figures['commands']:.0f} commands are too few to compare"
        return
    for name, (limit, ratio) in LIMITS.items():
        took, twin = figures[name], figures[f"twin_{name}"]
        if took > max(limit, ratio * twin):
            yield f"{during}: {name} of officials' commands is {took:.0f}, on the platform without the crowd {twin:.0f}"
