"""Commands that forms of consoles send: their ids, and refusals in words."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from http import HTTPStatus

import grpc
from starlette.exceptions import HTTPException

from faristol.gateway.problems import Problem, of_rpc
from faristol.kernel.refusal import N_
from faristol.text import say

WITH_ARTICLE = N_("{refusal} ({article})")


def command_id(given: Mapping[str, str], act: str) -> str:
    """The id of the command that a form sends by one of its buttons: the same each time that it is sent.

    Raises ``HTTPException`` for a form without an id.
    """
    try:
        return str(uuid.uuid5(uuid.UUID(given.get("command_id", "")), act))
    except ValueError as problem:
        raise HTTPException(HTTPStatus.BAD_REQUEST) from problem


def refused(error: grpc.aio.AioRpcError, language: str) -> Problem:
    """What a service said to a command that it did not carry out, for whoever sent the form.

    What is not theirs is not there (404), and what is nobody's fault is raised on.
    """
    if error.code() is grpc.StatusCode.NOT_FOUND:
        raise HTTPException(HTTPStatus.NOT_FOUND) from error
    problem = of_rpc(error, language)
    if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise error
    return problem


def in_words(problem: Problem, language: str) -> str:
    """A refusal as it is read, with its article."""
    article = str(problem.more.get("article", ""))
    if not article or article in problem.detail:
        return problem.detail
    return say(WITH_ARTICLE, {"refusal": problem.detail, "article": article}, language)
