"""Common code of commands: settings, running work, the actor, and output."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from faristol.host import StartError
from faristol.host.observability import logs
from faristol.kernel.refusal import Param
from faristol.text import number, say
from faristol.text.terminal import language_of_terminal

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from faristol.host import Settings

T = TypeVar("T")


class _Person:
    """The actor of the command, if given on the command line."""

    name = ""


def acting_as(name: str | None) -> None:
    """Set the actor of this command, as ``--as`` names it. An empty name has no effect."""
    if name:
        _Person.name = name


def who_acts() -> str:
    """Return the name of the actor, by ``--as`` or else by FARISTOL_CLIENT_NAME; empty if neither is given."""
    return _Person.name or os.environ.get("FARISTOL_CLIENT_NAME", "").strip()


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run asynchronous work to its end, with logs on standard error."""
    settings = settings_of()
    logs.begin(settings.log_level, settings.log_format)
    return asyncio.run(work)


def localize(text: str, **params: Param) -> str:
    """Return a text, marked with ``N_``, in the language of the terminal."""
    return say(text, params, language_of_terminal())


def format_number(value: float) -> str:
    """Format a number in the language of the terminal."""
    return number(value, language_of_terminal())


def as_json(message: Message) -> dict[str, Any]:
    """Convert a message to JSON, with the names of the contract and every field."""
    from google.protobuf.json_format import MessageToDict

    return MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)


def print_answer(content: Any, lines: str | Iterable[str], *, json_output: bool, indent: int | None = 2) -> None:
    """Print an answer: lines for people, or with ``--json`` the content for programs.

    The content is a message of the contract or JSON data. Without an ``indent`` it is one line.
    """
    if json_output:
        if hasattr(content, "DESCRIPTOR"):
            content = as_json(content)
        typer.echo(json.dumps(content, ensure_ascii=False, indent=indent))
        return
    texts = [lines] if isinstance(lines, str) else list(lines)
    if texts:
        typer.echo("\n".join(texts))


def format_count(count: int, thing: str, things: str = "") -> str:
    """Format a count with its noun: ``1 seal``, ``2 seals``; ``things`` is an irregular plural."""
    return f"{count:,} {thing if count == 1 else things or thing + 's'}"


def columns(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield lines with aligned cells, two blanks apart."""
    kept = [list(row) for row in rows]
    widths = [max(map(len, cells)) for cells in zip(*kept, strict=True)]
    for row in kept:
        yield "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()


def settings_of(**given: object) -> Settings:
    """Load settings from flags, then the environment. Raises ``StartError`` for an invalid value."""
    # Imported on use: `--help` needs neither.
    from pydantic import ValidationError

    from faristol.host import Settings

    try:
        return Settings(**{key: value for key, value in given.items() if value is not None})  # type: ignore[arg-type]
    except ValidationError as error:
        first = error.errors()[0]
        name = "_".join(str(part) for part in first["loc"])
        value = first.get("input")
        raise StartError(f"setting {name} cannot be {value!r}: {first['msg'].lower()}") from error


def owners_settings_of(*, database_url: str | None, **given: object) -> Settings:
    """Load settings for the owner of the tables: without a flag for the database, those of the owner's role."""
    settings = settings_of(database_url=database_url, **given)
    if database_url is None and settings.database_owner_url:
        settings.database_url = settings.database_owner_url
        settings.database_password_file = settings.database_owner_password_file
    return settings
