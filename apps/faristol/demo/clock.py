"""The clock of a table, as its players use it."""

from __future__ import annotations

from datetime import datetime
from itertools import count

from faristol.demo.commands import Commands
from faristol.demo.player import PRESSING, STOPPING
from faristol.kernel.times import to_datetime
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import game_pb2

RULING_POLL_SECONDS = 0.02
"""Poll interval of a table that waits for a ruling, in seconds."""

TIMED_OUT = clock_events.TurnTimedOut.DESCRIPTOR.name


class TableClock(Commands):
    """Stops and presses the clock of one game, and claims the end of a turn's time. It has no state."""

    async def read(self) -> clock_pb2.GetClockResponse:
        """Return the clock, after it exists."""
        return await self.api.call_until_found(clock_pb2.GetClockRequest(game_id=self.game_id))

    async def time_is_over(self, game: game_pb2.GetGameResponse, done: datetime, claimant: str) -> bool:
        """Check whether the turn's time ends before ``done`` (FM 2, FISE 33, UF 18). Then ``claimant`` claims it."""
        rules = self.plan.rules
        if rules.clock.turn_seconds is None and rules.round_time.minutes is None:
            return False
        clock = await self.read()
        over = to_datetime(clock.deadline_at)
        if clock.deadline != TIMED_OUT or done <= over:
            return False
        await self.send(clock_pb2.ClaimTimeRequest(player_id=claimant), game.turn, "claim", over + PRESSING)
        return True

    async def stop(self, turn: int, mover: str, since: datetime) -> None:
        """Stop the mover's clock until the press (PES Δ.β.i), unless the last tiles have stopped it (PES Ε.β)."""
        if (await self.read()).held:
            return
        await self.send(clock_pb2.StopRequest(player_id=mover), turn, "stop", since + STOPPING)

    async def press(self, turn: int, mover: str, since: datetime) -> None:
        """Press the clock. Press it again if a time ran out before and the turn still continues."""
        for attempt in count(1):
            act, request = "press" if attempt == 1 else f"press-{attempt}", clock_pb2.PressRequest(player_id=mover)
            if not (await self.send(request, turn, act, since + PRESSING)).too_late:
                return
            game = await self.api.call(game_pb2.GetGameRequest(game_id=self.game_id))
            if game.turn != turn or game.phase not in (game_pb2.PHASE_PLACED, game_pb2.PHASE_DRAWN):
                return
