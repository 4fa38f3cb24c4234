"""Commands sent by forms of consoles: their ids and their refusals."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from typing import Annotated, Any, NamedTuple

import grpc
from fastapi import Depends
from google.protobuf.message import Message
from starlette.exceptions import HTTPException

from faristol.client.problems import info_of
from faristol.gateway.consoles.forms import Given, fill
from faristol.gateway.http.errors import Problem, of_rpc
from faristol.gateway.rpc.calls import NAMED, Calls
from faristol.kernel.errors import Invalid
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


def request_of(given: Given, service: str, names: Collection[str], **fields: str) -> Any:
    """Return the request of a form, with its id: that of the method ``act``.

    Raises ``HTTPException`` (400) for a form with a method that is not in ``names``, or without an id.
    """
    name = given.get("act", "")
    if name not in names:
        raise HTTPException(HTTPStatus.BAD_REQUEST)
    return NAMED[service, name].request(command_id=str(form_id(given)), **fields)


class SentForm(NamedTuple):
    """The result of a form: the answer to its command, or the fields and texts for the page that shows it again."""

    given: Mapping[str, str] = {}
    answer: Any = None
    """The answer; None if the form is invalid or its command was refused."""
    errors: Mapping[str, str] = {}
    """Errors by field of the form."""
    refused: str = ""
    """Refusal that no field of the form explains."""

    @property
    def status(self) -> HTTPStatus:
        """Status of the page that shows the form: 409 after a refusal, 400 with errors of fields, else 200."""
        return HTTPStatus.CONFLICT if self.refused else HTTPStatus.BAD_REQUEST if self.errors else HTTPStatus.OK


NEW_FORM = SentForm()
"""Form that was not sent yet."""


async def _open_form() -> SentForm:
    return NEW_FORM


Unsent = Annotated[SentForm, Depends(_open_form)]
"""Route parameter of a page that a refused form calls, too, with the form."""


async def send_form(
    calls: Calls,
    request: Message,
    given: Given,
    language: str,
    zone: str = "UTC",
    convert: Callable[[Given], Given] = lambda given: given,
) -> SentForm:
    """Fill the request of a command with a form, and send it.

    ``convert`` changes the form before, and raises ``Invalid`` for an invalid field. Raises ``HTTPException`` (400) for
    a value that no form of the page sends, and as ``to_problem``.
    """
    try:
        fill(request, convert(given), zone)
    except Invalid as problem:
        return SentForm(given, errors={problem.field: say(problem.problem, problem.params, language)})
    except ValueError as problem:
        raise HTTPException(HTTPStatus.BAD_REQUEST) from problem
    try:
        return SentForm(given, await calls.ask(request))
    except grpc.aio.AioRpcError as error:
        refused, field = to_problem(error, language).detail, info_of(error).metadata.get("field", "")
        if field in given:
            return SentForm(given, errors={field: refused.removeprefix(f"{field}: ")})
        return SentForm(given, refused=refused)


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
