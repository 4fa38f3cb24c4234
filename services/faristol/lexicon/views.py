"""What cases know of other streams: their game and their tournament. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from google.protobuf.message import Message

from faristol.kernel.pins import UNPINNED, Pin
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as pairing_events


def game_stream(game_id: str) -> str:
    """The stream of the game that a case is about."""
    return f"game-{game_id}"


def tournament_stream(tournament_id: str) -> str:
    """The stream of the tournament that a case belongs to."""
    return f"tournament-{tournament_id}"


@dataclass(frozen=True, slots=True)
class Game:
    """As much of a game as its cases depend on."""

    game_id: str = ""
    tournament_id: str = ""
    ruleset: Pin = UNPINNED
    lexicon: Pin = UNPINNED
    seed: bytes = b""
    """Of its draws; secret while it is played."""
    challenges: Mapping[int, game_events.ChallengeRaised] = field(default_factory=dict)
    """By their number, from 1."""
    taken_back: frozenset[int] = frozenset()
    """Numbers of those that were raised before entries of the table were taken back: none of them waits any more."""


def watch_game(game: Game, fact: Message) -> Game:
    """The game after one more of its facts; those that no case depends on change nothing."""
    match fact:
        case game_events.GameOpened():
            return Game(fact.game_id, fact.tournament_id, Pin.of(fact.ruleset), Pin.of(fact.lexicon), fact.seed)
        case game_events.ChallengeRaised():
            return replace(game, challenges=MappingProxyType({**game.challenges, fact.challenge: fact}))
        case game_events.EntriesTakenBack():
            return replace(game, taken_back=frozenset(game.challenges))
        case _:
            return game


@dataclass(frozen=True, slots=True)
class Tournament:
    """As much of a tournament as its adjudication depends on."""

    tournament_id: str = ""
    ruleset: Pin = UNPINNED
    lexicon: Pin = UNPINNED
    started: bool = False
    """Its first round has."""


def watch_tournament(tournament: Tournament, fact: Message) -> Tournament:
    """The tournament after one more of its facts; those that no case depends on change nothing."""
    match fact:
        case pairing_events.TournamentCreated():
            return replace(tournament, tournament_id=fact.tournament_id)
        case pairing_events.RulesetPinned():
            return replace(tournament, ruleset=Pin.of(fact.ruleset))
        case pairing_events.LexiconPinned():
            return replace(tournament, lexicon=Pin.of(fact.lexicon))
        case pairing_events.RoundStarted():
            return replace(tournament, started=True)
        case _:
            return tournament
