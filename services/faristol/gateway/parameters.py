"""The parameters that the queries of the interface for programs may have.

A parameter that is not known is refused, since a misspelt one would be answered with something else than was asked for;
so is one that is given twice, of which only the last would count. Pages pass over what they do not know: links to them
are shared, and come back with what others have hung on them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from fastapi import Depends, Query
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError
from starlette.requests import Request

from faristol.kernel.quoting import nearest


def _digits(given: object) -> object:
    """What is given, when it is text of digits alone: Pydantic would take ``1_0`` and ``1.0`` as well."""
    if isinstance(given, str) and not re.fullmatch("-?[0-9]+", given):
        raise PydanticCustomError("int_parsing", "expected a whole number")
    return given


DIGITS = BeforeValidator(_digits)
"""Of a number in a path, a query or a header: digits, with a minus before them or without, and nothing else.

It stands behind the limits of the number, since the document loses those that stand behind it.
"""

Language = Annotated[
    Literal["ca", "el", "en", "es"] | None,
    Query(description="The language of words in the answer; by `Accept-Language` when it is not given."),
]


async def _known(request: Request, lang: Language = None) -> None:  # language_of reads it
    """Refuse parameters that the route does not have, each with what was meant, and those that are given twice."""
    route = request.scope["route"]
    assert isinstance(route, APIRoute)
    known = list(dict.fromkeys(_of_query(route.dependant)))
    given = request.query_params
    wrong = [_unknown(name, known) for name in given if name not in known]
    wrong += [_repeated(name) for name in known if len(given.getlist(name)) > 1]
    if wrong:
        raise RequestValidationError(wrong)


KNOWN = Depends(_known)
"""A dependency of routers: queries have no other parameters than those of their route, and each of them once."""


def _of_query(dependant: Dependant) -> Iterator[str]:
    """The names of what a route and its dependencies take from the query."""
    for below in dependant.dependencies:
        yield from _of_query(below)
    yield from (field.alias for field in dependant.query_params)


def _unknown(name: str, known: list[str]) -> dict[str, Any]:
    """The error of a parameter that is none, in the form of Pydantic's."""
    like = nearest(name, known)
    kind = "unknown_parameter_like" if like else "unknown_parameter"
    context = {"like": like, "known": ", ".join(known)}
    return {"type": kind, "loc": ("query", name), "msg": "unknown parameter", "input": name, "ctx": context}


def _repeated(name: str) -> dict[str, Any]:
    """The error of a parameter that is given more than once, in the same form."""
    return {"type": "repeated_parameter", "loc": ("query", name), "msg": "repeated parameter", "input": name}
