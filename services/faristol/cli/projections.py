"""`faristol projection …`: the tables that are computed from the record, and where their consumers stand."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from faristol.cli.common import AsJson, Data, Database, console, run, settings_of, tell_answer
from faristol.cli.record import existing, opened, shown
from faristol.host import Settings, StartError

if TYPE_CHECKING:
    from faristol.bus import Projection
    from faristol.bus.status import Status
    from faristol.record import Record

app = typer.Typer(no_args_is_help=True, help="The tables that are computed from the record.")

Name = Annotated[str, typer.Argument(help="Name of a projection; all of them when none is given.")]


@app.command("list")
def list_projections(
    data: Data = None,
    database_url: Database = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show what follows the record: where it is, how far behind, and what it cannot take."""
    settings = _settings(data, database_url)
    lines, last = run(_with_record(settings, _status))
    if json_output:
        typer.echo(json.dumps({"position": last, "consumers": [_as_json(line) for line in lines]}, indent=2))
    else:
        _show(lines, last)


@app.command()
def rebuild(name: Name = "", data: Data = None, database_url: Database = None, json_output: AsJson = False) -> None:
    """Build a projection again from the first event on, beside the one that is read, and then put it in its place.

    Services may run meanwhile. One that was interrupted can be started again.
    """
    settings = _settings(data, database_url)
    built = []
    for projection in _projections(name):
        content = run(_with_record(settings, partial(_rebuild, projection=projection, quiet=json_output)))
        built.append(content)
    if json_output:
        typer.echo(json.dumps(built))


@app.command()
def drop(
    name: Annotated[str, typer.Argument(help="Name of a projection.")],
    version: Annotated[int, typer.Argument(help="A version that a newer one has replaced.")],
    data: Data = None,
    database_url: Database = None,
    json_output: AsJson = False,
) -> None:
    """Drop the tables of a version that is no longer read."""
    from faristol.bus import generations

    run(_with_record(_settings(data, database_url), lambda record: generations.drop(record, name, version)))
    tell_answer(f"{name}@{version}: dropped", {"name": name, "version": version}, json_output=json_output)


@app.command()
def retry(
    name: Annotated[
        str, typer.Argument(help="Name of a projection or a reaction; all that stand still when none is given.")
    ] = "",
    data: Data = None,
    database_url: Database = None,
    json_output: AsJson = False,
) -> None:
    """Have consumers that stand still try their event once more. No event is ever skipped."""
    from faristol.bus import stopped

    names = run(_with_record(_settings(data, database_url), lambda record: stopped.retry(record, name)))
    if name and not names:
        raise StartError(f"{name!r} does not stand still: `faristol projection list` shows what does")
    text = "\n".join(f"{asked}: asked to try again" for asked in names) or "nothing stands still"
    tell_answer(text, {"asked": list(names)}, json_output=json_output)


def _settings(data: Path | None, database_url: str | None) -> Settings:
    return existing(settings_of(data=data, database_url=database_url))


def _projections(name: str) -> list[Projection]:
    from faristol.lexicon import docket
    from faristol.results.projection import projection

    known = [docket.projection(), projection()]
    chosen = [one for one in known if name in {"", one.name}]
    if not chosen:
        raise StartError(
            f"there is no projection {name!r}: choose one of {', '.join(sorted(one.name for one in known))}"
        )
    return chosen


async def _with_record(settings: Settings, work: Callable[[Record], Awaitable[Any]]) -> Any:
    """What ``work`` gives. Raises ``StartError`` when it cannot be done."""
    from faristol.bus import CannotTake, ProjectionError, tables

    async with opened(settings) as record:
        async with record.writing() as connection:
            await tables.make(connection)
        try:
            return await work(record)
        except ProjectionError as problem:
            raise StartError(str(problem)) from problem
        except CannotTake as problem:
            raise StartError(f"the rebuild was given up, what is read is as it was: {problem}") from problem


async def _status(record: Record) -> tuple[list[Status], int]:
    from faristol.bus.status import status

    return await status(record)


async def _rebuild(record: Record, projection: Projection, *, quiet: bool) -> dict[str, Any]:
    from faristol.bus import Rebuild

    with shown(f"rebuilding {projection.consumer}") as progress:
        rebuilt = await Rebuild(record, projection, progress).run()
    speed = rebuilt.events / rebuilt.seconds
    if not quiet:
        typer.echo(
            f"{projection.consumer}: {rebuilt.events:,} events in {rebuilt.seconds:.1f} s ({speed:,.0f}/s), "
            f"read from position {rebuilt.position} on"
        )
    return {
        "consumer": projection.consumer,
        "events": rebuilt.events,
        "seconds": rebuilt.seconds,
        "position": rebuilt.position,
    }


def _as_json(line: Status) -> dict[str, Any]:
    values = asdict(line)
    if line.stopped:
        values["stopped"]["since"] = line.stopped.since.isoformat()
    return values


def _show(lines: list[Status], last: int) -> None:
    table = Table("consumer", "kind", "state", "position", "lag", "tables", box=None, pad_edge=False)
    for line in lines:
        generation = f"generation {line.generation}" if line.generation else ""
        table.add_row(line.name, line.kind, line.state, str(line.position), str(line.lag), generation)
    out = type(console)(width=None if console.is_terminal else 200)
    out.print(f"record: position {last}", highlight=False)
    if not any(line.kind == "projection" for line in lines):
        out.print(
            "no projection is built yet: that happens when services start, or by `faristol projection rebuild`",
            highlight=False,
            soft_wrap=True,
        )
    if lines:
        out.print(table, highlight=False)
    for line in lines:
        if line.stopped:
            one = line.stopped
            out.print(
                f"{line.name} cannot take event {one.position} ({one.type} on {one.stream}, {one.event_id}) since "
                f"{one.since:%Y-%m-%d %H:%M:%S} UTC, tried {one.attempts} times: {one.error}",
                highlight=False,
                markup=False,
                soft_wrap=True,
            )
