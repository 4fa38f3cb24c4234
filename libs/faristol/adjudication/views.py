"""State of games and tournaments that cases depend on. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from google.protobuf.message import Message

from faristol.kernel.pins import UNPINNED, Pin
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as pairing_events


def game_stream(game_id: str) -> str:
    """Return the name of the stream of a game."""
    return f"game-{game_id}"


def tournament_stream(tournament_id: str) -> str:
    """Return the name of the stream of a tournament."""
    return f"tournament-{tournament_id}"


@dataclass(frozen=True, slots=True)
class AdjudicatedGame:
    """The part of a game that its cases depend on."""

    game_id: str = ""
    tournament_id: str = ""
    ruleset: Pin = UNPINNED
    lexicon: Pin = UNPINNED
    seed: bytes = b""
    """Seed of its draws; secret during the game."""
    challenges: Mapping[int, game_events.ChallengeRaised] = field(default_factory=dict)
    """Challenges by number, from 1."""
    taken_back: frozenset[int] = frozenset()
    """Numbers of challenges raised before entries of the table were taken back: their cases need no ruling."""
    unruled: int = 0
    """Number of the challenge that waits for its first ruling; 0 if none does."""
    owner_key: bytes = b""
    """Public key of the hall cell that has the table and therefore writes its cases; empty for the championship."""


def watch_game(game: AdjudicatedGame, event: Message) -> AdjudicatedGame:
    """Return the game after ``event``; it ignores events that no case depends on."""
    match event:
        case game_events.GameOpened():
            return AdjudicatedGame(
                event.game_id, event.tournament_id, Pin.of(event.ruleset), Pin.of(event.lexicon), event.seed
            )
        case game_events.ChallengeRaised():
            challenges = MappingProxyType({**game.challenges, event.challenge: event})
            return replace(game, challenges=challenges, unruled=event.challenge)
        case game_events.ChallengeRuled():
            return replace(game, unruled=0)
        case game_events.EntriesTakenBack():
            return replace(game, taken_back=frozenset(game.challenges), unruled=0)
        case game_events.TableHandedOver():
            return replace(game, owner_key=event.key)
        case game_events.TableReturned() | game_events.TableTakenBack():
            return replace(game, owner_key=b"")
        case _:
            return game


@dataclass(frozen=True, slots=True)
class AdjudicatedTournament:
    """The part of a tournament that its adjudication depends on."""

    tournament_id: str = ""
    ruleset: Pin = UNPINNED
    lexicon: Pin = UNPINNED
    started: bool = False
    """Whether its first round has started."""


def watch_tournament(tournament: AdjudicatedTournament, event: Message) -> AdjudicatedTournament:
    """Return the tournament after ``event``; it ignores events that adjudication does not depend on."""
    match event:
        case pairing_events.TournamentCreated():
            return replace(tournament, tournament_id=event.tournament_id)
        case pairing_events.RulesetPinned():
            return replace(tournament, ruleset=Pin.of(event.ruleset))
        case pairing_events.LexiconPinned():
            return replace(tournament, lexicon=Pin.of(event.lexicon))
        case pairing_events.RoundStarted():
            return replace(tournament, started=True)
        case _:
            return tournament
