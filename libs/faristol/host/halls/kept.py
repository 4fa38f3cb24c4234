"""The commands that a hall accepted without a line, and what became of them.

Problem. Results that are typed belong to the stream of the tournament, which only the championship writes. A hall
without a line must accept them all the same, and answer with the refusal that the championship would give.

Idea. The hall decides each command on its copy of the tournament with the effects of the commands that it keeps, and
appends the command to a stream of its own. The championship executes them in order. Their outcomes are on another
stream, which the championship writes and the hall copies.

Invariants:

- A stream has one writer: that of the kept commands has the key of the hall in its name.
- An outcome is written in the append of its effects. So each command is executed or refused once, and the hall never
  shows an effect twice: the copy of both comes in one transaction too.
- A hall withdraws a command by a further command on its stream. The championship executes it, or the withdrawal comes
  too late and is refused: one of both, by the order of its record.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from google.protobuf.message import Message

from faristol.event_store import Record, Recorded, load
from faristol.pb.hall.v1 import events_pb2 as events
from faristol.pb.pairing.v1.events_pb2 import ResultEntered

HALL_PREFIX = "hall-"
"""Prefix of the names of both streams."""

OUTCOMES_SUFFIX = "-outcomes"
"""End of the name of the stream of outcomes."""

KEY_DIGITS = 16
"""Hexadecimal digits of the key of a hall in the name of its stream."""

REFUSED_AS_WITHDRAWN = "WITHDRAWN"
"""Reason of the refusal of a command that the hall withdrew."""

Outcome = events.HallCommandExecuted | events.HallCommandRefused
KeptEvent = tuple[Recorded, events.HallCommandKept]
"""A kept command with its event."""


def kept_stream(tournament_id: str, key: bytes) -> str:
    """Return the name of the stream of the commands that the hall with a public key keeps."""
    return f"{HALL_PREFIX}{tournament_id}-{key.hex()[:KEY_DIGITS]}"


def part_id(command_id: str, game_id: str) -> str:
    """Return the id of the part of a command that concerns one of its games, a UUID like ``command_id``."""
    return str(uuid.uuid5(uuid.UUID(command_id), game_id))


def outcome_stream(tournament_id: str) -> str:
    """Return the name of the stream of the outcomes of kept commands."""
    return f"{HALL_PREFIX}{tournament_id}{OUTCOMES_SUFFIX}"


def is_outcome_stream(stream: str) -> bool:
    """Check whether a stream has outcomes of kept commands: only the championship writes it."""
    return stream.startswith(HALL_PREFIX) and stream.endswith(OUTCOMES_SUFFIX)


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What the championship did with kept commands."""

    by_command: Mapping[str, Outcome] = field(default_factory=dict)
    """Not to be changed."""


def watch_outcomes(outcomes: Outcomes, event: Message) -> Outcomes:
    """Return the outcomes after an event of their stream."""
    if isinstance(event, Outcome):
        return replace(outcomes, by_command=MappingProxyType({**outcomes.by_command, event.command_id: event}))
    return outcomes


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of the halls that have joined and were not released."""

    by_hall: Mapping[str, bytes] = field(default_factory=dict)
    """Not to be changed."""
    addresses: Mapping[str, str] = field(default_factory=dict)
    """Addresses of their pages by hall. Not to be changed."""


def watch_keys(keys: Keys, event: Message) -> Keys:
    """Return the keys after an event of the halls of a tournament."""
    if isinstance(event, events.HallJoined):
        return replace(
            keys,
            by_hall=MappingProxyType({**keys.by_hall, event.hall: event.key}),
            addresses=MappingProxyType({**keys.addresses, event.hall: event.address}),
        )
    if isinstance(event, events.HallReleased):
        others = {hall: key for hall, key in keys.by_hall.items() if hall != event.hall}
        addresses = {hall: address for hall, address in keys.addresses.items() if hall in others}
        return replace(keys, by_hall=MappingProxyType(others), addresses=MappingProxyType(addresses))
    return keys


async def load_outcomes(record: Record, tournament_id: str) -> Outcomes:
    """Load the outcomes of the kept commands of a tournament."""
    return (await load(record, outcome_stream(tournament_id), Outcomes(), watch_outcomes)).state


async def read_kept(record: Record, tournament_id: str, key: bytes) -> list[KeptEvent]:
    """Return the commands that a hall keeps or kept, in order."""
    recorded = await record.read_stream(kept_stream(tournament_id, key))
    return [(each, each.message) for each in recorded if isinstance(each.message, events.HallCommandKept)]


async def read_pending(record: Record, tournament_id: str, key: bytes) -> list[KeptEvent]:
    """Return the commands of a hall without an outcome, in order, withdrawn ones included."""
    kept = await read_kept(record, tournament_id, key)
    if not kept:
        return []
    outcomes = (await load_outcomes(record, tournament_id)).by_command
    return [(recorded, each) for recorded, each in kept if each.command_id not in outcomes]


def list_effective(pending: Iterable[KeptEvent]) -> list[KeptEvent]:
    """Return the pending commands of a hall that have effects there: without withdrawn ones and withdrawals."""
    listed = list(pending)
    withdrawn = {each.withdrawn_id for _, each in listed}
    return [(recorded, each) for recorded, each in listed if not each.withdrawn_id and each.command_id not in withdrawn]


def enters_result(kept: events.HallCommandKept) -> bool:
    """Check whether a kept command enters the result of its table, which closes the table."""
    return any(effect.type == ResultEntered.DESCRIPTOR.full_name for effect in kept.effects)


def is_followed(kept: events.HallCommandKept, effective: Iterable[KeptEvent]) -> bool:
    """Check whether a later command on the game of a kept one is among the effective ones."""
    of_game = [each.command_id for _, each in effective if each.game_id == kept.game_id]
    return kept.command_id in of_game and of_game[-1] != kept.command_id
