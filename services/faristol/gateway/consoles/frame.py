"""Frame of a console page: the user, links to other consoles, and the success or refusal of a command.

A console page extends ``console.html``. This module has no postponed annotations, since FastAPI reads the fields of
``Console`` in subclasses of other modules.
"""

from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Depends, Path, Query
from google.protobuf.message import Message
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from faristol.gateway.auth.session import DONE_COOKIE, OwnCalls, SignedIn, delete_cookie, read_done
from faristol.gateway.consoles.commands import SentForm
from faristol.gateway.consoles.navigation import find_help_page, list_console_links, may
from faristol.gateway.http.forms import check_origin
from faristol.gateway.http.language import language_of
from faristol.gateway.pages.render import private_page
from faristol.pb.results.v1 import results_pb2 as pb

TournamentId = Annotated[str, Path(max_length=64)]
GameId = Annotated[str, Path(max_length=128, pattern="^[a-z0-9-]+$")]
Done = Annotated[int, Query(ge=0, le=2**62)]
"""Position of the event that led to the page; 0 without one."""


class Typed(dict[str, str]):
    """Fields of a form as typed; a missing field is empty."""

    def __missing__(self, key: str) -> str:
        return ""


def require(command: type[Message]) -> Any:
    """Return the dependency of routes for users whose role may call a method; it raises ``HTTPException`` (404)."""

    async def check(request: Request, session: SignedIn) -> None:
        if request.method == "POST":
            check_origin(request)
        if not may(session, command):
            raise HTTPException(HTTPStatus.NOT_FOUND)  # forbidden pages look missing

    return Depends(check)


@dataclass
class Console:
    """Page for a signed-in user, with the services called by that user."""

    request: Request
    session: SignedIn
    calls: OwnCalls

    @property
    def language(self) -> str:
        """Language of the user."""
        return language_of(self.request)

    @property
    def subject(self) -> str:
        """Subject id of the user."""
        return self.session.credential.subject_id

    @property
    def now_ms(self) -> int:
        """Time in milliseconds since 1970."""
        now: datetime = self.request.app.state.now()
        return int(now.timestamp() * 1000)

    def done_by(self, console: str) -> tuple[str, str]:
        """Return the command that led to the page of a console, and what it concerned, such as a player.

        Both are empty if it was a command of another console. ``redirect_after`` stores them.
        """
        of, _, done = read_done(self.request).partition(".")
        command, _, concerned = done.partition(".")
        return (command, concerned) if of == console else ("", "")

    def may(self, command: type[Message], tournament_id: str) -> bool:
        """Check whether the user's role and scope allow a command in a tournament. The service authorises it too."""
        scope = self.session.credential.scope.tournament_ids
        return (not scope or tournament_id in scope) and may(self.session, command)

    def page(
        self,
        name: str,
        head: pb.GetTournamentResponse | None,
        *,
        console_name: str,
        help_page: str = "",
        part: str = "",
        status: HTTPStatus = HTTPStatus.OK,
        said: str = "",
        refused: str = "",
        **values: Any,
    ) -> Response:
        """Render a page of a console, with or without a tournament.

        ``said`` reports success and ``refused`` a refusal; both are in the user's language.
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
            console_name=console_name,
            help_page=help_page or find_help_page(self.session, console_name),
            console_links=list(list_console_links(self.session, tournament)) if tournament else [],
            said=said,
            refused=refused,
            **values,
        )
        if read_done(self.request) and not part:
            delete_cookie(self.request, response, DONE_COOKIE)
        return response

    def form_page(self, name: str, head: pb.GetTournamentResponse | None, sent: SentForm, **values: Any) -> Response:
        """Render a page with forms, as ``page`` does, one of them as it was sent."""
        values |= {"typed": Typed(sent.given), "errors": Typed(sent.errors)}
        return self.page(name, head, status=sent.status, refused=sent.refused, **values)


ConsoleDep = Annotated[Console, Depends()]
"""Route parameter."""
