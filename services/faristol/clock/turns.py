"""The time of duplicate games: its commands over gRPC, and its timer."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, NoReturn, TypeVar

from google.protobuf.message import Message

from faristol.clock.failures import Failures
from faristol.consumers.due_timer import TIMER_POLL_SECONDS, TIMER_READ_DELAY_SECONDS, DueTimer
from faristol.duplicate_game import decide
from faristol.duplicate_game.decide.timers import next_tick, settle
from faristol.duplicate_game.situation import Situation
from faristol.event_store import AppendCommand, Conflict, Decision, Metadata, Record, Recorded, Write
from faristol.host import Runtime
from faristol.host.duplicate_store import game_stream, load_game, load_situation
from faristol.host.rpc.dispatch import Context, Dispatcher
from faristol.host.ruleset_store import rules_of
from faristol.kernel import event_types
from faristol.kernel.times import Instant, instant, occurred_at, timestamp, to_timestamp
from faristol.pb.clock.v1 import turn_events_pb2 as ticks
from faristol.pb.clock.v1 import turns_pb2 as pb

TURN_TIMER_RETRY_SECONDS = 60.0
"""Retry interval of a game whose time cannot be read or written, in seconds, unless its time starts again."""
TURN_START_TYPES = event_types.types_of((ticks.TurnTimerStarted, ticks.TurnTimerResumed))
"""Events that start the time of a turn."""

_TURN_COMMAND_NAMESPACE = uuid.UUID("3c1d8a52-9d1c-4a61-8e0e-2f6d2f4b7a90")


class TurnTimer(DueTimer):
    """The timer of running turns: it writes their warnings and ends when due.

    Each event is dated with its due time, and every command in a game writes the due events before it. The timer only
    ensures that the events are written without a command. An error in one game does not affect the others.
    """

    start_types = TURN_START_TYPES
    work = "the timers of duplicate games"

    def __init__(self, record: Record, now: Callable[[], datetime]) -> None:
        super().__init__(record)
        self._now = now
        self._failures = Failures("turns")

    def keys_of(self, found: Sequence[Recorded]) -> Iterable[str]:
        """Return the games in which time has started."""
        return (event.stream.removeprefix("duplicate-") for event in found if event.type in TURN_START_TYPES)

    async def check(self, key: str) -> float | None:
        """Write the due events of a game."""
        with self._failures.of(key):
            return await self._write_due_events(key)
        return TURN_TIMER_RETRY_SECONDS

    async def _write_due_events(self, game_id: str) -> float | None:
        """Write the due events of a game. Return the seconds until its next check, or None if no time runs."""
        loaded = await load_game(self._record, game_id)
        game = loaded.state
        ruleset = await rules_of(self._record, game.ruleset)
        at = instant(to_timestamp(self._now()))
        if due := settle(game, ruleset, at):
            write = Write(game_stream(game_id), loaded.version, due, game.tournament_id)
            command_id = str(uuid.uuid5(_TURN_COMMAND_NAMESPACE, f"{game_id}:{loaded.version}"))
            try:
                await self._record.append(
                    Decision([write]), Metadata(role="service"), command=AppendCommand(command_id, lambda _: b"")
                )
            except Conflict:
                return TIMER_READ_DELAY_SECONDS
            return 0.0
        tick = next_tick(game, ruleset)
        return None if tick is None else max(0.0, min(TIMER_POLL_SECONDS, (tick[0] - at) / 1_000_000_000))


M = TypeVar("M", bound=Message)


class _NoWords:
    """A stub: commands on time need no lexicon."""

    def is_word(self, faces: tuple[str, ...]) -> NoReturn:
        raise AssertionError("the clock does not read words")

    def tops(self, board: Any, rack: Any) -> NoReturn:
        raise AssertionError("the clock does not read words")

    def best(self, board: Any, rack: Any, count: int) -> NoReturn:
        raise AssertionError("the clock does not read words")


def service(runtime: Runtime) -> Dispatcher:
    """Build the dispatcher of the turn timers. The contract documents its methods."""

    async def carry_out(request: Any, context: Context, response: type[M]) -> M:
        async def attempt() -> tuple[Decision, Callable[[int], M]]:
            loaded = await load_game(runtime.record, request.game_id)
            at: Instant = max(instant(occurred_at(request, runtime.now)), loaded.state.last_at)
            loading = await load_situation(runtime.record, loaded, _NoWords(), at, ())
            new_events = decide.decide(loading.situation, request)

            def answer(position: int) -> M:
                return _answer(response, position, loading.situation.after(new_events), request.turn)

            return loading.decision(new_events), answer

        return await runtime.command_handler.handle(context, request, attempt, response=response)

    descriptor = pb.DESCRIPTOR.services_by_name["TurnClockService"]
    return Dispatcher(descriptor, decide.DUPLICATE_CLOCK_COMMANDS, carry_out, {})


def _answer(response: type[M], position: int, after: Situation, number: int) -> M:
    answered: Any = response()
    answered.position = position
    timer = after.turn(number).timer
    assert timer is not None
    if timer.ends_at is None:
        answered.milliseconds_left = timer.left_ms
    else:
        answered.ends_at.CopyFrom(timestamp(timer.ends_at))
    return answered  # type: ignore[no-any-return] # as ``response`` says
