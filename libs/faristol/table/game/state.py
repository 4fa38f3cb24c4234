"""The state of a game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from types import MappingProxyType
from typing import Any

from faristol.kernel.pins import Pin
from faristol.kernel.times import Instant
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2
from faristol.rules import Board, Placement, Square, Tile, TurnKind
from faristol.table.game.signals import Signals

UNKNOWN = ""
"""A tile on a rack that nobody has entered, at a table that is recorded."""

Interruption = events.OverdrawFound | events.UnderdrawFound | events.IllegalExchangeFound | events.CountDisputed
"""What must be settled before anybody plays on, as it was found."""


class Phase(Enum):
    """What a table waits for. The names are those of the contract's ``Phase``."""

    UNSPECIFIED = auto()
    """Its first event, or its start."""
    TURN = auto()
    """The player on turn to play, exchange or pass."""
    OFF_CENTRE = auto()
    """The opponent to decide about a first play that misses the centre."""
    PLACED = auto()
    """The mover to draw, or others to challenge."""
    CHALLENGED = auto()
    """A ruling, or what the mover says to one."""
    DRAWN = auto()
    """The mover to press the clock."""
    ENDED = auto()
    """The clock's last word, then the signatures."""
    FINAL = auto()
    """Nothing."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A turn that is over."""

    player_id: str
    kind: TurnKind
    points: int = 0


