"""NATS JetStream in memory, at the seam where the bus talks to its client: one stream, durable pull consumers."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from unittest.mock import patch

from nats.aio.msg import Msg
from nats.errors import ConnectionClosedError, NoServersError
from nats.errors import TimeoutError as NatsTimeout
from nats.js.api import StreamInfo, StreamState
from nats.js.errors import NoStreamResponseError, NotFoundError
from tests.campaigns.simulation.loop import NODE
from tests.campaigns.simulation.nodes import Node
from tests.campaigns.simulation.world import World

from faristol.bus import sign_in
from faristol.bus.stream import NewsLimits

MAX_MESSAGE_SECONDS = 0.003
"""Limit of seconds that a message takes, one way, without faults."""
MAX_LATE_SECONDS = 1.5
"""Seconds by which a message may be late."""
DUPLICATE_WINDOW_SECONDS = 120.0
"""Seconds for which the stream knows the ids of its messages."""
ACK_WAIT_SECONDS = 30.0
NEXT = "$JS.API.CONSUMER.MSG.NEXT."
ACK = "$JS.ACK."


@dataclass(frozen=True, slots=True)
class Stored:
    """A message of the stream."""

    number: int
    subject: str
    data: bytes
    headers: Mapping[str, str]
    at: float


@dataclass(slots=True)
class Request:
    """A pull request that waits for messages."""

    inbox: Subscription
    left: int
    until: float


@dataclass(slots=True)
class Durable:
    """The server's state of a consumer."""

    next: int
    subjects: Sequence[str]
    """The filter of a consumer; empty for all messages."""
    pending: dict[int, float] = field(default_factory=dict)
    """When each message that was not acknowledged is delivered again."""
    requests: deque[Request] = field(default_factory=deque)

    def takes(self, subject: str) -> bool:
        """Return whether it subscribes to a subject."""
        return not self.subjects or any(_matches(pattern, subject) for pattern in self.subjects)


def _matches(pattern: str, subject: str) -> bool:
    wanted, given = pattern.split("."), subject.split(".")
    if wanted[-1] == ">":
        wanted, given = wanted[:-1], given[: len(wanted) - 1] if len(given) >= len(wanted) else []
    return len(wanted) == len(given) and all(each in ("*", token) for each, token in zip(wanted, given, strict=True))


