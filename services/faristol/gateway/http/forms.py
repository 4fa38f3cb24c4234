"""Request bodies of forms: only from this site, limited in size, parsed to fields."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated
from urllib.parse import parse_qsl, urlsplit

from fastapi import Depends
from starlette.exceptions import HTTPException
from starlette.requests import Request

from faristol.gateway.http.language import language_of
from faristol.kernel.refusal import N_
from faristol.text import say

MAX_FORM_BYTES = 16_384
"""Limit of a form in bytes."""

MAX_LIST_FORM_BYTES = 1_000_000
"""Limit of a form with a list, in bytes. A non-ASCII letter needs six or more."""

MOST_FIELDS, MOST_FIELDS_OF_LIST = 500, 5_000
"""Limits of the number of fields; one with a list may have a checkbox for each line."""

FROM_ELSEWHERE = N_("The request came from another site and was refused.")


def is_from_here(request: Request) -> bool:
    """Check whether a page of this site sent the request.

    Browsers state the origin in ``Sec-Fetch-Site``, except to a site without TLS, and in ``Origin`` of every POST. A
    script can set neither. A request without both is not from a form of a page.
    """
    if site := request.headers.get("sec-fetch-site"):
        return site == "same-origin"
    sender = request.headers.get("origin", "")
    return bool(sender) and sender in (origin(str(request.url)), origin(request.app.state.address))


def is_program(request: Request) -> bool:
    """Check whether the request comes from no browser: a browser sends one of these headers."""
    return not {"origin", "sec-fetch-site", "referer"} & {*request.headers.keys()}


def origin(address: str) -> str:
    """Return the origin of a URL, such as ``https://results.example``; empty for a relative address."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""


def public_address(request: Request) -> str:
    """Return the public address of the pages by the settings, else by the request."""
    return (request.app.state.address or origin(str(request.url))).rstrip("/")


WRONG_TYPE = N_("Content-Type: expected {media_type}, got {given}")
FILE_TYPE = "application/octet-stream"
TOO_LARGE = N_("The request is too large: the limit is {most} kB.")


async def body_of(request: Request, media_type: str, largest: int) -> bytes:
    """Return the body of a request. Raises ``HTTPException`` for another media type or a larger body."""
    _check_type(request, media_type)
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > largest:
            detail = say(TOO_LARGE, {"most": f"{largest // 1_000:,}"}, language_of(request))
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail)
    return bytes(body)


def _check_type(request: Request, media_type: str) -> None:
    given = request.headers.get("content-type", "")
    if given.partition(";")[0].strip() != media_type:
        detail = say(WRONG_TYPE, {"media_type": media_type, "given": repr(given[:100])}, language_of(request))
        raise HTTPException(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, detail)


async def fields(request: Request) -> Mapping[str, str]:
    """Return the fields of a form of this site; the last one of each name. Raises ``HTTPException``."""
    return await _fields(request, MAX_FORM_BYTES, MOST_FIELDS)


async def with_list(request: Request) -> Mapping[str, str]:
    """Return the fields of a form with a pasted list. Raises ``HTTPException``."""
    return await _fields(request, MAX_LIST_FORM_BYTES, MOST_FIELDS_OF_LIST)


async def file_of(request: Request, largest: int = MAX_LIST_FORM_BYTES) -> bytes:
    """Return a file that a page of this site sent, at most ``largest`` bytes. Raises ``HTTPException``."""
    check_origin(request)
    return await body_of(request, FILE_TYPE, largest)


def check_file(request: Request) -> None:
    """Check that a page of this site sent a file. Raises ``HTTPException``."""
    check_origin(request)
    _check_type(request, FILE_TYPE)


def check_origin(request: Request) -> None:
    """Check that a page of this site sent a request. Raises ``HTTPException``."""
    if not is_from_here(request):
        raise HTTPException(HTTPStatus.FORBIDDEN, say(FROM_ELSEWHERE, {}, language_of(request)))


async def _fields(request: Request, largest: int, most: int) -> Mapping[str, str]:
    check_origin(request)
    body = await body_of(request, "application/x-www-form-urlencoded", largest)
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=most))
    except ValueError as error:  # invalid UTF-8, or too many fields
        raise HTTPException(HTTPStatus.BAD_REQUEST) from error


Fields = Annotated[Mapping[str, str], Depends(fields)]
"""Route parameter with the fields of a form."""


Lists = Annotated[Mapping[str, str], Depends(with_list)]
"""Route parameter with the fields of a form with a list."""


def local(address: str, otherwise: str) -> str:
    """Return an address if it is a path of this site, else ``otherwise``, to prevent open redirects."""
    odd = not address.isascii() or not address.isprintable() or " " in address or "\\" in address
    return otherwise if odd or not address.startswith("/") or address.startswith("//") else address
