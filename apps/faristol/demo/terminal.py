"""The demonstration on a terminal: progress, standings, and the URL of the pages."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import grpc
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn
from rich.table import Table as Grid

from faristol.client.credentials import authorize, build_interceptors
from faristol.client.problems import every_reason
from faristol.client.services import Api
from faristol.demo.championship import Championship, ChampionshipOutcome
from faristol.demo.duplicate_game import terminal as duplicate
from faristol.demo.duplicate_game.championship import DuplicateOutcome as DuplicateOutcome
from faristol.demo.duplicate_game.plan import DuplicatePlan
from faristol.demo.plan import Plan
from faristol.demo.play_finder import PlayFinder
from faristol.demo.readiness import check, open_lexicon
from faristol.gateway.api.contract_json import tie_break_value
from faristol.host import Addresses, Settings, StartError
from faristol.host.process import stop_on_signals
from faristol.host.rpc.channels import Channels
from faristol.host.security.tls import Tls
from faristol.kernel.refusal import N_, Param
from faristol.kernel.times import to_datetime
from faristol.launcher.director_link import grant_director_link, local_channels
from faristol.launcher.processes import Running, running
from faristol.pb.results.v1 import results_pb2
from faristol.presentation import labels
from faristol.presentation.page_addresses import tournament_path
from faristol.rules.ruleset.options import format_value
from faristol.table_terminal.shared.common import localize
from faristol.words import WordGraph

PLAYER = "player"
DEMONSTRATED = N_("{title}: {players} players, {rounds} {rounds:round|rounds} under {ruleset}")
LEXICON_USED = N_("Lexicon: {count} tile strings from {source} {edition}; licence: {licence}")
WATCH_AT = N_("Watch it at {address}")
TO_DIRECT = N_("To direct it, sign in by {address}")
PAGES_SERVED = N_("The pages, until Ctrl-C: {address}")
ROLES_BEGIN = N_("Each role begins at {address}")
PLAYED_BEFORE = N_(
    "These services already have the demonstration with the seed {seed}, the tournament {tournament}: specify a "
    "different --seed, or see {page} on the pages."
)
CONTINUED = N_(
    "The tournament {tournament} exists from an earlier run and is continued; if it is over, only its standings are "
    "shown. A different --seed plays another championship."
)


@dataclass(frozen=True)
class Ended:
    """The outcome of a demonstration, for output."""

    content: dict[str, object]
    """As JSON."""
    standings: Grid


async def run(settings: Settings, plan: Plan, *, json_output: bool, keep_serving: bool, connect: bool) -> None:
    """Play the championship of ``plan``; with ``connect``, against services that already run.

    With ``json_output``, standard output has one JSON object only. Raises ``StartError`` with the reason if a service
    refuses a request.
    """
    stop = stop_on_signals()
    check(plan)
    lexicon, graph = await asyncio.to_thread(open_lexicon, settings, plan)
    async with AsyncExitStack() as stack:
        if connect:
            channels, process = _elsewhere(settings), None
        else:
            process = await stack.enter_async_context(running(settings))
            channels = local_channels(process)
        stack.push_async_callback(channels.close)
        console = Console(stderr=True)
        pages = process.http_address + tournament_path(plan.tournament_id) if process else ""
        _introduce(console, plan, graph, pages)
        api = Api(channels.channel)
        now = await _find_moment(console, api, plan)
        if isinstance(plan, DuplicatePlan):
            playing = _run_duplicate(console, api, plan, lexicon, graph)
        else:
            finder = PlayFinder(settings.lexicons, graph.digest)
            stack.callback(finder.close)
            playing = _run_tables(console, Championship(api, plan, graph, lexicon, now, find=finder.find))
        ended = await _until(stop, process, playing)
        if ended is None:
            return
        if json_output:
            json.dump(ended.content, sys.stdout, ensure_ascii=False, indent=2)
            sys.stdout.write("\n")
        else:
            Console().print(ended.standings)
        if process and keep_serving:
            link = await grant_director_link(process, channels, [plan.tournament_id])
            for text, address in ((TO_DIRECT, link), (PAGES_SERVED, pages), (ROLES_BEGIN, _home(pages))):
                console.print(localize(text, address=address), highlight=False, markup=False, soft_wrap=True)
            await process.process.serve(stop)
            if process.process.problem:
                raise StartError(process.process.problem)


def _build_interceptors(settings: Settings, address: str) -> list[Any]:
    return build_interceptors(authorize(address, settings.access_folder(), record=settings.access_record()))


def _elsewhere(settings: Settings) -> Channels:
    addresses = Addresses()
    for service in ("access", "lexicon", "game", "clock", "pairing", "rating", "results"):
        if not addresses.of(service):
            missing = addresses.setting(service)
            raise StartError(f"--connect needs the address of every service: set FARISTOL_CLIENT_ADDRESS, or {missing}")
    return Channels(addresses.of, partial(_build_interceptors, settings), Tls.of(settings) if settings.tls_ca else None)


async def _find_moment(console: Console, api: Api, plan: Plan) -> datetime:
    """Return the time up to which the championship is dated: now, or that of an earlier run on the same record.

    With the same times the commands of an earlier run get their first answers, and the championship continues. Raises
    ``StartError`` for duplicate games, whose last turn is dated now.
    """
    which = results_pb2.GetTournamentRequest(tournament_id=plan.tournament_id)
    try:
        found = await api.call(which)
    except grpc.aio.AioRpcError as error:
        if error.code() is grpc.StatusCode.NOT_FOUND:
            return datetime.now(UTC)
        raise StartError(every_reason(error)) from error
    params: dict[str, str | int] = {
        "tournament": plan.tournament_id,
        "seed": plan.seed,
        "page": tournament_path(plan.tournament_id),
    }
    if isinstance(plan, DuplicatePlan):
        raise StartError(localize(PLAYED_BEFORE, **params))
    console.print(localize(CONTINUED, **params), highlight=False, soft_wrap=True)
    return plan.end_of(to_datetime(found.tournament.created_at))


async def _run_duplicate(console: Console, api: Api, plan: DuplicatePlan, lexicon: str, graph: WordGraph) -> Ended:
    games: DuplicateOutcome = await duplicate.play(console, api, plan, lexicon, graph)
    return Ended(duplicate.as_json(plan, games), duplicate.standings(games, plan))


async def _run_tables(console: Console, championship: Championship) -> Ended:
    outcome = await _play(console, championship)
    return Ended(_as_json(championship.plan, outcome), standings(outcome))


async def _until(stop: asyncio.Event, process: Running | None, play: Coroutine[Any, Any, Ended]) -> Ended | None:
    """Return the outcome, or None after a signal. Raises ``StartError`` for a refusal or a failed part."""
    playing = asyncio.create_task(play)
    others: set[asyncio.Task[Any]] = {asyncio.create_task(stop.wait())}
    if process:
        others.add(asyncio.create_task(process.process.wait_for_failure()))
    try:
        await asyncio.wait({playing, *others}, return_when=asyncio.FIRST_COMPLETED)
        if playing.done():
            return playing.result()
        if process and process.process.problem:
            raise StartError(process.process.problem)
        return None
    except grpc.aio.AioRpcError as error:
        raise StartError(f"the championship cannot continue: {every_reason(error).rstrip('.')}") from error
    finally:
        for task in (playing, *others):
            task.cancel()
        await asyncio.gather(playing, *others, return_exceptions=True)


async def _play(console: Console, championship: Championship) -> ChampionshipOutcome:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("tables"),
        TextColumn("{task.fields[speed]}"),
    )
    with Progress(*columns, console=console) as progress:
        bars: dict[int, TaskID] = {}
        meter = _Meter(championship.api)

        def show_progress(number: int, finished: int, tables: int) -> None:
            if number not in bars:
                bars[number] = progress.add_task(f"round {number}", total=tables, speed="")
            progress.update(bars[number], completed=finished)

        async def measure() -> None:
            while True:
                await asyncio.sleep(0.5)
                if bars:
                    progress.update(max(bars.values()), speed=await meter.read())

        measuring = asyncio.create_task(measure())
        try:
            return await replace(championship, seen=show_progress).play()
        finally:
            measuring.cancel()


class _Meter:
    """A meter of public events per second."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._last = (time.monotonic(), -1)

    async def read(self) -> str:
        try:
            answer = await self._api.results.ListTournaments(results_pb2.ListTournamentsRequest(), timeout=2)
        except grpc.aio.AioRpcError:
            return ""  # the service is unavailable; the bar continues without the speed
        now, position = time.monotonic(), int(answer.position)
        (before, last), self._last = self._last, (now, position)
        return "" if last < 0 else f"{(position - last) / (now - before):,.0f} events/s"


