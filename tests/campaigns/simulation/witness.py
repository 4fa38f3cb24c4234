"""An observer of the record at the arrival of a call and at its answer."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import grpc

DIGEST_BYTES = 32
"""Bytes in front of a stored answer, which identify the request."""

PASSING = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.ABORTED)
"""Answers that any call may get: the caller has to retry."""


class Witness:
    """Finds answers that contradict an earlier stored answer."""

    def __init__(self, path: Path) -> None:
        self.problems: list[str] = []
        self._path = path
        self._connection: sqlite3.Connection | None = None

    def answer_to(self, request: Any) -> bytes | None:
        """Return the stored answer to a command; None if there is none yet, or for a query."""
        if "command_id" not in request.DESCRIPTOR.fields_by_name or not self._path.exists():
            return None
        if self._connection is None:
            self._connection = sqlite3.connect(f"{self._path.as_uri()}?mode=ro", uri=True)
        try:
            query = "SELECT answer FROM commands WHERE command_id = ?"
            row = self._connection.execute(query, (request.command_id,)).fetchone()
        except sqlite3.OperationalError:
            return None  # the tables are still being made
        return bytes(row[0])[DIGEST_BYTES:] if row else None

    def compare(self, what: str, before: bytes | None, code: grpc.StatusCode, data: bytes) -> None:
        """Compare the answer of a call with ``before``, the result of ``answer_to`` when it came."""
        if before is None or code in PASSING:
            return
        if code is not grpc.StatusCode.OK:
            self.problems.append(f"{what} had been carried out, and was then refused: {code.name}")
        elif data != before:
            self.problems.append(f"{what} was answered otherwise when it came again")

    def close(self) -> None:
        """Stop observing."""
        if self._connection:
            self._connection.close()
