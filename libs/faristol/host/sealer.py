"""The sealing of the record, as a part of a process."""

from __future__ import annotations

from faristol.event_store import RecordError
from faristol.event_store.integrity.keys import SealKey
from faristol.event_store.integrity.sealer import Sealer
from faristol.event_store.integrity.token_key import open_key
from faristol.host.runtime import Runtime
from faristol.host.service_module import Part
from faristol.host.services import StartError


def open_configured_key(where: str) -> SealKey:
    """Return the key of a setting. Raises ``StartError`` if it cannot be read."""
    try:
        return open_key(where)
    except RecordError as error:
        raise StartError(str(error)) from error


def part(runtime: Runtime) -> Part:
    """Return the part that seals with the configured key. Raises ``StartError`` if the key cannot be read.

    An unavailable token is waited for.
    """
    settings = runtime.settings
    key = open_configured_key(settings.seal_key)
    sealer = Sealer(runtime.record, key, events=settings.seal_events, seconds=settings.seal_seconds)
    return Part(name="sealing", tasks=(sealer.run,))
