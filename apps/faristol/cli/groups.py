"""Groups of commands with lazy imports: listing them imports none, and a call imports only its command."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperGroup

from faristol.cli.commands import COMMANDS, Noun, Verb
from faristol.cli.usage import HelpContext
from faristol.kernel.quotation import likely
from faristol.kernel.refusal import N_
from faristol.table_terminal.shared.common import acting_as, localize


class Group(TyperGroup):
    """A group of commands whose listing imports none of them."""

    context_class = HelpContext

    def shorts(self, ctx: Any) -> Mapping[str, str]:
        """Return the short help of each command by name."""
        return {name: command.get_short_help_str(100) for name, command in self.commands.items()}

    def list_commands(self, ctx: Any) -> list[str]:
        """List the names of the commands."""
        return list(self.shorts(ctx))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.shorts(ctx).items()))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command. The error for an unknown one suggests similar names."""
        known = self.list_commands(ctx)
        if args[0] not in known and not args[0].startswith("-") and not ctx.resilient_parsing:
            ctx.fail(unknown(N_("command"), args[0], known))
        return super().resolve_command(ctx, args)


def unknown(what: str, given: str, known: Iterable[str]) -> str:
    """Return the error for an unknown name, with similar known names, or else all of them."""
    known, what, name = list(known), localize(what), repr(given)
    if near := likely(given, known, 3):
        alternative = localize(N_("or"))
        meant = f" {alternative} ".join(near)
        return localize(N_("there is no {what} {name}; did you mean {near}?"), what=what, name=name, near=meant)
    return localize(N_("there is no {what} {name}; there are: {known}"), what=what, name=name, known=", ".join(known))


class Commands(Group):
    """The commands of ``main`` and of ``COMMANDS``."""

    def shorts(self, ctx: Any) -> Mapping[str, str]:
        """Return the short help of each command by name."""
        listed = {name: entry.help for name, entry in COMMANDS.items()}
        return {**super().shorts(ctx), **listed}

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command of ``main``, or import one of ``COMMANDS``."""
        if cmd_name not in COMMANDS:
            command = super().get_command(ctx, cmd_name)
            if command:
                command.context_class = HelpContext
            return command
        return command_of(cmd_name, COMMANDS[cmd_name])


class Verbs(Group):
    """The verbs of a noun."""

    noun: Noun

    def shorts(self, ctx: Any) -> Mapping[str, str]:
        """Return the short help of each verb by name."""
        return {name: verb.short for name, verb in self.noun.verbs.items()}

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import the command of a verb; return None for an unknown one."""
        verb = self.noun.verbs.get(cmd_name)
        return command_of(cmd_name, verb) if verb else None


def command_of(name: str, entry: Noun | Verb) -> Any:
    """Import and build a command."""
    if isinstance(entry, Noun):
        group = Verbs(name=name, help=entry.help, no_args_is_help=True, rich_markup_mode=None)
        group.noun = entry
        return group
    module, _, function = entry.where.partition(":")
    if function:
        carried_out = getattr(import_module(f"faristol.cli.{module}"), function)
    else:
        carried_out = import_module("faristol.cli.contract").command_of(entry.where)
    command = _build_command(name, _expand_options(carried_out))
    command.context_class = HelpContext
    if not any("--as" in param.opts for param in command.params):
        command.params.extend(param for param in _build_command("", _somebody).params if param.name == "acts")
    return command


def _expand_options(function: Callable[..., None]) -> Callable[..., None]:
    """Return a command with an option for each field of its parameter of a data class, after its own options."""
    own = dict(inspect.signature(function, eval_str=True).parameters)
    name = next((name for name, each in own.items() if is_dataclass(each.annotation)), "")
    if not name:
        return function
    kind: Any = own.pop(name).annotation
    hints = get_type_hints(kind, include_extras=True)
    shared = {
        each.name: inspect.Parameter(each.name, inspect.Parameter.KEYWORD_ONLY, default=each.default)
        for each in fields(kind)
    }

    def carry_out(**given: Any) -> None:
        options = {each: given.pop(each) for each in shared}
        function(**given, **{name: kind(**options)})

    parameters = [*own.values(), *(each.replace(annotation=hints[each.name]) for each in shared.values())]
    carry_out.__doc__ = function.__doc__
    carry_out.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] # read by inspect
    carry_out.__annotations__ = {each.name: each.annotation for each in parameters}
    return carry_out


def _build_command(name: str, function: Callable[..., None]) -> Any:
    parent = typer.Typer(rich_markup_mode=None, add_completion=False)
    parent.command(name)(function)
    return typer.main.get_command(parent)


def _somebody(
    acts: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="NAME",
            callback=acting_as,
            expose_value=False,
            help="Your name, stored with your actions and erasable; default: FARISTOL_CLIENT_NAME.",
        ),
    ] = None,
) -> None:
    """Carry the option ``--as``, which is copied to every other command."""
