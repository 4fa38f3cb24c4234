"""A demonstration without end for a public site: one championship after another, in real time.

Invented players of several clubs and countries play at tables in two halls. A judge elsewhere rules on their
challenges, and a duplicate game is played beside them. Clocks run in real time, so the load is that of a small club.

Each run has a record of its own, in a folder ``run-NUMBER`` of the data folder. The folder of a run is removed when the
next one begins: the disk holds one run. A record cannot be shortened, because each event has the hash of the one
before. A folder that no run has made is never removed: ``RUN_MARK`` tells them apart.
"""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import grpc
from rich.console import Console

from faristol.client.judge import Judge, judge_queue
from faristol.client.problems import every_reason
from faristol.client.services import Api
from faristol.demo.championship import Championship
from faristol.demo.duplicate_game.championship import DuplicateChampionship
from faristol.demo.duplicate_game.plan import DuplicatePlan
from faristol.demo.plan import Plan
from faristol.demo.plans import DemoOptions, plan_duplicate, plan_tables
from faristol.demo.play_finder import PlayFinder
from faristol.demo.readiness import check, open_lexicon
from faristol.event_store.tasks import cancel_tasks
from faristol.host import Settings, StartError
from faristol.host.process import stop_on_signals
from faristol.kernel.refusal import N_
from faristol.launcher.director_link import local_channels
from faristol.launcher.processes import hold_folder, running
from faristol.pb.lexicon.v1 import adjudication_pb2
from faristol.pb.lexicon.v1 import events_pb2 as lexicon_events
from faristol.presentation.page_addresses import tournament_path
from faristol.table_terminal.shared.common import localize
from faristol.words import WordGraph

JUDGE_ID, HEAD_ID = "judge-abroad", "head-judge"
"""The judge of the challenges, and the director for cases that wait too long."""
RULING_TIME_SECONDS = 20.0
"""Time that the judge needs for a ruling."""
FOREVER_HALLS_COUNT = 2
"""Halls of the duplicate game."""
FOREVER_TURNS_COUNT = 20
"""Turns of the duplicate game."""
RUN_FOLDER = re.compile(r"run-\d+")
RUN_MARK = "demonstration-run"
"""Empty file in the folder of a run."""

RUN_TIME_FACTOR = 1.5
"""Longest time of a run, as a multiple of its planned time."""
MIN_RUN_SECONDS = 600.0
"""Longest time of a run whose planned time is short: a fast pace does not make services faster."""

RUN_BEGINS = N_("Run {number} begins: {page}")

RUN_STOPPED = N_("Run {number} cannot continue: {reason}")

RUN_TOO_LONG = N_("its games have not ended after {minutes} min")

RULING_REFUSED = N_("A ruling of the judge was refused: {reason}")


@dataclass(frozen=True)
class Run:
    """One run: the championship at tables, and the duplicate game beside it."""

    tables: Plan
    duplicate: DuplicatePlan | None

    @property
    def longest_seconds(self) -> float:
        """Time after which the run is not waited for any longer."""
        plans = filter(None, (self.tables, self.duplicate))
        planned = max(plan.rounds * plan.round_every.total_seconds() / (plan.pace or 1.0) for plan in plans)
        return max(MIN_RUN_SECONDS, RUN_TIME_FACTOR * planned)


def plan_run(given: DemoOptions, pace: float, number: int) -> Run:
    """Plan a run: each has a seed of its own, and its duplicate game the usual rules.

    ``pace`` is that of the players at tables. The time of a turn of a duplicate game is that of the services: its
    players write their slips in real time.
    """
    at_tables = plan_tables(replace(given, seed=given.seed + number - 1), pace=pace)
    beside = DemoOptions(
        given.players,
        at_tables.seed,
        halls=FOREVER_HALLS_COUNT if given.halls is None else given.halls,
        turns=FOREVER_TURNS_COUNT if given.turns is None else given.turns,
    )
    return Run(at_tables, plan_duplicate(beside, pace=1.0))


async def run_forever(
    settings: Settings, plan_run: Callable[[int], Run], *, rest_seconds: float, most_runs: int = 0
) -> None:
    """Play the runs of ``plan_run`` from 1 on, until a signal. The pages stay ``rest_seconds`` after the end of a run.

    A run that cannot continue, or that exceeds its ``longest_seconds``, is reported, and its pages stay as long.
    ``most_runs`` limits the number of runs if it is not 0. Raises ``StartError`` if the services do not start, or if
    another process uses the data folder.
    """
    with hold_folder(settings):
        await _run_all(settings, plan_run, rest_seconds, most_runs)


