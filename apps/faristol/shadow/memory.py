"""The memory of a shadow across restarts: closed rounds of the last reading, and its differences."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path

from faristol.files import replace_file
from faristol.shadow.comparison import ClosedRounds

DIGEST_NAME_CHARACTERS = 16
"""Digits of the digest of a place that name its file."""


@dataclass(frozen=True, slots=True)
class Memory:
    """What a shadow knows of earlier readings."""

    digest: str = ""
    """Digest of the last reading; empty before the first."""
    closed: ClosedRounds = field(default_factory=dict)
    texts: tuple[str, ...] = ()
    """The differences of the last comparison as English texts, to tell new ones and settled ones."""
    reported: str = ""
    """Digest of the last comparison that was reported to the record."""


def find_memory_file(place: str) -> Path:
    """Return the file of a source, in the state folder of the user."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    name = sha256(place.encode()).hexdigest()[:DIGEST_NAME_CHARACTERS]
    return Path(state) / "faristol" / "shadows" / f"{name}.json"


def load_memory(file: Path) -> Memory:
    """Return the memory in a file; an empty one if the file is missing or damaged."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        return Memory(
            str(content["digest"]), dict(content["closed"]), tuple(content["texts"]), str(content["reported"])
        )
    except (OSError, ValueError, KeyError, TypeError):
        return Memory()


def save_memory(file: Path, memory: Memory) -> None:
    """Store the memory; a crash leaves the one before. Raises ``OSError``."""
    file.parent.mkdir(parents=True, exist_ok=True)
    replace_file(file, json.dumps(asdict(memory), ensure_ascii=False).encode())
