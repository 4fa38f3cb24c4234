"""The frame of a console's page: who is signed in, the ways to the other consoles, what was done and what was refused.

A console's page extends ``console.html`` and is shown by ``console_page``.
"""

from __future__ import annotations

import uuid
from http import HTTPStatus
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from faristol.gateway.consoles.doors import doors
from faristol.gateway.page import private_page
from faristol.gateway.session import Session
from faristol.pb.results.v1 import results_pb2 as pb


class Typed(dict[str, str]):
    """Fields of a form as they were typed; empty those that were not."""

    def __missing__(self, key: str) -> str:
        return ""


def console_page(
    request: Request,
    name: str,
    session: Session,
    head: pb.GetTournamentResponse | None,
    *,
    door: str,
    part: str = "",
    status: HTTPStatus = HTTPStatus.OK,
    said: str = "",
    refused: str = "",
    **values: Any,
) -> Response:
    """A page of the console ``door``, of a tournament or of none.

    ``part`` is ``live`` where the page is fetched again after news. ``said`` is told as done, ``refused`` as not done;
    both are in the visitor's language.
    """
    tournament = head.tournament if head else None
    return private_page(
        request,
        name,
        status=status,
        part=part,
        session=session,
        tournament=tournament,
        position=head.position if head else 0,
        door=door,
        doors=list(doors(session, tournament)) if tournament else [],
        said=said,
        refused=refused,
        new_id=lambda: str(uuid.uuid4()),
        **values,
    )
