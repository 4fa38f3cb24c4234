"""Options: points that a book leaves to the organiser, or that are ambiguous, and the range of each.

An option has a name, a default or none, and a range: a number between two bounds, some of a list, or one of a few
choices, each of which sets one or several values. ``faristol.rules.ruleset.with_options`` applies them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Value = str | int | float | bool | tuple[str, ...] | None
"""A value of a ruleset's key."""

OptionValue = str | int | bool | tuple[str, ...] | None
"""The value of an option: a choice, a number, some of a list, or None for no number."""

NONE = "none"
"""Text for no number in a file, a command line and a message: TOML has no null."""


@dataclass(frozen=True, slots=True)
class Option:
    """One point that the book leaves open."""

    name: str
    because: Literal["organiser", "ambiguous", "silent"]
    """The book leaves it to the organiser; is ambiguous; or is silent."""
    article: str
    """The article that leaves it open; empty if the book is silent."""
    note: str
    """Description of the open point, in a sentence or two."""
    default: OptionValue
    """The default value; None with ``required``."""
    required: bool
    """The organiser must choose: the ruleset is not settled before."""
    when: Mapping[str, Value]
    """The option applies only if each of these keys has this value."""
    key: str
    """The key that a number or a list sets; empty for choices."""
    choices: Mapping[str, Mapping[str, Value]]
    """The values of each choice, as ``section.key`` → value; empty for a number or a list."""
    least: int | None
    """Bounds of a number, both included; None for choices and lists."""
    most: int | None
    may_be_none: bool
    """A number may be absent (``none``)."""
    some_of: tuple[str, ...]
    """Items that a list may have; empty for choices and numbers."""

    @property
    def range(self) -> str:
        """The range as text, in any language: ``20–60``, ``2–20, none``, ``draw, lot``, ``some of a, b``."""
        if self.choices:
            return ", ".join(self.choices)
        if self.some_of:
            return f"some of {', '.join(self.some_of)}"
        return f"{self.least}–{self.most}" + (f", {NONE}" if self.may_be_none else "")

    def sets(self, value: OptionValue) -> Mapping[str, Value]:
        """Return the values for the choice ``value``, as ``section.key`` → value. ``value`` must be in range."""
        return self.choices[str(value)] if self.choices else {self.key: value}

    @property
    def keys(self) -> tuple[str, ...]:
        """Every ``section.key`` that the option can set, in the order of the file."""
        if not self.choices:
            return (self.key,)
        return tuple(dict.fromkeys(key for sets in self.choices.values() for key in sets))


def format_value(value: OptionValue | Value) -> str:
    """Format ``value`` as in a file or a command line: ``none``, ``true``, ``a,b``."""
    if value is None:
        return NONE
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(value) if isinstance(value, tuple) else str(value)
