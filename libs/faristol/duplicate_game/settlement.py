"""Automatic events of a duplicate game: warnings, and the end of a turn (FISC II.5). Pure."""

from __future__ import annotations

from google.protobuf.message import Message

from faristol.duplicate_game.game import Duplicate, evolve
from faristol.kernel.times import NANOSECONDS_PER_MS, Instant, timestamp
from faristol.pb.clock.v1 import turn_events_pb2 as ticks
from faristol.rules import Ruleset


def next_tick(game: Duplicate, ruleset: Ruleset) -> tuple[Instant, Message] | None:
    """Return the time and the event of the next tick of the running turn; None without a running turn."""
    turn = game.current
    timer = turn.timer if turn else None
    if turn is None or timer is None or timer.called_at is not None or timer.ends_at is None or game.end:
        return None
    turns = ruleset.turns
    warnings = [(turns.may_warn_seconds, False), (turns.must_warn_seconds, True)]
    for seconds, mandatory in sorted(((left, must) for left, must in warnings if left), reverse=True):
        at = timer.ends_at - seconds * 1000 * NANOSECONDS_PER_MS
        if seconds not in timer.warned and at >= (timer.started_at or 0):
            warning = ticks.TimeWarned(
                turn=turn.number, seconds_left=seconds, mandatory=mandatory, occurred_at=timestamp(at)
            )
            return at, warning
    return timer.ends_at, ticks.TimeCalled(turn=turn.number, occurred_at=timestamp(timer.ends_at))


def settle(game: Duplicate, ruleset: Ruleset, at: Instant) -> list[Message]:
    """Return all ticks due by ``at``, in order; the end itself still belongs to the turn."""
    found: list[Message] = []
    while (tick := next_tick(game, ruleset)) and tick[0] <= at:
        found.append(tick[1])
        game = evolve(game, tick[1])
    return found
