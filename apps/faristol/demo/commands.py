"""The commands of players at a table. After a crash the same commands are sent again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from faristol.client.services import Api, M, call
from faristol.demo.plan import Plan
from faristol.kernel.times import to_timestamp

CLOCK_MARGIN_SECONDS = 0.05
"""Delay after the time of a command, so that the clock of a service is not behind it."""


@dataclass(frozen=True)
class Commands:
    """The sender of commands for one game."""

    api: Api
    plan: Plan
    game_id: str

    async def send(self, method: Callable[..., Awaitable[M]], request: Any, turn: int, act: str, when: datetime) -> M:
        """Send a request with an id derived from ``turn`` and ``act``, its game, and its time."""
        request.game_id = self.game_id
        return await send(self.plan, method, request, when, self.game_id, turn, act)


async def send(plan: Plan, method: Callable[..., Awaitable[M]], request: Any, when: datetime | None, *act: object) -> M:
    """Send a request with an id derived from ``act``, and with its time if it is not the present.

    By a plan with a pace, wait for that time and send it as of the present.
    """
    request.command_id = plan.command_id(*act)
    if plan.pace and when is not None:
        left = (when - datetime.now(UTC)).total_seconds()
        await asyncio.sleep(max(0.0, left / plan.pace + CLOCK_MARGIN_SECONDS))
        when = None
    if when is not None:
        request.occurred_at.CopyFrom(to_timestamp(when))
    return await call(method, request)
