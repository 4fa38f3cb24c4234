"""Common part of the consoles of a duplicate game."""

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

from faristol.gateway.consoles.frame import Console, GameId, TournamentId
from faristol.gateway.consoles.navigation import may
from faristol.gateway.duplicate_game.names import names_of
from faristol.gateway.rpc.results import Reader
from faristol.kernel.topics import place_of_duplicate
from faristol.pb.access.v1 import access_pb2 as access
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.presentation.page_addresses import tournament_path


@dataclass
class DuplicatePage(Console):
    """Duplicate game, for a signed-in user."""

    results: Reader
    tournament_id: TournamentId
    game_id: GameId

    @property
    def base(self) -> str:
        """Address prefix of its pages."""
        return tournament_path(self.tournament_id, "duplicate", self.game_id)

    def check(self, command: type[Message]) -> None:
        """Raise ``HTTPException`` (404) if the user may not send the command here."""
        of_it = place_of_duplicate(self.game_id)[0] == self.tournament_id
        if not of_it or not self.may(command, self.tournament_id):
            raise HTTPException(HTTPStatus.NOT_FOUND)

    async def game(self) -> pb.GetDuplicateResponse:
        """Return the game, including one under an embargo. Raises ``grpc.aio.AioRpcError``."""
        return await self.calls.ask(pb.GetDuplicateRequest(game_id=self.game_id, inside=True))

    async def people(self) -> dict[str, str]:
        """Return the names of officials by id, as far as the user may see them."""
        found = {self.session.credential.subject_id: self.session.name}
        if may(self.session, access.ListCredentialsRequest):
            with suppress(grpc.aio.AioRpcError):
                listed = await self.calls.ask(access.ListCredentialsRequest(tournament_id=self.tournament_id))
                for line in listed.credentials:
                    if line.name:
                        found.setdefault(line.credential.subject_id, line.name)
        return found

    async def show(
        self, name: str, console_name: str, part: str, *, said: str = "", refusal: str = "", **values: Any
    ) -> Response:
        """Render a page with the names of the players, and with the success or refusal of a command.

        An entry with ``doubts`` counts as refused.
        """
        head = await self.results.tournament(self.tournament_id)
        is_refused = bool(refusal or getattr(values.get("entry"), "doubts", ()))
        listed = await self.results.players(self.tournament_id)
        return self.page(
            name,
            head,
            console_name=console_name,
            part=part,
            base=self.base,
            names=names_of(listed),
            status=HTTPStatus.CONFLICT if is_refused else HTTPStatus.OK,
            said=said,
            refused=refusal,
            **values,
        )


DuplicatePageDep = Annotated[DuplicatePage, Depends()]
"""Route parameter."""
