"""What a service brings into a process."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from google.protobuf.descriptor import ServiceDescriptor

from faristol.bus import Projection, Reaction


@dataclass(frozen=True)
class Servicer:
    """A gRPC service and what implements it."""

    descriptor: ServiceDescriptor
    add: Callable[[Any, Any], None]
    """The generated ``add_…Servicer_to_server``."""
    instance: object


@dataclass(frozen=True)
class Part:
    """A service as a process composes it with others or runs it alone."""

    name: str
    servicers: Sequence[Servicer] = ()
    reactions: Sequence[Reaction] = ()
    projections: Sequence[Projection] = ()
    tasks: Sequence[Callable[[], Awaitable[None]]] = ()
    """Run beside the server, and cancelled at the end."""
