"""The events of a hall at one of its tables, applied before they are copied. Pure.

A hall decides on its tables, so its plays are not judged here. But an event that the state of the table cannot
take, or that names a player of another table, would stop every reader of the record, and with it the whole tournament.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from google.protobuf.message import Message

from faristol.kernel.mentions import players_of
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.table import Table
from faristol.table.decide import settle

MAX_SCORE_POINTS = 1_000_000
"""Points of a player, positive or negative, that no game reaches."""

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


def apply_pushed(table: Table, new_events: Sequence[Message], players: Collection[str]) -> Table:
    """Return a table after events of its game and its clock that a hall sends.

    ``players`` are those of the tournament, as one at another table may have answered a player's question (UF
    28.2). Raises ``Implausible`` for an event that names anybody else, or that the state cannot take.
    """
    place = 0
    try:
        for place, event in enumerate(new_events):
            if problem := _find_problem(table, event, players):
                raise Implausible(place, problem)
            table = table.after([event])
            if any(abs(score) > MAX_SCORE_POINTS for score in table.game.scores.values()):
                raise Implausible(place, f"a score is above {MAX_SCORE_POINTS} points")
        settle(table)
    except _FOLD_FAILURES as failure:
        name = new_events[place].DESCRIPTOR.name if new_events else ""
        raise Implausible(place, f"the table cannot take {name}: {type(failure).__name__} {failure}") from failure
    return table


def _find_problem(table: Table, event: Message, players: Collection[str]) -> str:
    """Return why an event is not one of a table; empty if it may be."""
    game = table.game
    named = players_of(event)
    if isinstance(event, game_events.WordAsked) and event.answerer_id in players:
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
        case clock_events.ClockOpened():
            if list(event.player_ids) != list(game.player_ids):
                return "expected the players of the table"
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
