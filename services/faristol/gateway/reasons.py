"""Page of the reasons of problems, the target of their ``type``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import NamedTuple

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from faristol.gateway.encoded import Encoded
from faristol.gateway.page import page
from faristol.gateway.problems import REASONS_PATH
from faristol.kernel.refusal import N_
from faristol.pb.refusals import REFUSALS

PROTOCOL: Mapping[str, tuple[HTTPStatus, str]] = {
    "INVALID": (HTTPStatus.BAD_REQUEST, N_("A field or a parameter is malformed: errors names each.")),
    "BAD_REQUEST": (HTTPStatus.BAD_REQUEST, N_("The request cannot be read.")),
    "UNACCEPTABLE": (HTTPStatus.BAD_REQUEST, N_("The record takes no such text or size: detail says why.")),
    "NO_CREDENTIAL": (HTTPStatus.UNAUTHORIZED, N_("The call needs a credential, and has none.")),
    "NOT_ASKED": (HTTPStatus.UNAUTHORIZED, N_("This platform asks for no credentials: leave Authorization out.")),
    "OTHER_HOST": (
        HTTPStatus.MISDIRECTED_REQUEST,
        N_("A platform that asks for no credentials answers under the names of its own machine alone."),
    ),
    "REQUEST_HEADER_FIELDS_TOO_LARGE": (
        HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
        N_("The credential is longer than any of Faristol's."),
    ),
    "FORBIDDEN": (HTTPStatus.FORBIDDEN, N_("The request came from another site. Nothing was done.")),
    "NOT_FOUND": (HTTPStatus.NOT_FOUND, N_("There is no such thing: kind and id say what was asked for.")),
    "NO_SUCH_ADDRESS": (HTTPStatus.NOT_FOUND, N_("There is nothing at this address.")),
    "METHOD_NOT_ALLOWED": (HTTPStatus.METHOD_NOT_ALLOWED, N_("The address takes the methods of the header Allow.")),
    "ALREADY_EXISTS": (HTTPStatus.CONFLICT, N_("The id is taken: kind and id name it.")),
    "CONFLICT": (HTTPStatus.CONFLICT, N_("Others changed the same at the same moment. Nothing was done: try again.")),
    "REQUEST_ENTITY_TOO_LARGE": (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, N_("The body is too long.")),
    "UNSUPPORTED_MEDIA_TYPE": (HTTPStatus.UNSUPPORTED_MEDIA_TYPE, N_("The body has another Content-Type.")),
    "TOO_MANY_REQUESTS": (HTTPStatus.TOO_MANY_REQUESTS, N_("Too many requests or streams: again after Retry-After.")),
    "INTERNAL_SERVER_ERROR": (HTTPStatus.INTERNAL_SERVER_ERROR, N_("A defect of Faristol.")),
    "BAD_GATEWAY": (HTTPStatus.BAD_GATEWAY, N_("A defect of Faristol.")),
    "BEHIND": (HTTPStatus.GATEWAY_TIMEOUT, N_("min_position was not reached in time: ask again.")),
    "GATEWAY_TIMEOUT": (HTTPStatus.GATEWAY_TIMEOUT, N_("No answer came in time. Send the same command again.")),
    "SERVICE_UNAVAILABLE": (HTTPStatus.SERVICE_UNAVAILABLE, N_("Nothing was done: again after Retry-After.")),
    "STOPPING": (HTTPStatus.SERVICE_UNAVAILABLE, N_("Nothing was done: again after Retry-After.")),
    "UNREACHABLE": (HTTPStatus.SERVICE_UNAVAILABLE, N_("Nothing was done: again after Retry-After.")),
    "UNAVAILABLE": (HTTPStatus.SERVICE_UNAVAILABLE, N_("Nothing was done: again after Retry-After.")),
    "UNUSABLE": (HTTPStatus.SERVICE_UNAVAILABLE, N_("Nothing was done: again after Retry-After.")),
    "DISK_FULL": (HTTPStatus.SERVICE_UNAVAILABLE, N_("Nothing was done: again after Retry-After.")),
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
