"""Pins of documents by content: the ruleset and the lexicon of a tournament and its games."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from faristol.kernel.refusal import N_, Refusal
from faristol.pb.game.v1 import events_pb2 as game

LEXICONS: Mapping[str, str] = {"ca": "catalan", "el": "greek", "en": "english", "es": "spanish"}
"""The default lexicon by the language of a tile set."""


@dataclass(frozen=True, slots=True)
class Pin:
    """A ruleset or a lexicon by its name and the SHA-256 of its content, in lower-case hexadecimal."""

    name: str = ""
    digest: str = ""
    options: tuple[tuple[str, str], ...] = ()
    """The options chosen for a ruleset: names and values as text."""

    @classmethod
    def of(cls, pin: game.Pin) -> Pin:
        """Convert from the contract's message."""
        return cls(pin.name, pin.digest, tuple((option.name, option.value) for option in pin.options))

    def message(self) -> game.Pin:
        """Convert to the contract's message."""
        options = [game.ChosenOption(name=name, value=value) for name, value in self.options]
        return game.Pin(name=self.name, digest=self.digest, options=options)

    def optional_message(self) -> game.Pin | None:
        """Convert to the contract's message, or return None for no pin, so that the field is absent."""
        return self.message() if self != UNPINNED else None


UNPINNED = Pin()
"""No pin."""


def no_lexicon(text: str = "", article: str = "") -> Refusal:
    """Return the refusal of an action that needs a lexicon, in a tournament without one.

    ``text`` is an English sentence, marked with ``N_``, that names the action; the default is about challenges.
    """
    challenges = N_(
        "This tournament has no lexicon, so challenges cannot be ruled on. The director chooses one under "
        "“Settings”; it applies to tables that open after that."
    )
    return Refusal("NO_LEXICON", text or challenges, article=article)


def lexicon_missing(name: str, installed: Iterable[str]) -> Refusal:
    """Return the refusal for a lexicon that is not installed; it lists the ``installed`` ones."""
    return Refusal(
        "LEXICON_MISSING",
        N_(
            "The lexicon {name} is not installed here; installed: {installed}. The operator installs an open"
            " one by `faristol lexicon install {name}`, another by `faristol lexicon add {name}`."
        ),
        {"name": name, "installed": ", ".join(installed) or "–"},
    )
