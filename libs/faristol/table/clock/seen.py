"""What a clock knows of its game. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from faristol.kernel.pins import UNPINNED, Pin
from faristol.rules.ruleset import Neutraliser
from faristol.table.clock import Instant


class Phase(Enum):
    """What a table waits for, as far as its clock has to know."""

    OPENED = auto()
    """The racks to be filled."""
    TURN = auto()
    """The player on turn to play, exchange or pass."""
    PLACED = auto()
    """The mover to draw, or the opponent to challenge."""
    CHALLENGED = auto()
    """A ruling."""
    DRAWN = auto()
    """The press."""
    ENDED = auto()
    """Nothing that takes time."""


class Kind(Enum):
    """What a signal of the game means to its clock."""

    INTERRUPTED = auto()
    """Something began that may stop the clocks."""
    SETTLED = auto()
    """An interruption is over, and the turn goes on."""
    TAKEN = auto()
    """The mover placed a play, exchanged or passed."""
    TAKEN_BACK = auto()
    """The mover had done so, and took it back: the turn goes on."""
    WRITTEN = auto()
    """The score of the play was written, or tiles were drawn: it is not in doubt any more."""
    TURN_OVER = auto()
    """The turn is over; so may be an interruption."""
    GAME_OVER = auto()


@dataclass(frozen=True, slots=True)
class Signal:
    """Something in the game that its clock may have to follow."""

    kind: Kind
    at: Instant
    turn: int
    """The turn that it belongs to."""
    interruption: int = 0
    """The interruption that begins or ends, if one does."""
    player_id: str = ""
    """Who wrote the score or drew, if somebody did."""
    last: bool = False
    """The bag and the mover's rack are empty: it is the last play of the game if it stands."""


@dataclass(frozen=True, slots=True)
class Interruption:
    """Something during which the clocks may stand."""

    number: int
    """Among the interruptions of the game, from 1."""
    reason: Neutraliser
    challenge: int = 0
    """The number of the challenge in the game, for that reason."""
    ended_by: int | None = None
    """Place among the signals of the one that ended it; None while it lasts."""


@dataclass(frozen=True, slots=True)
class Table:
    """What the clock knows of its game, folded from ``game-<game_id>``. The default is a table not set."""

    game_id: str = ""
    tournament_id: str = ""
    player_ids: tuple[str, ...] = ()
    """In the order of their turns."""
    ruleset: Pin = UNPINNED
    """What the game is played under."""
    recorded: bool = False
    """Scorers enter what happened over the board: what its clock shows there is what counts."""
    opened_at: Instant = 0
    """When the signal for the round was given."""
    drawn_at: Instant | None = None
    """When the pairing of the round was drawn; None where that was not said."""
    first_player: str = ""
    started_at: Instant = 0
    phase: Phase = Phase.OPENED
    turn: int = 0
    """The current turn, from 1; 0 before the start."""
    mover: str = ""
    """Who is on turn; empty before the start and after the end."""
    gone: Mapping[str, Instant] = field(default_factory=dict)
    """Who has left the game for good, or has lost it at a table of several, and since when nobody waits for them."""
    bag_left: int = 0
    racks: Mapping[str, int] = field(default_factory=dict)
    """How many tiles each player holds."""
    began: Mapping[str, int] = field(default_factory=dict)
    """How many tiles each player held as this turn began."""
    before: Mapping[str, int] = field(default_factory=dict)
    """The same of the turn before."""
    ahead: int = 0
    """The turn that the clock is at while the one before, for which it was pressed, is entered again; otherwise 0."""
    laid: int = 0
    """Tiles of the last play."""
    refilled: bool = False
    """Its mover has drawn after it."""
    written: frozenset[str] = frozenset()
    """Who has written the score of the play of this turn."""
    exchanged: bool = False
    """The turn was used for an exchange."""
    to_keep: str = ""
    """Who exchanged more tiles than allowed, while it is not chosen which of them are kept."""
    signals: tuple[Signal, ...] = ()
    """Everything so far that the clock may have to follow, in order."""
    interruptions: tuple[Interruption, ...] = ()
    """Every interruption so far, in order."""
    last_at: Instant = 0
    """The latest moment that any fact of this table names."""

    @property
    def started(self) -> bool:
        """All racks were filled, so the first clock runs or ran."""
        return self.first_player != ""

    def after(self, player_id: str) -> str:
        """Who is on turn after ``player_id``."""
        return self.player_ids[(self.player_ids.index(player_id) + 1) % len(self.player_ids)]

    def taken_at(self, turn: int) -> Instant | None:
        """When the mover took ``turn``; None while that is awaited."""
        for signal in reversed(self.signals):
            if signal.turn < turn:
                break
            if signal.kind is Kind.TAKEN and signal.turn == turn:
                return signal.at
        return None

    def challenged_for(self) -> Instant | None:
        """Nanoseconds that challenges have taken so far; None while one lasts."""
        begun = {signal.interruption: signal.at for signal in self.signals if signal.kind is Kind.INTERRUPTED}
        taken = 0
        for one in self.interruptions:
            if one.reason != "challenge":
                continue
            if one.ended_by is None:
                return None
            taken += max(0, self.signals[one.ended_by].at - begun[one.number])
        return taken

    def caught_up(self, turn: int) -> Table:
        """The table as it is once the game has come to ``turn``."""
        return replace(self, turn=max(self.turn, turn))

    def interruption(self, number: int) -> Interruption:
        """The interruption of that number, from 1."""
        return self.interruptions[number - 1]
