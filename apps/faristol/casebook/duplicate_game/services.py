"""The services of a duplicate game."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from functools import partial

from faristol.casebook.duplicate_game.case import (
    CASE_ROUND_NUMBER,
    DUPLICATE_GAME_ID,
    EARLIER_ID,
    TOURNAMENT_ID,
    DuplicateCase,
)
from faristol.casebook.duplicate_game.earlier import earlier_game
from faristol.casebook.forms import moment
from faristol.casebook.hosts.cell import CellServices, serving
from faristol.casebook.hosts.hall import founding
from faristol.casebook.hosts.lexicons import about_cases, install
from faristol.casebook.hosts.memory import InMemory, folder, settings
from faristol.casebook.hosts.memory_record import Notebook
from faristol.casebook.hosts.services import Services
from faristol.casebook.verbs import verbs_of
from faristol.clock.service_module import part as clock_part
from faristol.duplicate_game.game import Duplicate
from faristol.duplicate_game.hall import Hall
from faristol.duplicate_game.settlement import settle
from faristol.duplicate_game.situation import GAME_STREAM_NUMBER, Fact
from faristol.event_store import Decision, Metadata, Write
from faristol.game.duplicate_game.lexicons import GraphWords
from faristol.game.service_module import part as game_part
from faristol.host import Runtime
from faristol.host.duplicate_store import game_stream, load_game, load_halls, stream_of
from faristol.kernel.pins import Pin
from faristol.kernel.times import Instant
from faristol.pairing.tournament.tournaments import pin_of
from faristol.pb.clock.v1 import turns_pb2
from faristol.pb.game.v1 import duplicate_pb2
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.rules import Ruleset
from faristol.words import WordGraph, build

SERVED = ("lexicon", "game", "clock")
"""The services of a duplicate game."""

DUPLICATE, TIME = (
    duplicate_pb2.DESCRIPTOR.services_by_name["DuplicateService"],
    turns_pb2.DESCRIPTOR.services_by_name["TurnClockService"],
)

DUPLICATE_VERBS = verbs_of((DUPLICATE, TIME))
"""Every command of a duplicate game, by name."""


class DuplicateServices(Services):
    """The services of the one game of a case."""

    verbs, tournament_id = DUPLICATE_VERBS, TOURNAMENT_ID
    lexicon: Pin

    async def open(self, case: DuplicateCase) -> None:
        """Open the game by starting the round of its tournament."""
        facts = [
            *founding(case.ruleset, self.lexicon, TOURNAMENT_ID),
            *(pairing_events.PlayerRegistered(player_id=case.names.ids[name]) for name in case.players),
        ]
        if list(case.halls) != [""]:
            facts.append(_halls(case))
        if case.rerun:
            await self.write(f"tournament-{TOURNAMENT_ID}", facts)
            facts = []
            await self._prepare(case)
        facts.append(pairing_events.RoundStarted(round=CASE_ROUND_NUMBER, occurred_at=moment(0)))
        await self.write(f"tournament-{TOURNAMENT_ID}", facts)

    async def _prepare(self, case: DuplicateCase) -> None:
        """Prepare the game of the case from an earlier one."""
        earlier = earlier_game(case, (pin_of(case.ruleset), self.lexicon))
        writes = [Write(game_stream(EARLIER_ID), 0, earlier, "earlier")]
        await self.record.append(Decision(writes), Metadata())
        request = duplicate_pb2.PrepareGameRequest(
            command_id=str(uuid.uuid4()), tournament_id=TOURNAMENT_ID, round=CASE_ROUND_NUMBER, rerun_of=EARLIER_ID
        )
        await self.ask(request)

    async def write_facts(self, facts: Sequence[Fact]) -> None:
        """Append events that no command of a case causes."""
        by_stream: dict[str, list[Fact]] = {}
        for number, fact in facts:
            by_stream.setdefault(stream_of(DUPLICATE_GAME_ID, number), []).append((number, fact))
        writes = []
        for stream, some in by_stream.items():
            version = len(await self.record.read_stream(stream))
            writes.append(Write(stream, version, [fact for _, fact in some], TOURNAMENT_ID))
        await self.record.append(Decision(writes), Metadata())
        await self.settle()

    async def let_pass_turn(self, ruleset: Ruleset, until: Instant) -> None:
        """Append the clock events due by ``until``, in nanoseconds."""
        if due := settle(await self.game(), ruleset, until):
            await self.write_facts([(GAME_STREAM_NUMBER, fact) for fact in due])

    async def game(self) -> Duplicate:
        """Return the game on the record."""
        return (await load_game(self.record, DUPLICATE_GAME_ID)).state

    async def halls(self) -> list[Hall]:
        """Return its halls."""
        return [loaded.state for loaded in (await load_halls(self.record, await self.game())).values()]


def _halls(case: DuplicateCase) -> pairing_events.HallsSet:
    said = pairing_events.HallsSet(occurred_at=moment(0))
    first = 1
    for name, players in case.halls.items():
        said.halls.add(name=name, first_table=first, last_table=first + len(players) - 1)
        first += len(players)
    return said


class DuplicateInMemory(InMemory, DuplicateServices):
    """The services of a duplicate game on a record in memory."""

    def __init__(self, case: DuplicateCase, now: Callable[[], datetime]) -> None:
        notebook = Notebook()
        key = folder() / "sealed-games.key"
        runtime = Runtime(settings().model_copy(update={"sealed_games": key}), notebook, now)
        super().__init__(notebook, (game_part(runtime, _OfCase(case)), clock_part(runtime)))
        self.lexicon = Pin("words", "")


class _OfCase:
    """The words of a case as a lexicon."""

    def __init__(self, case: DuplicateCase) -> None:
        tile_set = case.ruleset.tile_set
        words = case.words or {tile_set.faces[-2:]}
        self._words = GraphWords(WordGraph(build(words, tile_set=tile_set, about=about_cases())))

    def words(self, pin: Pin, ruleset: Ruleset) -> GraphWords:
        """Return the words of the case for any pin."""
        return self._words

    def pin(self, name: str, tile_set: str) -> Pin:
        """Return the pin of the words of the case for any name."""
        return Pin("words", "")


class DuplicateOnCell(CellServices, DuplicateServices):
    """The services of a duplicate game on a cell."""


Duplicates = Callable[[DuplicateCase, Callable[[], datetime]], AbstractAsyncContextManager[DuplicateServices]]
"""Opens the services for the case of a duplicate game; their time is that of the case."""


@asynccontextmanager
async def in_memory(case: DuplicateCase, now: Callable[[], datetime]) -> AsyncIterator[DuplicateServices]:
    """Provide the services of a case in memory for the duration of the block."""
    yield DuplicateInMemory(case, now)


@asynccontextmanager
async def on_cell(nats_url: str, case: DuplicateCase, now: Callable[[], datetime]) -> AsyncIterator[DuplicateServices]:
    """Run a cell for the case of a duplicate game, with a lexicon of its words, on a running NATS server."""
    words = partial(install, tile_set=case.ruleset.tile_set, words=case.words)
    async with serving(nats_url, SERVED, now, words) as cell:
        yield DuplicateOnCell(cell)
