"""The frame of a console's page: who is signed in, the ways to the other consoles, what was done and what was refused.

A console's page extends ``console.html``. Annotations are no strings here: FastAPI reads the fields of ``Console`` in
those that other modules make of it.
"""

import uuid
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Depends, Path, Query
from google.protobuf.message import Message
from starlette.requests import Request
from starlette.responses import Response

from faristol.gateway.consoles.doors import doors, may
from faristol.gateway.language import language_of
from faristol.gateway.page import private_page
from faristol.gateway.session import DONE, OwnCalls, SignedIn, done_in, forget
from faristol.pb.results.v1 import results_pb2 as pb

TournamentId = Annotated[str, Path(max_length=64)]
GameId = Annotated[str, Path(max_length=128, pattern="^[a-z0-9-]+$")]
Done = Annotated[int, Query(ge=0, le=2**62)]
"""The position of the act that a page was led to after; 0 for none."""


class Typed(dict[str, str]):
    """Fields of a form as they were typed; empty those that were not."""

    def __missing__(self, key: str) -> str:
        return ""


@dataclass
class Console:
    """A page for somebody who is signed in, and the services, called by them."""

    request: Request
    session: SignedIn
    calls: OwnCalls

    @property
    def language(self) -> str:
        """Of who looks."""
        return language_of(self.request)

    @property
    def subject(self) -> str:
        """Who acts."""
        return self.session.credential.subject_id

    @property
    def now_ms(self) -> int:
        """The time in milliseconds since 1970."""
        now: datetime = self.request.app.state.now()
        return int(now.timestamp() * 1000)

    def done_by(self, console: str) -> str:
        """Return what the form of a console did that led here, see ``led_after``; empty for that of another one."""
        of, _, done = done_in(self.request).partition(".")
        return done if of == console else ""

    def may(self, command: type[Message], tournament_id: str) -> bool:
        """Whether their role and scope let them do something in a tournament: the service still decides."""
        scope = self.session.credential.scope.tournament_ids
        return (not scope or tournament_id in scope) and may(self.session, command)

    def page(
        self,
        name: str,
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

        ``said`` is told as done, ``refused`` as not done; both are in the visitor's language.
        """
        tournament = head.tournament if head else None
        response = private_page(
            self.request,
            name,
            status=status,
            part=part,
            session=self.session,
            tournament=tournament,
            position=head.position if head else 0,
            door=door,
            doors=list(doors(self.session, tournament)) if tournament else [],
            said=said,
            refused=refused,
            new_id=lambda: str(uuid.uuid4()),
            **values,
        )
        if done_in(self.request) and not part:
            forget(self.request, response, DONE)
        return response


AtConsole = Annotated[Console, Depends()]
"""A parameter of a route."""
