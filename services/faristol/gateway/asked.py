"""What was asked of the services for an answer, so that one look tells whether the answer would be another."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, ClassVar, Self, TypeVar

import grpc
from google.protobuf.message import Message
from starlette.requests import Request
from starlette.responses import Response

from faristol.gateway.language import language_of
from faristol.host.interceptor import REFUSAL_LANGUAGE

Q = TypeVar("Q", bound=Message)
"""A question."""

A = TypeVar("A")
"""Its answer."""

_KEY = "faristol.asked"

DEADLINE = 10.0
"""Seconds within which a service has to answer."""

AWAY = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.UNIMPLEMENTED)
"""What is answered where a service does not run."""

MOST_BEHIND = 1_000
"""Positions by which an answer that is kept may be behind: who follows the stream from there is told them again."""


@dataclass
class Asked:
    """The answers of services that one answer over HTTP is made of."""

    known: bytes = b""
    """The digest of those that an answer is kept of; empty where none is kept."""
    known_position: int = 0
    _notes: list[bytes] = field(default_factory=list)
    _position: int | None = None

    @property
    def position(self) -> int:
        """Up to where all of them hold; 0 where none says it."""
        return self._position or 0

    def note(self, request: Message, answer: Any) -> None:
        """Remember a question and its answer. The position is set apart: it moves with every event of the cell."""
        found = hashlib.sha256(request.SerializeToString(deterministic=True))
        if position := getattr(answer, "position", 0):
            self._position = position if self._position is None else min(self._position, position)
            answer.position = 0
        found.update(b"\0" + answer.SerializeToString(deterministic=True))
        if position:
            answer.position = position
        self._notes.append(found.digest())

    def digest(self) -> bytes:
        """What tells these answers from others, in whatever order they came."""
        return hashlib.sha256(b"".join(sorted(self._notes))).digest()

    def is_unchanged(self) -> bool:
        """Whether what is kept says the same, and from a position that is not too far behind."""
        return self.position - self.known_position <= MOST_BEHIND and self.digest() == self.known


def asked_for(request: Request) -> Asked | None:
    """What is asked for this request; None where nobody keeps its answer."""
    found = request.scope.get(_KEY)
    return found if isinstance(found, Asked) else None


def unchanged(request: Request) -> Response | None:
    """The answer that says that what is kept is the same; None where it is not, or nothing is kept."""
    asked = asked_for(request)
    return Response(status_code=HTTPStatus.NOT_MODIFIED) if asked and asked.known and asked.is_unchanged() else None


def scope_with(scope: dict[str, Any], asked: Asked) -> dict[str, Any]:
    """The scope of a request of which ``asked`` is to be told what is asked for it."""
    return {**scope, _KEY: asked}


class Service:
    """What a service tells everybody, with words in ``language``.

    Every question raises ``grpc.aio.AioRpcError``, with words in ``refusals``, or else in ``language``.
    """

    kept: ClassVar[str]
    """What the application keeps its stub as, in ``app.state``."""

    @classmethod
    async def for_visitor(cls, request: Request) -> Self:
        """The service in the visitor's language: what routes depend on."""
        return cls(getattr(request.app.state, cls.kept), language_of(request), asked=asked_for(request))

    def __init__(self, stub: Any, language: str, refusals: str = "", asked: Asked | None = None) -> None:
        """``asked`` is told of every question and its answer."""
        self._stub: Any = stub
        self._to_tell = asked
        self._metadata = (("accept-language", language), (REFUSAL_LANGUAGE, refusals or language))

    async def _asked(
        self, method: grpc.aio.UnaryUnaryMultiCallable[Q, A], request: Q, deadline: float | None = None
    ) -> A:
        answer = await method(request, timeout=deadline or DEADLINE, metadata=self._metadata)
        self._note(request, answer)
        return answer

    def _note(self, request: Message, answer: Any) -> None:
        if self._to_tell:
            self._to_tell.note(request, answer)
