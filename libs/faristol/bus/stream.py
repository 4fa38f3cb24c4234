"""The JetStream stream of notifications: its configuration, and the requirements for a stream of an operator."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass

from nats.js import JetStreamContext
from nats.js.api import RetentionPolicy, StorageType, StreamConfig
from nats.js.errors import APIError, NotFoundError

from faristol.bus.errors import BusError
from faristol.bus.permissions import NOTIFICATION_STREAM, STREAM_SUBJECTS

HOUR_SECONDS = 3600.0
DUPLICATE_WINDOW_SECONDS = 120.0
"""Seconds within which NATS deduplicates messages by their ids."""

MADE_BY = "made-by"
MADE_BY_FARISTOL = "faristol"
"""Value in the metadata of a stream that Faristol created; any other stream belongs to its operator."""

TOO_FEW_RESOURCES_CODES = (10005, 10023, 10047, 10074)
"""Error codes of NATS for too few servers, or too little room."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class NewsLimits:
    """Limits of stored notifications. Consumers read from the record the messages that NATS drops or loses."""

    replicas: int = 1
    """Number of servers that store the stream: 1, 3 or 5."""
    hours: float = 24
    """Hours after which a notification is dropped."""
    most_bytes: int = 0
    """Size limit, beyond which the oldest are dropped; 0 for the limit of the server."""

    def config(self) -> StreamConfig:
        """Return the configuration of the stream."""
        return StreamConfig(
            name=NOTIFICATION_STREAM,
            subjects=[*STREAM_SUBJECTS],
            retention=RetentionPolicy.LIMITS,
            storage=StorageType.FILE,
            max_age=self.hours * HOUR_SECONDS,
            max_bytes=self.most_bytes or -1,
            num_replicas=self.replicas,
            duplicate_window=min(DUPLICATE_WINDOW_SECONDS, self.hours * HOUR_SECONDS),
            metadata={MADE_BY: MADE_BY_FARISTOL},
        )


DEFAULT_LIMITS = NewsLimits()
"""Default limits."""


async def ensure(jetstream: JetStreamContext, limits: NewsLimits) -> None:
    """Create the stream if it is missing, and update one that Faristol created.

    A stream of an operator remains unchanged; differences from the settings are logged. Raises ``BusError`` if it does
    not accept and retain notifications, or if NATS cannot create or update the stream.
    """
    wanted = limits.config()
    try:
        found = (await jetstream.stream_info(NOTIFICATION_STREAM)).config
    except NotFoundError:
        await _create_or_update(jetstream, limits, wanted, anew=True)
        return
    if (found.metadata or {}).get(MADE_BY) == MADE_BY_FARISTOL:
        if any(differences(found, wanted)):
            await _create_or_update(jetstream, limits, wanted, anew=False)
        return
    _check(found)
    if deviations := ", ".join(differences(found, wanted)):
        _log.warning("the stream %s belongs to its operator and is not changed: %s", NOTIFICATION_STREAM, deviations)


async def _create_or_update(
    jetstream: JetStreamContext, limits: NewsLimits, wanted: StreamConfig, *, anew: bool
) -> None:
    try:
        await (jetstream.add_stream(wanted) if anew else jetstream.update_stream(wanted))
    except APIError as error:
        if error.err_code not in TOO_FEW_RESOURCES_CODES:
            raise
        raise BusError(
            f"NATS cannot keep the stream {NOTIFICATION_STREAM} on {limits.replicas} servers with "
            f"{limits.most_bytes or 'any'} "
            f"bytes ({error.description}): start more servers, or set FARISTOL_NATS_REPLICAS or FARISTOL_NATS_BYTES"
        ) from error


def _check(found: StreamConfig) -> None:
    subjects = found.subjects or []
    missing = [] if ">" in subjects else [each for each in STREAM_SUBJECTS if each not in subjects]
    if missing:
        raise BusError(
            f"the stream {NOTIFICATION_STREAM} has the subjects {', '.join(subjects) or '(none)'}: its operator has to "
            f"add {', '.join(missing)}"
        )
    if found.retention not in (None, RetentionPolicy.LIMITS):
        raise BusError(
            f"the stream {NOTIFICATION_STREAM} has the retention {found.retention}: expected "
            f"{RetentionPolicy.LIMITS.value}, or "
            "notifications are removed before every consumer has read them"
        )


def differences(found: StreamConfig, wanted: StreamConfig) -> Iterator[str]:
    """Yield the differences of a stream from the wanted one, such as ``replicas 3 and not 1``."""
    pairs: dict[str, tuple[object, object]] = {
        "subjects": (" ".join(sorted(found.subjects or [])), " ".join(sorted(wanted.subjects or []))),
        "replicas": (found.num_replicas, wanted.num_replicas),
        "seconds": (found.max_age, wanted.max_age),
        "bytes": (found.max_bytes, wanted.max_bytes),
        "storage": (found.storage, wanted.storage),
    }
    for name, (there, here) in pairs.items():
        if there != here:
            yield f"{name} {there} and not {here}"
