"""How fast a table decides: a play by the rules alone, from the arguments of its command to the state after it.

Measured in the time of the processor, so that what else the machine does counts less. To reach: 20,000 a second.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from google.protobuf.message import Message
from tests.benchmarks.figures import Figures
from tests.support.table_games import laid

from faristol.kernel.times import timestamp
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.rules import Board, Notation, Placement, Ruleset, lay, load_ruleset, read_tiles
from faristol.table import Table
from faristol.table.decide import decide
from faristol.table.game.evolution import evolve, fold
from faristol.table.game.state import Game

AT = 1_700_000_000_000_000_000
PLAYS = 20_000
SAMPLES = 5

CASES: Sequence[tuple[str, str, str]] = (
    ("first play", "", "H8 C A S A"),
    ("across one word", "H8 C A S A R", "8H (C) A P"),
    ("beside another, three words", "H8 C A S A R", "I8 A L S"),
)
"""What is played, and on what board: the play before it, and the play."""


def decision_figures() -> Figures:
    """Plays decided and taken into the state in a second, on one core: the best of a few samples."""
    ruleset = load_ruleset("fisc-2023")
    return [
        (f"decisions, a play: {name}", max(_per_second(ruleset, before, play) for _ in range(SAMPLES)), "plays/s")
        for name, before, play in CASES
    ]


def _per_second(ruleset: Ruleset, before: str, play: str) -> float:
    game = _table(ruleset, before)
    placed = _laid(play.replace("(C)", "C"), game.board)
    table = Table(ruleset, game)
    request = game_pb2.PlacePlayRequest(player_id=game.mover, placements=laid(placed))
    start = time.process_time()
    for _ in range(PLAYS // SAMPLES):
        for fact in decide(table, request, AT):
            evolve(game, fact)
    return PLAYS / SAMPLES / (time.process_time() - start)


def _laid(play: str, board: Board) -> tuple[Placement, ...]:
    start, word = play.split(" ", 1)
    return lay(board, Notation.FISC.read(start), read_tiles(word))


def _table(ruleset: Ruleset, before: str) -> Game:
    """A table at the turn of a player who holds what the plays need."""
    at = timestamp(AT)
    players = ["anna", "biel"]
    facts: list[Message] = [
        events.GameOpened(game_id="bench", player_ids=players, seed=bytes(32), occurred_at=at),
        events.TilesDrawn(player_id="anna", faces="CASARTI", draw=0, bag_left=93, occurred_at=at),
        events.TilesDrawn(player_id="biel", faces="APCALSE", draw=1, bag_left=86, occurred_at=at),
        events.GameStarted(first_player_id="anna" if before else "biel", occurred_at=at),
    ]
    game = fold(Game(), facts)
    if not before:
        return fold(Game(), [*facts[:3], events.GameStarted(first_player_id="anna", occurred_at=at)])
    played = decide(
        Table(ruleset, game),
        game_pb2.PlacePlayRequest(player_id="anna", placements=laid(_laid(before, game.board))),
        AT,
    )
    done = events.PlayCompleted(turn=1, player_id="anna", score=10, total=10, occurred_at=at)
    return fold(game, [*played, done])
