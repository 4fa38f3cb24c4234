"""Language of the terminal."""

from __future__ import annotations

import os

from faristol.text import negotiate


def language_of_terminal() -> str:
    """Return the language that LC_ALL, LC_MESSAGES or LANG asks for."""
    setting = next(filter(None, (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    return negotiate(setting.partition(".")[0].replace("_", "-"))
