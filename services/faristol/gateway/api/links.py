"""Paths of resources and pages on this host."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

from pydantic import BaseModel, Field

from faristol.gateway.api.answers import Read
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.page_addresses import duplicate_path, game_path, player_path, tournament_path

API = "/api/v1"
TOURNAMENT_PARTS = ("players", "games", "standings", "crosstable", "teams", "rulings", "stream")
"""Parts of a tournament that have a link, by their path below it."""


class TournamentLinks(BaseModel):
    """Links of a tournament."""

    self: str = Field(examples=["/api/v1/tournaments/demo"])
    page: str = Field(description="Page for people.", examples=["/tournaments/demo"])
    players: str = Field(examples=["/api/v1/tournaments/demo/players"])
    games: str = Field(
        description="In mode `duplicate`, the tournament, which lists its games.",
        examples=["/api/v1/tournaments/demo/games"],
    )
    standings: str = Field(
        description="In mode `duplicate`, the standings of all its games.",
        examples=["/api/v1/tournaments/demo/standings"],
    )
    crosstable: str = Field(
        description="In mode `duplicate`, the standings of all its games.",
        examples=["/api/v1/tournaments/demo/crosstable"],
    )
    teams: str = Field(
        description="Empty list in an individual tournament.", examples=["/api/v1/tournaments/demo/teams"]
    )
    rulings: str = Field(
        description="In mode `duplicate`, the tournament, which lists its games.",
        examples=["/api/v1/tournaments/demo/rulings"],
    )
    stream: str = Field(examples=["/api/v1/tournaments/demo/stream"])


class GameLinks(BaseModel):
    """Links of a game."""

    self: str = Field(examples=["/api/v1/games/demo-r1-t1"])
    page: str = Field(description="Page for people.", examples=["/games/demo-r1-t1"])
    players: list[str] = Field(
        description="In the order of the pairing.",
        examples=[["/api/v1/players/anna-puig", "/api/v1/players/biel-roca"]],
    )


class GameOfTournamentLinks(GameLinks):
    """Links of a game and its tournament."""

    tournament: str = Field(examples=["/api/v1/tournaments/demo"])


class PlayerLinks(BaseModel):
    """Links of a player."""

    self: str = Field(examples=["/api/v1/players/anna-puig"])
    page: str = Field(description="Page for people.", examples=["/players/anna-puig"])


class PartLinks(BaseModel):
    """Links of a part of a tournament."""

    self: str = Field(
        description="Address without the parameters of the request.", examples=["/api/v1/tournaments/demo/standings"]
    )
    page: str = Field(description="Page for people.", examples=["/tournaments/demo"])
    tournament: str = Field(examples=["/api/v1/tournaments/demo"])


class DuplicateLinks(BaseModel):
    """Links of a duplicate game."""

    self: str = Field(examples=["/api/v1/duplicate/demo-r1"])
    page: str = Field(description="Page for people.", examples=["/duplicate/demo-r1"])
    standings: str = Field(examples=["/api/v1/duplicate/demo-r1/standings"])
    sheets: str = Field(examples=["/api/v1/duplicate/demo-r1/sheets"])


class DuplicateOfTournamentLinks(DuplicateLinks):
    """Links of a duplicate game and its tournament."""

    tournament: str = Field(examples=["/api/v1/tournaments/demo"])


def of_part(tournament_id: str, path: str, *page: str | int) -> PartLinks:
    """Return the links of a part of a tournament: ``path`` below it in the API, segments ``page`` below its page."""
    name = quote(tournament_id, safe="")
    at = f"{API}/tournaments/{name}"
    return PartLinks(self=f"{at}/{path}", page=tournament_path(tournament_id, *page), tournament=at)


def _of_duplicate(game_id: str) -> dict[str, str]:
    name = quote(game_id, safe="")
    at = f"{API}/duplicate/{name}"
    return {"self": at, "page": duplicate_path(game_id), "standings": f"{at}/standings", "sheets": f"{at}/sheets"}


def of_duplicate(game_id: str) -> DuplicateLinks:
    """Return the links of a duplicate game."""
    return DuplicateLinks(**_of_duplicate(game_id))


def _of_whole_duplicate(message: Any) -> DuplicateOfTournamentLinks:
    at = f"{API}/tournaments/{quote(message.tournament_id, safe='')}"
    return DuplicateOfTournamentLinks(**_of_duplicate(message.game_id), tournament=at)


def _of_tournament(message: Any) -> TournamentLinks:
    name = quote(message.tournament_id, safe="")
    at = f"{API}/tournaments/{name}"
    parts = {part: f"{at}/{part}" for part in TOURNAMENT_PARTS}
    if message.mode == pb.TOURNAMENT_MODE_DUPLICATE:
        standings = f"{at}/duplicate-standings"
        parts |= {"games": at, "standings": standings, "crosstable": standings, "rulings": at}
    return TournamentLinks(self=at, page=tournament_path(message.tournament_id), **parts)


def _of_game(message: Any) -> dict[str, Any]:
    name = quote(message.game_id, safe="")
    players = [f"{API}/players/{quote(seat.player_id, safe='')}" for seat in message.seats]
    return {"self": f"{API}/games/{name}", "page": game_path(message.game_id), "players": players}


def _of_player(message: Any) -> PlayerLinks:
    name = quote(message.player_id, safe="")
    return PlayerLinks(self=f"{API}/players/{name}", page=player_path(message.player_id))


def _of_whole_game(message: Any) -> GameOfTournamentLinks:
    return GameOfTournamentLinks(
        **_of_game(message), tournament=f"{API}/tournaments/{quote(message.tournament_id, safe='')}"
    )


OfTournament = Annotated[TournamentLinks, Read(_of_tournament)]
OfGame = Annotated[GameOfTournamentLinks, Read(_of_whole_game)]
OfTable = Annotated[GameLinks, Read(lambda message: GameLinks(**_of_game(message)))]
OfPlayer = Annotated[PlayerLinks, Read(_of_player)]
OfDuplicate = Annotated[DuplicateLinks, Read(lambda message: of_duplicate(message.game_id))]
OfWholeDuplicate = Annotated[DuplicateOfTournamentLinks, Read(_of_whole_duplicate)]
OfStandings = Annotated[PartLinks, Read(lambda message: of_part(message.tournament_id, "standings"))]
OfTeamStandings = Annotated[PartLinks, Read(lambda message: of_part(message.tournament_id, "team-standings"))]
OfCrosstable = Annotated[PartLinks, Read(lambda message: of_part(message.tournament_id, "crosstable", "crosstable"))]
OfPairings = Annotated[
    PartLinks,
    Read(lambda message: of_part(message.tournament_id, f"rounds/{message.round}/pairings", "round", message.round)),
]
"""Field types computed from the ids of a message."""
