"""Documents pinned by their content: the rules and the lexicon of a tournament and its games."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from faristol.kernel.refusal import N_, Refusal
from faristol.pb.game.v1 import events_pb2 as game


@dataclass(frozen=True, slots=True)
class Pin:
    """A ruleset or a lexicon by its name and the SHA-256 of its content, in lower-case hexadecimal."""

    name: str = ""
    digest: str = ""
    options: tuple[tuple[str, str], ...] = ()
    """What was chosen for a ruleset: names and values as text."""

    @classmethod
    def of(cls, pin: game.Pin) -> Pin:
        """From the contract's message."""
        return cls(pin.name, pin.digest, tuple((option.name, option.value) for option in pin.options))

    def message(self) -> game.Pin:
        """As the contract has it."""
        options = [game.ChosenOption(name=name, value=value) for name, value in self.options]
        return game.Pin(name=self.name, digest=self.digest, options=options)


UNPINNED = Pin()
"""Before anything is pinned."""


def lexicon_missing(name: str, installed: Iterable[str]) -> Refusal:
    """The refusal for a lexicon that is not installed, where those of some names are."""
    return Refusal(
        "LEXICON_MISSING",
        "",
        N_(
            "The lexicon {name} is not installed here; installed: {installed}. The operator installs an open"
            " one by `faristol lexicon install {name}`, another by `faristol lexicon add {name}`."
        ),
        {"name": name, "installed": ", ".join(installed) or "–"},
    )
