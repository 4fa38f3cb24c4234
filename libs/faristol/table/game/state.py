"""The state of a game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from faristol.kernel.pins import Pin
from faristol.kernel.times import Instant
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.rules import Board, Placement, Square, Tile, TurnKind
from faristol.table.game.signals import Signals

UNENTERED_TILE = ""
"""A tile on a rack that was not entered, at a recorded table."""

Interruption = events.OverdrawFound | events.UnderdrawFound | events.IllegalExchangeFound | events.CountDisputed
"""The event of an error that must be settled before play continues."""


class Phase(Enum):
    """The step that a table waits for. The names are those of the contract's ``Phase``."""

    UNSPECIFIED = auto()
    """Its first event, or its start."""
    TURN = auto()
    """The player on turn to play, exchange or pass."""
    OFF_CENTRE = auto()
    """The opponent to decide about a first play that misses the centre."""
    PLACED = auto()
    """The mover to draw, or others to challenge."""
    CHALLENGED = auto()
    """A ruling, or the mover's answer to one."""
    DRAWN = auto()
    """The mover to press the clock."""
    ENDED = auto()
    """The clock to stop, then the signatures."""
    FINAL = auto()
    """No step."""


@dataclass(frozen=True, slots=True)
class CompletedTurn:
    """A turn that is over."""

    player_id: str
    kind: TurnKind
    points: int = 0


@dataclass(frozen=True, slots=True)
class OwedTurnLoss:
    """A turn that is lost when it begins."""

    player_id: str
    reason: events.TurnLostReason.ValueType
    article: str
    since: int
    """The debt is the player's first turn from this one on."""


@dataclass(frozen=True, slots=True)
class LastDraw:
    """The last draw of a player."""

    turn: int
    """The turn of the draw, 0 before the first."""
    faces: tuple[str, ...]
    for_play: bool = False
    """Whether it filled the rack after the play of that turn."""
    for_exchange: bool = False
    """Whether it was for the tiles exchanged in that turn."""


@dataclass(frozen=True, slots=True)
class LastRuling:
    """The last ruling on a challenge or an appeal, as told to the players."""

    play: events.PlayPlaced
    """The play in question. Not to be changed."""
    event: events.ChallengeRuled | events.AppealRuled
    """Not to be changed."""


@dataclass(frozen=True, slots=True)
class Course:
    """The progress of the current turn."""

    laid: tuple[Placement, ...] = ()
    """Tiles laid and not announced, in the order in which they were laid. They count as held."""
    blanks_said: tuple[str, ...] = ()
    """The letters of blanks that were laid in this turn and taken back."""
    blanks_counted: tuple[str, ...] = ()
    """The same for those in a play that was counted and taken back."""
    announced: int | None = None
    """The number of tiles that the mover announced to exchange; None without an announcement."""
    taken: TurnKind | None = None
    """The mover's action in this turn; None before it."""
    pending: events.PlayPlaced | None = None
    """The play that is not complete yet. Not to be changed."""
    written: Mapping[str, events.ScoreWritten] = field(default_factory=lambda: MappingProxyType({}))
    """The scores of the pending play as written, by player."""
    settled_score: int | None = None
    """Points of the pending play after a dispute; None if its own count holds."""
    agreed: frozenset[str] = frozenset()
    """Players that agreed in this turn that no player can lay a tile."""
    challenger: str = ""
    """The player who challenged the play in question; empty if every play is checked."""
    ruled: bool | None = None
    """The ruling on the play in question; None without a challenge or before the ruling."""
    rulings: int = 0
    """Rulings on it so far."""
    appealed: bool = False
    """Whether its last ruling was appealed."""
    questioned: frozenset[tuple[str, ...]] = frozenset()
    """Words of it that were challenged."""
    resume: Phase = Phase.TURN
    """The phase of the table after a challenged play stands."""

    @property
    def said(self) -> tuple[str, ...]:
        """The letters stated for blanks in this turn, laid or taken back."""
        lying = blanks_of(self.laid)
        return tuple((Counter(self.blanks_said) | Counter(lying)).elements()) if self.blanks_said else lying


