"""The own table of a player who is signed in: where they play, and what the book lets them do there by themselves."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

import grpc
from fastapi import APIRouter
from google.protobuf.message import Message
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from faristol.credentials.roles import PLAYER
from faristol.gateway.consoles.commands import command_id, hidden, refused
from faristol.gateway.consoles.frame import TournamentId
from faristol.gateway.consoles.scorer.words import ACTS as LABELS
from faristol.gateway.duplicate.service import Duplicates
from faristol.gateway.entrance import led_to
from faristol.gateway.form import Fields
from faristol.gateway.language import language_of
from faristol.gateway.mode import is_of_duplicate_games
from faristol.gateway.page import Part, private_page
from faristol.gateway.results import Reader
from faristol.gateway.session import SignedIn
from faristol.gateway.spectators.pages import seated
from faristol.gateway.spectators.seats import Place, latest
from faristol.pb.game.v1 import events_pb2, game_pb2
from faristol.pb.results.v1 import results_pb2 as pb

LONGEST_ARGUMENT = 2_000
"""Characters of what is argued in an appeal."""

ACTS: Mapping[str, type[Message]] = {
    "Challenge": game_pb2.ChallengeRequest,
    "AcceptRuling": game_pb2.AcceptRulingRequest,
    "Appeal": game_pb2.AppealRequest,
    "SignSheet": game_pb2.SignSheetRequest,
    "CallArbiter": game_pb2.CallArbiterRequest,
}
"""What a player does from their own phone, where the table offers it to them."""

routes = APIRouter(include_in_schema=False)


@routes.get("/tournaments/{tournament_id}/my-table")
async def show_own_table(
    request: Request, results: Reader, signed_in: SignedIn, tournament_id: TournamentId, part: Part = ""
) -> Response:
    """Show a player where they play, and what they can do there."""
    return await _show(request, results, signed_in, tournament_id, part)


@routes.post("/tournaments/{tournament_id}/my-table")
async def act_at_own_table(
    request: Request, results: Reader, signed_in: SignedIn, given: Fields, tournament_id: TournamentId
) -> Response:
    """Challenge, appeal, sign or call an arbiter. Raises ``HTTPException`` for an act that there is not."""
    _, place = await _own_place(request, results, signed_in, tournament_id)
    act = given.get("act", "")
    if act not in ACTS or place is None or place.table is None:
        raise HTTPException(HTTPStatus.BAD_REQUEST)
    language = language_of(request)
    try:
        command = _command(act, given, place)
        await signed_in.calls.ask(command)
    except ValueError as problem:
        raise HTTPException(HTTPStatus.BAD_REQUEST) from problem
    except grpc.aio.AioRpcError as error:
        said = refused(error, language).detail
        return await _show(request, results, signed_in, tournament_id, "", said)
    return led_to(f"/tournaments/{tournament_id}/my-table")


def _command(act: str, given: Mapping[str, str], place: Place) -> Message:
    """The command that a form sends. Raises ``ValueError`` for fields that are none of it."""
    assert place.table is not None
    fields: dict[str, Any] = {
        "command_id": command_id(given, act),
        "game_id": place.table.game_id,
        "player_id": place.player_id,
    }
    match act:
        case "Challenge":
            words = [value for name, value in given.items() if name.startswith("word_")]
            fields["words"] = [events_pb2.Word(faces=word.split(" ")) for word in words]
        case "Appeal":
            fields["arguments"] = given.get("arguments", "").strip()[:LONGEST_ARGUMENT]
            fields["arguments_hidden"] = "arguments_hidden" in given
        case "SignSheet":
            fields["totals"] = [int(total) for total in given.get("totals", "").split(" ")]
    return ACTS[act](**fields)


async def _own_place(
    request: Request, results: Reader, signed_in: SignedIn, tournament_id: str
) -> tuple[pb.GetTournamentResponse, Place | None]:
    """A tournament, and where the player who is signed in is in its latest round; None before the first.

    Raises ``HTTPException`` for who is no player of it.
    """
    credential = signed_in.credential
    scope = credential.scope.tournament_ids
    if credential.role != PLAYER or (scope and tournament_id not in scope):
        raise HTTPException(HTTPStatus.NOT_FOUND)
    head, _, everybody = await seated(results, await Duplicates.for_visitor(request), tournament_id)
    return head, next((place for place in everybody if place.player_id == credential.player_id), None)


async def _show(
    request: Request, results: Reader, signed_in: SignedIn, tournament_id: str, part: str, said: str = ""
) -> Response:
    head, place = await _own_place(request, results, signed_in, tournament_id)
    round_ = latest(head.tournament)
    table = place.table if place else None
    offers: Sequence[game_pb2.Offer] = ()
    game = None
    if table and round_ and round_.phase == pb.ROUND_PHASE_STARTED and not is_of_duplicate_games(head.tournament):
        with hidden(grpc.StatusCode.PERMISSION_DENIED):
            offers, game = await _offered(signed_in, table.game_id)
    play = None
    if game is not None:
        play = game.pending if game.HasField("pending") else game.open_play if game.HasField("open_play") else None
    return private_page(
        request,
        "own_table.html",
        part=part,
        status=HTTPStatus.CONFLICT if said else HTTPStatus.OK,
        session=signed_in,
        tournament=head.tournament,
        place=place,
        round=round_,
        player_id=signed_in.credential.player_id,
        offers=offers,
        names=LABELS,
        said=said,
        words=[" ".join(each.word.faces) for each in play.words] if play else [],
        totals=[(side.player_id, side.score) for side in game.sides] if game else [],
        seat_names={seat.player_id: seat.name for seat in table.seats} if table else {},
        new_id=lambda: str(uuid.uuid4()),
    )


async def _offered(signed_in: SignedIn, game_id: str) -> tuple[Sequence[game_pb2.Offer], Any]:
    """What a table offers to the player, each once, and the game; nothing where no table is kept."""
    player = signed_in.credential.player_id
    try:
        listed = await signed_in.calls.ask(game_pb2.ListOffersRequest(game_id=game_id, player_id=player))
        game = await signed_in.calls.ask(game_pb2.GetGameRequest(game_id=game_id))
    except grpc.aio.AioRpcError as error:
        if error.code() is not grpc.StatusCode.NOT_FOUND:
            raise
        return (), None
    found = {
        offer.method: offer
        for offer in listed.offers
        if offer.method in ACTS and offer.player_id == player and not offer.by_arbiter
    }
    return [found[name] for name in ACTS if name in found], game
