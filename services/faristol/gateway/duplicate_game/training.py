"""Page of training games, played by a single user. It stores no state except in the address."""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query
from pydantic import AfterValidator
from starlette.requests import Request
from starlette.responses import Response

from faristol.gateway.api.parameters import DIGITS
from faristol.gateway.auth.sign_in import redirect_to
from faristol.gateway.duplicate_game.plays import coordinates_of, main_word
from faristol.gateway.duplicate_game.service import DuplicateReader
from faristol.gateway.pages.render import page, rules_title
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.presentation import duplicate_labels
from faristol.presentation.game_view import squares, words
from faristol.rules.ruleset.file import ruleset_names

MERCY = timedelta(seconds=2)
"""Tolerance for the transmission of a slip."""

Text = Annotated[str, Query(max_length=64)]
Stripped = Annotated[Text, AfterValidator(str.strip)]
Number = Annotated[int, Query(ge=0, le=100_000), DIGITS]

routes = APIRouter(include_in_schema=False)


@dataclass(frozen=True)
class Progress:
    """State of a training game in its address."""

    seed: Stripped = ""
    game: Annotated[str, Query(max_length=128), AfterValidator(str.strip)] = ""
    rules: Text = ""
    lexicon: Stripped = ""
    turn: Annotated[int, Query(ge=0, le=100), DIGITS] = 0
    own: Number = 0
    """Points so far."""
    tops: Number = 0
    """Highest possible points so far."""

    def address(self, **changed: Any) -> str:
        """Return the address with some values changed."""
        values = {name: value for name, value in {**asdict(self), **changed}.items() if value}
        return f"/train?{urlencode(values)}"


@routes.get("/train")
async def train(
    request: Request,
    games: DuplicateReader,
    at: Annotated[Progress, Depends()],
    written: Annotated[str, Query(pattern="^(1)?$")] = "",
    coordinates: Annotated[str, Query(max_length=8)] = "",
    word: Text = "",
    begun: Annotated[int, Query(ge=0, le=10**14), DIGITS] = 0,
) -> Response:
    """Show the choice of games, a turn, or the score of its slip."""
    if not at.turn:
        if at.seed or at.game or at.rules:
            seed = at.seed or ("" if at.game else secrets.token_hex(4))
            return redirect_to(replace(at, seed=seed).address(turn=1))
        return page(request, "duplicate/train.html", at=at, rules=ruleset_names("duplicate"), rules_title=rules_title)
    asked = pb.TrainTurnRequest(ruleset=at.rules, lexicon=at.lexicon, seed=at.seed, game_id=at.game, turn=at.turn)
    now = int(request.app.state.now().timestamp() * 1000)
    if written:
        slip = events.Slip(player_id="alone", coordinates=coordinates.strip(), word=word.strip())
        asked.slip.CopyFrom(slip)
    found = await games.ask(asked)
    late = bool(written and begun) and now - begun > found.seconds * 1000 + MERCY / timedelta(milliseconds=1)
    if late:
        asked.slip.handed = events.HANDED_LATE
        found = await games.ask(asked)
    values = {tile.face: tile.points for tile in found.values}
    laid = found.master.placements if written else ()
    board = [*found.board, *laid]
    after = at.address(turn=at.turn + 1, own=at.own + found.score.points, tops=at.tops + found.top)
    response = page(
        request,
        "duplicate/train.html",
        at=at,
        fields=asdict(at),
        found=found,
        board=squares(board, laid, values),
        words=words(board),
        values=values,
        written=written,
        slip=asked.slip,
        until=now + found.seconds * 1000,
        now=now,
        next=after,
        again=at.address(turn=1, own=0, tops=0),
        ends=duplicate_labels.ENDS,
        faults=duplicate_labels.FAULTS,
        coordinates=coordinates_of,
        word=main_word,
    )
    response.headers["Cache-Control"] = "no-store"
    return response
