"""Names in the standings of a duplicate game, which can include groups of several tournaments."""

from __future__ import annotations

import asyncio

import grpc

from faristol.gateway.duplicate_game.answers import Names
from faristol.gateway.rpc.calls import answer_or
from faristol.gateway.rpc.results import Results
from faristol.kernel.topics import place_of_duplicate
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.pb.results.v1 import results_pb2 as results_pb


def names_of(listed: results_pb.ListPlayersResponse) -> dict[str, str]:
    """Return the names of players by id."""
    return {player.player_id: player.name for player in listed.players}


async def names_in(results: Results, game_id: str, found: pb.GetDuplicateStandingsResponse, own: Names) -> Names:
    """Return the names in the standings of a game: ``own`` and those of the tournaments of other groups.

    Ids identify a person in all tournaments. Names of a tournament that is unknown here are missing. Raises
    ``grpc.aio.AioRpcError`` if the results service is unavailable.
    """
    others = {place_of_duplicate(line.game_id)[0] for line in found.lines if line.game_id not in ("", game_id)}
    names = dict(own)
    for more in await asyncio.gather(*(_names_in(results, other) for other in sorted(others))):
        names |= more
    return names


async def _names_in(results: Results, tournament_id: str) -> dict[str, str]:
    unknown = results_pb.ListPlayersResponse()
    return names_of(await answer_or(results.players(tournament_id), unknown, grpc.StatusCode.NOT_FOUND))
