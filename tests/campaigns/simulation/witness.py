"""An observer of the record: at the arrival of a call, at its answer, and after each commit."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import grpc

DIGEST_BYTES = 32
"""Bytes in front of a stored answer, which identify the request."""

PASSING = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.ABORTED)
"""Answers that any call may get: the caller has to retry."""


class Witness:
    """Finds answers that contradict an earlier stored answer, and checkpoints that move without their effects."""

    def __init__(self, path: Path) -> None:
        self.problems: list[str] = []
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._places: dict[str, int] = {}
        """Positions of the events so far, by id."""
        self._checkpoints: dict[str, int] = {}
        """Checkpoints of consumers after the last commit."""

    def answer_to(self, request: Any) -> bytes | None:
        """Return the stored answer to a command; None if there is none yet, or for a query."""
        if "command_id" not in request.DESCRIPTOR.fields_by_name or not self._path.exists():
            return None
        rows = self._read("SELECT answer FROM commands WHERE command_id = ?", request.command_id)
        return bytes(rows[0][0])[DIGEST_BYTES:] if rows else None

    def _read(self, query: str, *values: object) -> list[Any]:
        if self._connection is None:
            self._connection = sqlite3.connect(f"{self._path.as_uri()}?mode=ro", uri=True)
        try:
            return self._connection.execute(query, values).fetchall()
        except sqlite3.OperationalError:
            return []  # the tables are still being made

    def look(self) -> None:
        """Compare the checkpoints after a commit with those before it, and with the causes of its events.

        A checkpoint never goes back. One that moves together with effects is at the last event that caused them.
        """
        causes: dict[str, int] = {}
        for position, event_id, text in self._read(
            "SELECT position, event_id, metadata FROM events WHERE position > ? ORDER BY position", len(self._places)
        ):
            metadata = json.loads(text)
            self._places[event_id] = position
            if cause := self._places.get(metadata.get("causation_id", "")):
                causes[metadata.get("actor", "")] = max(cause, causes.get(metadata.get("actor", ""), 0))
        for consumer, position in self._read("SELECT consumer, position FROM checkpoints"):
            before = self._checkpoints.get(consumer, 0)
            self._checkpoints[consumer] = position
            if position < before:
                self.problems.append(f"the checkpoint of {consumer} went back from {before} to {position}")
            elif position > before and consumer in causes and position != causes[consumer]:
                self.problems.append(
                    f"the checkpoint of {consumer} is at {position} with the effects of event {causes[consumer]}"
                )

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