@dataclass(frozen=True)
class Game:
    """A table, folded from ``game-<game_id>``. The default is a table that is not open.

    It has no slots, so that ``but`` can copy its dictionary: a table is copied for every event.
    """

    game_id: str = ""
    tournament_id: str = ""
    round: int = 0
    table: int = 0
    hall: str = ""
    """The hall of the table; empty if the tournament has no halls."""
    player_ids: tuple[str, ...] = ()
    """In the order of turns."""
    ruleset: Pin = field(default_factory=Pin)
    lexicon: Pin = field(default_factory=Pin)
    seed: bytes = b""
    keeping: events.Keeping.ValueType = events.KEEPING_HOSTED
    next_draw: int = 0
    """Number of the next draw, from 0."""
    phase: Phase = Phase.UNSPECIFIED
    turn: int = 0
    """The current turn, from 1."""
    starter: str = ""
    """The player of the first turn, who writes the sheet if only one player does."""
    mover: str = ""
    """The player on turn; empty before the start and after the end."""
    course: Course = field(default_factory=Course)
    """The progress of the turn."""
    open_play: events.PlayPlaced | None = None
    """The play of the previous turn, until the player on turn begins. Not to be changed."""
    board: Board = field(default_factory=Board)
    """Every tile on the board, including those of a pending play."""
    racks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    scores: Mapping[str, int] = field(default_factory=dict)
    """Running totals; after the end, with the deductions so far."""
    bag_left: int = 0
    out: tuple[str, ...] = ()
    """Tiles that were found and stay out of the game."""
    drawn: Mapping[str, LastDraw] = field(default_factory=dict)
    """The last draw of each player."""
    undrawn: tuple[str, ...] = ()
    """Players who completed a play without drawing, in the order in which they will draw."""
    interruption: Interruption | None = None
    """The error that must be settled first. Not to be changed."""
    challenges: int = 0
    """Challenges in this game so far."""
    last_ruling: LastRuling | None = None
    """None before the first."""
    unfounded: Mapping[str, int] = field(default_factory=dict)
    """Unfounded challenges, or words, of each player, as the ruleset counts them."""
    placers: Mapping[Square, str] = field(default_factory=dict)
    """The player who laid each blank on the board."""
    noted: Mapping[Square, Mapping[str, str]] = field(default_factory=dict)
    """The letter that each player noted for a blank on the board."""
    turns_taken: tuple[CompletedTurn, ...] = ()
    """Every turn that is over."""
    forfeited: tuple[OwedTurnLoss, ...] = ()
    """Turns that are lost when they begin."""
    gone: Mapping[str, Instant] = field(default_factory=dict)
    """Players who have left the game permanently, or lost it while others continue, with the time."""
    arbiter: str = ""
    """The arbiter assigned to the table."""
    arbiter_called: str = ""
    """The player who called an arbiter who has not left yet."""
    asked: frozenset[tuple[str, tuple[str, ...]]] = frozenset()
    """Words about which a player asked, or answered another player."""
    overholding: Mapping[str, int] = field(default_factory=dict)
    """Racks that each player overheld on purpose."""
    condition: events.EndCondition.ValueType = events.END_CONDITION_UNSPECIFIED
    losers: tuple[str, ...] = ()
    """Players who left or lost by decision, and do not win."""
    adjusted: frozenset[tuple[str, str]] = frozenset()
    """The lines at the foot of the sheet, by player and key."""
    signed: tuple[str, ...] = ()
    revision: int = 0
    """The number of times the result was reopened."""
    closed: bool = False
    """Whether the result was entered in the tournament, not here."""
    signals: Signals = field(default_factory=Signals)
    """The changes that the clock may have to follow."""
    drawn_at: Instant | None = None
    """The time at which the pairing of the round was drawn; None if unknown."""
    opened_at: Instant = 0
    """The start of the round."""
    started_at: Instant = 0
    """The start of the game itself."""
    last_at: Instant = 0
    """The latest time in the events of this table."""
    owner_key: bytes = b""
    """Public key of the hall cell that has the table; empty for the championship."""
    owner_hall: str = ""
    """The hall of that cell; empty for the championship."""
    epoch: int = 0
    """The number of times the table was handed over or taken back."""
    handed_at: Instant = 0
    """The time of the last hand-over; 0 without one."""
    is_taken_back: bool = False
    """Whether the championship took the table back from a hall cell and has it since."""
    again: int = 0
    """The last turn that was re-entered after its clock was pressed; 0 before the first."""
    begun: tuple[Game, ...] = ()
    """The table at the start of each turn, if entries can be taken back: at a recorded table."""

    def but(self, **changes: Any) -> Game:
        """Return a copy with these values, as ``dataclasses.replace`` does, in a tenth of the time."""
        assert changes.keys() <= self.__dict__.keys(), f"a table has no {changes.keys() - self.__dict__.keys()}"
        other = object.__new__(Game)
        other.__dict__.update(self.__dict__)
        other.__dict__.update(changes)
        return other

    @property
    def taken(self) -> TurnKind | None:
        """The mover's action in this turn; None before it."""
        return self.course.taken

    @property
    def begun_with(self) -> bool:
        """Whether the player on turn has begun it: laid tiles, announced an exchange, or taken the turn."""
        course = self.course
        return self.phase is not Phase.TURN or bool(course.laid) or course.announced is not None

    @property
    def pending(self) -> events.PlayPlaced | None:
        """The play that is not complete yet. Not to be changed."""
        return self.course.pending

    @property
    def in_question(self) -> events.PlayPlaced | None:
        """The play that a challenge is about: the pending one, or that of the previous turn."""
        return self.course.pending or self.open_play

    @property
    def entered_again(self) -> bool:
        """Whether a turn with a pressed clock is being re-entered: the clock is at the next turn."""
        return self.again > 0 and self.again == self.turn

    @property
    def ruled(self) -> bool | None:
        """The ruling on the play in question; None without a challenge or before the ruling."""
        return self.course.ruled

    @property
    def counted(self) -> int:
        """The score of the pending play: as settled after a dispute, as all players wrote it, or by the rules."""
        play = self.course.pending
        if play is None:
            return 0
        if self.course.settled_score is not None:
            return self.course.settled_score
        written = {note.score for note in self.course.written.values()}
        if len(written) == 1 and len(self.course.written) == len(self.player_ids):
            return written.pop()
        return play.score

    @property
    def hosted(self) -> bool:
        """Whether the system holds the bag."""
        return self.keeping != events.KEEPING_RECORDED

    @property
    def in_play(self) -> tuple[str, ...]:
        """The players who have not left the game permanently, in the order of turns."""
        return tuple(player for player in self.player_ids if player not in self.gone)

    @property
    def out_of_play(self) -> tuple[str, ...]:
        """The players who have left it, in the order of turns: they do not win, however the game ends."""
        return tuple(player for player in self.player_ids if player in self.gone)

    @property
    def started(self) -> bool:
        """Whether the first turn has begun, so the first clock runs or ran."""
        return self.turn > 0

    @property
    def placed(self) -> bool:
        """Whether a play lies on the board without a challenge or a draw after it."""
        return self.phase in (Phase.PLACED, Phase.OFF_CENTRE)

    @property
    def over(self) -> bool:
        """Whether the last turn has been taken."""
        return self.phase in (Phase.ENDED, Phase.FINAL)

    def next_player(self, player_id: str) -> str:
        """Return the player who has the turn after ``player_id``."""
        place = self.player_ids.index(player_id) + 1
        return self.player_ids[place % len(self.player_ids)]

    def others(self, player_id: str) -> tuple[str, ...]:
        """Return the other players at the table, in the order of turns after ``player_id``."""
        place = self.player_ids.index(player_id)
        return (*self.player_ids[place + 1 :], *self.player_ids[:place])


def taken_out(rack: tuple[str, ...], faces: Iterable[str]) -> tuple[str, ...]:
    """Return ``rack`` without ``faces``; an unknown tile is removed for a face that it lacks.

    Raises ``ValueError`` if it has no unknown tile left.
    """
    rest = list(rack)
    for face in faces:
        rest.remove(face if face in rest else UNENTERED_TILE)
    return tuple(rest)


# A look-up takes a sixth of the time of a new named tuple.
_find_square = lru_cache(maxsize=256)(Square)
_find_tile = lru_cache(maxsize=256)(Tile)


def blanks_of(placements: Iterable[Placement]) -> tuple[str, ...]:
    """Return the letters of the blanks among ``placements``."""
    return tuple(tile.face for _, tile in placements if tile.blank)


def tiles_of(
    play: events.PlayPlaced | events.TilesLaid | game_pb2.LayTilesRequest | game_pb2.PlacePlayRequest,
) -> tuple[Placement, ...]:
    """Return the tiles of a play as values of the rules."""
    return tuple(
        [Placement(_find_square(tile.row, tile.column), _find_tile(tile.face, tile.blank)) for tile in play.placements]
    )
