"""The services of a hall's cell: those of a championship, without the parts that write the championship's streams.

The cell copies the events of the championship that the hall needs, and sends back those of its tables. Each stream has
one writer. Pairings, ratings and tables are opened by the championship, so their reactions and timers do not run here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from faristol.consumers import Reaction
from faristol.event_store import Record
from faristol.host import SERVICES, Part, Runtime, Settings, StartError
from faristol.host.halls.clock import HallClock
from faristol.host.halls.identity import WRITTEN_STREAM_KINDS, load_joined, load_key
from faristol.host.halls.kept import is_outcome_stream
from faristol.kernel.event_types import types_of
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as pairing_events

HALL = "hall"
"""Name of the service that a hall's cell runs beside the others."""

_OPENING_TYPES = types_of((pairing_events.RoundStarted, pairing_events.PostponedGameStarted))

_REACTIONS: Mapping[str, frozenset[str]] = {"pairing": frozenset(), "rating": frozenset()}
"""Reactions of services of which only some run, by service."""
_WITHOUT_TASKS = frozenset({"pairing"})
"""Services whose timers write the stream of the tournament."""


def services_of(settings: Settings, services: Sequence[str]) -> Sequence[str]:
    """Return the services of the hall's cell. Raises ``StartError`` for settings that a hall cannot have."""
    if set(services) != set(SERVICES):
        raise StartError("--hall needs all services in one process: use `faristol up`")
    if settings.database_url or settings.nats_url:
        raise StartError("--hall keeps its record and bus in the data folder: omit --database-url and --nats-url")
    if not settings.hall_of:
        raise StartError("--hall needs the gRPC address of its championship: give it with --of")
    return (*services, HALL)


def check_no_hall(settings: Settings) -> None:
    """Check that a championship does not use the data folder of a hall's cell, whose record is a copy of another one.

    Raises ``StartError``, and ``RecordError`` for a damaged file.
    """
    joined = load_joined(settings.hall_folder())
    if joined:
        raise StartError(
            f"{settings.data} is the data folder of the hall {joined.hall}: start it with --hall '{joined.hall}' "
            f"--of {joined.of}, or give another folder with --data"
        )


async def check_no_championship(settings: Settings, record: Record) -> None:
    """Check that a hall's cell does not use the data folder of a championship. Raises ``StartError``."""
    if load_joined(settings.hall_folder()) is None and await record.last_position():
        raise StartError(
            f"{settings.data} is the data folder of a championship, not of the hall {settings.hall}: give another "
            "folder with --data"
        )


def clock_of(settings: Settings, machine: Callable[[], datetime]) -> HallClock:
    """Return the clock of the cell, on that of its machine. Raises ``StartError`` for a damaged file."""
    try:
        return HallClock(machine, settings.hall_folder())
    except (OSError, ValueError) as error:
        raise StartError(f"the clock of the hall cannot be read: {error}") from error


def prepare(settings: Settings, record: Record) -> None:
    """Load or make the key of the hall, and limit the record to the streams that the hall writes.

    Raises ``RecordError`` for a key that cannot be read or written.
    """
    record.owner_key = load_key(settings.hall_folder()).public_key().public_bytes_raw()

    def check_writer(stream: str) -> None:
        if stream.partition("-")[0] not in WRITTEN_STREAM_KINDS or is_outcome_stream(stream):
            raise Refusal(
                "OF_THE_CHAMPIONSHIP",
                N_("This is decided in the championship, not in the hall {hall}: do it on the championship's pages."),
                {"hall": settings.hall},
            )

    record.check_writer = check_writer


def limit(build: Callable[[Runtime], Part]) -> Callable[[Runtime], Part]:
    """Return a function that builds the same part without the reactions and timers of the championship."""

    def build_limited(runtime: Runtime) -> Part:
        part = build(runtime)
        wanted = _REACTIONS.get(part.name)
        reactions = [
            _without_openings(reaction) for reaction in part.reactions if wanted is None or reaction.name in wanted
        ]
        return replace(part, reactions=reactions, tasks=() if part.name in _WITHOUT_TASKS else part.tasks)

    return build_limited


def _without_openings(reaction: Reaction) -> Reaction:
    """Return a reaction that leaves the opening of tables to the championship."""
    return replace(reaction, types=reaction.types - _OPENING_TYPES)
