"""`faristol draw verify`: checking that every draw of a game followed from the seed that was committed to."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from faristol.cli.calling import AsJson, Cell, service_at
from faristol.cli.common import many, run
from faristol.cli.names import AtTable, Game, InRound, game_meant
from faristol.client.rulesets import fetch
from faristol.host.ruleset_store import ruleset_of
from faristol.pb.game.v1 import game_pb2 as pb
from faristol.pb.game.v1 import game_pb2_grpc as pb_grpc
from faristol.pb.results.v1 import results_pb2, results_pb2_grpc
from faristol.rules.draw_log import Draw, Source, check_draws

_SOURCES = {
    pb.DRAW_SOURCE_START: Source.START,
    pb.DRAW_SOURCE_BAG: Source.BAG,
    pb.DRAW_SOURCE_RACK: Source.RACK,
}


def verify(
    game: Game,
    table: AtTable = 0,
    number: InRound = 0,
    commitment: Annotated[
        str, typer.Option(help="The commitment as you kept it from before the end; else the published one.")
    ] = "",
    address: Cell = None,
    json_output: AsJson = False,
) -> None:
    """Make the draws of a final game again, and compare. Exit code 1 when one is otherwise, or the seed another."""

    async def ask() -> tuple[pb.ListDrawsResponse, results_pb2.GetGameResponse]:
        async with service_at("game", address) as channel:
            told: pb.ListDrawsResponse = await pb_grpc.GameServiceStub(channel).ListDraws(
                pb.ListDrawsRequest(game_id=game_id)
            )
        async with service_at("results", address) as channel:
            stub = results_pb2_grpc.ResultsServiceStub(channel)
            public: results_pb2.GetGameResponse = await stub.GetGame(results_pb2.GetGameRequest(game_id=game_id))
            await fetch(stub, told.ruleset)
        return told, public

    if len(commitment) not in (0, 64) or set(commitment.lower()) - set("0123456789abcdef"):
        raise typer.BadParameter(f"{commitment!r} is no commitment: expected 64 hexadecimal digits")
    game_id = run(game_meant(game, table, number, address))
    told, public = run(ask())
    committed = bytes.fromhex(commitment) or public.draw_commitment
    log = [
        Draw(one.number, one.player_id, _SOURCES[one.source], tuple(one.among), tuple(one.faces)) for one in told.draws
    ]
    tile_set = ruleset_of(told.ruleset).tile_set
    wrong = list(check_draws(log, game_id=game_id, seed=told.seed, committed=committed, tile_set=tile_set))
    if json_output:
        answer = {"game_id": game_id, "seed": told.seed.hex(), "commitment": committed.hex(), "draws": len(log)}
        typer.echo(json.dumps({**answer, "wrong": wrong}, ensure_ascii=False))
    else:
        typer.echo(
            "\n".join(wrong) or f"{game_id}: {many(len(log), 'draw')}, all as the seed {told.seed.hex()} gives them"
        )
    if wrong:
        raise typer.Exit(1)
