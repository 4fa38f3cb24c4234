"""Responses of services behind an HTTP answer, hashed so that an unchanged answer is detected without rendering."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from google.protobuf.message import Message
from starlette.requests import Request
from starlette.responses import Response

READS_KEY = "faristol.asked"
"""Key of the recorder of the responses in the scope of a request."""

MAX_LAG_POSITIONS = 1_000
"""Limit by which a cached answer may lag, in positions: its stream client receives these notifications twice."""


@dataclass
class ServiceReads:
    """Responses of services for one HTTP answer."""

    known: bytes = b""
    """Digest of the responses behind the cached answer; empty if no answer is cached."""
    known_position: int = 0
    _notes: list[bytes] = field(default_factory=list)
    _position: int | None = None

    @property
    def position(self) -> int:
        """Position up to which all responses are valid; 0 if no response has one."""
        return self._position or 0

    def note(self, request: Message, answer: Any) -> None:
        """Add a request and its response. The position is excluded: it moves with every event of the cell."""
        found = hashlib.sha256(request.SerializeToString(deterministic=True))
        if position := getattr(answer, "position", 0):
            self._position = position if self._position is None else min(self._position, position)
            answer.position = 0
        found.update(b"\0" + answer.SerializeToString(deterministic=True))
        if position:
            answer.position = position
        self._notes.append(found.digest())

    def digest(self) -> bytes:
        """Return a digest of the responses, independent of their order."""
        return hashlib.sha256(b"".join(sorted(self._notes))).digest()

    def is_unchanged(self) -> bool:
        """Check whether the cached answer is unchanged and its position not too far behind."""
        return self.position - self.known_position <= MAX_LAG_POSITIONS and self.digest() == self.known


def reads_of(request: Request) -> ServiceReads | None:
    """Return the recorder of a request; None if its answer is not cached."""
    found = request.scope.get(READS_KEY)
    return found if isinstance(found, ServiceReads) else None


def check_not_modified(request: Request) -> Response | None:
    """Return the status 304 if the cached answer is still right; None if it is not or none is cached."""
    asked = reads_of(request)
    return Response(status_code=HTTPStatus.NOT_MODIFIED) if asked and asked.known and asked.is_unchanged() else None
