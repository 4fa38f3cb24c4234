"""The commands of players at a table. After a crash the same commands are sent again."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from faristol.client.services import A_co, Api, RequestFor
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

    async def send(self, request: RequestFor[A_co], turn: int, act: str, when: datetime) -> A_co:
        """Send a request with an id derived from ``turn`` and ``act``, its game, and its time."""
        return await send(self.api, self.plan, request, when, self.game_id, turn, act, game_id=self.game_id)


async def send(
    api: Api, plan: Plan, request: RequestFor[A_co], when: datetime | None, *act: object, **fields: str
) -> A_co:
    """Send a request with further ``fields``, an id derived from ``act``, and its time if it is not the present.

    By a plan with a pace, wait for that time and send it as of the present.
    """
    filled: Any = request
    for name, value in {"command_id": plan.command_id(*act), **fields}.items():
        setattr(filled, name, value)
    if plan.pace and when is not None:
        left = (when - datetime.now(UTC)).total_seconds()
        await asyncio.sleep(max(0.0, left / plan.pace + CLOCK_MARGIN_SECONDS))
        when = None
    if when is not None:
        filled.occurred_at.CopyFrom(to_timestamp(when))
    return await api.call(request)
