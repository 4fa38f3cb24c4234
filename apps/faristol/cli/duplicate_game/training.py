"""`faristol duplicate train`: a duplicate game of one player against the top, at a terminal."""

from __future__ import annotations

import secrets
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Annotated

import typer

from faristol.cli.client import ServiceClient
from faristol.gateway.duplicate_game.plays import coordinates_of, main_word
from faristol.kernel.refusal import N_
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.presentation.duplicate_labels import ENDS, FAULTS
from faristol.rules.board import BOARD_SIZE, ROW_NAMES
from faristol.table_terminal.shared.common import localize

TRAINING_HELP = N_(
    "Type H8 and a word to play across; 8H and a word to play down; the letter of a blank in "
    "parentheses. Enter: no slip. q: end."
)
TRAINING_GAME = N_("game {seed}: the same name gives the same racks")
TRAINING_ROUND = N_("round {turn}: {faces} ({seconds} seconds)")
WORTH = N_("{points} of {top}")
NULL = N_("0 of {top}: {fault} {article}")
BEST = N_("best plays:")
SUM = N_("so far {own} of {tops}")
OVER = N_("the game is over: {own} of {tops}")


def train(
    client: ServiceClient,
    game: Annotated[str, typer.Option(help="A finished game to play again; default: a new one.")] = "",
    seed: Annotated[str, typer.Option(help="Name of a new game; the same name gives the same racks.")] = "",
    ruleset: Annotated[str, typer.Option(help="The rules of a new game.")] = "fisc-2023-duplicate",
    lexicon: Annotated[str, typer.Option(help="The lexicon of a new game; default: the installed one.")] = "",
    turns: Annotated[int, typer.Option(min=0, help="Number of rounds; default: to the end.")] = 0,
) -> None:
    """Play a duplicate game against the top: the verdicts of a hall, and the ten best plays after each round."""
    seed = "" if game else seed or secrets.token_hex(4)
    typer.echo(localize(TRAINING_HELP))
    if seed:
        typer.echo(localize(TRAINING_GAME, seed=seed))
    own = tops = 0
    for number in range(1, (turns or 100) + 1):
        asked = pb.TrainTurnRequest(ruleset=ruleset, lexicon=lexicon, seed=seed, game_id=game, turn=number)
        shown = client.answer_to(asked)
        if not shown.turn:
            if shown.end:
                typer.echo(localize(ENDS[shown.end]))
            break
        typer.echo("\n".join(board_lines(shown.board)))
        typer.echo(localize(TRAINING_ROUND, turn=number, faces=" ".join(shown.faces), seconds=shown.seconds))
        slip = _read_slip(shown.seconds)
        if slip is None:
            break
        asked.slip.CopyFrom(slip)
        found = client.answer_to(asked)
        own, tops = own + found.score.points, tops + found.top
        typer.echo("\n".join([*_verdict(found), localize(SUM, own=own, tops=tops)]))
    typer.echo(localize(OVER, own=own, tops=tops))


def _read_slip(seconds: int) -> events.Slip | None:
    """Read a slip from the terminal, late if the time of the turn is over; None to end."""
    begun = time.monotonic()
    typer.echo("> ", nl=False)
    line = sys.stdin.readline()
    if not line or line.strip() == "q":
        return None
    coordinates, _, word = line.strip().partition(" ")
    slip = events.Slip(player_id="alone", coordinates=coordinates, word=word.strip())
    if not line.strip():
        slip.handed = events.HANDED_NOT_AT_ALL
    elif time.monotonic() - begun > seconds:
        slip.handed = events.HANDED_LATE
    return slip


def _verdict(found: pb.TrainTurnResponse) -> Iterator[str]:
    if found.score.fault:
        fault = localize(FAULTS[found.score.fault])
        yield localize(NULL, top=found.top, fault=fault, article=f"({found.article})" if found.article else "").strip()
    else:
        yield localize(WORTH, points=found.score.points, top=found.top)
    yield localize(BEST)
    for play in found.best:
        yield f"  {coordinates_of(play)} {main_word(play)} {play.score}"


def board_lines(tiles: Iterable[game_events.Placement]) -> Iterator[str]:
    """Yield the lines of a board as text: rows with their letters, blanks in lower case."""
    lying = {(tile.row, tile.column): tile.face.lower() if tile.blank else tile.face for tile in tiles}
    yield "    " + "".join(f"{column + 1:<4}" for column in range(BOARD_SIZE)).rstrip()
    for row in range(BOARD_SIZE):
        cells = "".join(f"{lying.get((row, column), '·'):<4}" for column in range(BOARD_SIZE)).rstrip()
        yield f"{ROW_NAMES[row]:<4}{cells}"
