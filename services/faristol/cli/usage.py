"""The help of commands and the errors of their parser, in the language of the terminal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from typer._click.core import Context
from typer._click.formatting import HelpFormatter

from faristol.kernel.refusal import N_
from faristol.text import say, translations
from faristol.text.terminal import language_of_terminal

USAGE = N_("Usage")
HEADINGS = (N_("Options"), N_("Arguments"), N_("Commands"))
HELP = N_("Show this message and exit.")

REMARKS = (N_("required"), N_("default: {default}"))
"""What stands in brackets behind the help of a parameter."""

ERRORS = (
    N_("Missing argument {name}."),
    N_("Missing option {name}."),
    N_("No such option: {name} (Possible options: {known})"),
    N_("No such option: {name}"),
    N_("Option {name} requires an argument."),
    N_("Option {name} requires {count} arguments."),
    N_("Option {name} does not take a value."),
    N_("Argument {name} takes {count} values."),
    N_("Got unexpected extra argument(s) ({given})"),
    N_("Invalid value for {name}: {problem}"),
    N_("Value {given} is not a valid {kind}."),
    N_("Value error, {given} is not one of {known}"),
    N_("Input should be a valid integer, unable to parse string as an integer"),
    N_("Input should be greater than or equal to {least}"),
    N_("Input should be less than or equal to {most}"),
)
"""What the parser says of a command line that it cannot read; what says more comes first."""


def in_language(sentence: str, templates: Sequence[str], language: str) -> str:
    """A sentence of the parser, which is one of ``templates`` with its places filled; itself where it is none."""
    for template in templates:
        places = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+?)", re.escape(template.removesuffix(".")))
        if found := re.fullmatch(rf"{places}\.?", sentence, re.DOTALL):
            params = {place: in_language(text, templates, language) for place, text in found.groupdict().items()}
            return say(template, params, language)
    return sentence


class _Formatter(HelpFormatter):
    """Writes help in the language of the terminal, as far as it is translated."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self._language = language_of_terminal()
        self._read = translations(self._language).gettext

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """See ``HelpFormatter``."""
        super().write_usage(prog, args, prefix or f"{self._read(USAGE)}: ")

    def write_heading(self, heading: str) -> None:
        """See ``HelpFormatter``."""
        super().write_heading(self._read(heading))

    def write_text(self, text: str) -> None:
        """See ``HelpFormatter``."""
        super().write_text(self._read(text) if text else text)

    def write_dl(self, rows: Sequence[tuple[str, str]], *widths: Any, **more: Any) -> None:
        """See ``HelpFormatter``."""
        super().write_dl([(name, self._remarked(text)) for name, text in rows], *widths, **more)

    def _remarked(self, text: str) -> str:
        """The help of a parameter with its remarks, or of a command."""
        said, _, remarks = text.partition("  [")
        told = self._read(said) if said else ""
        if not remarks:
            return told
        found = [in_language(remark, REMARKS, self._language) for remark in remarks.removesuffix("]").split("; ")]
        return f"{told}  [{'; '.join(found)}]"


class HelpContext(Context):
    """The context of every command."""

    formatter_class = _Formatter
