"""A gRPC call on its way, and what comes back."""

from __future__ import annotations

import asyncio
from contextvars import copy_context
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import grpc

if TYPE_CHECKING:
    from tests.campaigns.simulation.server import Server


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server says."""

    code: grpc.StatusCode
    data: bytes = b""
    details: str = ""
    trailing: tuple[tuple[str, Any], ...] = ()
    more: bool = False
    """A piece of a stream, of which others follow."""


class Call:
    """A call on its way, and what comes back."""

    def __init__(
        self, number: int, method: str, request: bytes, metadata: tuple[Any, ...], until: float, *, waits: bool = True
    ) -> None:
        self.number = number
        """Another one for every call."""
        self.method = method
        self.request = request
        self.metadata = metadata
        self.until = until
        """When the caller gives up."""
        self.answers: asyncio.Queue[Answer] = asyncio.Queue()
        self.waits = waits
        """False for the second copy of a call: nobody waits for its answer."""
        self.context = copy_context()
        """The caller's."""
        self.cancelled = False
        self.before: bytes | None = None
        """What this command was answered before it came."""
        self.server: Server | None = None
        self.last = 0.0
        """When the last piece of the answer arrives: none overtakes another."""

    def __str__(self) -> str:
        return self.method.rpartition("/")[2]
