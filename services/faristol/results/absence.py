"""Saying that something is not there: only once the read models have come to what was recorded before the question."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, TypeVar

from google.protobuf.message import Message

from faristol.kernel.errors import NotFound
from faristol.results.models import ReadModels

_OF_A_MOMENT = frozenset(("min_position", "as_of_position", "as_of"))


Request = TypeVar("Request", bound=Message)
Answer = TypeVar("Answer", bound=Message)


def looked_up_again(
    question: Callable[[ReadModels, Request, Any], Coroutine[Any, Any, Answer]],
) -> Callable[[ReadModels, Request, Any], Coroutine[Any, Any, Answer]]:
    """A question that looks once more before it raises ``NotFound``, unless it is of a position or as of a moment.

    Who has just paired a round asks for it at once, while the read models follow: it is there, and they wait for it.
    """

    @wraps(question)
    async def answered(models: ReadModels, request: Request, context: Any) -> Answer:
        try:
            return await question(models, request, context)
        except NotFound:
            if any(field.name in _OF_A_MOMENT for field, _ in request.ListFields()):
                raise
            if not await models.progress.reached(await models.record.last_position(), models.lag):
                raise
            return await question(models, request, context)

    return answered
