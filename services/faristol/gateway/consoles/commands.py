"""Commands sent by forms of consoles: their ids and their refusals."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus

import grpc
from starlette.exceptions import HTTPException

from faristol.gateway.http.errors import Problem, of_rpc
from faristol.kernel.refusal import N_
from faristol.text import say

WITH_ARTICLE = N_("{refusal} ({article})")


def form_id(given: Mapping[str, str]) -> uuid.UUID:
    """Return the id that a form was rendered with. Raises ``HTTPException`` for a form without one."""
    try:
        return uuid.UUID(given.get("command_id", ""))
    except ValueError as problem:
        raise HTTPException(HTTPStatus.BAD_REQUEST) from problem


def command_id(given: Mapping[str, str], act: str) -> str:
    """Return the id of the command behind a button of a form, the same whenever the form is sent again.

    Raises ``HTTPException`` for a form without an id.
    """
    return str(uuid.uuid5(form_id(given), act))


@contextmanager
def hide_errors(*codes: grpc.StatusCode) -> Iterator[None]:
    """Raise 404 instead of an RPC error with one of ``codes``, so that forbidden content looks missing."""
    try:
        yield
    except grpc.aio.AioRpcError as problem:
        if problem.code() not in codes:
            raise
        raise HTTPException(HTTPStatus.NOT_FOUND) from problem


def to_problem(error: grpc.aio.AioRpcError, language: str) -> Problem:
    """Return the refusal of a command, with its article, for the sender of the form.

    Raises ``HTTPException`` (404) for ``NOT_FOUND``, and the RPC error itself for a server error.
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
