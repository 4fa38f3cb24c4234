"""Regenerate the list of `docs/commands.md`: `python tests/unit/cli/command_list.py`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import typer

from faristol.cli.commands import COMMANDS, Noun
from faristol.cli.main import app

PAGE = Path(__file__).parents[3] / "docs" / "commands.md"
HEAD = "## All commands\n\n"


def listing() -> str:
    """Return every command with its short help, below its noun."""
    return "".join(f"{line}\n" for line in _lines())


def _lines() -> Iterator[str]:
    yield from ("| command | description |", "|---|---|")
    main = typer.main.get_command(app)
    for name, command in getattr(main, "commands", {}).items():
        yield f"| `faristol {name}` | {command.get_short_help_str(200)} |"
    for name, entry in COMMANDS.items():
        if not isinstance(entry, Noun):
            yield f"| `faristol {name}` | {entry.short} |"
    for noun, entry in COMMANDS.items():
        if isinstance(entry, Noun):
            yield f"| **{noun}** | {entry.help} |"
            yield from (f"| `faristol {noun} {name}` | {verb.short} |" for name, verb in entry.verbs.items())


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8").partition(HEAD)[0]
    PAGE.write_text(f"{text}{HEAD}{listing()}", encoding="utf-8")
