"""One run: from a seed to its outcome."""

from __future__ import annotations

import asyncio
import gc
import logging
import sys
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import grpc.aio
from tests.campaigns.simulation import invariants
from tests.campaigns.simulation.appends import Appends
from tests.campaigns.simulation.clients import JUDGES, Championship, Director, Refused, Told
from tests.campaigns.simulation.disk import Disk
from tests.campaigns.simulation.jetstream import JetStream
from tests.campaigns.simulation.loop import Stuck
from tests.campaigns.simulation.network import Network
from tests.campaigns.simulation.officials import Bench, Clerk
from tests.campaigns.simulation.platform import Platform
from tests.campaigns.simulation.readers import Follower, Visitor
from tests.campaigns.simulation.trace import Log
from tests.campaigns.simulation.witness import Witness
from tests.campaigns.simulation.world import World

from faristol import assertions
from faristol.client.services import Api
from faristol.demo.plan import Plan
from faristol.event_store import Record, RecordError
from faristol.event_store.tasks import cancel_tasks
from faristol.host import SERVICES
from faristol.launcher.processes import builders
from faristol.read_models.api.public_events import PUBLIC
from faristol.rules.ruleset.file import load_ruleset
from faristol.rules.tiles import load_tile_set
from faristol.words import Library
from faristol.words.header import About

FAULTS_END_SECONDS = 12.0
"""Seconds after which there are no faults."""
IDLE_TIMEOUT_SECONDS = 120.0
"""Seconds after the faults within which the championship has to end, and then all work."""
RULESET = "fisc-2023"
LEXICON = "simulated"
builders(SERVICES)  # so that the first run has no module to import, which takes random bytes here and there

WORD_COUNT = 400


@dataclass
class Outcome:
    """The outcome of a run."""

    seed: int
    problems: list[str]
    digest: str
    """Digest of the trace, the record and the order of all steps."""
    lines: list[str] = field(repr=False)
    """The trace."""
    counts: dict[str, int]
    reached: dict[str, int]
    """Number of times that each situation of the program was reached."""
    events: int
    steps: int
    seconds: float
    """Of the world's own time."""


def run(seed: int, lexicons: Path, folder: Path | None = None) -> Outcome:
    """Run one world from its beginning to its end. ``folder`` is where its record is put, if not in memory."""
    assertions.reset_counts()
    with _quiet():
        outcome = _run(seed, lexicons, folder)
        for _ in range(3):  # a released object releases others
            gc.collect()
    return outcome


def _run(seed: int, lexicons: Path, folder: Path | None) -> Outcome:
    world = World(seed)
    told = Told()
    problems: list[str] = []
    with ExitStack() as stack:
        place = Path(stack.enter_context(TemporaryDirectory(dir=folder or _memory(), prefix="faristol-")))
        witness = Witness(place / "record.db")
        stack.callback(witness.close)
        network, bus, disk = Network(world, witness), JetStream(world), Disk(world, witness.look)
        appends = Appends()
        platform = Platform(world, network, bus, place, lexicons)
        for part in (Log(world.trace, place), world, network, bus, disk, platform, appends):
            stack.enter_context(part.around())
        rounds = "faristol.tournament.administration.tournaments.check_rounds"
        stack.enter_context(patch(rounds, lambda rounds, ruleset: None))
        try:
            problems += world.loop.run_until_complete(_course(world, platform, bus, told, lexicons, appends))
        except (Stuck, RecordError) as problem:
            problems.append(str(problem))
        problems += witness.problems
        problems += [f"violated: {each.description}" for each in assertions.INVARIANTS if each.count]
        world.trace("end", f"{world.loop.steps} steps")
        for node in platform.nodes:
            node.crash("the world ends")
        world.loop.close()
    counts = dict(sorted(world.trace.counts.items()))
    return Outcome(
        seed,
        problems,
        world.trace.digest,
        world.trace.lines,
        counts,
        {each.description: each.count for each in assertions.SITUATIONS},
        counts.get("event", 0),
        world.loop.steps,
        world.loop.time(),
    )


