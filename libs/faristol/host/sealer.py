"""Sealing the record, as a part of a process."""

from __future__ import annotations

from faristol.host.part import Part
from faristol.host.runtime import Runtime
from faristol.host.settings import StartError
from faristol.record import RecordError
from faristol.record.keys import read_private
from faristol.record.sealer import Sealer


def part(runtime: Runtime) -> Part:
    """What seals with the key that the settings name. Raises ``StartError`` when it cannot be read."""
    settings = runtime.settings
    assert settings.seal_key
    try:
        key = read_private(settings.seal_key)
    except RecordError as problem:
        raise StartError(str(problem)) from problem
    sealer = Sealer(runtime.record, key, events=settings.seal_events, seconds=settings.seal_seconds)
    return Part(name="sealing", tasks=(sealer.run,))
