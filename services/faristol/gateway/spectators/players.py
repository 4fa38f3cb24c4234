"""A player across tournaments as JSON, and what a search finds."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import BaseModel, Field
from starlette.responses import Response

from faristol.gateway import links
from faristol.gateway.answers import NEXT_PAGE, Answer, Shown
from faristol.gateway.duplicate.seats import Played, played_in
from faristol.gateway.duplicate.service import DuplicateReader
from faristol.gateway.pairings import ByeKind, Table
from faristol.gateway.parameters import DEFAULT_PAGE_COUNT, IfNoneMatch, LimitedPageSize, MinPosition
from faristol.gateway.responses import tagged
from faristol.gateway.results import Page, Reader
from faristol.gateway.standings import Outcome, Standing
from faristol.gateway.tournaments import Phase, Player, Tournament

LONGEST_SEARCH = 200
"""Characters of what is searched for."""

PlayerId = Annotated[str, Path(max_length=64, description="The player.", examples=["anna-puig"])]
Search = Annotated[
    str,
    Query(
        max_length=LONGEST_SEARCH,
        description="Every word of it begins a word of what is found; case and accents do not matter.",
    ),
]
PageToken = Annotated[
    str,
    Query(
        max_length=9,
        description="Go on where an answer ended: its `next_page_token`, as it was.",
        json_schema_extra={"pattern": "^[0-9]{0,9}$"},
    ),
]


class PlayerGame(Shown):
    """A game of a player."""

    game_id: str
    round: int = Field(description="Round, from 1.")
    phase: Phase = Field(description="Where the round stands.")
    table: Table = Field(description="The table; scores are 0 until the result is final.")
    outcome: Outcome | None = Field(description="To the player; null while there is no result.")


class PlayerBye(Shown):
    """A round that a player sits out."""

    round: int
    kind: ByeKind | None = Field(description="What it is worth where that was granted; null for the odd player out.")


class PlayerDuplicateGame(BaseModel):
    """A duplicate game of a player that has begun: `/api/v1/duplicate/{game_id}` has it."""

    game_id: str
    round: int = Field(description="Round of the tournament, from 1.")
    hall: str = Field(description="The hall; empty where the tournament has none.")
    number: int = Field(description="The number that stands on the slips; 0 for a player who was absent.")
    total: int = Field(description="Points in the turns that are scored, bonus and penalties included.")


class PlayerDuplicates(BaseModel):
    """What a player has in the duplicate games of a tournament."""

    rank: int | None = Field(description="In the standings of all games; null before the first turn is scored.")
    total: int = Field(description="Points in all games.")
    percent: float = Field(description="The total as a part of the master plays.")
    games: list[PlayerDuplicateGame] = Field(description="In the order of the rounds.")

    @classmethod
    def of(cls, played: Played) -> PlayerDuplicates:
        """Return what is told of what the game service knows."""
        line = played.line
        return cls(
            rank=line.rank if line else None,
            total=line.total if line else 0,
            percent=line.percent_hundredths / 100 if line else 0,
            games=[PlayerDuplicateGame(**{name: getattr(game, name) for name in GAME}) for game in played.games],
        )


GAME = tuple(PlayerDuplicateGame.model_fields)


class PlayerTournament(Shown):
    """A tournament of a player."""

    tournament: Tournament
    player: Player = Field(description="The player in it: rating, team, category.")
    standing: Standing | None = Field(
        description="The line in the standings with the results so far; null in a tournament of duplicate games."
    )
    duplicate: PlayerDuplicates | None = Field(
        None, description="The duplicate games; null where rounds are played at tables, and while they cannot be had."
    )
    games: list[PlayerGame] = Field(description="In the order of the rounds.")
    byes: list[PlayerBye] = Field(description="Rounds without a game.")


class PlayerAnswer(Answer):
    """A player across tournaments. An id is one person's in all of them."""

    player_id: str
    name: str = Field(description="Name, or empty when it was erased.")
    club: str = Field(description="Club, may be empty.")
    country: str = Field(description="Three capital letters, or empty.", examples=["AND"])
    total: int = Field(description="Tournaments in all.")
    tournaments: list[PlayerTournament] = Field(description="The latest first.")
    links: links.OfPlayer
    next_page_token: str = NEXT_PAGE


class FoundPlayer(Shown):
    """A player whom a search found."""

    player_id: str
    name: str
    club: str = Field(description="Club, may be empty.")
    country: str = Field(description="Three capital letters, or empty.", examples=["AND"])
    tournaments: int = Field(description="In how many tournaments.")
    links: links.OfPlayer


class FoundPlayers(Answer):
    """Players by name."""

    total: int = Field(description="How many were found in all.")
    players: list[FoundPlayer] = Field(description="In the order of names.")
    next_page_token: str = NEXT_PAGE


async def search_players(
    results: Reader,
    search: Search = "",
    page_size: LimitedPageSize = DEFAULT_PAGE_COUNT,
    page_token: PageToken = "",
    min_position: MinPosition = 0,
    if_none_match: IfNoneMatch = None,
) -> Response:
    """Players by name or club, across tournaments, page by page; everybody when nothing is searched for."""
    answer = await results.search_players(search, Page(page_size, page_token), min_position)
    return tagged(FoundPlayers.of(answer), if_none_match)


async def get_player(
    results: Reader,
    duplicates: DuplicateReader,
    player_id: PlayerId,
    page_size: LimitedPageSize = DEFAULT_PAGE_COUNT,
    page_token: PageToken = "",
    min_position: MinPosition = 0,
    if_none_match: IfNoneMatch = None,
) -> Response:
    """A player across tournaments: places, tie-breaks, games, ratings. Who was erased has no name there."""
    found = await results.player(player_id, Page(page_size, page_token), min_position)
    played = await played_in(duplicates, found)
    answer = PlayerAnswer.of(found)
    for each in answer.tournaments:
        if own := played.get(each.tournament.tournament_id):
            each.duplicate = PlayerDuplicates.of(own)
    return tagged(answer, if_none_match)


def rating_line(tournaments: Any) -> list[tuple[Any, int]]:
    """A player's ratings over time, the earliest first.

    Each is a tournament, and the rating after it, or before where none has been published. Who had no rating before
    counts from the first one that was.
    """
    return [
        (each.tournament, each.player.new_rating if each.player.HasField("new_rating") else each.player.rating)
        for each in reversed(tournaments)
        if each.player.HasField("new_rating") or not each.player.unrated
    ]


def curve(ratings: list[int], width: int, height: int) -> list[tuple[float, float]]:
    """Ratings as points of a drawing so wide and high, from left to right, the highest at the top.

    None for fewer than two.
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
