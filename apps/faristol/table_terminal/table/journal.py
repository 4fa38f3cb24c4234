"""A journal of typed lines: stored in a file until they are executed, across crashes and network failures."""

from __future__ import annotations

import base64
import json
import os
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from faristol.host import StartError
from faristol.table_terminal.table.lines import Typed

MAX_QUOTED_CHARACTERS = 40
"""Characters of a line that an error quotes."""


def usual_file(name: str, kind: str = "tables") -> Path:
    """Return the default file of a journal of that name, in the state folder of the user."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "faristol" / kind / f"{name}.jsonl"


class LineFile:
    """A file of JSON lines, each synced to disk when written; without a file, lines are not stored."""

    def __init__(self, file: Path | None) -> None:
        """Create ``file`` with its folder if missing, and read its lines. Raises ``StartError``."""
        self._file = file
        if file is None:
            return
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch(mode=0o600)
            kept = file.read_text(encoding="utf-8")
            for number, line in enumerate(kept.splitlines(), start=1):
                try:
                    content = json.loads(line)
                except ValueError:
                    continue  # an incomplete line of a process that was killed while writing
                if not self._take(number, content):
                    raise ValueError(f"line {number} is not a line of this journal: {line[:MAX_QUOTED_CHARACTERS]!r}")
            if kept and not kept.endswith("\n"):
                with file.open("a", encoding="utf-8") as torn:
                    torn.write("\n")
        except (OSError, ValueError) as error:
            raise StartError(f"the journal {file} cannot be read and written: {error}") from error

    def _take(self, number: int, kept: Any) -> bool:
        """Apply a stored line; return whether it belongs to this journal. Raises ``ValueError``."""
        raise NotImplementedError

    def _write(self, line: Mapping[str, Any]) -> None:
        if self._file is None:
            return
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())


class Journal(LineFile):
    """Steps and whether they are finished: executed, refused, or not understood.

    The ids of a step's commands derive from its id, so that a resent command is executed once.
    """

    def __init__(self, file: Path | None) -> None:
        """Open ``file`` and create it with its folder; None stores no steps. Raises ``StartError``."""
        self._open: dict[str, Typed] = {}
        self._sent: dict[str, bytes] = {}
        super().__init__(file)

    def _take(self, number: int, kept: Any) -> bool:
        match kept:
            case {"command": str(command), "request": str(request)}:
                self._sent[command] = base64.b64decode(request, validate=True)
            case {"id": str(step), "text": str(text)}:
                self._open[step] = Typed(number, text)
            case {"id": str(step)}:
                self._open.pop(step, None)
            case _:
                return False
        return True

    def list_unfinished(self) -> list[tuple[str, Typed]]:
        """Return the unfinished steps in order, with their ids."""
        return list(self._open.items())

    @contextmanager
    def keeping(self, typed: Typed, step_id: str = "") -> Iterator[str]:
        """Store a step during the block, and after it if the block raises. Yields the id of the step."""
        known = step_id or str(uuid.uuid4())
        if not step_id:
            self._write({"id": known, "text": typed.text})
        yield known
        self._write({"id": known})

    def means(self, step_id: str, typed: Typed) -> None:
        """Store the expanded step instead of the typed one, as its meaning depends on the current table."""
        self._write({"id": step_id, "text": typed.text})

    def as_sent(self, command_id: str, request: bytes) -> bytes:
        """Return the command as first sent; the first call stores it before it is sent.

        The expansion of a step depends on the table, which the first of its commands may have changed.
        """
        if command_id not in self._sent:
            self._sent[command_id] = request
            self._write({"command": command_id, "request": base64.b64encode(request).decode()})
        return self._sent[command_id]
