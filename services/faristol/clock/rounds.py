"""The last game of a round that waits for somebody who is not there (FISE 37)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from google.protobuf.message import Message

from faristol.bus import Reaction
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.record import Decision, Record, Recorded, load
from faristol.table.clock import instant
from faristol.table.deadlines import lost_with_the_round
from faristol.table_store import Settled, game_of, load_table


@dataclass(frozen=True, slots=True)
class Round:
    """The games of a round, and which of them nobody waits for."""

    games: tuple[str, ...] = ()
    over: frozenset[str] = frozenset()
    """Games with a result."""
    postponed: frozenset[str] = frozenset()
    """Games that are played later, and have not begun."""

    @property
    def left(self) -> tuple[str, ...]:
        """The games that may still be played."""
        return tuple(game for game in self.games if game not in self.over and game not in self.postponed)


@dataclass(frozen=True, slots=True)
class Rounds:
    """The rounds of a tournament by their numbers, folded from ``tournament-<tournament_id>``."""

    rounds: Mapping[int, Round] = field(default_factory=dict)

    def left_beside(self, game_id: str) -> tuple[str, ...]:
        """The other games of the round that a game is of which may still be played."""
        found = next((round_ for round_ in self.rounds.values() if game_id in round_.games), Round())
        return tuple(game for game in found.left if game != game_id)


def watch_rounds(rounds: Rounds, message: Message) -> Rounds:
    """``rounds`` after a fact of the tournament: a pairing, a result, or a game that is put off or not any more."""
    match message:
        case pairing_events.RoundPaired():
            changed = Round(tuple(pairing.game_id for pairing in message.pairings))
        case pairing_events.ResultRecorded():
            round_ = rounds.rounds.get(message.round, Round())
            changed = replace(round_, over=round_.over | {message.game_id})
        case pairing_events.GamePostponed():
            round_ = rounds.rounds.get(message.round, Round())
            changed = replace(round_, postponed=round_.postponed | {message.game_id})
        case pairing_events.PostponementCancelled() | pairing_events.PostponedGameStarted():
            round_ = rounds.rounds.get(message.round, Round())
            changed = replace(round_, postponed=round_.postponed - {message.game_id})
        case _:
            return rounds
    return Rounds(MappingProxyType({**rounds.rounds, message.round: changed}))


class Tables:
    """The tables of rounds, looked at in an order in which those that are played are soon found."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._over: dict[str, frozenset[str]] = {}
        """Of each tournament, games of a round that were over when they were looked at: they come after the others."""

    async def playing(self, tournament_id: str, game_ids: Collection[str]) -> list[Settled]:
        """Which of the games are not over; no more than two, which is enough to know that neither is the last."""
        over = set(self._over.get(tournament_id, frozenset())).intersection(game_ids)
        found: list[Settled] = []
        for game_id in sorted(game_ids, key=over.__contains__):
            settled = await load_table(self._record, game_id)
            if settled is None or settled.game.over:
                over.add(game_id)
                continue
            over.discard(game_id)
            found.append(settled)
            if len(found) > 1:
                break
        self._over[tournament_id] = frozenset(over)
        return found


def ending(record: Record) -> Reaction:
    """The reaction that ends a round's last game when somebody is missing from it."""
    tables = Tables(record)

    async def end_last(event: Recorded) -> Decision | None:
        ended = event.message
        assert isinstance(ended, game_events.GameEnded | game_events.TableClosed)
        game_id = game_of(event.stream)
        over = await load_table(record, game_id)
        assert over is not None, "a game that is over was opened"
        ruleset = over.table.ruleset
        if "own-time-or-round" not in {ruleset.lateness.loses_with, ruleset.absence.loses_with}:
            return None
        rounds = (await load(record, f"tournament-{event.tournament}", Rounds(), watch_rounds)).state
        left = await tables.playing(event.tournament, rounds.left_beside(game_id))
        if len(left) != 1:
            return None
        (last,) = left
        lost = lost_with_the_round(last.table.clock, ruleset, instant(ended.occurred_at))
        return last.decision(last.with_consequences(lost)) if lost else None

    types = {kind.DESCRIPTOR.full_name for kind in (game_events.GameEnded, game_events.TableClosed)}
    return Reaction("clock.round", frozenset(types), end_last)
