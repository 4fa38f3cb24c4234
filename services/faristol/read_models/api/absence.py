"""The answer "not found", given only after the read models have reached the record's end."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, TypeVar

from google.protobuf.message import Message

from faristol.kernel.errors import NotFound
from faristol.read_models.storage.models import ReadModels

_OF_A_MOMENT = frozenset(("min_position", "as_of_position", "as_of"))


Request = TypeVar("Request", bound=Message)
Answer = TypeVar("Answer", bound=Message)


def retry_not_found(
    question: Callable[[ReadModels, Request, Any], Coroutine[Any, Any, Answer]],
) -> Callable[[ReadModels, Request, Any], Coroutine[Any, Any, Answer]]:
    """Wrap a query to retry once before it raises ``NotFound``.

    A query for a position or as of a moment is not retried. A caller who has just paired a round queries it at once;
    the retry waits until the read models have caught up.
    """

    @wraps(question)
    async def answer_with_retry(models: ReadModels, request: Request, context: Any) -> Answer:
        try:
            return await question(models, request, context)
        except NotFound:
            if any(field.name in _OF_A_MOMENT for field, _ in request.ListFields()):
                raise
            if not await models.progress.wait_until_reached(await models.record.last_position(), models.lag):
                raise
            return await question(models, request, context)

    return answer_with_retry
