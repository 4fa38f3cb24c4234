"""Options: what a book leaves to the organiser, or can be read in two ways, and the range that it leaves.

An option has a name, a default or none, and a range: a number between two bounds, some of a list, or one of a few
choices, each of which sets one value or several together. ``faristol.rules.with_options`` applies them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Value = str | int | float | bool | tuple[str, ...] | None
"""What a key of a ruleset can hold."""

OptionValue = str | int | bool | tuple[str, ...] | None
"""What an organiser chooses: a choice, a number, some of a list, or None where there may be no number."""

NONE = "none"
"""How a file, a command line and a message write that there is no number: TOML has no null."""


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that is not settled by the book."""

    name: str
    because: Literal["organiser", "ambiguous", "silent"]
    """The book leaves it to the organiser; can be read in more than one way; or does not say."""
    article: str
    """Where the book leaves it open; empty where it is silent."""
    note: str
    """What is open, in a sentence or two."""
    default: OptionValue
    """What holds when nothing is chosen; None with ``required`` when something must be."""
    required: bool
    """The organiser must choose: the ruleset is not settled before."""
    when: Mapping[str, Value]
    """The option has a sense only while each of these keys has this value."""
    key: str
    """The key that a number or a list sets; empty for choices."""
    choices: Mapping[str, Mapping[str, Value]]
    """What each choice sets, as ``section.key`` → value; empty for a number or a list."""
    least: int | None
    """Bounds of a number, both included; None for choices and lists."""
    most: int | None
    may_be_none: bool
    """A number may also be left out (``none``)."""
    some_of: tuple[str, ...]
    """What a list may hold; empty for choices and numbers."""

    @property
    def range(self) -> str:
        """What may be chosen, in any language: ``20–60``, ``2–20, none``, ``draw, lot``, ``some of a, b``."""
        if self.choices:
            return ", ".join(self.choices)
        if self.some_of:
            return f"some of {', '.join(self.some_of)}"
        return f"{self.least}–{self.most}" + (f", {NONE}" if self.may_be_none else "")

    def sets(self, value: OptionValue) -> Mapping[str, Value]:
        """The values that choosing ``value`` gives, as ``section.key`` → value. ``value`` must be in range."""
        return self.choices[str(value)] if self.choices else {self.key: value}

    @property
    def keys(self) -> tuple[str, ...]:
        """Every ``section.key`` that the option can set, in the order of the file."""
        if not self.choices:
            return (self.key,)
        return tuple(dict.fromkeys(key for sets in self.choices.values() for key in sets))


def written(value: OptionValue | Value) -> str:
    """``value`` as a file or a command line has it: ``none``, ``true``, ``a,b``."""
    if value is None:
        return NONE
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(value) if isinstance(value, tuple) else str(value)
