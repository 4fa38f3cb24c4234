"""Which commands there are, and where: only the one that is called is imported."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

COMMANDS: Mapping[str, str] = {
    "direct": "director:direct",
    "draws": "draws:app",
    "export": "export:app",
    "gcg": "gcg:app",
    "history": "director:history",
    "judge": "judge:app",
    "lexicon": "lexicon:app",
    "pair": "pair:pair",
    "players": "players:app",
    "prizes": "prizes:prizes",
    "projections": "projections:app",
    "ratings": "ratings:app",
    "record": "keeping:app",
    "referee": "referee.command:referee",
    "ruleset": "ruleset:app",
    "rulings": "rulings:app",
    "sheet": "sheet:sheet",
    "table": "table.command:table",
}
"""Each command's module of ``faristol.cli``, and what it is there: a group of commands, or a function."""


class Commands(TyperGroup):
    """The commands of its own, and those of ``COMMANDS``."""

    def list_commands(self, ctx: Any) -> list[str]:
        """See ``click.Group``."""
        return [*super().list_commands(ctx), *COMMANDS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """See ``click.Group``."""
        if cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        module, _, name = COMMANDS[cmd_name].partition(":")
        found = getattr(import_module(f"faristol.cli.{module}"), name)
        parent = typer.Typer(rich_markup_mode=None)
        if isinstance(found, typer.Typer):
            parent.add_typer(found, name=cmd_name)
        else:
            parent.command(cmd_name)(found)
        return typer.main.get_group(parent).commands[cmd_name]
