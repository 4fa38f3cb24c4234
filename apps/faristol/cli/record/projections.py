"""`faristol projection …`: projections of the record, and the status of consumers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from faristol.cli.record.record import StoredRecord
from faristol.host import StartError
from faristol.table_terminal.shared.screen import console, progress

if TYPE_CHECKING:
    from faristol.consumers import Parked, Projection, Stopped
    from faristol.consumers.status import Status
    from faristol.event_store import Record

Name = Annotated[str, typer.Argument(help="Name of a projection; default: all.")]


def list_projections(stored: StoredRecord) -> None:
    """Show the relay, consumers, sealer and witnesses of the record: position, lag, and events that fail."""
    from faristol.consumers.status import status

    lines, last = _with_record(stored, status)
    if stored.json_output:
        stored.print({"position": last, "consumers": list(map(_as_json, lines))}, (), indent=2)
    else:
        _show(lines, last)


def rebuild(stored: StoredRecord, name: Name = "") -> None:
    """Rebuild a projection from the first event on, beside the one in use, and then switch to it.

    Services may run during the rebuild. An interrupted one can be restarted.
    """
    built = [
        _with_record(stored, partial(_rebuild, projection=projection, quiet=stored.json_output))
        for projection in _projections(name)
    ]
    if stored.json_output:
        stored.print(built, ())


def drop(
    stored: StoredRecord,
    name: Annotated[str, typer.Argument(help="Name of a projection.")],
    version: Annotated[int, typer.Argument(help="A version that has been replaced.")],
) -> None:
    """Drop the tables of a version that is no longer in use."""
    from faristol.consumers import generations

    _with_record(stored, lambda record: generations.drop(record, name, version))
    content = {"name": name, "version": version}
    stored.print(content, f"{name}@{version}: dropped")


def retry(
    stored: StoredRecord,
    name: Annotated[str, typer.Argument(help="Name of a projection or a reaction; default: all.")] = "",
    key: Annotated[str, typer.Argument(help="A parked stream or tournament; default: all that are parked.")] = "",
) -> None:
    """Retry failed events of consumers now: parked streams and tournaments, and stopped consumers.

    No event is ever skipped. Parked keys are also retried automatically, with increasing pauses.
    """
    names, rows = _with_record(stored, lambda record: _retry(record, name, key))
    if name and not names and not rows:
        shown = f"{name!r} at {key!r}" if key else repr(name)
        raise StartError(f"{shown} has no parked events: `faristol projection list` shows what has")
    asked = [*names, *(f"{consumer} at {of}" for consumer, of in rows)]
    text = (
        "\n".join(f"{line}: asked to try again" for line in asked)
        or "no events are parked and no projection is stopped"
    )
    keys = [{"consumer": consumer, "key": of} for consumer, of in rows]
    stored.print({"asked": names, "keys": keys}, text)


def _projections(name: str) -> list[Projection]:
    from faristol.lexicon.adjudication.cases import docket
    from faristol.read_models.projections.projection import projection

    known = [docket.projection(), projection()]
    chosen = [projection for projection in known if name in {"", projection.name}]
    if not chosen:
        names = ", ".join(sorted(projection.name for projection in known))
        raise StartError(f"there is no projection {name!r}: choose one of {names}")
    return chosen


def _with_record(stored: StoredRecord, work: Callable[[Record], Awaitable[Any]]) -> Any:
    """Return the result of ``work``. Raises ``StartError`` if it fails for an expected reason."""
    from faristol.consumers import CannotTake, ProjectionError, tables

    async def work_with_tables(record: Record) -> Any:
        if not record.is_read_only:
            async with record.writing() as connection:
                await tables.make(connection)
        return await work(record)

    try:
        return stored.open(work_with_tables)
    except ProjectionError as error:
        raise StartError(str(error)) from error
    except CannotTake as error:
        raise StartError(f"the rebuild was abandoned, and the version in use is unchanged: {error}") from error


async def _retry(record: Record, name: str, key: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Request retries; return the stopped consumers, and the parked keys with their consumers."""
    from faristol.consumers import parked, stopped

    return [] if key else await stopped.retry(record, name), await parked.retry(record, name, key)


async def _rebuild(record: Record, projection: Projection, *, quiet: bool) -> dict[str, Any]:
    from faristol.consumers import Rebuild

    with progress(f"rebuilding {projection.consumer}") as done:
        rebuilt = await Rebuild(record, projection, done).run()
    speed = rebuilt.events / rebuilt.seconds
    if not quiet:
        typer.echo(
            f"{projection.consumer}: {rebuilt.events:,} events in {rebuilt.seconds:.1f} s ({speed:,.0f}/s), "
            f"read from position {rebuilt.position} on"
        )
        if rebuilt.parked:
            typer.echo(f"{rebuilt.parked} tournaments are parked: `faristol projection list` shows why")
    return {
        "consumer": projection.consumer,
        "events": rebuilt.events,
        "seconds": rebuilt.seconds,
        "position": rebuilt.position,
        "parked": rebuilt.parked,
    }


def _as_json(line: Status) -> dict[str, Any]:
    values = asdict(line)
    if line.stopped:
        values["stopped"]["since"] = line.stopped.since.isoformat()
    for row in values["parked"]:
        row["since"] = row["since"].isoformat()
    return values


def _show(lines: list[Status], last: int) -> None:
    table = Table(
        "consumer", "kind", "state", "position", "lag", "parked", "tables", "works at", box=None, pad_edge=False
    )
    for line in lines:
        generation = f"generation {line.generation}" if line.generation else ""
        counts = (str(line.position), str(line.lag), str(len(line.parked) or ""))
        table.add_row(line.name, line.kind, line.state, *counts, generation, line.holder)
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
        for what, failed in (("has stopped", line.stopped), *((f"has parked {row.key}", row) for row in line.parked)):
            if failed:
                out.print(f"{line.name} {what}: {_failure(failed)}", highlight=False, markup=False, soft_wrap=True)


def _failure(failed: Stopped | Parked) -> str:
    return (
        f"it cannot take event {failed.position} ({failed.type} on {failed.stream}, {failed.event_id}) since "
        f"{failed.since:%Y-%m-%d %H:%M:%S} UTC, tried {failed.attempts} times: {failed.error}"
    )
