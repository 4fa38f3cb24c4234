"""A duplicate game, folded from its stream: racks, time, master plays, the board. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.event_types import find_fold, folds_in, occurred_at
from faristol.kernel.likeness import read_shared_fields
from faristol.kernel.pins import Pin
from faristol.kernel.times import NANOSECONDS_PER_MS, Instant, instant
from faristol.pb.clock.v1 import turn_events_pb2 as ticks
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.rules import Board, Direction, Placement, Square, Start, Tile, full_bag, load_tile_set, without
from faristol.rules.duplicate_game.plays import Play
from faristol.rules.duplicate_game.verification import CalledRack
from faristol.rules.notation import word_tiles


@dataclass(frozen=True, slots=True)
class Timer:
    """The timer of a turn. Times are in nanoseconds, the rest is in milliseconds."""

    first_at: Instant
    """The start of this attempt at the turn: earlier slips are void."""
    started_at: Instant | None
    """The last start; None while it is stopped."""
    left_ms: int
    """The rest at that time."""
    whole_ms: int = 0
    """The duration of the whole turn."""
    called_at: Instant | None = None
    """The time of its end, once that is on the record."""
    warned: frozenset[int] = frozenset()
    """Seconds left at each warning given."""

    @property
    def ends_at(self) -> Instant | None:
        """The end; None while it is stopped."""
        return None if self.started_at is None else self.started_at + self.left_ms * NANOSECONDS_PER_MS


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a game."""

    number: int
    board: Board
    """Before its master play."""
    rack: tuple[str, ...]
    leftover: int
    """The number of tiles, at the start of the rack, that were left from the previous turn."""
    went_back: tuple[CalledRack, ...] = ()
    """Called racks that went back, in order."""
    draw: int = 0
    """The number of its draw in the game."""
    by_hand: bool = False
    """Whether the judge took the tiles out of a bag."""
    timer: Timer | None = None
    master: Play | None = None
    top: int = 0
    completed: bool = False
    """Whether it is scored and its master play lies on the board."""
    sealed: bool = False
    """Whether its rack is that of the sealed game."""
    reason: str = ""
    """The judge's reason for this master play."""

    @property
    def called_rack(self) -> CalledRack:
        """Its rack as called."""
        return CalledRack(self.rack, self.leftover, self.draw)

    @property
    def rejected(self) -> int:
        """The number of racks that went back."""
        return len(self.went_back)


@dataclass(frozen=True, slots=True)
class Seal:
    """The sealed game from which a game is played."""

    envelope: events.Envelope
    commitment: bytes
    rerun_of: str
    void_from: int = 0
    """The first turn with another rack; 0 if the whole seal is valid."""
    cause: events.SealVoid.ValueType = events.SEAL_VOID_UNSPECIFIED
    key: bytes = b""
    """The key of the content, once it is on the record after the game."""


@dataclass(frozen=True, slots=True)
class Embargo:
    """Groups that play the same racks; results are hidden until the last is done."""

    game_ids: tuple[str, ...]
    together: bool
    """Whether all groups share one classification."""
    lifted: bool = False


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A duplicate game. One without an id is not open."""

    game_id: str = ""
    tournament_id: str = ""
    round: int = 0
    ruleset: Pin = field(default_factory=Pin)
    lexicon: Pin = field(default_factory=Pin)
    seed: bytes = b""
    """Seed of its draws; empty until its end if its opening does not have it."""
    hides_seed: bool = False
    """Whether its opening does not have the seed: cells of halls copy it, and must not learn the seed."""
    commitment: bytes = b""
    halls: tuple[events.DuplicateHall, ...] = ()
    """Not to be changed."""
    turns: tuple[Turn, ...] = ()
    board: Board = field(default_factory=Board)
    leftover: tuple[str, ...] = ()
    """Tiles of the last rack that its master play did not use."""
    drawn: tuple[str, ...] = ()
    """Tiles out of the bag: on the board, and in the rack or the leftover."""
    counter: int = 0
    """The number of the next draw from ``seed``."""
    seal: Seal | None = None
    embargo: Embargo | None = None
    end: events.DuplicateEnd.ValueType = events.DUPLICATE_END_UNSPECIFIED
    validated: bool = False
    opened_at: Instant = 0
    call_names: Mapping[str, str] = field(default_factory=dict)
    """Names for calling tiles, rows and the blank in this game; all others are those of the language's table."""
    call_numbers: tuple[str, ...] = ()
    """Names of the columns; empty if they are those of the language's table."""
    last_at: Instant = 0

    @property
    def players(self) -> int:
        """The number of players."""
        return sum(hall.players for hall in self.halls)

    @property
    def current(self) -> Turn | None:
        """The last turn whose rack was called."""
        return self.turns[-1] if self.turns else None

    def turn(self, number: int) -> Turn | None:
        """Return a turn by its number; None if its rack was not called."""
        return self.turns[number - 1] if 0 < number <= len(self.turns) else None

    def hall_named(self, name: str) -> events.DuplicateHall | None:
        """Return the hall of that name."""
        return next((hall for hall in self.halls if hall.name == name), None)

    def seal_holds(self, number: int) -> bool:
        """Check whether the seal is valid for a turn: its rack, or the end of the game, is the sealed one."""
        return self.seal is not None and not 0 < self.seal.void_from <= number

    @property
    def is_embargoed(self) -> bool:
        """Whether only players and directors may see the game."""
        return self.embargo is not None and not self.embargo.lifted

    def bag(self, tile_set: str) -> tuple[str, ...]:
        """Return the tiles in the bag."""
        return without(full_bag(load_tile_set(tile_set)), self.drawn)


