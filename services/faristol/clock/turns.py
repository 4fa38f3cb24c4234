"""The commands on the time of duplicate games, over gRPC."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from google.protobuf.message import Message

from faristol.duplicate_game import decide
from faristol.duplicate_game.situation import Situation
from faristol.event_store import Decision
from faristol.host import Runtime
from faristol.host.duplicate_store import load_game, load_situation
from faristol.host.rpc.dispatch import Context, Dispatcher
from faristol.kernel.times import Instant, instant, occurred_at, timestamp
from faristol.pb.clock.v1 import turns_pb2 as pb

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