def _introduce(console: Console, plan: Plan, graph: WordGraph, pages: str) -> None:
    about = graph.about
    of_plan: dict[str, Param] = {
        "title": plan.title,
        "players": plan.players,
        "rounds": plan.rounds,
        "ruleset": _under(plan),
    }
    of_lexicon: dict[str, Param] = {
        "count": f"{len(graph):,}",
        "source": about.source,
        "edition": about.edition,
        "licence": about.licence,
    }
    lines = [localize(DEMONSTRATED, **of_plan), localize(LEXICON_USED, **of_lexicon)]
    if pages:
        lines.append(localize(WATCH_AT, address=pages))
    for line in lines:
        console.print(line, highlight=False, markup=False, soft_wrap=True)


def _home(pages: str) -> str:
    """Return the home page of the site of a URL."""
    parts = urlsplit(pages)
    return f"{parts.scheme}://{parts.netloc}/"


def _under(plan: Plan) -> str:
    """Return the ruleset with its chosen options, as `faristol ruleset show` accepts it."""
    return ":".join([plan.ruleset, *(f"{name}={format_value(value)}" for name, value in plan.rules.chosen.items())])


def standings(outcome: ChampionshipOutcome) -> Grid:
    """Return the final standings for a terminal of 80 columns: names are folded if figures need the width."""
    new = {rating.player_id: rating for rating in outcome.ratings.ratings}
    grid = Grid(title=outcome.tournament.name, box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    breaks = [
        labels.TIE_BREAKS.get(tie_break.name, (tie_break.name, tie_break.name))[1]
        for tie_break in outcome.standings[0].tie_breaks
    ]
    for title in ("", PLAYER, "points", *breaks, "W-D-L", "rating"):
        if title == PLAYER:
            grid.add_column(title, overflow="fold")  # only names are folded: figures stay on one line at 80 columns
        else:
            grid.add_column(title, justify="right", no_wrap=True)
    for line in outcome.standings:
        rating = new[line.player_id]
        grid.add_row(
            str(line.rank),
            line.name,
            f"{line.half_points / 2:g}",
            *(f"{tie_break_value(tie_break):g}" for tie_break in line.tie_breaks),
            f"{line.wins}-{line.draws}-{line.losses}",
            f"{rating.before}→{rating.after}",
        )
    return grid


def _as_json(plan: Plan, outcome: ChampionshipOutcome) -> dict[str, object]:
    tournament = outcome.tournament
    new = {rating.player_id: rating for rating in outcome.ratings.ratings}
    return {
        "tournament_id": tournament.tournament_id,
        "name": tournament.name,
        "ruleset": {"name": tournament.ruleset.name, "digest": tournament.ruleset.digest},
        "lexicon": {"name": tournament.lexicon.name, "digest": tournament.lexicon.digest},
        "players": plan.players,
        "rounds": plan.rounds,
        "seed": plan.seed,
        "standings": [
            {
                "rank": line.rank,
                "player_id": line.player_id,
                "name": line.name,
                "points": line.half_points / 2,
                "tie_breaks": {tie_break.name: tie_break_value(tie_break) for tie_break in line.tie_breaks},
                "wins": line.wins,
                "draws": line.draws,
                "losses": line.losses,
                "bye": line.bye,
                "spread": line.spread,
                "total": line.total,
                "rating": new[line.player_id].before,
                "new_rating": new[line.player_id].after,
            }
            for line in outcome.standings
        ],
    }