def evolve(game: Duplicate, event: Message) -> Duplicate:
    """Return ``game`` after an event of its stream. Raises ``TypeError`` for another one."""
    fold = find_fold(_GAME_FOLDS, event, "a duplicate game")
    at = occurred_at(event)
    return replace(fold(game, event), last_at=max(game.last_at, instant(at) if at else 0))


def play_of(message: events.DuplicatePlay) -> Play:
    """Convert a play from the record."""
    direction = Direction.ACROSS if message.across else Direction.DOWN
    start = Start(Square(message.row, message.column), direction)
    laid = tuple(Placement(Square(tile.row, tile.column), Tile(tile.face, tile.blank)) for tile in message.placements)
    blanks = {square for square, tile in laid if tile.blank}
    return Play(start, word_tiles(message.faces, start, blanks), laid, message.score)


def rejected_rack(rack: CalledRack) -> events.RejectedRack:
    """Convert a rack that went back for the record."""
    return events.RejectedRack(faces=rack.faces, draw=rack.draw, leftover=rack.leftover, by_hand=rack.by_hand)


def went_back(rejected: Iterable[events.RejectedRack]) -> tuple[CalledRack, ...]:
    """Convert racks that went back from the record."""
    return tuple(CalledRack(tuple(rack.faces), rack.leftover, rack.draw, rack.by_hand) for rack in rejected)


def written_play(play: Play) -> events.DuplicatePlay:
    """Convert a play for the record."""
    message = events.DuplicatePlay(
        row=play.start.square.row,
        column=play.start.square.col,
        across=play.start.direction is Direction.ACROSS,
        faces=[tile.face for tile in play.word],
        score=play.score,
    )
    for square, tile in play.placements:
        message.placements.add(row=square.row, column=square.col, face=tile.face, blank=tile.blank)
    return message


def _apply_duplicate_opened(game: Duplicate, event: events.DuplicateOpened) -> Duplicate:
    return Duplicate(
        **read_shared_fields(event, Duplicate),
        ruleset=Pin.of(event.ruleset),
        lexicon=Pin.of(event.lexicon),
        halls=tuple(event.halls),
        seal=seal_of(event.seal) if event.HasField("seal") else None,
        embargo=embargo_of(event.embargo) if event.HasField("embargo") else None,
        opened_at=instant(event.occurred_at),
        hides_seed=not event.seed,
    )


def seal_of(message: events.Seal) -> Seal:
    """Convert a sealed game from the record."""
    return Seal(message.envelope, message.commitment, message.rerun_of)


def embargo_of(message: events.Embargo) -> Embargo:
    """Convert an embargo from the record."""
    return Embargo(tuple(message.game_ids), message.together)


def return_rack(game: Duplicate) -> Duplicate:
    """Return the game as before the last rack was called: its tiles are back in the bag and in the leftover."""
    turn = game.turns[-1]
    kept = turn.rack[: turn.leftover]
    return replace(game, turns=game.turns[:-1], drawn=(*without(game.drawn, turn.rack), *kept), leftover=kept)