class JetStream:
    """The server. It can lose all data, or data not yet on disk; clients get the answers of NATS."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.accepted: set[str] = set()
        """Ids of all messages that were ever stored, and acknowledged or not."""
        self.up = True
        self._luck = world.luck("bus")
        self._there = False
        self._messages: dict[int, Stored] = {}
        self._ids: dict[str, float] = {}
        self._last = 0
        self._durables: dict[str, Durable] = {}

    @contextmanager
    def around(self) -> Iterator[None]:
        """Route connections to NATS here."""
        with patch.object(sign_in, "Client", partial(Client, self)):
            yield

    def delay(self) -> float:
        """Return the seconds that a message takes."""
        return self._luck.random() * MAX_MESSAGE_SECONDS

    def wipe(self) -> None:
        """Lose the stream and its consumers."""
        self.world.trace("fault", "NATS is wiped")
        self._there = False
        self._messages.clear()
        self._ids.clear()
        self._last = 0
        for name in list(self._durables):
            for request in self._durables.pop(name).requests:
                request.inbox.status("409")

    def lose_tail(self) -> None:
        """Restart without the messages, and the consumers' acknowledgements, of the last moments."""
        lost = self._luck.randrange(1, 20)
        self.world.trace("fault", f"NATS loses its last {lost} messages")
        self._last = max(0, self._last - lost)
        self._messages = {number: message for number, message in self._messages.items() if number <= self._last}
        self._ids = {message.headers["Nats-Msg-Id"]: message.at for message in self._messages.values()}
        for durable in self._durables.values():
            durable.next = max(1, min(durable.next, self._last + 1) - self._luck.randrange(5))
            durable.pending.clear()
            durable.requests.clear()

    def go_down(self, seconds: float) -> None:
        """Be unavailable for a while."""
        self.world.trace("fault", f"NATS is away for {seconds:.1f} s")
        self.up = False
        for durable in self._durables.values():
            durable.requests.clear()
        self.world.loop.call_later(seconds, self._come_back)

    def _come_back(self) -> None:
        self.up = True

    def make(self) -> None:
        """Make the stream, if it is not there."""
        self._there = True

    def make_durable(self, name: str, subjects: Sequence[str]) -> None:
        """Create a consumer of future messages, if it does not exist."""
        if name not in self._durables:
            self._durables[name] = Durable(self._last + 1, subjects)

    def store(self, subject: str, data: bytes, headers: Mapping[str, str]) -> bool:
        """Accept a message, once. False when there is no stream."""
        if not self._there:
            return False
        message_id = headers["Nats-Msg-Id"]
        self.accepted.add(message_id)
        now = self.world.loop.time()
        if now - self._ids.get(message_id, -DUPLICATE_WINDOW_SECONDS) >= DUPLICATE_WINDOW_SECONDS:
            self._last += 1
            self._ids[message_id] = now
            self._messages[self._last] = Stored(self._last, subject, data, dict(headers), now)
            for name in self._durables:
                self._deliver(name)
        return True

    def ask(self, name: str, inbox: Subscription, batch: int, seconds: float) -> None:
        """Handle a pull request."""
        durable = self._durables.get(name)
        if durable is None:
            inbox.status("503")
            return
        request = Request(inbox, batch, self.world.loop.time() + seconds)
        durable.requests.append(request)
        self.world.loop.call_later(seconds, self._expire, durable, request)
        self._deliver(name)

    def _expire(self, durable: Durable, request: Request) -> None:
        if request in durable.requests:
            durable.requests.remove(request)
            request.inbox.status("408")

    def acknowledge(self, name: str, number: int) -> None:
        """Acknowledge a message for a consumer."""
        if durable := self._durables.get(name):
            durable.pending.pop(number, None)

    def _deliver(self, name: str) -> None:
        durable = self._durables[name]
        now = self.world.loop.time()
        again = [number for number, when in durable.pending.items() if when <= now]
        while durable.requests and (again or durable.next <= self._last):
            number = again.pop(0) if again else durable.next
            durable.next = max(durable.next, number + 1)
            message = self._messages.get(number)
            if message and durable.takes(message.subject):
                durable.pending[number] = now + ACK_WAIT_SECONDS
                request = durable.requests[0]
                request.left -= 1
                if not request.left:
                    durable.requests.popleft()
                self._send(name, message, request.inbox)
            else:
                durable.pending.pop(number, None)

    def _send(self, name: str, message: Stored, inbox: Subscription) -> None:
        faults = self.world.faults
        if self.world.happens(faults.news_lost):
            return
        copies = 2 if self.world.happens(faults.news_twice) else 1
        for _ in range(copies):
            late = self._luck.random() * MAX_LATE_SECONDS if self.world.happens(faults.news_late) else 0.0
            inbox.soon(self.delay() + late, message, f"{ACK}{name}.{message.number}")


class Client:
    """Replaces ``nats.aio.client.Client``: the connection of one process."""

    def __init__(self, server: JetStream) -> None:
        self._server = server
        self._inboxes: dict[str, Subscription] = {}
        self.is_closed = True

    async def connect(self, url: str, *, max_reconnect_attempts: int, reconnect_time_wait: float, **_: Any) -> None:
        """Connect; without an answer, raise ``NoServersError``, or retry if attempts are unlimited."""
        await asyncio.sleep(self._server.delay())
        while not self._server.up:
            if max_reconnect_attempts >= 0:
                raise NoServersError
            await asyncio.sleep(reconnect_time_wait)
        self.is_closed = False
        node = NODE.get()
        if isinstance(node, Node):
            node.on_end.append(self._cut)

    def _cut(self) -> None:
        self.is_closed = True
        for subscription in self._inboxes.values():
            subscription.open = False

    @property
    def is_connected(self) -> bool:
        return not self.is_closed and self._server.up

    def jetstream(self, timeout: float = 5) -> Context:
        return Context(self._server, timeout)

    def new_inbox(self) -> str:
        return f"_INBOX.{self._server.world.loop.serial()}"

    async def subscribe(self, inbox: str) -> Subscription:
        if self.is_closed:
            raise ConnectionClosedError
        self._inboxes[inbox] = Subscription(self._server, self)
        return self._inboxes[inbox]

    async def publish(self, subject: str, payload: bytes = b"", reply: str = "") -> None:
        server = self._server
        if self.is_closed:
            raise ConnectionClosedError
        if not server.up:
            return
        if subject.startswith(NEXT):
            asked = json.loads(payload)
            name = subject.rpartition(".")[2]
            inbox = self._inboxes[reply]
            server.world.loop.call_later(
                server.delay(), server.ask, name, inbox, asked["batch"], asked["expires"] / 1e9, context=_nobody()
            )
        elif subject.startswith(ACK) and not server.world.happens(server.world.faults.ack_lost):
            _, name, number = subject.removeprefix("$JS.").split(".")
            server.world.loop.call_later(server.delay(), server.acknowledge, name, int(number), context=_nobody())

    async def close(self) -> None:
        self._cut()


