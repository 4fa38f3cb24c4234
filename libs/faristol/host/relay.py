"""The relay as a process of its own: the one that NATS lets publish."""

from __future__ import annotations

from faristol.host.part import Part
from faristol.host.runtime import Runtime
from faristol.host.services import RELAY


def part(runtime: Runtime) -> Part:
    """No service and no consumer: a process with this part runs the relay, whatever its settings say."""
    return Part(name=RELAY)
