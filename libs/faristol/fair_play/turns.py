"""The plays of a game whose racks are known, each beside the plays of the highest score for its rack. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from google.protobuf.message import Message

from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.game.v1 import events_pb2 as events
from faristol.rules import Board, Square
from faristol.rules.board import Direction
from faristol.rules.duplicate_game.plays import Play
from faristol.rules.notation import Notation, Start
from faristol.table.clock import Clock
from faristol.table.clock import evolve as evolve_clock
from faristol.table.game.evolution import evolve
from faristol.table.game.state import UNENTERED_TILE, Game

MAX_RACK_LENGTH = 7

OPENING_BAG_SIZE = 60
"""Tiles in the bag from which on a turn belongs to the opening."""

ENDING_BAG_SIZE = 7
"""Tiles in the bag below which a turn belongs to the end of the game: a full exchange is no longer possible."""

FindBest = Callable[[Board, Sequence[str]], Sequence[Play]]
"""Returns all plays of the highest score for a rack; empty if no play is possible."""

_OTHER_ACTIONS = (
    *(events.Exchanged, events.Passed, events.CannotPlay, events.TurnLost),
    *(events.PlayWithdrawn, events.TilesTakenBack),
)
"""Turns without a play, and plays that were taken back."""


class Phase(StrEnum):
    """The phase of a game, by the tiles left in the bag."""

    OPENING = "opening"
    MIDDLE = "middle"
    END = "end"


class AnalysedTurn(NamedTuple):
    """A play that stands, beside the best plays of its rack."""

    game_id: str
    tournament_id: str
    round: int
    table: int
    turn: int
    """Number of the turn, from 1."""
    player_id: str
    rack: tuple[str, ...]
    """``?`` for a blank, in the order of code points."""
    bag_left: int
    """Tiles in the bag before the turn."""
    word: tuple[str, ...]
    """Main word of the play, as faces."""
    coordinates: str
    """Start of the main word, such as ``H8``; ``8H`` for a vertical word."""
    score: int
    best_score: int
    best_word: tuple[str, ...]
    """Main word of the first of the best plays."""
    best_coordinates: str
    best_count: int
    """Number of plays with the highest score."""
    difficulty: int
    """Tiles that the shortest of the best plays lays, 1 to 7: longer plays are harder to find."""
    seconds: float | None = None
    """Time that the player used in the turn by the clock; None without a clock."""

    @property
    def is_best(self) -> bool:
        """Whether the play has the highest score. An invalid word that stood may score more."""
        return self.score == self.best_score

    @property
    def loss(self) -> int:
        """Points by which the best play exceeds the play, 0 or more."""
        return max(0, self.best_score - self.score)

    @property
    def phase(self) -> Phase:
        """Phase of the game."""
        if self.bag_left >= OPENING_BAG_SIZE:
            return Phase.OPENING
        return Phase.END if self.bag_left < ENDING_BAG_SIZE else Phase.MIDDLE


@dataclass(frozen=True, slots=True)
class GameAnalysis:
    """The analysed turns of a game."""

    game_id: str
    turns: tuple[AnalysedTurn, ...] = ()
    unknown_count: int = 0
    """Plays that were not analysed because their rack is not fully known."""


class _HeldTurn(NamedTuple):
    """A play with the state of the table before it."""

    play: events.PlayPlaced
    board: Board
    rack: tuple[str, ...]
    bag_left: int


def analyse_game(
    game_id: str, game_events: Iterable[Message], clock_events: Iterable[Message], find_best: FindBest
) -> GameAnalysis:
    """Return the plays of a finished game beside the best ones.

    ``game_events`` and ``clock_events`` are those of the streams of the game and its clock. Plays that were taken back
    are left out, and so are turns in which the lexicon has no possible play. Takes a search for each play, some
    hundredths of a second.
    """
    game = Game()
    held: dict[tuple[int, str], _HeldTurn] = {}
    for event in game_events:
        if isinstance(event, events.PlayPlaced):
            rack = tuple(sorted(game.racks.get(event.player_id, ())))
            held[event.turn, event.player_id] = _HeldTurn(event, game.board, rack, game.bag_left)
        elif isinstance(event, _OTHER_ACTIONS):
            held.pop((event.turn, event.player_id), None)
        game = evolve(game, event)
    known = [each for each in held.values() if _is_known(each.rack)]
    used = list_seconds(clock_events)
    turns = []
    for each in sorted(known, key=lambda each: each.play.turn):
        best = find_best(each.board, each.rack)
        if best:
            turns.append(_analyse_turn(game, each, best, used.get((each.play.turn, each.play.player_id))))
    return GameAnalysis(game_id, tuple(turns), len(held) - len(known))


def list_seconds(past_events: Iterable[Message]) -> Mapping[tuple[int, str], float]:
    """Return the time that the mover used in each turn, by turn and player; corrections by arbiters are left out."""
    state = Clock()
    used_ms: dict[tuple[int, str], int] = {}
    for event in past_events:
        after = evolve_clock(state, event)
        if state.started and after.started and state.mover and not isinstance(event, clock.ClockCorrected):
            used = after.compute_used_ms(state.mover) - state.compute_used_ms(state.mover)
            if used > 0:
                key = (state.turn, state.mover)
                used_ms[key] = used_ms.get(key, 0) + used
        state = after
    return {key: used / 1000 for key, used in used_ms.items()}


def _is_known(rack: Sequence[str]) -> bool:
    return 0 < len(rack) <= MAX_RACK_LENGTH and UNENTERED_TILE not in rack


def _analyse_turn(game: Game, held: _HeldTurn, best: Sequence[Play], seconds: float | None) -> AnalysedTurn:
    play = held.play
    main = play.words[0] if play.words else None
    return AnalysedTurn(
        game_id=game.game_id,
        tournament_id=game.tournament_id,
        round=game.round,
        table=game.table,
        turn=play.turn,
        player_id=play.player_id,
        rack=held.rack,
        bag_left=held.bag_left,
        word=tuple(main.word.faces) if main else (),
        coordinates=_coordinates(main) if main else "",
        score=play.score,
        best_score=best[0].score,
        best_word=tuple(tile.face for tile in best[0].word),
        best_coordinates=Notation.FISC.write(best[0].start),
        best_count=len(best),
        difficulty=min(len(each.placements) for each in best),
        seconds=seconds,
    )


def _coordinates(word: events.ScoredWord) -> str:
    direction = Direction.ACROSS if word.across else Direction.DOWN
    return Notation.FISC.write(Start(Square(word.row, word.column), direction))
