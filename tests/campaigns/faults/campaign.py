"""One fault after another, each on a separate cell under load; with the outcome for events, calls and standings."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

import grpc
from sqlalchemy.exc import SQLAlchemyError
from tests.campaigns.faults.cell import Cell, until
from tests.campaigns.faults.faults import NOTHING, Fault, check, small_disk
from tests.campaigns.faults.load import Load, Place, Standings, to_places
from tests.campaigns.faults.release import Release
from tests.campaigns.faults.scene import Scene
from tests.campaigns.torture import facts, judgement
from tests.campaigns.torture.ledger import Ledger
from tests.component import contents

from faristol.consumers.handlers import CHECKPOINT_INTERVAL_EVENTS
from faristol.event_store import Record, RecordError, stored
from faristol.pb.results.v1 import results_pb2
from faristol.pb.results.v1.results_pb2_grpc import ResultsServiceStub
from faristol.words import WordGraph

WARM_UP_COUNT = 40
"""Commands that are acknowledged before a fault: a fault of an unused cell proves little."""
WELL_SECONDS = 120.0
"""After which a cell has not become well."""
SMALL_LAG_EVENTS = 50
"""Events that a consumer may be behind under load and be called well."""


@dataclass
class Outcome:
    """The outcome of a fault."""

    fault: str
    what: str
    commands: int = 0
    """Acknowledged."""
    calls: int = 0
    again: dict[str, int] = field(default_factory=dict)
    """Attempts that the client's own channel could not save, and that clients sent again, by status code."""
    failed: int = 0
    """Calls that were never answered."""
    pages: int = 0
    pages_failed: dict[str, int] = field(default_factory=dict)
    events: int = 0
    lost: int = 0
    """Acknowledged commands that are not on the record as they were acknowledged."""
    doubled: int = 0
    """Duplicate events or commands."""
    standings: str = ""
    """Whether the standings are those of the undisturbed run."""
    silence: float = 0.0
    """Longest time without an acknowledged command, in seconds, from the fault until all is well."""
    well: float = 0.0
    """Seconds from the fault's end until recovery: commands are accepted, processes are ready, consumers have caught
    up.
    """
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)
    untried: str = ""


@dataclass(frozen=True)
class Tools:
    """The shared tools of all trials."""

    graph: WordGraph
    release: Release | None


