"""Execution of the machine's package tools."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from faristol.words.error import LexiconError

COMMAND_TIMEOUT_SECONDS = 300
"""Timeout of one command in seconds; downloads are a few megabytes."""


def run(command: Sequence[str], folder: Path) -> str:
    """Run ``command`` in ``folder`` and return its standard output.

    Raises ``LexiconError`` with the last line of the command's output if it is missing, fails or takes over 300 s.
    """
    name = command[0]
    try:
        done = subprocess.run(  # noqa: S603 - the callers pass constants and their own paths
            command, cwd=folder, capture_output=True, text=True, timeout=COMMAND_TIMEOUT_SECONDS, check=False
        )
    except FileNotFoundError:
        raise LexiconError(f"this machine has no {name}") from None
    except subprocess.TimeoutExpired:
        raise LexiconError(f"{name} did not end within {COMMAND_TIMEOUT_SECONDS} s") from None
    if done.returncode:
        complaint = (done.stderr.strip() or done.stdout.strip() or "no reason given").splitlines()[-1]
        raise LexiconError(f"{name} failed: {complaint}")
    return done.stdout
