"""A case of adjudication, and what it needs to know of its game. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import events_pb2 as events

Word = tuple[str, ...]
"""A word as faces."""


def case_id_of(game_id: str, challenge: int) -> str:
    """The case that a game's challenge of this number (from 1) becomes."""
    return f"{game_id}-{challenge}"


def stream(case_id: str) -> str:
    """The stream of a case."""
    return f"case-{case_id}"


def game_stream(game_id: str) -> str:
    """The stream of the game that a case is about."""
    return f"game-{game_id}"


@dataclass(frozen=True, slots=True)
class Ruling:
    """The ruling on one word."""

    word: Word
    valid: bool


@dataclass(frozen=True, slots=True)
class Case:
    """A challenge before the lexicon; the empty one is not open yet."""

    case_id: str = ""
    game_id: str = ""
    turn: int = 0
    challenge: int = 0
    words: tuple[Word, ...] = ()
    lexicon_name: str = ""
    lexicon_digest: str = ""
    opened_at: Timestamp | None = None
    rulings: tuple[Ruling, ...] = ()
    valid: bool = False
    """Every word is valid. Means something when the case is ruled."""
    ruled_at: Timestamp | None = None

    @property
    def open(self) -> bool:
        """The challenge has become a case."""
        return self.opened_at is not None

    @property
    def ruled(self) -> bool:
        """A ruling was made."""
        return self.ruled_at is not None


def evolve(case: Case, fact: Message) -> Case:
    """The case after one more fact. Raises ``TypeError`` for a message that is no fact of a case."""
    match fact:
        case events.CaseOpened():
            return Case(
                case_id=fact.case_id,
                game_id=fact.game_id,
                turn=fact.turn,
                challenge=fact.challenge,
                words=tuple(tuple(word.faces) for word in fact.words),
                lexicon_name=fact.lexicon.name,
                lexicon_digest=fact.lexicon.digest,
                opened_at=fact.occurred_at,
            )
        case events.CaseRuled():
            rulings = tuple(Ruling(tuple(ruling.word.faces), ruling.valid) for ruling in fact.words)
            return replace(case, rulings=rulings, valid=fact.valid, ruled_at=fact.occurred_at)
        case _:
            raise TypeError(f"{fact.DESCRIPTOR.full_name} is not a fact of a case")


@dataclass(frozen=True, slots=True)
class GameView:
    """As much of a game as its cases depend on."""

    game_id: str = ""
    tournament_id: str = ""
    lexicon_name: str = ""
    lexicon_digest: str = ""


def view(game: GameView, fact: Message) -> GameView:
    """The game after one more of its facts; those that no case depends on change nothing."""
    match fact:
        case game_events.GameOpened():
            return GameView(fact.game_id, fact.tournament_id, fact.lexicon.name, fact.lexicon.digest)
        case _:
            return game
