"""What the consoles of a duplicate game share: which game, by whom, and what was refused."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Depends, Path
from google.protobuf.message import Message
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from faristol.gateway.calls import Calls
from faristol.gateway.consoles.doors import may
from faristol.gateway.consoles.frame import console_page
from faristol.gateway.duplicate.names import names_of
from faristol.gateway.language import language_of
from faristol.gateway.results import Reader, Results
from faristol.gateway.session import OwnCalls, Session, SignedIn
from faristol.kernel.topics import place_of_duplicate
from faristol.pb.game.v1 import duplicate_pb2 as pb

TournamentId = Annotated[str, Path(max_length=64)]
GameId = Annotated[str, Path(max_length=128, pattern="^[a-z0-9-]+$")]


@dataclass(frozen=True, slots=True)
class Desk:
    """A duplicate game, for somebody who is signed in."""

    request: Request
    results: Results
    session: Session
    calls: Calls
    tournament_id: str
    game_id: str

    @property
    def language(self) -> str:
        """Of who looks."""
        return language_of(self.request)

    @property
    def subject(self) -> str:
        """Who acts."""
        return self.session.credential.subject_id

    @property
    def base(self) -> str:
        """Where its pages are."""
        return f"/tournaments/{self.tournament_id}/duplicate/{self.game_id}"

    def check(self, command: type[Message]) -> None:
        """Raise ``HTTPException`` for who may not do this here: what one may not see is not there."""
        tournaments = self.session.credential.scope.tournament_ids
        here = not tournaments or self.tournament_id in tournaments
        if not here or not may(self.session, command) or place_of_duplicate(self.game_id)[0] != self.tournament_id:
            raise HTTPException(HTTPStatus.NOT_FOUND)

    async def game(self) -> pb.GetDuplicateResponse:
        """The game as everybody may see it. Raises ``grpc.aio.AioRpcError``."""
        found: pb.GetDuplicateResponse = await self.calls.ask(pb.GetDuplicateRequest(game_id=self.game_id, inside=True))
        return found

    async def page(
        self, name: str, door: str, part: str, *, said: str = "", refusal: str = "", **values: Any
    ) -> Response:
        """A page with the names of the players, and with what was ``said`` of an act or why there was a ``refusal``."""
        head = await self.results.tournament(self.tournament_id)
        listed = await self.results.players(self.tournament_id)
        return console_page(
            self.request,
            name,
            self.session,
            head,
            door=door,
            part=part,
            base=self.base,
            names=names_of(listed),
            status=HTTPStatus.CONFLICT if refusal else HTTPStatus.OK,
            said=said,
            refused=refusal,
            **values,
        )


async def _desk(
    request: Request,
    results: Reader,
    session: SignedIn,
    calls: OwnCalls,
    tournament_id: TournamentId,
    game_id: GameId,
) -> Desk:
    return Desk(request, results, session, calls, tournament_id, game_id)


AtDesk = Annotated[Desk, Depends(_desk)]
"""A parameter of a route."""
