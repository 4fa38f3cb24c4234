"""The sealing of the record, as a part of a process."""

from __future__ import annotations

from faristol.host.part import Part
from faristol.host.runtime import Runtime
from faristol.host.services import StartError
from faristol.record import RecordError
from faristol.record.seal_keys import open_key
from faristol.record.sealer import Sealer


def part(runtime: Runtime) -> Part:
    """Return the part that seals with the configured key. Raises ``StartError`` if the key cannot be read.

    An unavailable token is waited for.
    """
    settings = runtime.settings
    try:
        key = open_key(settings.seal_key)
    except RecordError as problem:
        raise StartError(str(problem)) from problem
    sealer = Sealer(runtime.record, key, events=settings.seal_events, seconds=settings.seal_seconds)
    return Part(name="sealing", tasks=(sealer.run,))
