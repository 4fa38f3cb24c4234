"""The time of duplicate games: its commands over gRPC, and the timer that says what is due."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable
from datetime import datetime
from typing import Any, NoReturn, TypeVar

from google.protobuf.message import Message

from faristol.bus.stopped import away
from faristol.duplicate import decide
from faristol.duplicate.game import Duplicate
from faristol.duplicate.settlement import next_tick, settle
from faristol.duplicate.situation import Situation
from faristol.duplicate_store import game_stream, load_game, load_situation
from faristol.host import Runtime
from faristol.host.dispatch import Context, Dispatcher
from faristol.host.ruleset_store import rules_of
from faristol.kernel import facts
from faristol.kernel.times import Instant, instant, occurred_at, timestamp, to_timestamp
from faristol.pb.clock.v1 import turn_events_pb2 as ticks
from faristol.pb.clock.v1 import turns_pb2 as pb
from faristol.record import Command, Conflict, Decision, Metadata, Record, Write

M = TypeVar("M", bound=Message)

LOOK = 1.0
"""Seconds between two looks when nothing is due and there is no news."""
SOON = 0.05
"""Seconds that news may gather before it is read."""
BATCH = 1_000
"""Events that are read at a time."""
BEGINS = facts.types_of((ticks.TurnTimerStarted, ticks.TurnTimerResumed))
"""Events after which something comes by itself."""

_COMMANDS = uuid.UUID("3c1d8a52-9d1c-4a61-8e0e-2f6d2f4b7a90")
_log = logging.getLogger(__name__)


class _NoWords:
    """Time needs no lexicon."""

    def is_word(self, faces: tuple[str, ...]) -> NoReturn:
        raise AssertionError("the clock reads no words")

    def tops(self, board: Any, rack: Any) -> NoReturn:
        raise AssertionError("the clock reads no words")

    def best(self, board: Any, rack: Any, count: int) -> NoReturn:
        raise AssertionError("the clock reads no words")


def service(runtime: Runtime) -> Dispatcher:
    """The turn timers of a cell. The contract names the methods and says what they do."""

    async def carry_out(request: Any, context: Context, response: type[M]) -> M:
        async def attempt() -> tuple[Decision, Callable[[int], M]]:
            loaded = await load_game(runtime.record, request.game_id)
            at: Instant = max(instant(occurred_at(request, runtime.now)), loaded.state.last_at)
            loading = await load_situation(runtime.record, loaded, _NoWords(), at, ())
            said = decide.CLOCK[type(request)](loading.situation, request)

            def answer(position: int) -> M:
                return _answer(response, position, loading.situation.after(said), request.turn)

            return loading.decision(said), answer

        return await runtime.desk.handle(context, request, attempt, response=response)

    descriptor = pb.DESCRIPTOR.services_by_name["TurnClockService"]
    return Dispatcher(descriptor, decide.CLOCK, carry_out, {})


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


class TurnTimer:
    """Says what is due in the turns that run: warnings, and the end.

    Each is dated when it is due, and whoever decides anything in a game writes what is due by then. So nothing depends
    on this timer but that it is said without anybody doing something. Several may run: what one has written, the others
    find written.
    """

    def __init__(self, record: Record, now: Callable[[], datetime]) -> None:
        self._record = record
        self._now = now
        self._position = 0
        self._running: set[str] = set()
        """Games whose time may run."""

    async def run(self) -> None:
        """Say what is due, until cancelled."""
        while True:
            wait = LOOK
            try:
                await self._read()
                wait = min([await self._say(game_id) for game_id in sorted(self._running)], default=LOOK)
            except Exception as problem:
                if not away(problem):
                    raise
                _log.warning("the time of duplicate games waits: %r", problem)
            await self._record.news(max(0.001, min(wait, LOOK)), self._position)
            await asyncio.sleep(min(SOON, wait))

    async def _read(self) -> None:
        """Find the games in which time began to run."""
        while events := await self._record.read(self._position, limit=BATCH, types=BEGINS):
            self._running |= {event.stream.removeprefix("duplicate-") for event in events}
            self._position = events[-1].position

    async def _say(self, game_id: str) -> float:
        """Write what is due in a game. Gives the seconds until something is due next."""
        loaded = await load_game(self._record, game_id)
        game: Duplicate = loaded.state
        ruleset = await rules_of(self._record, game.ruleset)
        at = instant(to_timestamp(self._now()))
        due = settle(game, ruleset, at)
        if due:
            write = Write(game_stream(game_id), loaded.version, due, game.tournament_id)
            command_id = str(uuid.uuid5(_COMMANDS, f"{game_id}:{loaded.version}"))
            try:
                await self._record.append(
                    Decision([write]), Metadata(role="service"), command=Command(command_id, lambda _: b"")
                )
            except Conflict:
                return SOON
            return 0.001
        tick = next_tick(game, ruleset)
        if tick is None:
            self._running.discard(game_id)
            return LOOK
        return max(0.001, (tick[0] - at) / 1_000_000_000)