async def _course(
    world: World, platform: Platform, bus: JetStream, told: Told, lexicons: Path, appends: Appends
) -> list[str]:
    championship = _championship(world, lexicons)
    plan = championship.plan
    world.trace("seed", f"{plan.players} players, {plan.rounds} rounds, {world.faults}")
    api = Api(grpc.aio.insecure_channel)
    director = Director(api, told, championship, world.luck)
    follower = Follower(api, told, plan.tournament_id, world.luck("follower"))
    beside = [*_officials(world, api, told, championship)]
    visitor = Visitor(world, told, lambda: platform.pages, plan.tournament_id)
    platform.start()
    public = [asyncio.create_task(follower.follow()), asyncio.create_task(visitor.visit())]
    directing = asyncio.create_task(director.direct())
    public += [asyncio.create_task(each.work()) for each in beside]
    problems: list[str] = []
    try:
        await asyncio.wait([directing], timeout=FAULTS_END_SECONDS)
        world.faults.end()
        world.trace("calm", "nothing goes wrong any more")
        async with asyncio.timeout(IDLE_TIMEOUT_SECONDS):
            await directing
        await cancel_tasks(public[2:])
    except TimeoutError:
        problems.append(f"the championship does not end: {_where(directing)}")
    except (Refused, grpc.aio.AioRpcError) as problem:
        problems.append(f"the director was refused: {problem!r}")
    record = await Record.open(platform.url, world.now)
    problems.extend(await _rest(record))
    problems.extend(await _public(record, director, follower, visitor))
    await cancel_tasks(public)
    await platform.stop()
    problems.extend(platform.problems)
    problems.extend(await invariants.check(record, told, bus.accepted))
    for reason, times in sorted(told.reasons.items()):
        world.trace("refused", f"{times} × {reason}")
    events = await record.read(0, limit=100_000)
    problems.extend(appends.check(events))
    for event in events:
        world.trace("event", f"{event.position} {event.stream} {event.version} {event.name} {event.hash.hex()[:16]}")
    await record.close()
    return problems


async def _rest(record: Record) -> list[str]:
    """Wait until all consumers have reached the end of the record."""
    left = "nothing was looked at"
    try:
        async with asyncio.timeout(IDLE_TIMEOUT_SECONDS):
            while left:
                await asyncio.sleep(0.5)
                left = await invariants.at_rest(record)
    except TimeoutError:
        return [f"no rest: {left}"]
    return []


async def _public(record: Record, director: Director, follower: Follower, visitor: Visitor) -> list[str]:
    """Check that followers have received all events once and in order, and that the pages show the standings."""
    news = [event.position for event in await record.read(0, limit=100_000, types=PUBLIC)]
    try:
        async with asyncio.timeout(IDLE_TIMEOUT_SECONDS):
            while len(follower.heard) < len(news):  # noqa: ASYNC110 # a look now and then is what a person does
                await asyncio.sleep(0.2)
            places = await visitor.standings()
    except TimeoutError:
        return [f"the public waits in vain: {len(follower.heard)} of {len(news)} pieces of news were heard of"]
    wrong = [] if follower.heard == news else [f"heard of {follower.heard}, and the news are {news}"]
    return wrong if places == director.places else [*wrong, f"the pages say {places}, the service {director.places}"]


def _where(task: asyncio.Task[None]) -> str:
    return ", ".join(f"{frame.f_code.co_name}:{frame.f_lineno}" for frame in task.get_stack())


def _championship(world: World, lexicons: Path) -> Championship:
    luck = world.luck("championship")
    players = luck.choice((2, 2, 2, 3, 4))
    dated = luck.random() < 0.6
    return Championship(
        plan=Plan(players, luck.choice((1, 1, 1, 2)) if players > 2 else 1, world.seed, RULESET),
        graph=Library(lexicons).open(LEXICON),
        tile_set=load_tile_set(load_ruleset(RULESET).game.tile_set),
        lexicon=LEXICON,
        plays=luck.randrange(1, 4),
        dated=dated,
        slow=luck.choice((0.0, 0.1 if dated else 0.3)),
        skip=world.skip,
        now=world.now,
        judged=not dated and luck.random() < 0.5,
        arbitrated=not dated,
    )


def _officials(world: World, api: Api, told: Told, championship: Championship) -> Iterator[Clerk | Bench]:
    """Yield the officials of a run; a clerk only with the services' clocks, because settings have the present time."""
    if not championship.dated and world.luck("clerk there").random() < 0.5:
        yield Clerk(api, told, championship.plan.tournament_id, world.luck("clerk"))
    if championship.judged:
        for judge_id in JUDGES:
            yield Bench(api, told, grpc.aio.insecure_channel("lexicon"), judge_id, world.luck(judge_id))


def install_lexicon(folder: Path) -> Path:
    """Install a lexicon of short meaningless words, the same on every machine. Return the folder."""
    tile_set = load_tile_set(load_ruleset(RULESET).game.tile_set)
    vowels = [face for face in tile_set.faces if face in "AEIOU"]
    others = [face for face in ("B", "C", "D", "L", "M", "N", "P", "R", "S", "T") if face in tile_set.faces]
    words: list[tuple[str, ...]] = [(first, second) for first in vowels for second in others]
    words += [(first, second, third) for first in others for second in vowels for third in others][:WORD_COUNT]
    about = About(LEXICON, "1", "CC0-1.0", "the simulation", date(2026, 1, 1))
    Library(folder).install(LEXICON, words, tile_set=tile_set, about=about)
    return folder


def _memory() -> Path | None:
    """Return a folder in memory: fsync is called thousands of times, and no power is cut here."""
    shared = Path("/dev/shm")  # the folder that Linux has for this
    return shared if shared.is_dir() else None


@contextmanager
def _quiet() -> Iterator[None]:
    """Release crashed processes without effects of their ``finally``."""
    loggers = [logging.getLogger(name) for name in ("asyncio", "aiosqlite", "sqlalchemy", "opentelemetry")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        with patch.object(sys, "unraisablehook", lambda _: None), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
