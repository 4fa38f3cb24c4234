"""Tables for tests: what a clock sees of a game between anna and biel, biel first, under any book."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from google.protobuf.message import Message

from faristol.kernel.times import Instant, timestamp
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.rules import Ruleset, load_ruleset
from faristol.rules.ruleset.sections import Neutraliser
from faristol.rules.ruleset.with_options import with_options
from faristol.table.clock import Clock, fold
from faristol.table.game.evolution import evolve as evolve_game
from faristol.table.game.signals import Signal, SignalKind, Signals, Stoppage
from faristol.table.game.state import Game
from faristol.table.settlement import clock as settlement

FISC, PES, FISE, FM = (load_ruleset(name) for name in ("fisc-2023", "pes-2024", "fise", "festa-major"))
UF = with_options(load_ruleset("uf-2007"), {"minutes": 30})
NON_RUNNING = with_options(FISE, {"time": "non-running"})
TIMER = with_options(FISE, {"time": "timer"})

GAME = "cup-r1-t1"
START = 1_700_000_000_000_000_000
SECOND = 1_000_000_000
MINUTE = 60 * SECOND


def after(seconds: float) -> Instant:
    """A moment of the game."""
    return START + round(seconds * SECOND)


def started(players: Sequence[str] = ("anna", "biel"), first: str = "biel") -> Game:
    """The table at its first turn."""
    at = timestamp(START)
    opened = game_events.GameOpened(game_id=GAME, tournament_id="cup", player_ids=players, occurred_at=at)
    begun = game_events.GameStarted(first_player_id=first, occurred_at=at)
    return replace(seen(Game(), opened, begun), bag_left=80)


def seen(table: Game, *facts: Message) -> Game:
    """The table after facts of the game."""
    return reduce(evolve_game, facts, table)


def placed(table: Game, seconds: float) -> Game:
    """The mover has placed a play."""
    at = timestamp(after(seconds))
    return seen(table, game_events.PlayPlaced(turn=table.turn, player_id=table.mover, occurred_at=at))


def written(table: Game, seconds: float, *players: str) -> Game:
    """Players have written the score of the play."""
    at = timestamp(after(seconds))
    return seen(
        table, *(game_events.ScoreWritten(turn=table.turn, player_id=player, occurred_at=at) for player in players)
    )


def drawn(table: Game, seconds: float) -> Game:
    """The mover has placed a play and drawn."""
    at = timestamp(after(seconds))
    return seen(
        placed(table, seconds), game_events.TilesDrawn(player_id=table.mover, bag_left=table.bag_left, occurred_at=at)
    )


def completed(table: Game, seconds: float) -> Game:
    """The turn is over."""
    at = timestamp(after(seconds))
    return seen(table, game_events.PlayCompleted(turn=table.turn, player_id=table.mover, occurred_at=at))


def ended(table: Game, seconds: float) -> Game:
    """The game is over."""
    return seen(table, game_events.GameEnded(occurred_at=timestamp(after(seconds))))


def interrupted(table: Game, reason: Neutraliser, seconds: float, until: float | None = None) -> Game:
    """Something happens that may stop the clocks, and may be over."""
    number, place = len(table.signals.interruptions) + 1, len(table.signals.given)
    begun = Signal(SignalKind.INTERRUPTED, after(seconds), table.turn, number)
    over = () if until is None else (Signal(SignalKind.SETTLED, after(until), table.turn, number),)
    lasting = Stoppage(number, reason, ended_by=place + 1 if over else None)
    return table.but(
        signals=Signals((*table.signals.given, begun, *over), (*table.signals.interruptions, lasting)),
        last_at=after(seconds if until is None else until),
    )


def settle(clock: Clock, game: Game, ruleset: Ruleset) -> list[Message]:
    """What the clock lacks, all of it, while the game stands still."""
    facts: list[Message] = []
    while missing := settlement.missing(clock, game, ruleset):
        facts += missing
        clock = fold(clock, missing)
    return facts


def clocked(table: Game, ruleset: Ruleset, clock: Clock | None = None) -> Clock:
    """The clock of a table that has followed it."""
    clock = clock or Clock()
    return fold(clock, settle(clock, table, ruleset))


def names(facts: Sequence[Message]) -> list[str]:
    """What the facts are called."""
    return [fact.DESCRIPTOR.name for fact in facts]
