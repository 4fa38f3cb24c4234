"""Clocks that run, in a real record, with little time left."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.event_store import Decision, Metadata, Record, Recorded, Write
from faristol.kernel.times import to_timestamp
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.rules import BLANK, load_ruleset

EVENT_TIMEOUT_SECONDS = 60.0
"""Seconds after which something that should have happened is missed."""


def ago(seconds: float) -> datetime:
    """Return the time, this long ago."""
    return datetime.now(UTC) - timedelta(seconds=seconds)


def deal_racks(players: Sequence[str], at: Timestamp) -> list[Message]:
    """Return events with full racks for two players or more, and most of the tiles in the bag."""
    return [
        game_events.TilesDrawn(player_id=player, faces=[BLANK] * 7, draw=number, bag_left=80, occurred_at=at)
        for number, player in enumerate(players)
    ]


async def add(record: Record, stream: str, *events: Message) -> None:
    """Append events to a stream of any version."""
    version = len(await record.read_stream(stream))
    await record.append(Decision([Write(stream, version, events, "cup")]), Metadata())


async def _begin(record: Record, game_id: str, game: Sequence[Message], clock: Sequence[Message]) -> None:
    """Append a game and its clock at once, as services do."""
    writes = [Write(f"game-{game_id}", 0, game, "cup"), Write(f"clock-{game_id}", 0, clock, "cup")]
    await record.append(Decision(writes), Metadata())


async def start(
    record: Record,
    game_id: str,
    used_ms: int,
    *,
    ruleset: str = "fisc-2023",
    since: datetime | None = None,
    keeping: game_events.Keeping.ValueType = game_events.KEEPING_HOSTED,
) -> None:
    """Start a game of anna and biel whose clock runs for anna, who has used ``used_ms``; now, or ``since`` then."""
    at = to_timestamp(since or ago(0))
    rules = load_ruleset(ruleset)
    game = [
        game_events.GameOpened(
            game_id=game_id,
            tournament_id="cup",
            round=1,
            table=1,
            player_ids=["anna", "biel"],
            ruleset=game_events.Pin(name=ruleset, digest=rules.digest),
            keeping=keeping,
            occurred_at=at,
        ),
        *deal_racks(["anna", "biel"], at),
        game_events.GameStarted(first_player_id="anna", occurred_at=at),
    ]
    clock = [
        clock_events.ClockOpened(
            game_id=game_id,
            tournament_id="cup",
            player_ids=["anna", "biel"],
            allowance_ms=(rules.clock.minutes or 0) * 60_000,
            overtime_cap_ms=(rules.clock.overtime_cap_minutes or 0) * 60_000,
            turn_ms=(rules.clock.turn_seconds or 0) * 1_000,
            occurred_at=at,
        ),
        clock_events.ClockStarted(player_id="anna", occurred_at=at),
        clock_events.ClockCorrected(
            player_id="anna",
            used_ms=used_ms,
            reason=clock_events.CORRECTION_REASON_DEVICE,
            arbiter_id="arbiter-1",
            occurred_at=at,
        ),
    ]
    await _begin(record, game_id, game, clock)


async def wait_for_event(record: Record, game_id: str, name: str, stream: str = "clock") -> Recorded:
    """Return the event of that type on the clock of a game, or another stream of it, once it exists."""
    give_up = time.monotonic() + EVENT_TIMEOUT_SECONDS
    while time.monotonic() < give_up:
        for event in await record.read_stream(f"{stream}-{game_id}"):
            if event.name == name:
                return event
        await asyncio.sleep(0.05)
    raise AssertionError(f"the {stream} of {game_id} never said {name}")


async def list_clock_events(record: Record, game_id: str) -> list[str]:
    """Return every event of the clock of a game after its set-up."""
    return [event.name for event in (await record.read_stream(f"clock-{game_id}"))[3:]]
