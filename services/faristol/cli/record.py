"""`faristol record …`: what an operator does with the record."""

from __future__ import annotations

from pathlib import Path

import typer

from faristol.cli.common import Bar, Data, Database, run, settings_of
from faristol.host import Settings, StartError

app = typer.Typer(no_args_is_help=True, help="The record of everything that happened.")


@app.command()
def verify(data: Data = None, database_url: Database = None) -> None:
    """Check the order and the hash chain of every event."""
    settings = settings_of(data=data, database_url=database_url)
    path = Path(settings.record_url().removeprefix("sqlite:///"))
    if not settings.database_url and not path.exists():
        raise StartError(f"there is no record in {settings.data}: give its folder with --data")
    if run(_verify(settings)):
        raise typer.Exit(1)


async def _verify(settings: Settings) -> bool:
    from faristol.record import Record
    from faristol.record.verification import verify as verify_record

    record = await Record.open(settings.record_url())
    try:
        with Bar("verifying") as (progress, task):
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
