"""The duplicate game of a case."""

from __future__ import annotations

from collections.abc import Iterable

from google.protobuf.message import Message

from faristol.casebook.case import TOURNAMENT_ID
from faristol.casebook.commands import verbs_of
from faristol.casebook.hosts.services import DUPLICATE, TURN_CLOCK, Services
from faristol.casebook.world import World
from faristol.duplicate_game.decide.timers import settle
from faristol.duplicate_game.game import Duplicate
from faristol.duplicate_game.hall import Hall
from faristol.duplicate_game.preparation import duplicate_id
from faristol.duplicate_game.situation import GAME_STREAM_NUMBER, StreamEvent
from faristol.event_store import Conflict, Decision, Write
from faristol.host.duplicate_store import load_game, load_halls, stream_of
from faristol.kernel.times import Instant
from faristol.rules import Ruleset

CASE_ROUND_NUMBER = 1
DUPLICATE_GAME_ID = duplicate_id(TOURNAMENT_ID, CASE_ROUND_NUMBER)

DUPLICATE_VERBS = verbs_of((DUPLICATE, TURN_CLOCK))
"""Every command of a duplicate game, by name."""


class DuplicateGame:
    """The one game of a case on its services."""

    def __init__(self, services: Services, ruleset: Ruleset) -> None:
        self._services = services
        self._ruleset = ruleset

    async def write(self, events: Iterable[StreamEvent]) -> None:
        """Append events that no command of a case causes."""
        by_stream: dict[str, list[Message]] = {}
        for number, event in events:
            by_stream.setdefault(stream_of(DUPLICATE_GAME_ID, number), []).append(event)
        await self._services.write(by_stream)

    async def append_due_events(self, until: Instant) -> None:
        """Append the clock events due by ``until``, in nanoseconds."""
        while True:
            loaded = await load_game(self._services.record, DUPLICATE_GAME_ID)
            due = settle(loaded.state, self._ruleset, until)
            if not due:
                return
            write = Write(stream_of(DUPLICATE_GAME_ID, GAME_STREAM_NUMBER), loaded.version, due, TOURNAMENT_ID)
            try:
                await self._services.append(Decision([write]))
            except Conflict:  # the timer of a cell has written the same events
                await self._services.settle()

    async def state(self) -> Duplicate:
        """Return the game on the record."""
        return (await load_game(self._services.record, DUPLICATE_GAME_ID)).state

    async def halls(self) -> list[Hall]:
        """Return its halls."""
        return [loaded.state for loaded in (await load_halls(self._services.record, await self.state())).values()]


def game_of(world: World) -> DuplicateGame:
    """Return the game of the case."""
    game = world.timed[DUPLICATE_GAME_ID]
    assert isinstance(game, DuplicateGame)
    return game
