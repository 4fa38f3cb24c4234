"""The last game of a round that waits for somebody who is not there (FISE 37)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from google.protobuf.message import Message

from faristol.bus import Reaction
from faristol.clock.deadlines import lost_with_the_round
from faristol.clock.model import instant
from faristol.clock.pinning import ruleset_of
from faristol.clock.settling import fold, settle
from faristol.clock.streams import GAME, clock_stream, game_stream, load_clock, load_table
from faristol.clock.views import Phase
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.record import Decision, Guard, Record, Recorded, Write, load


@dataclass(frozen=True, slots=True)
class Rounds:
    """The games of each round, folded from ``tournament-<tournament_id>``."""

    games: Mapping[int, tuple[str, ...]] = field(default_factory=dict)

    def beside(self, game_id: str) -> tuple[str, ...]:
        """The other games of the round that a game is of."""
        found = next((games for games in self.games.values() if game_id in games), ())
        return tuple(game for game in found if game != game_id)


def watch_rounds(rounds: Rounds, message: Message) -> Rounds:
    """``rounds`` after a fact of the tournament; only the pairing of one changes it."""
    if isinstance(message, pairing_events.RoundPaired):
        games = tuple(pairing.game_id for pairing in message.pairings)
        return replace(rounds, games=MappingProxyType({**rounds.games, message.round: games}))
    return rounds


def ending(record: Record) -> Reaction:
    """The reaction that ends a round's last game when somebody is missing from it."""

    async def end_last(event: Recorded) -> Decision | None:
        ended = event.message
        assert isinstance(ended, game_events.GameEnded | game_events.TableClosed)
        game_id = event.stream.removeprefix(GAME)
        ruleset = ruleset_of((await load_table(record, game_id)).state)
        if "own-time-or-round" not in {ruleset.lateness.loses_with, ruleset.absence.loses_with}:
            return None
        rounds = (await load(record, f"tournament-{event.tournament}", Rounds(), watch_rounds)).state
        left = []
        for other in rounds.beside(game_id):
            table = await load_table(record, other)
            if table.state.phase is not Phase.ENDED:
                left.append((other, table))
        if len(left) != 1:
            return None
        ((other, table),) = left
        clock = await load_clock(record, other)
        settled = settle(clock.state, table.state, ruleset)
        lost = lost_with_the_round(fold(clock.state, settled), ruleset, instant(ended.occurred_at))
        if not lost:
            return None
        write = Write(clock_stream(other), clock.version, [*settled, *lost], event.tournament)
        return Decision([write], [Guard(game_stream(other), table.version)])

    types = {kind.DESCRIPTOR.full_name for kind in (game_events.GameEnded, game_events.TableClosed)}
    return Reaction("clock.round", frozenset(types), end_last)
