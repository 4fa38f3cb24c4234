"""The components of a service that a process runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from faristol.consumers import Projection, Reaction
from faristol.host.rpc.dispatch import Dispatcher


@dataclass(frozen=True)
class Part:
    """The components of a service, which a process can combine with others."""

    name: str
    servicers: Sequence[Dispatcher] = ()
    reactions: Sequence[Reaction] = ()
    projections: Sequence[Projection] = ()
    tasks: Sequence[Callable[[], Awaitable[None]]] = ()
    """Tasks that run in parallel with the server, and are cancelled at the end."""
