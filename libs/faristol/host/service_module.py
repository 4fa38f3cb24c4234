"""The components of a service that a process runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from google.protobuf.descriptor import ServiceDescriptor

from faristol.consumers import Projection, Reaction


@dataclass(frozen=True)
class Servicer:
    """A gRPC service and its implementation."""

    descriptor: ServiceDescriptor
    add: Callable[[Any, Any], None]
    """The generated function ``add_…Servicer_to_server``."""
    instance: object


@dataclass(frozen=True)
class Part:
    """The components of a service, which a process can combine with others."""

    name: str
    servicers: Sequence[Servicer] = ()
    reactions: Sequence[Reaction] = ()
    projections: Sequence[Projection] = ()
    tasks: Sequence[Callable[[], Awaitable[None]]] = ()
    """Tasks that run in parallel with the server, and are cancelled at the end."""
