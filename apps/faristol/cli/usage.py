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
HELP_OPTION_TEXT = N_("Show this message and exit.")

REMARKS = (N_("required"), N_("default: {default}"))
"""Remarks in brackets after the help of a parameter."""

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
"""Messages of the parser for an invalid command line; more specific ones come first."""


def in_language(sentence: str, templates: Sequence[str], language: str) -> str:
    """Translate a message of the parser by the one of ``templates`` that matches; return it unchanged if none does."""
    for template in templates:
        places = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+?)", re.escape(template.removesuffix(".")))
        if found := re.fullmatch(rf"{places}\.?", sentence, re.DOTALL):
            params = {place: in_language(text, templates, language) for place, text in found.groupdict().items()}
            return say(template, params, language)
    return sentence


class _Formatter(HelpFormatter):
    """Writes help in the language of the terminal, if it is translated."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self._language = language_of_terminal()
        self._read = translations(self._language).gettext

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write the usage with a translated prefix."""
        super().write_usage(prog, args, prefix or f"{self._read(USAGE)}: ")

    def write_heading(self, heading: str) -> None:
        """Write a translated heading."""
        super().write_heading(self._read(heading))

    def write_text(self, text: str) -> None:
        """Write a translated text."""
        super().write_text(self._read(text) if text else text)

    def write_dl(self, rows: Sequence[tuple[str, str]], *widths: Any, **more: Any) -> None:
        """Write a list of definitions with translated texts."""
        super().write_dl([(name, self._translate_help(text)) for name, text in rows], *widths, **more)

    def _translate_help(self, text: str) -> str:
        """Translate the help of a command, or of a parameter with its remarks."""
        original, _, remarks = text.partition("  [")
        translated = self._read(original) if original else ""
        if not remarks:
            return translated
        found = [in_language(remark, REMARKS, self._language) for remark in remarks.removesuffix("]").split("; ")]
        return f"{translated}  [{'; '.join(found)}]"


class HelpContext(Context):
    """Context of every command."""

    formatter_class = _Formatter
