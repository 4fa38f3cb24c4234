"""Saying that something is not there: only once the read models have come to what was recorded before the question."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Protocol, TypeVar

from google.protobuf.message import Message

from faristol.bus import Progress
from faristol.kernel.errors import NotFound
from faristol.record import Record

LAG = 2.0
"""Seconds to wait for the read models when nobody says another time."""


_OF_A_MOMENT = frozenset(("min_position", "as_of_position", "as_of"))


class Reading(Protocol):
    """A service that answers from read models which follow a record."""

    _record: Record
    _progress: Progress
    _lag: float
    """Seconds for which an answer waits for the read models before it says that something is not there."""


Service = TypeVar("Service", bound=Reading)
Request = TypeVar("Request", bound=Message)
Answer = TypeVar("Answer", bound=Message)


def looked_up_again(
    method: Callable[[Service, Request, Any], Coroutine[Any, Any, Answer]],
) -> Callable[[Service, Request, Any], Coroutine[Any, Any, Answer]]:
    """A method that looks once more before it raises ``NotFound``, unless it is asked for a position or as of a moment.

    Who has just paired a round asks for it at once, while the read models follow: it is there, and they wait for it.
    """

    @wraps(method)
    async def answered(self: Service, request: Request, context: Any) -> Answer:
        try:
            return await method(self, request, context)
        except NotFound:
            if any(field.name in _OF_A_MOMENT for field, _ in request.ListFields()):
                raise
            if not await self._progress.reached(await self._record.last_position(), self._lag):
                raise
            return await method(self, request, context)

    return answered
