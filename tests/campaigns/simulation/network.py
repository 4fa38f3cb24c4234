"""The network between gRPC callers and servers: calls are serialised, and are lost, duplicated and delayed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import grpc
import grpc.aio
from tests.campaigns.simulation.call import Answer, Call
from tests.campaigns.simulation.channel import Channel
from tests.campaigns.simulation.loop import NODE
from tests.campaigns.simulation.nodes import Node
from tests.campaigns.simulation.server import Server
from tests.campaigns.simulation.witness import Witness
from tests.campaigns.simulation.world import World

MAX_MESSAGE_SECONDS = 0.004
"""Limit of seconds that a message takes, one way, without faults."""
MAX_REPEAT_SECONDS = 3.0
"""Seconds after which a call may still arrive a second time."""
MAX_CONCURRENT_REPEAT_SECONDS = 0.02
"""The same, where both are worked on at once."""
SILENT_LOSS_RATIO = 0.2
"""The share of lost messages without a notification."""


class Network:
    """Every gRPC server and every call."""

    def __init__(self, world: World, witness: Witness) -> None:
        self.world = world
        self.witness = witness
        self.servers: dict[str, Server] = {}
        """By address, those that listen."""
        self._luck = world.luck("network")

    @contextmanager
    def around(self) -> Iterator[None]:
        """Replace servers and channels by those of this network."""
        with ExitStack() as stack:
            stack.enter_context(patch.object(grpc.aio, "server", self._server))
            stack.enter_context(patch.object(grpc.aio, "insecure_channel", self._channel))
            yield

    def _server(self, interceptors: Sequence[Any] = (), options: Any = None) -> Server:
        node = NODE.get()
        assert isinstance(node, Node), "a server is somebody's"
        return Server(self, node, interceptors)

    def _channel(self, target: str, options: Any = None, interceptors: Any = None) -> Channel:
        return Channel(self, target)

    def _one_of(self, target: str) -> Server | None:
        """Return a server at this address; for a name without a port, any server of that name."""
        if ":" in target:
            return self.servers.get(target)
        candidates = [server for server in self.servers.values() if server.serves(target)]
        return self._luck.choice(candidates) if candidates else None

    def send(self, target: str, call: Call) -> None:
        """Carry a call to a server, or lose it on the way."""
        faults = self.world.faults
        if self.world.happens(faults.call_lost):
            self.world.trace.note("fault", f"{call} is lost")
            self.lose(call)
            return
        self.world.loop.call_later(self._delay(), self._arrive, target, call)
        if self.world.happens(faults.call_twice):
            self.world.trace.note("fault", f"{call} is sent twice")
            again = Call(self.world.loop.serial(), call.method, call.request, call.metadata, call.until, waits=False)
            after = self._luck.choice((MAX_CONCURRENT_REPEAT_SECONDS, MAX_REPEAT_SECONDS))
            self.world.loop.call_later(self._luck.random() * after, self._arrive, target, again)

    def _arrive(self, target: str, call: Call) -> None:
        server = self._one_of(target)
        if server is None or call.cancelled:
            self.lose(call)
        else:
            call.server = server
            server.receive(call)

    def answer(self, call: Call, answer: Answer) -> None:
        """Carry an answer to the caller, or lose it on the way."""
        if self.world.happens(self.world.faults.answer_lost):
            self.world.trace.note("fault", f"the answer to {call} is lost")
            self.give_up(call)
            self.lose(call)
        else:
            self._home(call, answer)

    def lose(self, call: Call) -> None:
        """Lose the connection. Usually the caller is notified; otherwise the caller waits until the deadline."""
        if call.until < float("inf") and self._luck.random() < SILENT_LOSS_RATIO:
            return
        self._home(call, Answer(grpc.StatusCode.UNAVAILABLE, details="the connection was lost"))

    def give_up(self, call: Call) -> None:
        """Stop waiting, as the caller: the server is notified in a moment."""
        call.cancelled = True
        if server := call.server:
            self.world.loop.call_later(self._delay(), server.cancel, call, context=server.node.context)

    def _home(self, call: Call, answer: Answer) -> None:
        if call.waits:
            call.last = max(call.last + 1e-6, self.world.loop.time() + self._delay())
            self.world.loop.call_at(call.last, call.answers.put_nowait, answer, context=call.context)

    def _delay(self) -> float:
        return self._luck.random() * MAX_MESSAGE_SECONDS
