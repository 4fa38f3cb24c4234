"""Commands that forms of consoles send: their ids, and what is said against them."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus

import grpc
from starlette.exceptions import HTTPException

from faristol.gateway.problems import Problem, of_rpc
from faristol.kernel.refusal import N_
from faristol.text import say

WITH_ARTICLE = N_("{refusal} ({article})")


def form_id(given: Mapping[str, str]) -> uuid.UUID:
    """The id that a form was made with. Raises ``HTTPException`` for a form without one."""
    try:
        return uuid.UUID(given.get("command_id", ""))
    except ValueError as problem:
        raise HTTPException(HTTPStatus.BAD_REQUEST) from problem


def command_id(given: Mapping[str, str], act: str) -> str:
    """The id of the command that a form sends by one of its buttons: the same each time that it is sent.

    Raises ``HTTPException`` for a form without an id.
    """
    return str(uuid.uuid5(form_id(given), act))


@contextmanager
def hidden(*codes: grpc.StatusCode) -> Iterator[None]:
    """What a service answers with one of ``codes`` is not there (404): so is what one may not see."""
    try:
        yield
    except grpc.aio.AioRpcError as problem:
        if problem.code() not in codes:
            raise
        raise HTTPException(HTTPStatus.NOT_FOUND) from problem


def refused(error: grpc.aio.AioRpcError, language: str) -> Problem:
    """What a service said to a command that it did not carry out, with its article, for whoever sent the form.

    What is not theirs is not there (404), and what is nobody's fault is raised on.
    """
    if error.code() is grpc.StatusCode.NOT_FOUND:
        raise HTTPException(HTTPStatus.NOT_FOUND) from error
    problem = of_rpc(error, language)
    if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise error
    article = str(problem.more.get("article", ""))
    if not article or article in problem.detail:
        return problem
    return problem._replace(detail=say(WITH_ARTICLE, {"refusal": problem.detail, "article": article}, language))
