"""`faristol projection …`: the tables that are computed from the record, and where their consumers stand."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from faristol.cli.common import console, progress, tell
from faristol.cli.options import AsJson, Data, Database, settings_of
from faristol.cli.record import with_record
from faristol.host import StartError

if TYPE_CHECKING:
    from faristol.bus import Projection
    from faristol.bus.status import Status
    from faristol.record import Record

Name = Annotated[str, typer.Argument(help="Name of a projection; all of them when none is given.")]


def list_projections(data: Data = None, database_url: Database = None, json_output: AsJson = False) -> None:
    """Show what follows the record: where it is, how far behind, and what it cannot take."""
    lines, last = _with_record(data, database_url, _status)
    if json_output:
        tell({"position": last, "consumers": list(map(_as_json, lines))}, (), json_output=True)
    else:
        _show(lines, last)


def rebuild(name: Name = "", data: Data = None, database_url: Database = None, json_output: AsJson = False) -> None:
    """Build a projection again from the first event on, beside the one that is read, and then put it in its place.

    Services may run meanwhile. One that was interrupted can be started again.
    """
    built = [
        _with_record(data, database_url, partial(_rebuild, projection=projection, quiet=json_output))
        for projection in _projections(name)
    ]
    if json_output:
        tell(built, (), json_output=True, indent=None)


def drop(
    name: Annotated[str, typer.Argument(help="Name of a projection.")],
    version: Annotated[int, typer.Argument(help="A version that a newer one has replaced.")],
    data: Data = None,
    database_url: Database = None,
    json_output: AsJson = False,
) -> None:
    """Drop the tables of a version that is no longer read."""
    from faristol.bus import generations

    _with_record(data, database_url, lambda record: generations.drop(record, name, version))
    content = {"name": name, "version": version}
    tell(content, f"{name}@{version}: dropped", json_output=json_output, indent=None)


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

    names = _with_record(data, database_url, lambda record: stopped.retry(record, name))
    if name and not names:
        raise StartError(f"{name!r} does not stand still: `faristol projection list` shows what does")
    text = "\n".join(f"{asked}: asked to try again" for asked in names) or "nothing stands still"
    tell({"asked": list(names)}, text, json_output=json_output, indent=None)


def _projections(name: str) -> list[Projection]:
    from faristol.lexicon import docket
    from faristol.results.projection import projection

    known = [docket.projection(), projection()]
    chosen = [projection for projection in known if name in {"", projection.name}]
    if not chosen:
        names = ", ".join(sorted(projection.name for projection in known))
        raise StartError(f"there is no projection {name!r}: choose one of {names}")
    return chosen


def _with_record(data: Path | None, database_url: str | None, work: Callable[[Record], Awaitable[Any]]) -> Any:
    """What ``work`` gives. Raises ``StartError`` when it cannot be done."""
    from faristol.bus import CannotTake, ProjectionError, tables

    async def prepared(record: Record) -> Any:
        async with record.writing() as connection:
            await tables.make(connection)
        return await work(record)

    try:
        return with_record(settings_of(data=data, database_url=database_url), prepared)
    except ProjectionError as problem:
        raise StartError(str(problem)) from problem
    except CannotTake as problem:
        raise StartError(f"the rebuild was given up, what is read is as it was: {problem}") from problem


async def _status(record: Record) -> tuple[list[Status], int]:
    from faristol.bus.status import status

    return await status(record)


async def _rebuild(record: Record, projection: Projection, *, quiet: bool) -> dict[str, Any]:
    from faristol.bus import Rebuild

    with progress(f"rebuilding {projection.consumer}") as done:
        rebuilt = await Rebuild(record, projection, done).run()
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
            event = line.stopped
            out.print(
                f"{line.name} cannot take event {event.position} ({event.type} on {event.stream}, {event.event_id}) "
                f"since {event.since:%Y-%m-%d %H:%M:%S} UTC, tried {event.attempts} times: {event.error}",
                highlight=False,
                markup=False,
                soft_wrap=True,
            )
