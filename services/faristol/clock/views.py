"""What a clock knows of its game. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.clock.model import Instant, instant
from faristol.pb.game.v1 import events_pb2 as events


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


@dataclass(frozen=True, slots=True)
class Challenge:
    """A challenge as the clock sees it."""

    number: int
    """In the game, from 1."""
    mover: str
    """Whose play was challenged."""
    raised_at: Instant
    ruled_at: Instant | None = None
    """``None`` while the ruling is awaited."""
    valid: bool = False
    """The play stands."""


@dataclass(frozen=True, slots=True)
class Table:
    """What the clock knows of its game, folded from ``game-<game_id>``. The default is a table not set."""

    game_id: str = ""
    tournament_id: str = ""
    player_ids: tuple[str, ...] = ()
    ruleset: str = ""
    """Name of the ruleset that the game is played under."""
    ruleset_digest: str = ""
    """SHA-256 of its content, which pins it."""
    first_player: str = ""
    started_at: Instant = 0
    phase: Phase = Phase.OPENED
    turn: int = 0
    """The current turn, from 1; 0 before the start."""
    mover: str = ""
    """Who is on turn; empty before the start and after the end."""
    bag_left: int = 0
    challenges: tuple[Challenge, ...] = ()
    """Every challenge so far, in order."""
    ended_at: Instant = 0
    last_at: Instant = 0
    """The latest moment that any fact of this table names."""

    @property
    def started(self) -> bool:
        """Both racks were filled, so the first clock runs or ran."""
        return self.first_player != ""

    def opponent(self, player_id: str) -> str:
        """Who sits opposite ``player_id``."""
        first, second = self.player_ids
        return second if player_id == first else first


def watch_game(table: Table, message: Message) -> Table:
    """``table`` after ``message``, a fact of the game. Facts that no clock depends on only move the time."""
    match message:
        case events.GameOpened():
            table = Table(
                game_id=message.game_id,
                tournament_id=message.tournament_id,
                player_ids=tuple(message.player_ids),
                ruleset=message.ruleset.name,
                ruleset_digest=message.ruleset.digest,
            )
        case events.GameStarted():
            table = replace(
                table,
                first_player=message.first_player_id,
                started_at=instant(message.occurred_at),
                phase=Phase.TURN,
                turn=1,
                mover=message.first_player_id,
            )
        case events.PlayPlaced():
            table = replace(table, phase=Phase.PLACED)
        case events.TilesDrawn():
            phase = Phase.DRAWN if table.phase is Phase.PLACED else table.phase
            table = replace(table, phase=phase, bag_left=message.bag_left)
        case events.Exchanged() | events.Passed():
            table = replace(table, phase=Phase.DRAWN)
        case events.ChallengeRaised():
            raised = Challenge(message.challenge, table.mover, instant(message.occurred_at))
            table = replace(table, phase=Phase.CHALLENGED, challenges=(*table.challenges, raised))
        case events.ChallengeRuled():
            table = replace(_ruled(table, message), phase=Phase.PLACED)
        case events.PlayWithdrawn() | events.PlayCompleted():
            next_mover = table.opponent(message.player_id)
            table = replace(table, phase=Phase.TURN, turn=message.turn + 1, mover=next_mover)
        case events.GameEnded():
            table = replace(table, phase=Phase.ENDED, mover="", ended_at=instant(message.occurred_at))
    return replace(table, last_at=max(table.last_at, _named(message)))


def _ruled(table: Table, ruling: events.ChallengeRuled) -> Table:
    ruled_at = instant(ruling.occurred_at)
    challenges = tuple(
        replace(challenge, ruled_at=ruled_at, valid=ruling.valid) if challenge.number == ruling.challenge else challenge
        for challenge in table.challenges
    )
    return replace(table, challenges=challenges)


def _named(message: Message) -> Instant:
    """The moment that ``message`` names, 0 when it names none (a penalty does not)."""
    if "occurred_at" not in message.DESCRIPTOR.fields_by_name:
        return 0
    occurred_at = message.occurred_at  # type: ignore[attr-defined]
    return instant(occurred_at) if isinstance(occurred_at, Timestamp) else 0
