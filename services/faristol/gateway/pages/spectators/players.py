"""Player across tournaments, and search, as JSON."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import BaseModel, Field
from starlette.responses import Response

from faristol.gateway.api import links
from faristol.gateway.api.answers import NEXT_PAGE, Answer, Shown
from faristol.gateway.api.parameters import DEFAULT_PAGE_COUNT, IfNoneMatch, LimitedPageSize, MinPosition
from faristol.gateway.api.resources.pairings import ByeKind, Table
from faristol.gateway.api.resources.standings import Outcome, Standing
from faristol.gateway.api.resources.tournaments import Phase, Player, Tournament
from faristol.gateway.duplicate_game.seats import PlayerResults, played_in
from faristol.gateway.duplicate_game.service import DuplicateReader
from faristol.gateway.http.responses import to_tagged_response
from faristol.gateway.rpc.results import Page, Reader

MAX_SEARCH_CHARACTERS = 200
"""Limit of a search in characters."""

PlayerId = Annotated[str, Path(max_length=64, description="The player.", examples=["anna-puig"])]
Search = Annotated[
    str,
    Query(
        max_length=MAX_SEARCH_CHARACTERS,
        description="Search text: each of its words must begin a word of the result. Case and accents are ignored.",
    ),
]
PageToken = Annotated[
    str,
    Query(
        max_length=9,
        description="Continue after the previous page: the value of its `next_page_token`.",
        json_schema_extra={"pattern": "^[0-9]{0,9}$"},
    ),
]


class PlayerGame(Shown):
    """Game of a player."""

    game_id: str
    round: int = Field(description="Round, from 1.")
    phase: Phase = Field(description="Phase of the round.")
    table: Table = Field(description="The table; scores are 0 until the result is final.")
    outcome: Outcome | None = Field(description="Result for the player; null before there is one.")


class PlayerBye(Shown):
    """Round without a game of a player."""

    round: int
    kind: ByeKind | None = Field(description="Value of a granted bye; null for the odd player.")


class PlayerDuplicateGame(BaseModel):
    """Started duplicate game of a player; details are at `/api/v1/duplicate/{game_id}`."""

    game_id: str
    round: int = Field(description="Round of the tournament, from 1.")
    hall: str = Field(description="The hall; empty if the tournament has none.")
    number: int = Field(description="Number on the player's slips; 0 for an absent player.")
    total: int = Field(description="Points in the scored turns, including bonus and penalties.")


class PlayerDuplicates(BaseModel):
    """Results of a player in the duplicate games of a tournament."""

    rank: int | None = Field(description="Rank in the standings of all games; null before the first turn is scored.")
    total: int = Field(description="Points in all games.")
    percent: float = Field(description="Total as a percentage of the points of the master plays.")
    games: list[PlayerDuplicateGame] = Field(description="Entries in the order of rounds.")

    @classmethod
    def of(cls, played: PlayerResults) -> PlayerDuplicates:
        """Build the answer from the data of the game service."""
        line = played.line
        return cls(
            rank=line.rank if line else None,
            total=line.total if line else 0,
            percent=line.percent_hundredths / 100 if line else 0,
            games=[PlayerDuplicateGame(**{name: getattr(game, name) for name in GAME_FIELDS}) for game in played.games],
        )


GAME_FIELDS = tuple(PlayerDuplicateGame.model_fields)


class PlayerTournament(Shown):
    """Tournament of a player."""

    tournament: Tournament
    player: Player = Field(description="The player in the tournament: rating, team, category.")
    standing: Standing | None = Field(
        description="Line in the standings with the results so far; null in a tournament of duplicate games."
    )
    duplicate: PlayerDuplicates | None = Field(
        None, description="Duplicate games; null if rounds are played at tables, and while the games are unavailable."
    )
    games: list[PlayerGame] = Field(description="Entries in the order of rounds.")
    byes: list[PlayerBye] = Field(description="Rounds without a game.")


class PlayerAnswer(Answer):
    """Player across tournaments. An id identifies the same person in all of them."""

    player_id: str
    name: str = Field(description="Name; empty after an erasure.")
    club: str = Field(description="Club; may be empty.")
    country: str = Field(description="Three capital letters, or empty.", examples=["AND"])
    total: int = Field(description="Number of tournaments.")
    tournaments: list[PlayerTournament] = Field(description="Tournaments, latest first.")
    links: links.OfPlayer
    next_page_token: str = NEXT_PAGE


class FoundPlayer(Shown):
    """Player found by a search."""

    player_id: str
    name: str
    club: str = Field(description="Club; may be empty.")
    country: str = Field(description="Three capital letters, or empty.", examples=["AND"])
    tournaments: int = Field(description="Number of tournaments.")
    links: links.OfPlayer


class FoundPlayers(Answer):
    """Players by name."""

    total: int = Field(description="Total number of matches.")
    players: list[FoundPlayer] = Field(description="Matches in the order of names.")
    next_page_token: str = NEXT_PAGE


async def search_players(
    results: Reader,
    search: Search = "",
    page_size: LimitedPageSize = DEFAULT_PAGE_COUNT,
    page_token: PageToken = "",
    min_position: MinPosition = 0,
    if_none_match: IfNoneMatch = None,
) -> Response:
    """List players by name or club, across tournaments, page by page; all if the search is empty."""
    answer = await results.search_players(search, Page(page_size, page_token), min_position)
    return to_tagged_response(FoundPlayers.of(answer), if_none_match)


async def get_player(
    results: Reader,
    duplicates: DuplicateReader,
    player_id: PlayerId,
    page_size: LimitedPageSize = DEFAULT_PAGE_COUNT,
    page_token: PageToken = "",
    min_position: MinPosition = 0,
    if_none_match: IfNoneMatch = None,
) -> Response:
    """Return a player across tournaments: places, tie-breaks, games, ratings. An erased player has no name."""
    found = await results.player(player_id, Page(page_size, page_token), min_position)
    played = await played_in(duplicates, found)
    answer = PlayerAnswer.of(found)
    for each in answer.tournaments:
        if own := played.get(each.tournament.tournament_id):
            each.duplicate = PlayerDuplicates.of(own)
    return to_tagged_response(answer, if_none_match)


def rating_line(tournaments: Any) -> list[tuple[Any, int]]:
    """Return a player's tournaments with ratings, the earliest first.

    The rating is the one after the tournament, or before it if none is published. An unrated player starts with the
    first published one.
    """
    return [
        (each.tournament, each.player.new_rating if each.player.HasField("new_rating") else each.player.rating)
        for each in reversed(tournaments)
        if each.player.HasField("new_rating") or not each.player.unrated
    ]


def curve(ratings: list[int], width: int, height: int) -> list[tuple[float, float]]:
    """Return ratings as points of a chart of this size, from left to right, the highest at the top.

    An empty list for fewer than two ratings.
    """
    if len(ratings) < 2:
        return []
    low, high = min(ratings), max(ratings)
    span = max(high - low, 1)
    step = width / (len(ratings) - 1)
    return [
        (round(place * step, 1), round(height - (rating - low) / span * height, 1))
        for place, rating in enumerate(ratings)
    ]
