"""Documents pinned by their content: the rules and the lexicon of a tournament and its games."""

from __future__ import annotations

from dataclasses import dataclass

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
