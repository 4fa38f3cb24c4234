"""Tables for tests: a game between anna and biel, biel first, under any book, as its clock sees it."""

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
START_NS = 1_700_000_000_000_000_000
SECOND_NS = 1_000_000_000
MINUTE_NS = 60 * SECOND_NS


def after(seconds: float) -> Instant:
    """Return a moment of the game."""
    return START_NS + round(seconds * SECOND_NS)


def start_table(players: Sequence[str] = ("anna", "biel"), first: str = "biel") -> Game:
    """Return the table at its first turn."""
    at = timestamp(START_NS)
    opened = game_events.GameOpened(game_id=GAME, tournament_id="cup", player_ids=players, occurred_at=at)
    begun = game_events.GameStarted(first_player_id=first, occurred_at=at)
    return replace(evolve_table(Game(), opened, begun), bag_left=80)


def evolve_table(table: Game, *events: Message) -> Game:
    """Return the table after events of the game."""
    return reduce(evolve_game, events, table)


def place_play(table: Game, seconds: float) -> Game:
    """Return the table after the mover has placed a play."""
    at = timestamp(after(seconds))
    return evolve_table(table, game_events.PlayPlaced(turn=table.turn, player_id=table.mover, occurred_at=at))


def write_scores(table: Game, seconds: float, *players: str) -> Game:
    """Write the scores of the play, for these players."""
    at = timestamp(after(seconds))
    return evolve_table(
        table, *(game_events.ScoreWritten(turn=table.turn, player_id=player, occurred_at=at) for player in players)
    )


def draw_tiles(table: Game, seconds: float) -> Game:
    """Return the table after the mover has placed a play and drawn."""
    at = timestamp(after(seconds))
    return evolve_table(
        place_play(table, seconds),
        game_events.TilesDrawn(player_id=table.mover, bag_left=table.bag_left, occurred_at=at),
    )


def complete_play(table: Game, seconds: float) -> Game:
    """Return the table after the end of the turn."""
    at = timestamp(after(seconds))
    return evolve_table(table, game_events.PlayCompleted(turn=table.turn, player_id=table.mover, occurred_at=at))


def end_game(table: Game, seconds: float) -> Game:
    """Return the table after the end of the game."""
    return evolve_table(table, game_events.GameEnded(occurred_at=timestamp(after(seconds))))


def interrupt_table(table: Game, reason: Neutraliser, seconds: float, until: float | None = None) -> Game:
    """Return the table after an event that may stop the clocks, and that may be over."""
    number, place = len(table.signals.interruptions) + 1, len(table.signals.given)
    begun = Signal(SignalKind.INTERRUPTED, after(seconds), table.turn, number)
    over = () if until is None else (Signal(SignalKind.SETTLED, after(until), table.turn, number),)
    lasting = Stoppage(number, reason, ended_by=place + 1 if over else None)
    return table.but(
        signals=Signals((*table.signals.given, begun, *over), (*table.signals.interruptions, lasting)),
        last_at=after(seconds if until is None else until),
    )


def settle(clock: Clock, game: Game, ruleset: Ruleset) -> list[Message]:
    """Return all pending events of the clock, while the game stands still."""
    new_events: list[Message] = []
    while missing := settlement.missing(clock, game, ruleset):
        new_events += missing
        clock = fold(clock, missing)
    return new_events


def build_clock(table: Game, ruleset: Ruleset, clock: Clock | None = None) -> Clock:
    """Return the clock of a table that has followed it."""
    clock = clock or Clock()
    return fold(clock, settle(clock, table, ruleset))


def names(events: Sequence[Message]) -> list[str]:
    """Return the names of the events."""
    return [event.DESCRIPTOR.name for event in events]