def _nobody() -> Any:
    """Return the context of the server, which continues after the end of the calling process."""
    context = copy_context()
    context.run(NODE.set, None)
    return context


class Context:
    """Replaces ``nats.js.JetStreamContext``: requests that are answered, or not in time."""

    def __init__(self, server: JetStream, timeout: float) -> None:
        self._server = server
        self._timeout = timeout

    async def stream_info(self, name: str) -> StreamInfo:
        await self._there_and_back()
        if not self._server._there:
            raise NotFoundError
        return StreamInfo(config=NewsLimits().config(), state=StreamState(0, 0, 0, 0, 0))

    async def add_stream(self, config: Any) -> None:
        await self._there_and_back()
        self._server.make()

    async def update_stream(self, config: Any) -> None:
        raise AssertionError("the limits of the news never change in a simulated world")

    async def add_consumer(self, stream: str, config: Any) -> None:
        await self._there_and_back()
        if not self._server._there:
            raise NoStreamResponseError
        self._server.make_durable(config.durable_name, config.filter_subjects or ())

    async def publish(self, subject: str, payload: bytes, headers: Mapping[str, str], stream: str) -> None:
        server, world = self._server, self._server.world
        await self._there_and_back(world.faults.publish_lost)
        if not server.store(subject, payload, headers):
            raise NoStreamResponseError
        world.trace.note("publish", f"{headers['ce-sequence']} {subject}")
        if world.happens(world.faults.publish_unanswered):
            world.trace.note("fault", f"{subject} is not acknowledged")
            await asyncio.sleep(self._timeout)
            raise NatsTimeout
        await asyncio.sleep(server.delay())

    async def _there_and_back(self, lost: float = 0.0) -> None:
        server = self._server
        await asyncio.sleep(server.delay())
        if not server.up or server.world.happens(lost):
            await asyncio.sleep(self._timeout)
            raise NatsTimeout


class Subscription:
    """Replaces ``nats.aio.subscription.Subscription``: the messages of an inbox."""

    def __init__(self, server: JetStream, client: Any) -> None:
        self.open = True
        self._server = server
        self._client = client
        self._messages: asyncio.Queue[Msg] = asyncio.Queue()
        self._context = copy_context()

    @property
    def pending_msgs(self) -> int:
        return self._messages.qsize()

    async def next_msg(self, timeout: float | None = None) -> Msg:
        return await self._messages.get()

    async def unsubscribe(self) -> None:
        self.open = False

    def soon(self, seconds: float, message: Stored, reply: str) -> None:
        """Schedule the arrival of a message."""
        sent = Msg(self._client, message.subject, reply, message.data, dict(message.headers))
        self._server.world.loop.call_later(seconds, self._come, sent, context=self._context.copy())

    def status(self, code: str) -> None:
        """Deliver a status of the server for a request."""
        sent = Msg(self._client, "", "", b"", {"Status": code})
        self._server.world.loop.call_later(self._server.delay(), self._come, sent, context=self._context.copy())

    def _come(self, message: Msg) -> None:
        if self.open:
            self._messages.put_nowait(message)
