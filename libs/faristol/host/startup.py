"""Waiting for what a process needs before it can start: its database, and NATS."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from faristol.bus import BusAway
from faristol.record import RecordAway

T = TypeVar("T")

FIRST_PAUSE = 0.2
LONGEST_PAUSE = 2.0
"""Seconds between two tries: each pause is twice as long as the one before, up to the longest."""


class Cancelled(Exception):
    """The process was told to end while it waited."""


async def when_there(
    connect: Callable[[], Awaitable[T]], seconds: float, stop: asyncio.Event, tell: Callable[[str], None]
) -> T:
    """What ``connect`` gives, tried again for ``seconds`` while what it connects to is away.

    ``tell`` is given one sentence when the waiting begins, and one when it has ended well. Raises the last
    ``RecordAway`` or ``BusAway`` when the time is over, ``Cancelled`` when ``stop`` is set first, and at once
    whatever else ``connect`` raises.
    """
    give_up = time.monotonic() + seconds
    pause = FIRST_PAUSE
    waited = False
    while True:
        try:
            connected = await connect()
        except (RecordAway, BusAway) as problem:
            if time.monotonic() + pause > give_up:
                raise
            if not waited:
                tell(f"{problem}; waiting for it, {seconds:g} seconds at most")
                waited = True
        else:
            if waited:
                tell("it answers now; starting")
            return connected
        try:
            await asyncio.wait_for(stop.wait(), pause)
        except TimeoutError:
            pause = min(LONGEST_PAUSE, pause * 2)
        else:
            raise Cancelled
