"""Server-sent events for a signed-in user. A stream begins as a normal response, then has its own task."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import Any

import grpc
from google.protobuf.message import Message
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from faristol.fanout import OPENING, Listener, chunk
from faristol.gateway.http.head import is_head
from faristol.gateway.http.limits import HAND_OVER, HandedOverConnection
from faristol.gateway.http.rate_limit import keep_stream_counted
from faristol.gateway.rpc.calls import Calls, NotSignedIn

OWN_HEARTBEAT_SECONDS = 15.0
"""Seconds without data after which a comment is sent."""

ALIVE = b": heartbeat\n\n"

RESTART_CODES = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.UNKNOWN})
"""Status codes of a call whose service restarts."""

Frames = AsyncGenerator[bytes, None]
"""Encoded events of a stream."""


def event(name: str, data: Mapping[str, Any]) -> bytes:
    """Encode a server-sent event."""
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n\n".encode()


async def wait_for_first(frames: Frames) -> Frames:
    """Wait for the first event and return all of them, so that an earlier error can still set the status."""
    first = await anext(frames)

    async def all_of() -> Frames:
        async with aclosing(frames):
            yield first
            async for frame in frames:
                yield frame

    return all_of()


class StreamReset(Exception):
    """Signal that earlier data are obsolete: ``wanted`` was changed and is called again at once."""

    def __init__(self, frame: bytes) -> None:
        """Store the ``frame`` that notifies the client."""
        super().__init__()
        self.frame = frame


async def follow_over_restarts(
    services: Calls, wanted: Message, encode: Callable[[Any], bytes], away: str, again: float
) -> Frames:
    """Yield ``encode(response)`` for the responses to ``wanted``, which is called again after an interruption.

    Then the comment ``away`` is sent and ``again`` seconds pass. ``encode`` may change ``wanted``, so that no response
    is repeated, and may raise ``StreamReset``. Raises the errors of ``Calls`` if the caller is not authorised.
    """
    while True:
        try:
            async for response in services.follow(wanted):
                yield encode(response)
        except StreamReset as anew:
            yield anew.frame
            continue
        except grpc.aio.AioRpcError as problem:
            if problem.code() not in RESTART_CODES:
                raise
            yield f": {away}\n\n".encode()
        except asyncio.CancelledError:
            if (task := asyncio.current_task()) is None or task.cancelling():
                raise
            # Only the call was cancelled: its channel was closed after certificates had been replaced.
        await asyncio.sleep(again)


class OwnStream(Response):
    """Events for one client, until either side closes the connection.

    If the frames end with ``NotSignedIn``, the event ``ended`` is sent. After ``grpc.aio.AioRpcError``, the client
    reconnects as after any lost connection.
    """

    media_type = "text/event-stream"

    def __init__(self, frames: Frames, heartbeat: float = OWN_HEARTBEAT_SECONDS) -> None:
        """Prepare a stream. ``heartbeat`` is in seconds, see ``OWN_HEARTBEAT_SECONDS`` for its purpose."""
        self.status_code = 200
        self.background = None
        self.init_headers({"Cache-Control": "no-store, private", "X-Accel-Buffering": "no"})
        self._frames = frames
        self._heartbeat = heartbeat

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the headers and hand the connection over."""
        taken: list[OwnListener] = []

        def listener(line: HandedOverConnection) -> OwnListener:
            left, chunked = keep_stream_counted(scope), scope["http_version"] != "1.0"
            taken.append(OwnListener(self._frames, self._heartbeat, line, left, chunked=chunked))
            return taken[0]

        try:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            if is_head(scope):
                await send({"type": "http.response.body", "body": b""})
            else:
                scope["extensions"][HAND_OVER](listener)
        finally:
            if not taken:
                await self._frames.aclose()


class OwnListener(Listener):
    """Connection with the task that sends its events."""

    def __init__(
        self, frames: Frames, heartbeat: float, line: HandedOverConnection, left: Callable[[], None], *, chunked: bool
    ) -> None:
        """Start the task. ``heartbeat`` is in seconds; the other parameters are those of ``Listener``."""
        super().__init__(line, left, chunked=chunked)
        self._frames = frames
        self._heartbeat = heartbeat
        self._beat: asyncio.TimerHandle | None = None
        self._readable = asyncio.Event()
        self._readable.set()
        self._send(OPENING)
        self._task = asyncio.create_task(self._run(), name="own stream")

    async def _run(self) -> None:
        try:
            async with aclosing(self._frames):
                async for frame in self._frames:
                    await self._readable.wait()
                    self._send(frame)
        except NotSignedIn as problem:
            self._send(event("ended", {"reason": problem.why}))
        except grpc.aio.AioRpcError:
            pass
        finally:
            self.shutdown()

    def _send(self, data: bytes) -> None:
        """Write data and restart the heartbeat timer."""
        transport = self._line.transport
        if not transport.is_closing():
            transport.write(chunk(data) if self.chunked else data)
            if self._beat:
                self._beat.cancel()
            self._beat = asyncio.get_running_loop().call_later(self._heartbeat, self._show_life)

    def _show_life(self) -> None:
        if not self.paused:
            self._send(ALIVE)

    def pause_writing(self) -> None:
        """Stop sending until the client has read."""
        super().pause_writing()
        self._readable.clear()

    def resume_writing(self) -> None:  # noqa: D102
        super().resume_writing()
        self._readable.set()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: D102
        super().connection_lost(exc)
        self._task.cancel()

    def shutdown(self) -> None:  # noqa: D102
        if self._beat:
            self._beat.cancel()
        super().shutdown()
