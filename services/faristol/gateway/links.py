"""Where things are: addresses of resources and of pages, as paths of this host."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

from pydantic import BaseModel, Field

from faristol.gateway.answers import Read

API = "/api/v1"


class TournamentLinks(BaseModel):
    """Where a tournament and what it has is."""

    self: str = Field(examples=["/api/v1/tournaments/demo"])
    page: str = Field(description="For people.", examples=["/t/demo"])
    players: str = Field(examples=["/api/v1/tournaments/demo/players"])
    games: str = Field(examples=["/api/v1/tournaments/demo/games"])
    standings: str = Field(examples=["/api/v1/tournaments/demo/standings"])
    stream: str = Field(examples=["/api/v1/tournaments/demo/stream"])


class GameLinks(BaseModel):
    """Where a game is."""

    self: str = Field(examples=["/api/v1/games/demo-r1-t1"])
    page: str = Field(description="For people.", examples=["/g/demo-r1-t1"])
    players: list[str] = Field(
        description="In the order of the pairing.",
        examples=[["/api/v1/players/anna-puig", "/api/v1/players/biel-roca"]],
    )


class GameOfTournamentLinks(GameLinks):
    """Where a game and its tournament are."""

    tournament: str = Field(examples=["/api/v1/tournaments/demo"])


class PlayerLinks(BaseModel):
    """Where a player is."""

    self: str = Field(examples=["/api/v1/players/anna-puig"])
    page: str = Field(description="For people.", examples=["/players/anna-puig"])


def _of_tournament(message: Any) -> TournamentLinks:
    name = quote(message.tournament_id, safe="")
    at = f"{API}/tournaments/{name}"
    parts = {part: f"{at}/{part}" for part in ("players", "games", "standings", "stream")}
    return TournamentLinks(self=at, page=f"/t/{name}", **parts)


def _of_game(message: Any) -> dict[str, Any]:
    name = quote(message.game_id, safe="")
    players = [f"{API}/players/{quote(seat.player_id, safe='')}" for seat in message.seats]
    return {"self": f"{API}/games/{name}", "page": f"/g/{name}", "players": players}


def _of_player(message: Any) -> PlayerLinks:
    name = quote(message.player_id, safe="")
    return PlayerLinks(self=f"{API}/players/{name}", page=f"/players/{name}")


def _of_whole_game(message: Any) -> GameOfTournamentLinks:
    return GameOfTournamentLinks(
        **_of_game(message), tournament=f"{API}/tournaments/{quote(message.tournament_id, safe='')}"
    )


OfTournament = Annotated[TournamentLinks, Read(_of_tournament)]
OfGame = Annotated[GameOfTournamentLinks, Read(_of_whole_game)]
OfTable = Annotated[GameLinks, Read(lambda message: GameLinks(**_of_game(message)))]
OfPlayer = Annotated[PlayerLinks, Read(_of_player)]
"""Fields that are made of the ids of a message."""