class Trial:
    """One fault on one cell."""

    def __init__(self, fault: Fault, folder: Path, tools: Tools) -> None:
        self._fault = fault
        self._folder = folder
        self._tools = tools
        self.outcome = Outcome(fault.name, fault.what)
        self.finished: dict[int, Standings] = {}
        """Final standings by the seed of a championship."""

    async def run(self) -> Outcome:
        """Play, inject the fault, wait for the recovery, and check. Raises ``Untried``."""
        began = time.monotonic()
        check(self._fault)
        with contextlib.ExitStack() as stack:
            disk = stack.enter_context(small_disk(self._folder / "disk")) if self._fault.small_disk else None
            cell = Cell(self._folder, disk)
            ledger = Ledger(self._folder / "ledger.jsonl")
            access = cell.keys, cell.of_record
            load = Load(cell.targets, cell.tls, ledger, self._tools.graph, cell.pages.port, *access)
            try:
                release = self._tools.release
                await cell.start(lambda service, number: self._fault.by(service, number, release))
                load.begin()
                await self._strike(Scene(cell, load, disk, release), load, ledger)
                await load.end()
                await self._judge(cell, load, ledger)
            finally:
                await load.close()
                ledger.close()
                self.outcome.wrong += await cell.stop()
        self.outcome.seconds = time.monotonic() - began
        return self.outcome

    async def _strike(self, scene: Scene, load: Load, ledger: Ledger) -> None:
        if not await ledger.acknowledged_so_many(WARM_UP_COUNT, WELL_SECONDS):
            self.outcome.wrong.append(f"fewer than {WARM_UP_COUNT} commands were acknowledged in {WELL_SECONDS:.0f} s")
            return
        struck = time.monotonic()
        await self._fault.strike(scene)
        over = time.monotonic()
        if load.is_over and self._fault is not NOTHING:
            self.outcome.wrong.append("the load came to its end before the fault did")
        elif not await self._well(scene.cell, load, ledger, over):
            self.outcome.wrong.append(f"the cell was not well {WELL_SECONDS:.0f} s after the fault")
        well = time.monotonic()
        self.outcome.well = well - over
        at = [struck, *(moment for moment in load.counts.acknowledged_at if struck < moment < well), well]
        self.outcome.silence = max(after - before for before, after in pairwise(at))
        load.enough = self._fault is not NOTHING

    async def _well(self, cell: Cell, load: Load, ledger: Ledger, since: float) -> bool:
        results = ResultsServiceStub(load.channel("results"))

        async def is_well() -> bool:
            return await cell.ready() and await _keeps_up(results)

        if not load.is_over and await ledger.acknowledged_after(since, WELL_SECONDS) is None:
            return False
        return await until(is_well, WELL_SECONDS)

    async def _judge(self, cell: Cell, load: Load, ledger: Ledger) -> None:
        outcome, counts = self.outcome, load.counts
        outcome.commands, outcome.calls = len(ledger.acknowledged), counts.calls
        outcome.again, outcome.pages_failed = dict(counts.again), dict(counts.pages_failed)
        outcome.pages = counts.pages
        outcome.failed = len(counts.failed)
        outcome.wrong += [*counts.failed, *ledger.wrong]
        self.finished = load.finished
        url = cell.database.url
        try:
            async with judgement.open_record(url) as record:
                outcome.wrong += await judgement.caught_up(record)
                await self._count(record, ledger)
                last = await record.last_position()
                outcome.wrong += await asyncio.to_thread(judgement.check_verification, url, cell.public_key, last=last)
                outcome.wrong += await judgement.check_rebuild(record, url)
        except (RecordError, SQLAlchemyError) as problem:
            outcome.wrong.append(f"the record cannot be judged: {' '.join(str(problem).split())}")
        if ends := [replica.name for replica in cell.of() if replica.wanted and not replica.runs]:
            outcome.wrong.append(f"{', '.join(ends)} ended")

    async def _count(self, record: Record, ledger: Ledger) -> None:
        """Count lost and duplicate events, and note every other violation."""
        told = list(ledger.acknowledged.values())
        kept = {
            command_id: (answer, at) for command_id, answer, at in (await contents.rows(record, "commands"))["commands"]
        }
        events = await contents.read_stored(record)
        async with record.reading() as connection:
            counter, _ = await stored.end(connection)
        lost, doubled = list(facts.unkept(told, kept)), list(facts.said_twice(events))
        otherwise = list(facts.done_otherwise(told, events))
        outcome = self.outcome
        outcome.events = len(events)
        outcome.lost, outcome.doubled = len(lost), len(doubled) + len(otherwise)
        outcome.wrong += [
            *lost,
            *doubled,
            *otherwise,
            *facts.find_unsent(ledger.sent, kept),
            *facts.holes(events, counter),
        ]


async def _keeps_up(results: ResultsServiceStub) -> bool:
    """Return whether every consumer works and is not behind; the read model of a version that is gone stays where it
    was.
    """
    try:
        status = await results.GetStatus(results_pb2.GetStatusRequest(), timeout=5)  # type: ignore[misc]
    except grpc.aio.AioRpcError:
        return False

    def keeps_up(line: results_pb2.Consumer) -> bool:
        unnoted = (
            CHECKPOINT_INTERVAL_EVENTS if line.kind == results_pb2.CONSUMER_KIND_REACTION else 0
        )  # it stores its position at intervals
        return (
            line.state == results_pb2.CONSUMER_STATE_LIVE and line.lag <= unnoted + SMALL_LAG_EVENTS and not line.parked
        )

    return all(keeps_up(line) for line in status.consumers if line.state != results_pb2.CONSUMER_STATE_OLDER)


def compare(
    outcome: Outcome,
    finished: dict[int, Standings],
    undisturbed: dict[int, Standings],
    of_release: Mapping[int, Sequence[Place]] = MappingProxyType({}),
) -> None:
    """Compare the standings with those of the undisturbed run.

    A championship that began in another version keeps the rules of that version: ``of_release`` has the places of an
    undisturbed run of it, by seed.
    """
    differing = [
        seed
        for seed, standings in finished.items()
        if (to_places(standings) != of_release[seed] if seed in of_release else standings != undisturbed.get(seed))
    ]
    if differing:
        outcome.wrong.append(f"the standings of the championships of seed {differing} are others than undisturbed")
    outcome.standings = "others" if differing else "equal" if finished else "none"
