"""Parameters of the JSON interface, and the refusal of unknown ones.

An unknown parameter is refused, since a misspelt one would change the meaning of the request. A repeated one is
refused, since only the last would count. Pages ignore unknown parameters, which are often appended to shared links.
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

from faristol.gateway.api.openapi.document import build_enum_schema
from faristol.gateway.http.errors import PLUS_EXPECTED, TIME_EXPECTED
from faristol.gateway.rpc.results import Moment, Page
from faristol.kernel.quotation import nearest
from faristol.kernel.refusal import N_


def _digits(given: object) -> object:
    """Check that a text consists of digits, since Pydantic also accepts ``1_0`` and ``1.0``."""
    if isinstance(given, str) and not re.fullmatch("-?[0-9]+", given):
        raise PydanticCustomError("int_parsing", "expected a whole number")
    return given


DIGITS = BeforeValidator(_digits)
"""Validator of a number in a path, a query or a header: digits with an optional minus.

It must follow the limits of the number, since the OpenAPI document loses those behind it.
"""

TournamentState = Annotated[
    Literal["announced", "playing", "over"],
    build_enum_schema("TournamentState", ("announced", "playing", "over")),
]

Language = Annotated[
    Annotated[Literal["ca", "el", "en", "es"], build_enum_schema("Language", ("ca", "el", "en", "es"))] | None,
    Query(description="Language of the texts in the answer; by default that of `Accept-Language`."),
]


TournamentId = Annotated[str, Path(description="The tournament.", examples=["demo"])]
RoundNumber = Annotated[int, Path(ge=1, le=10_000, description="The round, from 1."), DIGITS]
UpToRound = Annotated[
    int, Query(ge=0, le=10_000, description="State after this round; 0 for the current results."), DIGITS
]
LAST_POSITION = 2**63 - 1
MinPosition = Annotated[
    int,
    Query(
        ge=0,
        le=LAST_POSITION,
        description="Wait, for at most 10 seconds, until the answer is valid up to this position of the record. The "
        "answer is 504 after the timeout, and 400 at once if the position is more than 10,000 after the "
        "end of the record. Not allowed with `as_of` or `as_of_position`.",
    ),
    DIGITS,
]
AsOfPosition = Annotated[
    int,
    Query(
        ge=0,
        le=LAST_POSITION,
        description="State at this position of the record, which the record must have reached; 0 for the current "
        "state. Not allowed with `as_of`.",
    ),
    DIGITS,
]


def _in_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError(N_("expected a time between the years 1 and 9999, UTC, got {given}")) from None


RFC_3339 = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})$"
"""Time in RFC 3339, with seconds and an offset. Numbers and days are not accepted."""


def _check_time(given: str) -> str:
    if not re.fullmatch(RFC_3339, given):
        raise ValueError(PLUS_EXPECTED if re.fullmatch(RFC_3339, given.replace(" ", "+")) else TIME_EXPECTED)
    return given


AsOfTime = Annotated[
    Annotated[
        AwareDatetime,
        BeforeValidator(_check_time),
        AfterValidator(_in_utc),
        WithJsonSchema({"type": "string", "format": "date-time", "pattern": RFC_3339}),
    ]
    | None,
    Query(
        description="State at this time of recording: a time between the years 1 and 9999 with its offset, in the "
        "format of RFC 3339; encode `+` as `%2B`.",
        examples=["2026-03-07T11:30:00Z"],
    ),
]


async def _moment(min_position: MinPosition = 0, as_of_position: AsOfPosition = 0, as_of: AsOfTime = None) -> Moment:
    return Moment(min_position, as_of_position, as_of)


PAGES_END = r"^([0-9]{1,5}\.[0-9]{1,18}\.[a-z0-9-]{1,128})?$"
"""Pattern of a `next_page_token` for the OpenAPI document; the service validates it."""

DEFAULT_PAGE_COUNT = 100
"""Default number of lines in an answer."""

PageSize = Annotated[
    int, Query(ge=0, le=10_000, description="Maximum number of lines in the answer; 0 for all."), DIGITS
]
LimitedPageSize = Annotated[int, Query(ge=1, le=1_000, description="Maximum number of lines in the answer."), DIGITS]
"""Page size of lists across tournaments, which are never sent whole."""
PageToken = Annotated[
    str,
    Query(
        max_length=9,
        description="Continue after the previous page: the value of its `next_page_token`. The other parameters must "
        "be the same.",
        pattern="^[0-9]{0,9}$",
    ),
]

When = Annotated[Moment, Depends(_moment)]


async def _page(page_size: PageSize = DEFAULT_PAGE_COUNT, page_token: PageToken = "") -> Page:
    return Page(page_size, page_token)


WantedPage = Annotated[Page, Depends(_page)]
IfNoneMatch = Annotated[
    str | None, Header(description="`ETag` of an earlier answer: the answer is 304 if it has not changed.")
]


async def _describe_tag(if_none_match: IfNoneMatch = None) -> None:  # read by TaggedResponse
    pass


TAGGED = Depends(_describe_tag)
"""Dependency of routers and routes that answer with an ``ETag``."""


async def _check_parameters(request: Request, lang: Language = None) -> None:  # read by language_of
    """Refuse unknown and repeated parameters, suggesting the nearest name."""
    route = request.scope["route"]
    assert isinstance(route, APIRoute)
    known = list(dict.fromkeys(of_query(route.dependant)))
    given = request.query_params
    wrong = [_unknown(name, known) for name in given if name not in known]
    repeated = {"type": "repeated_parameter", "msg": "repeated parameter"}
    wrong += [{**repeated, "loc": ("query", name), "input": name} for name in known if len(given.getlist(name)) > 1]
    if wrong:
        raise RequestValidationError(wrong)


KNOWN = Depends(_check_parameters)
"""Dependency of routers that refuses unknown and repeated parameters."""


def of_query(dependant: Dependant) -> Iterator[str]:
    """Yield the names of the query parameters of a route and its dependencies."""
    for below in dependant.dependencies:
        yield from of_query(below)
    yield from (field.alias for field in dependant.query_params)


def _unknown(name: str, known: list[str]) -> dict[str, Any]:
    """Return the error of an unknown parameter in Pydantic's form."""
    like = nearest(name, known)
    kind = "unknown_parameter_like" if like else "unknown_parameter"
    context = {"like": like, "known": ", ".join(known)}
    return {"type": kind, "loc": ("query", name), "msg": "unknown parameter", "input": name, "ctx": context}
