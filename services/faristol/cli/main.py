"""The commands."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import tempfile
from collections.abc import Coroutine
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from faristol.bus import BusError
from faristol.host import SERVICES, Settings, StartError
from faristol.host.process import stop_on_signals
from faristol.record import RecordError
from faristol.words import DEFAULT_NAME, LexiconError

PROBLEMS = (StartError, RecordError, BusError, LexiconError)
"""What can be wrong outside Faristol; the message is for the person at the terminal."""

app = typer.Typer(
    no_args_is_help=True, add_completion=False, rich_markup_mode=None, help="Championships of crossword-tile games."
)
record_app = typer.Typer(no_args_is_help=True, help="The record of everything that happened.")
lexicon_app = typer.Typer(no_args_is_help=True, help="The lexicons on this machine.")
app.add_typer(record_app, name="record")
app.add_typer(lexicon_app, name="lexicon")

console = Console(stderr=True)

Data = Annotated[Path | None, typer.Option(help="Folder of the embedded record and bus.")]
Database = Annotated[str | None, typer.Option(help="Record at sqlite:///PATH or postgresql://…")]
Nats = Annotated[str | None, typer.Option(help="NATS server; one is started when none is given.")]
Http = Annotated[int | None, typer.Option("--http", help="Port of pages and JSON; 0 takes a free one.")]
Grpc = Annotated[int | None, typer.Option("--grpc", help="Port of gRPC; 0 takes a free one.")]


def settings_of(**given: object) -> Settings:
    """Settings from flags, then the environment. Raises ``StartError`` for a value that none can have."""
    try:
        return Settings(**{key: value for key, value in given.items() if value is not None})  # type: ignore[arg-type]
    except ValidationError as problem:
        first = problem.errors()[0]
        name = "_".join(str(part) for part in first["loc"])
        value = first.get("input")
        raise StartError(f"setting {name} cannot be {value!r}: {first['msg'].lower()}") from problem


@app.command()
def up(
    data: Data = None, http: Http = None, grpc: Grpc = None, database_url: Database = None, nats_url: Nats = None
) -> None:
    """Serve everything in one process."""
    settings = settings_of(data=data, http_port=http, grpc_port=grpc, database_url=database_url, nats_url=nats_url)
    _run(_serve(settings, SERVICES))


@app.command()
def serve(
    service: Annotated[str, typer.Argument(help=", ".join(SERVICES))],
    data: Data = None,
    http: Http = None,
    grpc: Grpc = None,
    database_url: Database = None,
    nats_url: Nats = None,
) -> None:
    """Serve one service in a process of its own."""
    if service not in SERVICES:
        raise typer.BadParameter(f"there is no service {service!r}: choose one of {', '.join(SERVICES)}")
    settings = settings_of(data=data, http_port=http, grpc_port=grpc, database_url=database_url, nats_url=nats_url)
    _run(_serve(settings, (service,)))


async def _serve(settings: Settings, services: tuple[str, ...]) -> None:
    from faristol.cli.compose import running, serve_until

    stop = stop_on_signals()
    async with running(settings, services) as process:
        what = services[0] if len(services) == 1 else "all services"
        console.print(f"faristol: {what}: gRPC on {process.grpc_address}", highlight=False, soft_wrap=True)
        if "gateway" in services:
            console.print(f"faristol: pages and JSON on {process.http_address}", highlight=False, soft_wrap=True)
        await serve_until(process, stop)


@app.command()
def demo(
    players: Annotated[int, typer.Option(min=2, max=400, help="Number of players.")] = 16,
    rounds: Annotated[int, typer.Option(min=1, max=30, help="Number of rounds.")] = 5,
    seed: Annotated[int, typer.Option(help="The same seed gives the same championship.")] = 7,
    ruleset: Annotated[str, typer.Option(help="Rules that it is played under.")] = "fisc-2023",
    data: Annotated[Path | None, typer.Option(help="Data folder, to go on where it was; else a new one.")] = None,
    http: Http = None,
    database_url: Database = None,
    nats_url: Nats = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print one JSON object with the standings.")] = False,
    keep_serving: Annotated[bool, typer.Option("--serve", help="Keep serving the pages at the end.")] = False,
    connect: Annotated[
        bool, typer.Option("--connect", help="Play against services that run, at FARISTOL_…_ADDRESS.")
    ] = False,
) -> None:
    """Play a championship through the public interfaces, with players who bluff, challenge and run late."""
    from faristol.cli import demo as demonstration

    with ExitStack() as stack:
        if data is None and not connect:
            data = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="faristol-")))
        settings = settings_of(
            data=data,
            http_port=http if http is not None else (None if keep_serving else 0),
            database_url=database_url,
            nats_url=nats_url,
        )
        plan = demonstration.Plan(players=players, rounds=rounds, seed=seed, ruleset=ruleset)
        show = demonstration.Show(json_output=json_output, keep_serving=keep_serving, connect=connect)
        _run(demonstration.run(settings, plan, show))


@record_app.command()
def verify(data: Data = None, database_url: Database = None) -> None:
    """Check the order and the hash chain of every event."""
    settings = settings_of(data=data, database_url=database_url)
    path = Path(settings.record_url().removeprefix("sqlite:///"))
    if not settings.database_url and not path.exists():
        raise StartError(f"there is no record in {settings.data}: give its folder with --data")
    if _run(_verify(settings)):
        raise typer.Exit(1)


async def _verify(settings: Settings) -> bool:
    from faristol.record import Record
    from faristol.record.verification import verify as verify_record

    record = await Record.open(settings.record_url())
    try:
        with _bar("verifying") as (progress, task):
            verdict = await verify_record(
                record, lambda done, total: progress.update(task, completed=done, total=total)
            )
    finally:
        await record.close()
    typer.echo(
        f"{verdict.events} events in {verdict.streams} streams: order and hashes are right"
        if not verdict.wrong
        else f"WRONG at {verdict.wrong}; the {verdict.events} events before it are right"
    )
    return bool(verdict.wrong)


@lexicon_app.command("install")
def install_lexicon(
    name: Annotated[str, typer.Argument(help="Name of the word list.")] = DEFAULT_NAME,
    lexicons: Annotated[Path | None, typer.Option(help="Folder of the lexicons.")] = None,
) -> None:
    """Fetch an open word list by its package name and build a lexicon of it."""
    from faristol.words import Library, install

    settings = settings_of(lexicons=lexicons)
    with _bar(f"installing {name}") as (progress, task):
        installed = install(
            name, Library(settings.lexicons), lambda done, total: progress.update(task, completed=done, total=total)
        )
    about = installed.about
    typer.echo(f"{name}: {installed.header.words:,} tile strings from {about.source} {about.edition}")
    typer.echo(f"licence of the words: {about.licence}")


@lexicon_app.command("list")
def list_lexicons(lexicons: Annotated[Path | None, typer.Option(help="Folder of the lexicons.")] = None) -> None:
    """List the lexicons on this machine."""
    from faristol.words import Library

    for installed in Library(settings_of(lexicons=lexicons).lexicons).list():
        about = installed.about
        typer.echo(
            f"{installed.name}  {installed.header.words:,} tile strings  {installed.digest[:12]}  {about.licence}"
        )


class _bar:  # noqa: N801 # used as a function
    """A progress bar on the terminal."""

    def __init__(self, what: str) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:3.0f}%"))
        self._progress = Progress(*columns, TimeRemainingColumn(), console=console, transient=True)
        self._what = what

    def __enter__(self) -> tuple[Progress, TaskID]:
        self._progress.start()
        return self._progress, self._progress.add_task(self._what, total=None)

    def __exit__(self, *_: object) -> None:
        self._progress.stop()


def _run(work: Coroutine[Any, Any, Any]) -> Any:
    logging.basicConfig(
        level=os.environ.get("FARISTOL_LOG_LEVEL", "WARNING").upper(),
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    return asyncio.run(work)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line. What is wrong outside Faristol is told in one sentence, with exit code 2."""
    try:
        code = app(arguments, prog_name="faristol", standalone_mode=False)
    except typer.TyperException as problem:
        _tell(str(getattr(problem, "format_message", problem.__str__)()), "; `faristol --help` shows what there is")
    except PROBLEMS as problem:
        _tell(str(problem), "")
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(130)
    else:
        sys.exit(code if isinstance(code, int) else 0)


def _tell(message: str, hint: str) -> None:
    print(f"faristol: {message.rstrip('.')}{hint}.", file=sys.stderr)  # noqa: T201
    sys.exit(2)
