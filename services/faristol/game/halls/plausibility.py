"""The events of a hall at one of its tables, applied before they are copied. Pure.

A hall decides on its tables, so its plays are not judged here. But an event that the state of the table cannot
take, or that names a player of another table, would stop every reader of the record, and with it the whole tournament.
Nor can a hall invent what others decide: each ruling is that of a case (``rulings``), each penalty and each end of a
game has its cause (``sanctions``), and each time is that of the clock (``clock_events``).
"""

from __future__ import annotations

from collections.abc import Sequence

from google.protobuf.message import Message

from faristol.game.halls.clock_events import find_clock_problem
from faristol.game.halls.rulings import CASE_KINDS, RULINGS, Surroundings, find_case_problem, find_ruling_problem
from faristol.game.halls.sanctions import find_sanction_problem
from faristol.kernel.mentions import players_of
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.table import Table
from faristol.table.settlement import clock as clock_settlement
from faristol.table.settlement import game as game_settlement

MAX_SCORE_POINTS = 1_000_000
"""Points of a player, positive or negative, that no game reaches."""

MAX_CONSEQUENCES_COUNT = 200
"""Automatic events that can follow on a state one after another; in a game they are a few."""

_FOLD_FAILURES = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)
"""What a fold raises for an event that does not follow on the state."""

_WITHOUT_PLAYER = frozenset(
    (game_events.ChallengeRaised, game_events.TilesFound, clock_events.ClockNeutralised, clock_events.ClockResumed)
)
"""Events whose ``player_id`` may be empty."""

_ON_LINES = (
    game_events.ScoreWritten,
    game_events.ChallengeRaised,
    game_events.ChallengeRuled,
    game_events.PlayWithdrawn,
    game_events.PlayCompleted,
    game_events.PlayCorrected,
)
"""Events on a line of the sheet that is there: that of a turn which was taken."""

_NEW_LINES = (
    game_events.PlayPlaced,
    game_events.Exchanged,
    game_events.Passed,
    game_events.CannotPlay,
    game_events.TurnLost,
)
"""Events that add the line of a turn."""


class Implausible(Exception):
    """An event that no honest hall writes at a table."""

    def __init__(self, place: int, problem: str) -> None:
        """``place`` is the index of the event. ``problem`` is for programmers, in English."""
        self.place = place
        self.problem = problem
        super().__init__(problem)


def apply_pushed(table: Table, new_events: Sequence[Message], around: Surroundings) -> Table:
    """Return a table after events of its game, its clock and its cases that a hall sends.

    Raises ``Implausible`` for an event that names other players, that the state cannot take, or that has no cause.
    """
    place, before = 0, None
    try:
        for place, event in enumerate(new_events):
            if problem := _find_problem(table, event, around, before):
                raise Implausible(place, problem)
            around = around.after(event)
            if isinstance(event, CASE_KINDS):
                continue
            table, before = table.after([event]), event
            if any(abs(score) > MAX_SCORE_POINTS for score in table.game.scores.values()):
                raise Implausible(place, f"a score is above {MAX_SCORE_POINTS} points")
    except _FOLD_FAILURES as failure:
        name = new_events[place].DESCRIPTOR.name
        raise Implausible(place, f"the table cannot take {name}: {type(failure).__name__} {failure}") from failure
    if new_events:
        _check_settles(table)
    return table


def _check_settles(table: Table) -> None:
    """Check that the table has an end of consequences, whichever cell has it later. Raises ``Implausible``."""
    try:
        for _ in range(MAX_CONSEQUENCES_COUNT):
            missing = game_settlement.missing(table.game, table.clock, None, table.ruleset) or clock_settlement.missing(
                table.clock, table.game, table.ruleset
            )
            if not missing:
                return
            table = table.after(missing)
    except _FOLD_FAILURES as failure:
        raise Implausible(0, f"the table has no consequences: {type(failure).__name__} {failure}") from failure
    raise Implausible(0, f"the table has more than {MAX_CONSEQUENCES_COUNT} consequences")


def _find_problem(table: Table, event: Message, around: Surroundings, before: Message | None) -> str:
    """Return why an event is not one of a table; empty if it may be."""
    if isinstance(event, CASE_KINDS):
        return find_case_problem(table.game, around, event)
    if isinstance(event, RULINGS) and (problem := find_ruling_problem(table.game, around, event)):
        return problem
    return (
        _find_game_problem(table, event, around)
        or find_sanction_problem(table, event, before)
        or find_clock_problem(table, event)
    )


def _find_game_problem(table: Table, event: Message, around: Surroundings) -> str:
    """Return why an event names other players or another turn, or is incomplete."""
    game = table.game
    named = players_of(event)
    if isinstance(event, game_events.WordAsked) and event.answerer_id in around.players:
        named = [event.player_id]
    if strangers := [player for player in named if player not in game.player_ids]:
        return f"player {strangers[0][:128]!r} does not sit at the table"
    fields = event.DESCRIPTOR.fields_by_name
    for name in ("player_id", "first_player_id"):
        if name in fields and not getattr(event, name) and type(event) not in _WITHOUT_PLAYER:
            return f"{name} is missing"
    match event:
        case game_events.ResultFinal() | game_events.TableClosed():
            if sorted(score.player_id for score in event.scores) != sorted(game.player_ids):
                return "expected one score for each player of the table"
        case clock_events.ClockStopped():
            if sorted(side.player_id for side in event.times) != sorted(game.player_ids):
                return "expected one time for each player of the table"
        case game_events.PlayPlaced() if not event.words or not event.placements:
            return "a play has tiles and words"
        case game_events.ScoreAdjusted() if event.reason not in game_events.AdjustmentReason.values()[1:]:
            return f"the reason {event.reason} is unknown"
        case _:
            pass
    if isinstance(event, _NEW_LINES) and event.turn != game.turn:
        return f"it is of turn {event.turn}, and turn {game.turn} is played"
    if isinstance(event, _ON_LINES) and not _has_line(table, event.turn):
        return f"it is of turn {event.turn}, which was not taken"
    return ""


def _has_line(table: Table, turn: int) -> bool:
    """Check whether the sheet has the line of a turn."""
    game = table.game
    return 1 <= turn <= len(game.turns_taken) or (turn == game.turn and game.taken is not None)
