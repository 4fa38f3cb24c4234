"""The parameters of the interface for programs: what they are, and that there are no others.

A parameter that is not known is refused, since a misspelt one would be answered with something else than was asked for;
so is one that is given twice, of which only the last would count. Pages pass over what they do not know: links to them
are shared, and come back with what others have hung on them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import Depends, Header, Path, Query
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import AfterValidator, AwareDatetime, BeforeValidator, WithJsonSchema
from pydantic_core import PydanticCustomError
from starlette.requests import Request

from faristol.gateway.openapi import named
from faristol.gateway.problems import TIME_EXPECTED
from faristol.gateway.results import Moment
from faristol.kernel.quotation import nearest
from faristol.kernel.refusal import N_


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
    Annotated[Literal["ca", "el", "en", "es"], named("Language", ("ca", "el", "en", "es"))] | None,
    Query(description="The language of words in the answer; by `Accept-Language` when it is not given."),
]


TournamentId = Annotated[str, Path(description="The tournament.", examples=["demo"])]
RoundNumber = Annotated[int, Path(ge=1, le=10_000, description="The round, from 1."), DIGITS]
UpToRound = Annotated[
    int, Query(ge=0, le=10_000, description="After this round; with the results so far when 0."), DIGITS
]
LAST_POSITION = 2**63 - 1
MinPosition = Annotated[
    int,
    Query(
        ge=0,
        le=LAST_POSITION,
        description="Wait until the answer holds up to this position of the record, 10 seconds at most: 504 when it "
        "does not come by then, 400 at once when it is more than 10,000 beyond what the record holds. Not together "
        "with `as_of` or `as_of_position`.",
    ),
    DIGITS,
]
AsOfPosition = Annotated[
    int,
    Query(
        ge=0,
        le=LAST_POSITION,
        description="As it was at this position of the record, which has to have come to it; as it is when 0. Not "
        "together with `as_of`.",
    ),
    DIGITS,
]


def _in_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError(N_("expected a time between the years 1 and 9999, UTC, got {given}")) from None


RFC_3339 = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})$"
"""A time as RFC 3339 writes it: with seconds and with its offset. A number or a day alone is no moment."""


def _written(given: str) -> str:
    if not re.fullmatch(RFC_3339, given):
        raise ValueError(TIME_EXPECTED)
    return given


AsOfTime = Annotated[
    Annotated[
        AwareDatetime,
        BeforeValidator(_written),
        AfterValidator(_in_utc),
        WithJsonSchema({"type": "string", "format": "date-time", "pattern": RFC_3339}),
    ]
    | None,
    Query(
        description="As it was when nothing later than this had been recorded: a time between the years 1 and 9999 "
        "with its offset, as RFC 3339 writes it; a `+` in it as `%2B`.",
        examples=["2026-03-07T11:30:00Z"],
    ),
]


async def _moment(min_position: MinPosition = 0, as_of_position: AsOfPosition = 0, as_of: AsOfTime = None) -> Moment:
    return Moment(min_position, as_of_position, as_of)


PAGES_END = r"^([0-9]{1,5}\.[0-9]{1,18}\.[a-z0-9-]{1,128})?$"
"""What a page's `next_page_token` looks like, for who reads the document: the service that made it checks it."""

DEFAULT_PAGE_COUNT = 100
"""Lines in an answer where nothing is said."""

PageSize = Annotated[int, Query(ge=0, le=10_000, description="Lines in the answer at most; all when 0."), DIGITS]
LimitedPageSize = Annotated[int, Query(ge=1, le=1_000, description="Lines in the answer at most."), DIGITS]
"""Of lists across tournaments, which are not sent whole."""
PageToken = Annotated[
    str,
    Query(
        max_length=9,
        description="Go on where an answer ended: its `next_page_token`, as it was. Ask for the same otherwise.",
        pattern="^[0-9]{0,9}$",
    ),
]

When = Annotated[Moment, Depends(_moment)]
IfNoneMatch = Annotated[str | None, Header(description="An `ETag` given before: 304 when nothing has changed.")]


async def _known(request: Request, lang: Language = None) -> None:  # language_of reads it
    """Refuse parameters that the route does not have, each with what was meant, and those that are given twice."""
    route = request.scope["route"]
    assert isinstance(route, APIRoute)
    known = list(dict.fromkeys(of_query(route.dependant)))
    given = request.query_params
    wrong = [_unknown(name, known) for name in given if name not in known]
    wrong += [_repeated(name) for name in known if len(given.getlist(name)) > 1]
    if wrong:
        raise RequestValidationError(wrong)


KNOWN = Depends(_known)
"""A dependency of routers: queries have no other parameters than those of their route, and each of them once."""


def of_query(dependant: Dependant) -> Iterator[str]:
    """The names of what a route and its dependencies take from the query."""
    for below in dependant.dependencies:
        yield from of_query(below)
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