async def _run_all(settings: Settings, plan_run: Callable[[int], Run], rest_seconds: float, most_runs: int) -> None:
    stop, console = stop_on_signals(), Console(stderr=True)
    for number in count(1):
        run = plan_run(number)
        for plan in filter(None, (run.tables, run.duplicate)):
            check(plan)
        folder = prepare_folder(settings.data, number)
        lexicon, graph = await asyncio.to_thread(open_lexicon, settings, run.tables)
        playing = asyncio.create_task(
            _play(settings.model_copy(update={"data": folder}), run, lexicon, graph, console, number, rest_seconds)
        )
        stopping = asyncio.create_task(stop.wait())
        try:
            await asyncio.wait({playing, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if stop.is_set():
                return
            await playing
        finally:
            await cancel_tasks([playing, stopping])
        if number == most_runs:
            return


def prepare_folder(data: Path, number: int) -> Path:
    """Make the folder of a run, and remove the folders of all runs before.

    Raises ``StartError`` if one cannot be removed, or if there is a folder of this name that no run has made.
    """
    for earlier in data.glob("run-*"):
        if RUN_FOLDER.fullmatch(earlier.name) and (earlier / RUN_MARK).is_file():
            try:
                _remove_run(earlier)
            except OSError as error:
                raise StartError(f"the earlier run {earlier} cannot be removed: {error.strerror}") from error
    folder = data / f"run-{number:04}"
    try:
        folder.mkdir(mode=0o700)
        (folder / RUN_MARK).touch()
    except OSError as error:
        raise StartError(
            f"the folder {folder} of a run cannot be made ({error.strerror}): use another folder with --data"
        ) from error
    return folder


def _remove_run(folder: Path) -> None:
    """Remove the folder of a run, its mark last: what is left after an interruption is that of a run."""
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != RUN_MARK:
            path.unlink()
    shutil.rmtree(folder)


async def _play(
    settings: Settings, run: Run, lexicon: str, graph: WordGraph, console: Console, number: int, rest_seconds: float
) -> None:
    """Serve a run, and play it as far as it can continue. Raises ``StartError`` if a part of the process fails."""
    async with AsyncExitStack() as stack:
        process = await stack.enter_async_context(running(settings))
        channels = local_channels(process)
        stack.push_async_callback(channels.close)
        finder = PlayFinder(settings.lexicons, graph.digest)
        stack.callback(finder.close)
        page = process.http_address + tournament_path(run.tables.tournament_id)
        console.print(localize(RUN_BEGINS, number=number, page=page), highlight=False, soft_wrap=True)
        api, now = Api(channels.channel), datetime.now(UTC)
        tables = Championship(api, run.tables, graph, lexicon, now, find=finder.find)
        plays: list[Coroutine[Any, Any, object]] = [_play_judged(tables, channels.channel("lexicon"), console)]
        if run.duplicate:
            plays.append(DuplicateChampionship(api, run.duplicate, graph, lexicon, now).play())
        tasks = [asyncio.create_task(play) for play in plays]
        playing: asyncio.Future[Any] = asyncio.gather(*tasks)
        failing = asyncio.create_task(process.process.wait_for_failure())
        try:
            either: set[asyncio.Future[Any]] = {playing, failing}
            await asyncio.wait(either, timeout=run.longest_seconds, return_when=asyncio.FIRST_COMPLETED)
            if failing.done() and not playing.done():
                raise StartError(process.process.problem)
            if reason := _find_problem(playing, run):
                console.print(localize(RUN_STOPPED, number=number, reason=reason), highlight=False, soft_wrap=True)
            await asyncio.wait({failing}, timeout=rest_seconds)
        finally:
            await cancel_tasks([failing, *tasks])
            await asyncio.gather(playing, return_exceptions=True)


def _find_problem(playing: asyncio.Future[Any], run: Run) -> str:
    """Return why a run does not continue; empty if it has ended. Raises any exception that is no refusal."""
    if not playing.done():
        return localize(RUN_TOO_LONG, minutes=round(run.longest_seconds / 60))
    problem = playing.exception()
    if isinstance(problem, grpc.aio.AioRpcError):
        return every_reason(problem).rstrip(".")
    if isinstance(problem, StartError):
        return str(problem)
    playing.result()
    return ""


async def _play_judged(championship: Championship, lexicon: grpc.aio.Channel, console: Console) -> None:
    """Play a championship with a judge of its challenges: the rulings follow the lexicon.

    A refused ruling is printed; the judge rules again. Raises the exception of the judge, if there is one: without
    rulings the championship would not end.
    """
    await championship.create()
    async with championship.cast.director():
        await championship.appoint_judges(JUDGE_ID, HEAD_ID)

    async def rule(file: adjudication_pb2.GetCaseFileResponse) -> Sequence[lexicon_events.WordRuling]:
        await asyncio.sleep(RULING_TIME_SECONDS / championship.plan.pace)
        return [lexicon_events.WordRuling(word=each.word, valid=each.valid) for each in file.words]

    def report_refusal(_case_id: str, _answer: object, reason: str) -> None:
        if reason:
            console.print(localize(RULING_REFUSED, reason=reason), highlight=False, soft_wrap=True)

    judging = asyncio.create_task(judge_queue(Judge(lexicon, JUDGE_ID), "", rule, report_refusal))
    playing = asyncio.create_task(championship.play())
    try:
        await asyncio.wait({judging, playing}, return_when=asyncio.FIRST_COMPLETED)
        if judging.done():
            judging.result()
        await playing
    finally:
        await cancel_tasks([judging, playing])
