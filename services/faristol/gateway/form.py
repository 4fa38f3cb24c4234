"""What a form of a page sends: from this site alone, short, and as fields."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated
from urllib.parse import parse_qsl, urlsplit

from fastapi import Depends
from starlette.exceptions import HTTPException
from starlette.requests import Request

from faristol.gateway.language import language_of
from faristol.kernel.refusal import N_
from faristol.text import say

LARGEST = 16_384
"""Bytes of a form."""

LARGEST_LIST = 1_000_000
"""Bytes of a form with a list: letters that are no ASCII have six of them and more each."""

MOST_FIELDS, MOST_FIELDS_OF_LIST = 500, 5_000
"""Fields of a form; one with a list may have a box to tick for each line."""

FROM_ELSEWHERE = N_("The request came from another site. Nothing was done.")


def is_from_here(request: Request) -> bool:
    """Whether a page of this site sent the request, as the browser says it.

    Browsers say where a request comes from by ``Sec-Fetch-Site``, but not to a site without TLS, and by ``Origin``
    wherever something is sent. A script can set neither. What says nothing at all is no form of a page.
    """
    if site := request.headers.get("sec-fetch-site"):
        return site == "same-origin"
    said = request.headers.get("origin", "")
    return bool(said) and said in (origin(str(request.url)), origin(request.app.state.address))


def is_program(request: Request) -> bool:
    """Whether no browser sent the request: each says by one of these headers where a request comes from."""
    return not {"origin", "sec-fetch-site", "referer"} & {*request.headers.keys()}


def origin(address: str) -> str:
    """``https://results.example`` of an address; empty of none."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""


def public_address(request: Request) -> str:
    """Where people reach the pages: as the settings say, or as the request does."""
    return (request.app.state.address or origin(str(request.url))).rstrip("/")


WRONG_TYPE = N_("Content-Type: expected {media_type}, got {given}")
TOO_LARGE = N_("It is too large: at most {most} kB are taken.")


async def body_of(request: Request, media_type: str, largest: int) -> bytes:
    """The body of a request, of a media type and at most so many bytes. Raises ``HTTPException`` for any other."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != media_type:
        given = request.headers.get("content-type", "")[:100]
        detail = say(WRONG_TYPE, {"media_type": media_type, "given": repr(given)}, language_of(request))
        raise HTTPException(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, detail)
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > largest:
            detail = say(TOO_LARGE, {"most": f"{largest // 1_000:,}"}, language_of(request))
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail)
    return bytes(body)


async def fields(request: Request) -> Mapping[str, str]:
    """The fields of a form that a page of this site sent; of several with one name the last.

    Raises ``HTTPException``.
    """
    return await _fields(request, LARGEST, MOST_FIELDS)


async def with_list(request: Request) -> Mapping[str, str]:
    """The same of a form with a list that somebody pasted. Raises ``HTTPException``."""
    return await _fields(request, LARGEST_LIST, MOST_FIELDS_OF_LIST)


async def file_of(request: Request, largest: int = LARGEST_LIST) -> bytes:
    """The bytes of a file that a page of this site sent, at most ``largest`` of them. Raises ``HTTPException``."""
    if not is_from_here(request):
        raise HTTPException(HTTPStatus.FORBIDDEN, say(FROM_ELSEWHERE, {}, language_of(request)))
    return await body_of(request, "application/octet-stream", largest)


async def _fields(request: Request, largest: int, most: int) -> Mapping[str, str]:
    if not is_from_here(request):
        raise HTTPException(HTTPStatus.FORBIDDEN, say(FROM_ELSEWHERE, {}, language_of(request)))
    body = await body_of(request, "application/x-www-form-urlencoded", largest)
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=most))
    except ValueError as problem:  # no UTF-8, or too many
        raise HTTPException(HTTPStatus.BAD_REQUEST) from problem


Fields = Annotated[Mapping[str, str], Depends(fields)]
"""A parameter of a route that takes a form."""


Lists = Annotated[Mapping[str, str], Depends(with_list)]
"""A parameter of a route that takes a form with a list."""


def local(address: str, otherwise: str) -> str:
    """An address if it is a path of this site, ``otherwise`` if not: nobody is led elsewhere from here."""
    odd = not address.isascii() or not address.isprintable() or " " in address or "\\" in address
    return otherwise if odd or not address.startswith("/") or address.startswith("//") else address
