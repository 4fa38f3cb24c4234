"""Queries of players across tournaments. An id is that of one person in all of them."""

from __future__ import annotations

from faristol.host.rpc.dispatch import Context
from faristol.kernel.errors import Invalid
from faristol.kernel.names import check_length
from faristol.kernel.refusal import N_
from faristol.pb.results.v1 import results_pb2 as results
from faristol.personal_data.minors import public_category
from faristol.read_models.api import person
from faristol.read_models.api.page import page
from faristol.read_models.storage.models import ReadModels, check_reached

DEFAULT_FOUND_PLAYERS = 100
"""Players in one answer by default."""

MAX_ANSWER_PLAYERS = 1_000
"""Most players in one answer."""

MAX_NAME_QUERY_CHARACTERS = 200
"""Characters of a search text."""


async def get_player(
    models: ReadModels, request: results.GetPlayerRequest, context: Context
) -> results.GetPlayerResponse:
    """Return a player with every tournament, the latest first."""
    await models.reach(request.min_position, context)
    answer = await person.player(
        models.record, request.player_id, request.page_size, request.page_token, models.moment_told
    )
    check_reached(request.min_position, answer.position)
    if models.hides_minors(request.player_id):
        for entered in answer.tournaments:
            entered.player.category = public_category(entered.player.category)
            if entered.HasField("standing"):
                entered.standing.category = public_category(entered.standing.category)
    return answer


async def search_players(
    models: ReadModels, request: results.SearchPlayersRequest, context: Context
) -> results.SearchPlayersResponse:
    """Search players by name or club."""
    if not 0 <= request.page_size <= MAX_ANSWER_PLAYERS:
        raise Invalid(
            "page_size",
            N_("{limit} is not a valid limit: expected 1 to {most}, or 0 for {usual}"),
            {"limit": request.page_size, "most": MAX_ANSWER_PLAYERS, "usual": DEFAULT_FOUND_PLAYERS},
        )
    check_length("search", request.search, 0, MAX_NAME_QUERY_CHARACTERS)
    await models.reach(request.min_position, context)
    found, position = await models.directory.search(request.search, request.min_position)
    check_reached(request.min_position, position)
    shown, following = page(found, request.page_size or DEFAULT_FOUND_PLAYERS, request.page_token)
    return results.SearchPlayersResponse(
        players=[
            results.FoundPlayer(player_id=each.person.player_id, **each.person.public, tournaments=each.tournaments)
            for each in shown
        ],
        position=position,
        next_page_token=following,
        total=len(found),
    )
