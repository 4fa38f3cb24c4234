"""`faristol draw verify`: check that every draw of a game follows from the seed of its commitment."""

from __future__ import annotations

from typing import Annotated

import typer

from faristol.cli.client import Client
from faristol.cli.game.sheet import fetch_game
from faristol.cli.options import AtTable, Game, InRound
from faristol.host.ruleset_store import ruleset_of
from faristol.pb.game.v1 import game_pb2 as pb
from faristol.rules.draws.draw_log import Draw, Source, check_draws
from faristol.table_terminal.shared.common import format_count

_SOURCES = {
    pb.DRAW_SOURCE_START: Source.START,
    pb.DRAW_SOURCE_BAG: Source.BAG,
    pb.DRAW_SOURCE_RACK: Source.RACK,
}


def verify(
    client: Client,
    game: Game,
    table: AtTable = 0,
    number: InRound = 0,
    commitment: Annotated[
        str, typer.Option(help="The commitment that you saved before the end; default: the published one.")
    ] = "",
) -> None:
    """Recompute the draws of a final game and compare. Exit code 1 if a draw or the seed differs."""
    if len(commitment) not in (0, 64) or set(commitment.lower()) - set("0123456789abcdef"):
        raise typer.BadParameter(f"{commitment!r} is not a commitment: expected 64 hexadecimal digits")
    game_id = client.find_game(game, table, number)
    listed = client.answer_to(pb.ListDrawsRequest(game_id=game_id))
    public = fetch_game(game_id, client)
    committed = bytes.fromhex(commitment) or public.draw_commitment
    log = [
        Draw(drawn.number, drawn.player_id, _SOURCES[drawn.source], tuple(drawn.among), tuple(drawn.faces))
        for drawn in listed.draws
    ]
    tile_set = ruleset_of(listed.ruleset).tile_set
    wrong = list(check_draws(log, game_id=game_id, seed=listed.seed, committed=committed, tile_set=tile_set))
    answer = {"game_id": game_id, "seed": listed.seed.hex(), "commitment": committed.hex(), "draws": len(log)}
    right = f"{game_id}: {format_count(len(log), 'draw')}, all as the seed {listed.seed.hex()} gives them"
    client.print({**answer, "wrong": wrong}, wrong or right, indent=None)
    if wrong:
        raise typer.Exit(1)