def _apply_rack_called(game: Duplicate, event: events.RackCalled) -> Duplicate:
    if event.turn == len(game.turns):  # the rack called before had no play and went back
        game = return_rack(game)
    rack = tuple(event.faces)
    back = went_back(event.rejected)
    turn = Turn(
        event.turn, game.board, rack, event.leftover, back, event.draw, by_hand=event.by_hand, sealed=event.sealed
    )
    out = (*without(game.drawn, game.leftover), *rack)
    counter = game.counter if event.by_hand or event.sealed else event.draw + 1
    return replace(game, turns=(*game.turns, turn), drawn=out, leftover=(), counter=counter)


def _apply_master_play_chosen(game: Duplicate, event: events.MasterPlayChosen) -> Duplicate:
    return _with(game, event.turn, master=play_of(event.play), top=event.top, reason=event.reason)


def _apply_turn_completed(game: Duplicate, event: events.TurnCompleted) -> Duplicate:
    turn = game.turns[event.turn - 1]
    if turn.master is None:  # the rack has no play: it goes back whole
        completed = _with(game, event.turn, completed=True)
        return replace(completed, drawn=without(game.drawn, turn.rack), leftover=())
    used = [tile.in_rack for _, tile in turn.master.placements]
    left = without(turn.rack, used)
    return replace(
        _with(game, event.turn, completed=True), board=turn.board.place(turn.master.placements), leftover=left
    )


def _apply_duplicate_ended(game: Duplicate, event: events.DuplicateEnded) -> Duplicate:
    return replace(game, end=event.end)


def _apply_seal_voided(game: Duplicate, event: events.SealVoided) -> Duplicate:
    assert game.seal is not None
    return replace(game, seal=replace(game.seal, void_from=event.from_turn, cause=event.cause))


def _apply_seal_opened(game: Duplicate, event: events.SealOpened) -> Duplicate:
    assert game.seal is not None
    return replace(game, seal=replace(game.seal, key=event.key))


def _apply_seed_revealed(game: Duplicate, event: events.GameSeedRevealed) -> Duplicate:
    return replace(game, seed=event.seed)


def _apply_embargo_lifted(game: Duplicate, event: events.EmbargoLifted) -> Duplicate:
    assert game.embargo is not None
    return replace(game, embargo=replace(game.embargo, lifted=True))


def _apply_results_validated(game: Duplicate, event: events.ResultsValidated) -> Duplicate:
    return replace(game, validated=True)


def _apply_call_names_set(game: Duplicate, event: events.CallNamesSet) -> Duplicate:
    names = {each.face: each.name for each in event.names}
    return replace(game, call_names=names, call_numbers=tuple(event.numbers))


def _apply_turn_timer_started(game: Duplicate, event: ticks.TurnTimerStarted) -> Duplicate:
    at = instant(event.occurred_at)
    changed = _with(game, event.turn, timer=Timer(at, at, event.milliseconds, event.milliseconds))
    return _with(changed, event.turn, master=None, top=0, reason="") if event.again else changed


def _apply_time_warned(game: Duplicate, event: ticks.TimeWarned) -> Duplicate:
    timer = _timer(game, event.turn)
    return _with(game, event.turn, timer=replace(timer, warned=timer.warned | {event.seconds_left}))


def _apply_time_called(game: Duplicate, event: ticks.TimeCalled) -> Duplicate:
    return _with(game, event.turn, timer=replace(_timer(game, event.turn), called_at=instant(event.occurred_at)))


def _apply_turn_timer_stopped(game: Duplicate, event: ticks.TurnTimerStopped) -> Duplicate:
    timer = replace(_timer(game, event.turn), started_at=None, left_ms=event.milliseconds_left)
    return _with(game, event.turn, timer=timer)


def _apply_turn_timer_resumed(game: Duplicate, event: ticks.TurnTimerResumed) -> Duplicate:
    timer = replace(_timer(game, event.turn), started_at=instant(event.occurred_at), left_ms=event.milliseconds_left)
    return _with(game, event.turn, timer=timer)


def _timer(game: Duplicate, number: int) -> Timer:
    timer = game.turns[number - 1].timer
    assert timer is not None
    return timer


def _with(game: Duplicate, number: int, **values: object) -> Duplicate:
    """Return the game with a changed turn."""
    turns = list(game.turns)
    turns[number - 1] = replace(turns[number - 1], **values)  # type: ignore[arg-type] # fields of a turn
    return replace(game, turns=tuple(turns))


_GAME_FOLDS: Mapping[type[Message], Callable[[Duplicate, Any], Duplicate]] = folds_in(__name__)
