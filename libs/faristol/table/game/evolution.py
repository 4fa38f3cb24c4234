"""Effects of events on a game, and the signals that they give to its clock."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial, reduce
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.event_types import find_fold, folds_in, occurred_at
from faristol.kernel.times import instant
from faristol.pb.game.v1 import events_pb2 as events
from faristol.rules.conditions import is_out
from faristol.rules.ruleset.sections import Neutraliser
from faristol.table.game import draws, sheet, turns
from faristol.table.game.signals import Signal, SignalKind, Signals
from faristol.table.game.state import Game


def _apply_handed_over(game: Game, event: events.TableHandedOver) -> Game:
    return game.but(
        owner_key=event.key,
        owner_hall=event.hall,
        epoch=event.epoch,
        handed_at=instant(event.occurred_at),
        is_taken_back=False,
    )


def _apply_returned(game: Game, _: events.TableReturned) -> Game:
    return game.but(owner_key=b"", owner_hall="")


def _apply_taken_back(game: Game, event: events.TableTakenBack) -> Game:
    return game.but(owner_key=b"", owner_hall="", epoch=event.epoch, is_taken_back=True)


def evolve(game: Game, message: Message) -> Game:
    """Return ``game`` after ``message``, an event of its stream. Raises ``TypeError`` for any other message."""
    change = find_fold(_GAME_CHANGES, message, "a game: expected one of faristol.game.v1")
    after = change(game, message)
    if signal := _SIGNALS.get(type(message)):
        after = after.but(signals=signal(game, after, message))
    happened = occurred_at(message)
    at = 0 if happened is None else instant(happened)
    return after.but(last_at=at) if at > after.last_at else after


def fold(game: Game, past_events: Iterable[Message]) -> Game:
    """Return ``game`` after ``past_events``."""
    return reduce(evolve, past_events, game)


def _find_clock_turn(game: Game) -> int:
    """Return the turn of the clock: the next one while a turn with a pressed clock is re-entered."""
    return game.turn + 1 if game.entered_again else game.turn


def _signal_interruption(game: Game, _: Game, event: Any, reason: Neutraliser) -> Signals:
    challenge = event.challenge if reason == "challenge" else 0
    return game.signals.add_interruption(reason, instant(event.occurred_at), _find_clock_turn(game), challenge)


def _signal_settlement(game: Game, _: Game, event: Any, reason: Neutraliser) -> Signals:
    return game.signals.end_interruption(SignalKind.SETTLED, reason, instant(event.occurred_at), _find_clock_turn(game))


def _signal_ruling(game: Game, after: Game, event: events.ChallengeRuled | events.AppealRuled) -> Signals:
    """Return the signals after a ruling. One against a play ends no interruption: a withdrawal or an appeal follows."""
    return _signal_settlement(game, after, event, "challenge") if event.valid else game.signals


def _signal_taken(game: Game, after: Game, event: Any) -> Signals:
    if game.entered_again:
        return game.signals  # the clock has already received all signals of a re-entered turn
    return game.signals.add_signal(
        Signal(SignalKind.TAKEN, instant(event.occurred_at), game.turn, last=_goes_out(after))
    )


def _signal_written(game: Game, after: Game, event: events.ScoreWritten | events.TilesDrawn) -> Signals:
    if game.entered_again:
        return game.signals
    at, last = instant(event.occurred_at), _goes_out(after)
    return game.signals.add_signal(Signal(SignalKind.WRITTEN, at, game.turn, player_id=event.player_id, last=last))


def _goes_out(game: Game) -> bool:
    """Check whether the mover has no tile left after a play, nor has the bag."""
    return game.pending is not None and is_out(game.racks[game.mover], game.bag_left)


def _signal_taken_back(game: Game, after: Game, event: events.TilesTakenBack | events.EntriesTakenBack) -> Signals:
    if after.entered_again:
        return game.signals
    return game.signals.take_back_turn(instant(event.occurred_at), game.turn)


def _signal_turn_over(game: Game, _: Game, event: Any) -> Signals:
    """Return the signals after the end of the turn; a play can be withdrawn after its turn is over (FM 4)."""
    if game.entered_again:
        return game.signals
    kind = SignalKind.TURN_OVER if event.turn == game.turn else SignalKind.SETTLED
    return game.signals.end_interruption(kind, "challenge", instant(event.occurred_at), game.turn)


def _signal_game_over(game: Game, _: Game, event: events.GameEnded | events.TableClosed) -> Signals:
    return game.signals.add_signal(Signal(SignalKind.GAME_OVER, instant(event.occurred_at), _find_clock_turn(game)))


_SIGNALS: Mapping[type[Message], Callable[[Game, Game, Any], Signals]] = {
    events.ChallengeRaised: partial(_signal_interruption, reason="challenge"),
    events.AppealRaised: partial(_signal_interruption, reason="challenge"),
    events.CountDisputed: partial(_signal_interruption, reason="count-dispute"),
    events.OverdrawFound: partial(_signal_interruption, reason="overdraw"),
    events.ArbiterCalled: partial(_signal_interruption, reason="arbiter-call"),
    events.ChallengeRuled: _signal_ruling,
    events.AppealRuled: _signal_ruling,
    events.CountSettled: partial(_signal_settlement, reason="count-dispute"),
    events.OverdrawResolved: partial(_signal_settlement, reason="overdraw"),
    events.ArbiterLeft: partial(_signal_settlement, reason="arbiter-call"),
    events.PlayPlaced: _signal_taken,
    events.Exchanged: _signal_taken,
    events.Passed: _signal_taken,
    events.CannotPlay: _signal_taken,
    events.TilesTakenBack: _signal_taken_back,
    events.EntriesTakenBack: _signal_taken_back,
    events.ScoreWritten: _signal_written,
    events.TilesDrawn: _signal_written,
    events.PlayWithdrawn: _signal_turn_over,
    events.PlayCompleted: _signal_turn_over,
    events.TurnLost: _signal_turn_over,
    events.GameEnded: _signal_game_over,
    events.TableClosed: _signal_game_over,
}
"""The signals of events to the clock, from the game before and after. Each book defines the reasons that stop the
clocks.
"""

_GAME_CHANGES: Mapping[type[Message], Callable[[Game, Any], Game]] = folds_in(
    turns.__name__, draws.__name__, sheet.__name__, __name__
)
"""The effect of each event on a game, except ``last_at`` and ``signals``."""
