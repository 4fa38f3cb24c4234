"""What the consoles of a duplicate game share: which game, by whom, and what was refused."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any

import grpc
from fastapi import Depends
from google.protobuf.message import Message
from starlette.exceptions import HTTPException
from starlette.responses import Response

from faristol.gateway.consoles.doors import may
from faristol.gateway.consoles.frame import Console, GameId, TournamentId
from faristol.gateway.duplicate.names import names_of
from faristol.gateway.results import Reader
from faristol.kernel.topics import place_of_duplicate
from faristol.pb.access.v1 import access_pb2 as access
from faristol.pb.game.v1 import duplicate_pb2 as pb


@dataclass
class Desk(Console):
    """A duplicate game, for somebody who is signed in."""

    results: Reader
    tournament_id: TournamentId
    game_id: GameId

    @property
    def base(self) -> str:
        """Where its pages are."""
        return f"/tournaments/{self.tournament_id}/duplicate/{self.game_id}"

    def check(self, command: type[Message]) -> None:
        """Raise ``HTTPException`` for who may not do this here: what one may not see is not there."""
        of_it = place_of_duplicate(self.game_id)[0] == self.tournament_id
        if not of_it or not self.may(command, self.tournament_id):
            raise HTTPException(HTTPStatus.NOT_FOUND)

    async def game(self) -> pb.GetDuplicateResponse:
        """The game as everybody may see it. Raises ``grpc.aio.AioRpcError``."""
        found: pb.GetDuplicateResponse = await self.calls.ask(pb.GetDuplicateRequest(game_id=self.game_id, inside=True))
        return found

    async def people(self) -> dict[str, str]:
        """The names of officials by their ids, as far as the person who is signed in may see them."""
        found = {self.session.credential.subject_id: self.session.name}
        if may(self.session, access.ListCredentialsRequest):
            with suppress(grpc.aio.AioRpcError):
                listed = await self.calls.ask(access.ListCredentialsRequest(tournament_id=self.tournament_id))
                for line in listed.credentials:
                    if line.name:
                        found.setdefault(line.credential.subject_id, line.name)
        return found

    async def show(
        self, name: str, door: str, part: str, *, said: str = "", refusal: str = "", **values: Any
    ) -> Response:
        """Show a page with the names of the players, and with what was ``said`` of an act or the ``refusal`` of it.

        An entry with ``doubts`` is one that was not taken either.
        """
        head = await self.results.tournament(self.tournament_id)
        is_refused = bool(refusal or getattr(values.get("entry"), "doubts", ()))
        listed = await self.results.players(self.tournament_id)
        return self.page(
            name,
            head,
            door=door,
            part=part,
            base=self.base,
            names=names_of(listed),
            status=HTTPStatus.CONFLICT if is_refused else HTTPStatus.OK,
            said=said,
            refused=refusal,
            **values,
        )


AtDesk = Annotated[Desk, Depends()]
"""A parameter of a route."""
