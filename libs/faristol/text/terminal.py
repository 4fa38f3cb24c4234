"""The language of the terminal."""

from __future__ import annotations

import os

from faristol.text import negotiate


def language_of_terminal() -> str:
    """The language of the terminal, by LC_ALL, LC_MESSAGES or LANG."""
    said = next(filter(None, (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    return negotiate(said.partition(".")[0].replace("_", "-"))
