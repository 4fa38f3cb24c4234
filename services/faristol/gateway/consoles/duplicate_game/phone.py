"""Player's page of a duplicate game: the slip written on a phone, and the player's sheet with its claims.

It shows no more than paper does: a slip is not evaluated before its turn is scored.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import grpc
from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from faristol.access_control.roles import PLAYER
from faristol.gateway.auth.session import SignedIn
from faristol.gateway.consoles.commands import hide_errors
from faristol.gateway.consoles.duplicate_game.phone_words import in_language
from faristol.gateway.consoles.frame import GameId
from faristol.gateway.consoles.scorer.about import as_data, tiles_and_squares
from faristol.gateway.duplicate_game.names import names_of
from faristol.gateway.duplicate_game.service import DuplicateReader
from faristol.gateway.http.language import language_of
from faristol.gateway.live.page_updates import of_page
from faristol.gateway.pages.hall_links import find_hall_code
from faristol.gateway.pages.render import private_page
from faristol.gateway.rpc.results import Reader
from faristol.host.ruleset_store import ruleset_of
from faristol.kernel.topics import place_of_duplicate
from faristol.pb.game.v1 import duplicate_pb2 as pb

routes = APIRouter(include_in_schema=False)


@routes.get("/duplicate/{game_id}/slip")
async def write_slip(
    request: Request, results: Reader, games: DuplicateReader, signed_in: SignedIn, game_id: GameId
) -> Response:
    """Show the page to a player of the game; 404 for any other user."""
    credential = signed_in.credential
    tournament_id, _ = place_of_duplicate(game_id)
    tournaments = credential.scope.tournament_ids
    here = tournament_id and (not tournaments or tournament_id in tournaments)
    if credential.role != PLAYER or not here:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    with hide_errors(grpc.StatusCode.NOT_FOUND):  # a player of another game has no slip
        sheet = await games.sheet(game_id, player_id=credential.player_id)
    game = await games.game(game_id)
    seats = await games.sheet(game_id, sheet.hall.name, seats_alone=True)
    head, listed = await results.tournament(tournament_id), await results.players(tournament_id)
    hall_code = await find_hall_code(signed_in.calls, tournament_id, sheet.cell_hall, request.app.state.hall)
    return private_page(
        request,
        "duplicate/slip.html",
        session=signed_in,
        tournament=head.tournament,
        game=game,
        number=sheet.players[0].number,
        hall=sheet.hall.name,
        cell_hall=sheet.cell_hall,
        hall_code=hall_code,
        about=as_data(_about(game, sheet, seats, names_of(listed), language_of(request))),
    )


def _about(
    game: pb.GetDuplicateResponse,
    sheet: pb.GetHallSheetResponse,
    seats: pb.GetHallSheetResponse,
    names: dict[str, str],
    language: str,
) -> dict[str, Any]:
    """Return the data that do not change during a game. Raises ``Refusal`` for unknown rules."""
    (player,) = sheet.players
    ruleset = ruleset_of(game.ruleset)
    return {
        "game": game.game_id,
        "tournament": game.tournament_id,
        "player": player.player_id,
        "name": names.get(player.player_id, ""),
        "hall": sheet.hall.name,
        "number": player.number,
        "hallmates": [
            {"player": each.player_id, "name": f"{each.number} {names.get(each.player_id) or each.player_id}"}
            for each in seats.players
            if each.player_id != player.player_id
        ],
        "news": of_page("duplicate/game.html"),
        "rules": {**tiles_and_squares(ruleset), "asksScore": ruleset.slips.score == "asked"},
        **in_language(language),
    }
