"""Measure the speed of decisions at a table: a play by the rules, from the arguments of its command to the new state.

Measured in the time of the processor, so that what else the machine does counts less. To reach: 20,000 a second.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from google.protobuf.message import Message
from tests.benchmarks.figures import Figures
from tests.support.table_games import to_placements

from faristol.kernel.times import timestamp
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.rules import Board, Notation, Placement, Ruleset, lay, load_ruleset, read_tiles
from faristol.table import Table
from faristol.table.decide import decide
from faristol.table.game.evolution import evolve, fold
from faristol.table.game.state import Game

DECISION_NS = 1_700_000_000_000_000_000
PLAY_COUNT = 20_000
SAMPLE_COUNT = 5

CASES: Sequence[tuple[str, str, str]] = (
    ("first play", "", "H8 C A S A"),
    ("across one word", "H8 C A S A R", "8H (C) A P"),
    ("beside another, three words", "H8 C A S A R", "I8 A L S"),
)
"""A play, and the play on the board before it."""


def decision_figures() -> Figures:
    """Return the plays decided and taken into the state in a second, on one core: the best of a few samples."""
    ruleset = load_ruleset("fisc-2023")
    return [
        (f"decisions, a play: {name}", max(_per_second(ruleset, before, play) for _ in range(SAMPLE_COUNT)), "plays/s")
        for name, before, play in CASES
    ]


def _per_second(ruleset: Ruleset, before: str, play: str) -> float:
    game = _table(ruleset, before)
    placed = _parse_play(play.replace("(C)", "C"), game.board)
    table = Table(ruleset, game)
    request = game_pb2.PlacePlayRequest(player_id=game.mover, placements=to_placements(placed))
    start = time.process_time()
    for _ in range(PLAY_COUNT // SAMPLE_COUNT):
        for event in decide(table, request, DECISION_NS):
            evolve(game, event)
    return PLAY_COUNT / SAMPLE_COUNT / (time.process_time() - start)


def _parse_play(play: str, board: Board) -> tuple[Placement, ...]:
    start, word = play.split(" ", 1)
    return lay(board, Notation.FISC.read(start), read_tiles(word))


def _table(ruleset: Ruleset, before: str) -> Game:
    """Return a table at the turn of a player whose rack allows the plays."""
    at = timestamp(DECISION_NS)
    players = ["anna", "biel"]
    new_events: list[Message] = [
        events.GameOpened(game_id="bench", player_ids=players, seed=bytes(32), occurred_at=at),
        events.TilesDrawn(player_id="anna", faces="CASARTI", draw=0, bag_left=93, occurred_at=at),
        events.TilesDrawn(player_id="biel", faces="APCALSE", draw=1, bag_left=86, occurred_at=at),
        events.GameStarted(first_player_id="anna" if before else "biel", occurred_at=at),
    ]
    game = fold(Game(), new_events)
    if not before:
        return fold(Game(), [*new_events[:3], events.GameStarted(first_player_id="anna", occurred_at=at)])
    played = decide(
        Table(ruleset, game),
        game_pb2.PlacePlayRequest(player_id="anna", placements=to_placements(_parse_play(before, game.board))),
        DECISION_NS,
    )
    done = events.PlayCompleted(turn=1, player_id="anna", score=10, total=10, occurred_at=at)
    return fold(game, [*played, done])
