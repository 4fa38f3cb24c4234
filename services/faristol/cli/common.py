"""What the commands share: options, settings, a progress bar, and how work is run."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Coroutine, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from faristol.host import Settings, StartError

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


class _Person:
    """Who gave the command, where that was said on the command line."""

    name = ""


def acting_as(name: str | None) -> None:
    """Note who gives this command, as ``--as`` says it. Where nothing is said it stays as it was."""
    if name:
        _Person.name = name


def who_acts() -> str:
    """The name of who gives this command, by ``--as`` or else by FARISTOL_AS; empty where neither says it."""
    return _Person.name or os.environ.get("FARISTOL_AS", "").strip()


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


class Bar:
    """A progress bar on the terminal. Gives the progress and its one task."""

    def __init__(self, what: str) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:3.0f}%"))
        self._progress = Progress(
            *columns, TimeRemainingColumn(), console=console, transient=True, disable=not console.is_terminal
        )
        self._what = what

    def __enter__(self) -> tuple[Progress, TaskID]:
        self._progress.start()
        return self._progress, self._progress.add_task(self._what, total=None)

    def __exit__(self, *_: object) -> None:
        self._progress.stop()


def many(count: int, one: str, more: str = "") -> str:
    """A number of things: ``1 seal``, ``2 seals``; ``more`` is the plural when it is not ``one`` with an s."""
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """Run asynchronous work to its end, with logs on standard error."""
    logging.basicConfig(
        level=settings_of().log_level,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    return asyncio.run(work)


def tell_answer(text: str, content: Mapping[str, Any], *, json_output: bool) -> None:
    """Tell an answer: a sentence for people, or with ``--json`` an object for programs."""
    typer.echo(json.dumps(content, ensure_ascii=False) if json_output else text)


def columns(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Lines of which the cells stand below each other, with two blanks between."""
    kept = [list(row) for row in rows]
    widths = [max(map(len, cells)) for cells in zip(*kept, strict=True)]
    for row in kept:
        yield "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
