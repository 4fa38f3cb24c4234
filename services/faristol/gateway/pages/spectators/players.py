"""Player across tournaments, and search, as JSON."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path, Query
from starlette.responses import Response

from faristol.gateway.api.parameters import DEFAULT_PAGE_COUNT, LimitedPageSize, MinPosition
from faristol.gateway.duplicate_game.seats import PlayerResults, played_in
from faristol.gateway.duplicate_game.service import DuplicateReader
from faristol.gateway.http.responses import to_tagged_response
from faristol.gateway.rpc.results import Page, Reader
from faristol.pb.results.v1 import results_pb2 as pb

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


async def search_players(
    results: Reader,
    search: Search = "",
    page_size: LimitedPageSize = DEFAULT_PAGE_COUNT,
    page_token: PageToken = "",
    min_position: MinPosition = 0,
) -> Response:
    """List players by name or club, across tournaments, page by page; all if the search is empty."""
    answer = await results.search_players(search, Page(page_size, page_token), min_position)
    return to_tagged_response(answer)


async def get_player(
    results: Reader,
    duplicates: DuplicateReader,
    player_id: PlayerId,
    page_size: LimitedPageSize = DEFAULT_PAGE_COUNT,
    page_token: PageToken = "",
    min_position: MinPosition = 0,
) -> Response:
    """Return a player across tournaments: places, tie-breaks, games, ratings. An erased player has no name."""
    found = await results.player(player_id, Page(page_size, page_token), min_position)
    played = await played_in(duplicates, found)
    for each in found.tournaments:
        if own := played.get(each.tournament.tournament_id):
            each.duplicate.CopyFrom(_build_duplicates(own))
    return to_tagged_response(found)


def _build_duplicates(played: PlayerResults) -> pb.PlayerDuplicates:
    line = played.line
    names = [field.name for field in pb.PlayerDuplicateGame.DESCRIPTOR.fields]
    games = [pb.PlayerDuplicateGame(**{name: getattr(game, name) for name in names}) for game in played.games]
    if line is None:
        return pb.PlayerDuplicates(games=games)
    return pb.PlayerDuplicates(rank=line.rank, total=line.total, percent=line.percent_hundredths / 100, games=games)


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
