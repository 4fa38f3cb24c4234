"""Page of the reasons of problems, the target of their ``type``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import NamedTuple

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from faristol.gateway.http.encoding import Encoded
from faristol.gateway.http.errors import REASONS_PATH
from faristol.gateway.pages.render import page
from faristol.kernel.refusal import N_
from faristol.pb.refusals import REFUSALS

PROTOCOL: Mapping[str, tuple[HTTPStatus, str]] = {
    "INVALID": (HTTPStatus.BAD_REQUEST, N_("A field or a parameter is malformed. The member errors lists each one.")),
    "BAD_REQUEST": (HTTPStatus.BAD_REQUEST, N_("The request cannot be read.")),
    "UNACCEPTABLE": (
        HTTPStatus.BAD_REQUEST,
        N_("The record does not accept a text or a size. The member detail gives the reason."),
    ),
    "NO_CREDENTIAL": (HTTPStatus.UNAUTHORIZED, N_("The call requires a credential.")),
    "NOT_ASKED": (HTTPStatus.UNAUTHORIZED, N_("This platform requires no credentials: omit the header Authorization.")),
    "OTHER_HOST": (
        HTTPStatus.MISDIRECTED_REQUEST,
        N_("A platform that requires no credentials accepts only host names of its own machine."),
    ),
    "REQUEST_HEADER_FIELDS_TOO_LARGE": (
        HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
        N_("The credential exceeds the maximum length."),
    ),
    "FORBIDDEN": (HTTPStatus.FORBIDDEN, N_("The request came from another site and was refused.")),
    "NOT_FOUND": (HTTPStatus.NOT_FOUND, N_("The resource does not exist. The members kind and id name it.")),
    "NO_SUCH_ADDRESS": (HTTPStatus.NOT_FOUND, N_("The address does not exist.")),
    "METHOD_NOT_ALLOWED": (
        HTTPStatus.METHOD_NOT_ALLOWED,
        N_("The address does not allow the method. The header Allow lists the allowed methods."),
    ),
    "ALREADY_EXISTS": (HTTPStatus.CONFLICT, N_("The id is already used. The members kind and id name it.")),
    "CONFLICT": (
        HTTPStatus.CONFLICT,
        N_("A concurrent change conflicts with the command, and no change was made. Retry it."),
    ),
    "REQUEST_ENTITY_TOO_LARGE": (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, N_("The body is too long.")),
    "UNSUPPORTED_MEDIA_TYPE": (HTTPStatus.UNSUPPORTED_MEDIA_TYPE, N_("The Content-Type of the body is not supported.")),
    "TOO_MANY_REQUESTS": (
        HTTPStatus.TOO_MANY_REQUESTS,
        N_("Too many requests or streams. Retry after the time in Retry-After."),
    ),
    "INTERNAL_SERVER_ERROR": (HTTPStatus.INTERNAL_SERVER_ERROR, N_("An internal error of Faristol.")),
    "BAD_GATEWAY": (HTTPStatus.BAD_GATEWAY, N_("An internal error of Faristol.")),
    "BEHIND": (
        HTTPStatus.GATEWAY_TIMEOUT,
        N_("The position min_position was not reached before the timeout. Retry the request."),
    ),
    "GATEWAY_TIMEOUT": (HTTPStatus.GATEWAY_TIMEOUT, N_("The call timed out. Retry the same command.")),
    **dict.fromkeys(
        ("SERVICE_UNAVAILABLE", "STARTING", "STOPPING", "UNREACHABLE", "UNAVAILABLE", "UNUSABLE", "DISK_FULL"),
        (
            HTTPStatus.SERVICE_UNAVAILABLE,
            N_("The service is unavailable, and no change was made. Retry after the time in Retry-After."),
        ),
    ),
}
"""Reasons of the interface itself with their status. All others are refusals by rules or roles."""

routes = APIRouter(include_in_schema=False)


class Reason(NamedTuple):
    """Reason on the page."""

    name: str
    status: str
    sentences: tuple[str, ...]
    """Texts to be translated, with placeholders in braces."""


def all_reasons() -> Iterator[Reason]:
    """Yield every reason, those of the interface first."""
    for name, (status, sentence) in PROTOCOL.items():
        yield Reason(name, str(status.value), (sentence,))
    for name, sentences in REFUSALS.items():
        if name not in PROTOCOL:
            yield Reason(name, "401, 403" if name.startswith(("CREDENTIAL_", "ROLE_")) else "409", sentences)


@routes.get(REASONS_PATH)
async def show_reasons(request: Request) -> Response:
    """Show the meaning of each reason."""
    return Encoded(page(request, "reasons.html", reasons=tuple(all_reasons())))