@dataclass(frozen=True, slots=True)
class Owed:
    """A turn that is lost when it comes."""

    player_id: str
    reason: events.TurnLostReason.ValueType
    article: str
    since: int
    """It is the player's first turn from this one on."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """The last draw of a player."""

    turn: int
    """The turn in which it was made, 0 before the first."""
    faces: tuple[str, ...]
    for_play: bool = False
    """It filled the rack after the play of that turn."""
    for_exchange: bool = False
    """It was for the tiles exchanged in that turn."""


@dataclass(frozen=True, slots=True)
class LastRuling:
    """What players were told last of a challenge or an appeal."""

    play: events.PlayPlaced
    """The play in question. Not to be changed."""
    fact: events.ChallengeRuled | events.AppealRuled
    """Not to be changed."""


@dataclass(frozen=True, slots=True)
class Course:
    """How far the current turn has come."""

    laid: tuple[Placement, ...] = ()
    """Tiles that lie on the board and are not announced, in the order in which they were laid. They count as held."""
    blanks_said: tuple[str, ...] = ()
    """What blanks stand for in this turn that were laid in it and taken back."""
    blanks_counted: tuple[str, ...] = ()
    """The same of those in a play that was counted and taken back."""
    announced: int | None = None
    """How many tiles the mover said would be exchanged; None while nothing was said."""
    taken: TurnKind | None = None
    """What the mover did with this turn; None while that is awaited."""
    pending: events.PlayPlaced | None = None
    """The play that is not complete yet. Not to be changed."""
    written: Mapping[str, events.ScoreWritten] = field(default_factory=lambda: MappingProxyType({}))
    """Who has written the score of the pending play, and what."""
    settled_score: int | None = None
    """Points of the pending play after a dispute; None while its own count holds."""
    agreed: frozenset[str] = frozenset()
    """Who agreed in this turn that nobody can lay a tile."""
    challenger: str = ""
    """Who challenged the play in question; empty where every play is checked."""
    ruled: bool | None = None
    """How the play in question was ruled; None where there was no challenge or no ruling yet."""
    rulings: int = 0
    """Rulings on it so far."""
    appealed: bool = False
    """Its last ruling was contested."""
    questioned: frozenset[tuple[str, ...]] = frozenset()
    """Words of it that were challenged."""
    resume: Phase = Phase.TURN
    """What the table waits for once a challenged play stands."""

    @property
    def said(self) -> tuple[str, ...]:
        """What blanks were said to stand for in this turn, be they laid or taken back again."""
        lying = blanks_of(self.laid)
        return tuple((Counter(self.blanks_said) | Counter(lying)).elements()) if self.blanks_said else lying


@dataclass(frozen=True)
class Game:
    """A table, folded from ``game-<game_id>``. The default is a table that was never set.

    It has no slots, so that ``but`` can copy it at once: a table is copied for every fact.
    """

    game_id: str = ""
    tournament_id: str = ""
    round: int = 0
    table: int = 0
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
    """Who takes the first turn, and keeps the sheet where one player does."""
    mover: str = ""
    """Who is on turn; empty before the start and after the end."""
    course: Course = field(default_factory=Course)
    """How far the turn has come."""
    open_play: events.PlayPlaced | None = None
    """The play of the turn before, while the player on turn has not begun. Not to be changed."""
    board: Board = field(default_factory=Board)
    """Every tile that lies there, those of a pending play among them."""
    racks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    scores: Mapping[str, int] = field(default_factory=dict)
    """Running totals; after the end, with the deductions so far."""
    bag_left: int = 0
    out: tuple[str, ...] = ()
    """Tiles that were found and stay out of the game."""
    drawn: Mapping[str, Drawn] = field(default_factory=dict)
    """The last draw of each player."""
    undrawn: tuple[str, ...] = ()
    """Who completed a play without drawing, in the order in which they will."""
    interruption: Interruption | None = None
    """What must be settled first. Not to be changed."""
    challenges: int = 0
    """Challenges in this game so far."""
    last_ruling: LastRuling | None = None
    """None before the first."""
    unfounded: Mapping[str, int] = field(default_factory=dict)
    """Each player's unfounded challenges, or words, as the ruleset counts them."""
    placers: Mapping[Square, str] = field(default_factory=dict)
    """Who laid each blank on the board."""
    noted: Mapping[Square, Mapping[str, str]] = field(default_factory=dict)
    """What each player noted that a blank on the board stands for."""
    turns_taken: tuple[Taken, ...] = ()
    """Every turn that is over."""
    forfeited: tuple[Owed, ...] = ()
    """Turns that are lost when they come."""
    gone: Mapping[str, Instant] = field(default_factory=dict)
    """Who has left the game for good, or has lost it at a table of several where the others play on, and since when."""
    arbiter: str = ""
    """Who has the table."""
    arbiter_called: str = ""
    """Who called an arbiter who has not left again."""
    asked: frozenset[tuple[str, tuple[str, ...]]] = frozenset()
    """Words about which a player asked, or was asked by another and answered."""
    overholding: Mapping[str, int] = field(default_factory=dict)
    """Racks that each player held too full on purpose."""
    condition: events.EndCondition.ValueType = events.END_CONDITION_UNSPECIFIED
    losers: tuple[str, ...] = ()
    """Who left or lost by decision, and does not win."""
    adjusted: frozenset[tuple[str, str]] = frozenset()
    """Which lines stand at the foot of the sheet: the player, and what the line is."""
    signed: tuple[str, ...] = ()
    revision: int = 0
    """How often the result was opened again."""
    closed: bool = False
    """The result was entered in the tournament, and not here."""
    signals: Signals = field(default_factory=Signals)
    """What the clock may have to follow."""
    drawn_at: Instant | None = None
    """When the pairing of the round was drawn; None where that was not said."""
    opened_at: Instant = 0
    """When the round was started."""
    started_at: Instant = 0
    """When the game itself was."""
    last_at: Instant = 0
    """The latest moment that any fact of this table names."""
    again: int = 0
    """The last turn that is or was entered again though its clock was pressed; 0 before the first."""
    begun: tuple[Game, ...] = ()
    """The table as each turn began, where entries can be taken back: at a table over the board."""

    def but(self, **changes: Any) -> Game:
        """Another table, with these values: what ``dataclasses.replace`` makes, in a tenth of the time."""
        assert changes.keys() <= self.__dict__.keys(), f"a table has no {changes.keys() - self.__dict__.keys()}"
        other = object.__new__(Game)
        other.__dict__.update(self.__dict__)
        other.__dict__.update(changes)
        return other

    @property
    def taken(self) -> TurnKind | None:
        """What the mover did with this turn; None while that is awaited."""
        return self.course.taken

    @property
    def begun_with(self) -> bool:
        """The player on turn has done something with this turn: laid tiles, announced an exchange, or taken it."""
        course = self.course
        return self.phase is not Phase.TURN or bool(course.laid) or course.announced is not None

    @property
    def pending(self) -> events.PlayPlaced | None:
        """The play that is not complete yet. Not to be changed."""
        return self.course.pending

    @property
    def in_question(self) -> events.PlayPlaced | None:
        """The play that a challenge is about: the pending one, or that of the turn before."""
        return self.course.pending or self.open_play

    @property
    def entered_again(self) -> bool:
        """The turn is entered again for which the clock was pressed: the clock is at the next one."""
        return self.again > 0 and self.again == self.turn

    @property
    def ruled(self) -> bool | None:
        """How the play in question was ruled; None where there was no challenge or no ruling yet."""
        return self.course.ruled

    @property
    def counted(self) -> int:
        """What the pending play scores: as settled after a dispute, as all players wrote it, or as the rules count."""
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
        """The system holds the bag."""
        return self.keeping != events.KEEPING_RECORDED

    @property
    def in_play(self) -> tuple[str, ...]:
        """Who has not left the game for good, in the order of turns."""
        return tuple(player for player in self.player_ids if player not in self.gone)

    @property
    def out_of_play(self) -> tuple[str, ...]:
        """Who has, in the order of turns: they do not win, whatever ends the game."""
        return tuple(player for player in self.player_ids if player in self.gone)

    @property
    def started(self) -> bool:
        """The first turn has begun, so the first clock runs or ran."""
        return self.turn > 0

    @property
    def placed(self) -> bool:
        """A play lies on the board, and neither a challenge nor a draw has come after it."""
        return self.phase in (Phase.PLACED, Phase.OFF_CENTRE)

    @property
    def over(self) -> bool:
        """The last turn has been taken."""
        return self.phase in (Phase.ENDED, Phase.FINAL)

    def next_player(self, player_id: str) -> str:
        """Who has the turn after ``player_id``."""
        place = self.player_ids.index(player_id) + 1
        return self.player_ids[place % len(self.player_ids)]

    def others(self, player_id: str) -> tuple[str, ...]:
        """Everybody else at the table, in the order of turns after ``player_id``."""
        place = self.player_ids.index(player_id)
        return (*self.player_ids[place + 1 :], *self.player_ids[:place])


def taken_out(rack: tuple[str, ...], faces: Iterable[str]) -> tuple[str, ...]:
    """``rack`` without ``faces``; for one that it is not known to hold, a tile goes that nobody has entered.

    Raises ``ValueError`` when there is none.
    """
    rest = list(rack)
    for face in faces:
        rest.remove(face if face in rest else UNKNOWN)
    return tuple(rest)


def blanks_of(placements: Iterable[Placement]) -> tuple[str, ...]:
    """What the blanks among ``placements`` stand for."""
    return tuple(tile.face for _, tile in placements if tile.blank)


def tiles_of(
    play: events.PlayPlaced | events.TilesLaid | game_pb2.LayTilesRequest | game_pb2.PlacePlayRequest,
) -> tuple[Placement, ...]:
    """The tiles of a play as the rules take them."""
    return tuple([Placement(Square(tile.row, tile.column), Tile(tile.face, tile.blank)) for tile in play.placements])
