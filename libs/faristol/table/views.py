"""The state of other streams that a table uses: the case of its challenge, and its tournament. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from google.protobuf.message import Message

from faristol.kernel.pins import Pin
from faristol.kernel.times import Instant, instant
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import events_pb2 as lexicon_events
from faristol.pb.pairing.v1 import events_pb2 as pairing_events


@dataclass(frozen=True, slots=True)
class Ruling:
    """The ruling of a case for the players: whether the play stands."""

    valid: bool
    at: Instant
    words: tuple[tuple[tuple[str, ...], bool], ...] = ()
    """Each challenged word, and whether it is valid."""


def watch_case(ruling: Ruling | None, message: Message) -> Ruling | None:
    """Return the ruling after an event of ``case-<case_id>``."""
    if isinstance(message, lexicon_events.CaseRuled):
        words = tuple((tuple(ruled.word.faces), ruled.valid) for ruled in message.words)
        return Ruling(message.valid, instant(message.occurred_at), words)
    return ruling


@dataclass(frozen=True, slots=True)
class TableTournament:
    """The state of the tournament for its tables, folded from ``tournament-<tournament_id>``."""

    tournament_id: str = ""
    seed: bytes = b""
    ruleset: Pin = field(default_factory=Pin)
    lexicon: Pin = field(default_factory=Pin)
    keeping: game_events.Keeping.ValueType = game_events.KEEPING_HOSTED
    """Whether its tables are hosted or recorded."""
    halls: frozenset[str] = frozenset()
    """Names of its halls."""
    pairings: Mapping[int, tuple[pairing_events.Pairing, ...]] = field(default_factory=dict)
    """The tables of each round."""
    drawn: Mapping[int, Instant] = field(default_factory=dict)
    """The time at which each round was paired, if known."""
    players: frozenset[str] = frozenset()
    """All registered players."""
    postponed: frozenset[str] = frozenset()
    """Games played later than their round, begun or not."""
    begun: frozenset[str] = frozenset()
    """Postponed games that have been started."""
    over: frozenset[str] = frozenset()
    """Games with a result."""
    left: Mapping[str, str] = field(default_factory=dict)
    """Players who have withdrawn, with the game that each gave up by it; empty if none."""

    def left_beside(self, game_id: str) -> tuple[str, ...]:
        """Return the other games of a game's round that may still be played."""
        rounds = ([pairing.game_id for pairing in tables] for tables in self.pairings.values())
        games = next((games for games in rounds if game_id in games), [])
        gone = self.over | (self.postponed - self.begun) | {game_id}
        return tuple(game for game in games if game not in gone)


def watch_tournament(tournament: TableTournament, message: Message) -> TableTournament:
    """Return ``tournament`` after an event of its stream; events without effect on tables are ignored."""
    match message:
        case pairing_events.TournamentCreated():
            return replace(
                tournament,
                tournament_id=message.tournament_id,
                seed=message.seed,
                keeping=message.keeping or game_events.KEEPING_HOSTED,
            )
        case pairing_events.RulesetPinned():
            return replace(tournament, ruleset=Pin.of(message.ruleset))
        case pairing_events.LexiconPinned():
            return replace(tournament, lexicon=Pin.of(message.lexicon))
        case pairing_events.HallsSet():
            return replace(tournament, halls=frozenset(hall.name for hall in message.halls))
        case pairing_events.PlayerRegistered() | pairing_events.LateEntryAdmitted():
            return replace(tournament, players=tournament.players | {message.player_id})
        case pairing_events.RoundPaired():
            paired = {**tournament.pairings, message.round: tuple(message.pairings)}
            # After a round is paired a second time, its games have the same ids.
            games = frozenset(pairing.game_id for pairing in message.pairings)
            drawn = {**tournament.drawn}
            if message.HasField("occurred_at"):
                drawn[message.round] = instant(message.occurred_at)
            return replace(
                tournament,
                pairings=MappingProxyType(paired),
                postponed=tournament.postponed - games,
                begun=tournament.begun - games,
                over=tournament.over - games,
                drawn=MappingProxyType(drawn),
            )
        case pairing_events.GamePostponed():
            game = {message.game_id}
            return replace(tournament, postponed=tournament.postponed | game, begun=tournament.begun - game)
        case pairing_events.PostponedGameStarted():
            return replace(tournament, begun=tournament.begun | {message.game_id})
        case pairing_events.ResultRecorded():
            return replace(tournament, over=tournament.over | {message.game_id})
        case pairing_events.PostponementCancelled():
            return replace(tournament, postponed=tournament.postponed - {message.game_id})
        case pairing_events.PlayerWithdrawn():
            return replace(tournament, left=MappingProxyType({**tournament.left, message.player_id: message.game_id}))
        case pairing_events.PlayerReinstated():
            left = {player: game for player, game in tournament.left.items() if player != message.player_id}
            return replace(tournament, left=MappingProxyType(left))
    return tournament
