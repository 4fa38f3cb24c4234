"""The relay in a separate process: the only publisher on NATS."""

from __future__ import annotations

from faristol.host.runtime import Runtime
from faristol.host.service_module import Part
from faristol.host.services import RELAY


def part(runtime: Runtime) -> Part:
    """Return a part without services and consumers: its process runs the relay, whatever the settings are."""
    return Part(name=RELAY)
