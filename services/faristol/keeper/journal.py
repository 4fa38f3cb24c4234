"""What was typed at a table, kept in a file until it is carried out, over crashes and lost networks."""

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
from faristol.keeper.lines import Typed

SHOWN = 40
"""Characters of a line that an error repeats."""


def usual_file(name: str, kind: str = "tables") -> Path:
    """The default file of a journal of that name, in the state folder of this user."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "faristol" / kind / f"{name}.jsonl"


class LineFile:
    """A file of lines of JSON, each of which is on disk when it is written; without a file nothing is kept."""

    def __init__(self, file: Path | None) -> None:
        """``file`` is created with its folder, and what it has is taken. Raises ``StartError``."""
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
                    continue  # the last line of a process that was killed while it wrote
                if not self._take(number, content):
                    raise ValueError(f"line {number} is none of this journal: {line[:SHOWN]!r}")
            if kept and not kept.endswith("\n"):
                with file.open("a", encoding="utf-8") as torn:
                    torn.write("\n")
        except (OSError, ValueError) as problem:
            raise StartError(f"the journal {file} cannot be read and written: {problem}") from problem

    def _take(self, number: int, kept: Any) -> bool:
        """Take a line that was written before; whether it is one of this journal. Raises ``ValueError``."""
        raise NotImplementedError

    def _write(self, line: Mapping[str, Any]) -> None:
        if self._file is None:
            return
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())


class Journal(LineFile):
    """Steps and whether they came to an end: done, refused, or not understood.

    A step's id gives the ids of its commands, so that one that is sent again is carried out once.
    """

    def __init__(self, file: Path | None) -> None:
        """``file`` is created with its folder; without a file nothing is kept. Raises ``StartError``."""
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

    def unfinished(self) -> list[tuple[str, Typed]]:
        """The steps that did not come to an end, in order, with their ids."""
        return list(self._open.items())

    @contextmanager
    def keeping(self, typed: Typed, step_id: str = "") -> Iterator[str]:
        """Keep a step while the block runs, and after it where that raises. Gives the id of the step."""
        known = step_id or str(uuid.uuid4())
        if not step_id:
            self._write({"id": known, "text": typed.text})
        yield known
        self._write({"id": known})

    def means(self, step_id: str, typed: Typed) -> None:
        """Keep what a step turned out to stand for, in place of what was typed: the table will be another one later."""
        self._write({"id": step_id, "text": typed.text})

    def as_sent(self, command_id: str, request: bytes) -> bytes:
        """The command as it was sent the first time, which is now when it was not yet: it is kept before it is sent.

        What a step stands for depends on the table, and the first of its commands may have changed that.
        """
        if command_id not in self._sent:
            self._sent[command_id] = request
            self._write({"command": command_id, "request": base64.b64encode(request).decode()})
        return self._sent[command_id]
