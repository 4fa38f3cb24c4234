"""A gRPC call in transit, and its answer."""

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
    """The answer of a server."""

    code: grpc.StatusCode
    data: bytes = b""
    details: str = ""
    trailing: tuple[tuple[str, Any], ...] = ()
    more: bool = False
    """A piece of a stream, of which others follow."""


class Call:
    """A call in transit, and its answer."""

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
        """False for the second copy of a call: no caller waits for its answer."""
        self.context = copy_context()
        """The caller's."""
        self.cancelled = False
        self.before: bytes | None = None
        """The earlier answer to this command."""
        self.server: Server | None = None
        self.last = 0.0
        """When the last piece of the answer arrives: none overtakes another."""

    def __str__(self) -> str:
        return self.method.rpartition("/")[2]
