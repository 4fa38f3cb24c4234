"""Tables for tests: a game between anna and biel under FISC's rules, with chosen racks."""

from __future__ import annotations

from collections.abc import Sequence

from google.protobuf.message import Message

from faristol.kernel.times import Instant, timestamp
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import events_pb2 as events
from faristol.rules import Board, Notation, Placement, Ruleset, TurnKind, lay, load_ruleset, read_tiles
from faristol.table.clock import Clock
from faristol.table.game.evolution import fold
from faristol.table.game.state import Game
from faristol.table.settlement import game as settlement
from faristol.table.views import Ruling

FISC = load_ruleset("fisc-2023")
GAME = "cup-r1-t1"
START_NS = 1_700_000_000_000_000_000
SECOND_NS = 1_000_000_000
SEED = bytes(range(32))
NOTHING = Clock()
"""A clock without events."""

OPENED = events.GameOpened(
    game_id=GAME,
    tournament_id="cup",
    round=1,
    table=1,
    player_ids=["anna", "biel"],
    ruleset=events.Pin(name="fisc-2023", digest=FISC.digest),
    lexicon=events.Pin(name="catalan", digest="00"),
    seed=SEED,
    occurred_at=timestamp(START_NS),
)


def open_game(anna: str = "C A S A R T I", biel: str = "M E N T S O L", bag_left: int = 86) -> list[Message]:
    """Return the events up to the start; anna begins. Racks are faces with spaces between them."""
    at = timestamp(START_NS)
    return [
        OPENED,
        events.StartTileDrawn(player_id="anna", face="A", draw=0, occurred_at=at),
        events.StartTileDrawn(player_id="biel", face="B", draw=1, occurred_at=at),
        events.StartDecided(player_id="anna", occurred_at=at),
        events.TilesDrawn(player_id="anna", faces=anna.split(), draw=2, bag_left=bag_left + 7, occurred_at=at),
        events.TilesDrawn(player_id="biel", faces=biel.split(), draw=3, bag_left=bag_left, occurred_at=at),
        events.GameStarted(first_player_id="anna", occurred_at=at),
    ]


def start_game(anna: str = "C A S A R T I", biel: str = "M E N T S O L", bag_left: int = 86) -> Game:
    """Return the table at anna's first turn."""
    return fold(Game(), open_game(anna, biel, bag_left))


def settle(game: Game, clock: Clock, ruling: Ruling | None, ruleset: Ruleset) -> list[Message]:
    """Return all pending events of the game, while the clock stands as it is."""
    new_events: list[Message] = []
    while missing := settlement.missing(game, clock, ruling, ruleset):
        new_events += missing
        game = fold(game, missing)
    return new_events


def tiles(play: str, board: Board | None = None) -> tuple[Placement, ...]:
    """Return a play as the rule book's cases write it: ``H8 C A S (A)``."""
    start, word = play.split(" ", 1)
    return lay(board or Board(), Notation.FISC.read(start), read_tiles(word))


def after(seconds: int) -> Instant:
    """Return a moment of the game."""
    return START_NS + seconds * SECOND_NS


def build_press(player_id: str, turn: int, at: Instant) -> clock_events.ClockPressed:
    """Return a press of the clock."""
    return clock_events.ClockPressed(player_id=player_id, turn=turn, used_ms=1, occurred_at=timestamp(at))


def names(past_events: Sequence[Message]) -> list[str]:
    """Return the names of the events."""
    return [event.DESCRIPTOR.name for event in past_events]


def to_placements(placements: Sequence[Placement]) -> list[events.Placement]:
    """Return the tiles of a play as a request has them."""
    return [
        events.Placement(row=square.row, column=square.col, face=tile.face, blank=tile.blank)
        for square, tile in placements
    ]


def words(*faces: Sequence[str]) -> list[events.Word]:
    """Return words as a request has them."""
    return [events.Word(faces=word) for word in faces]


def kinds_of(game: Game) -> tuple[TurnKind, ...]:
    return tuple(taken.kind for taken in game.turns_taken)


def points_of(game: Game) -> tuple[int, ...]:
    return tuple(taken.points for taken in game.turns_taken)
