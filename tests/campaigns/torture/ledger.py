"""The answers that clients got: every command that was sent, and the answer to each acknowledged one."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.protobuf.message import Message


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """A command that a client has an answer to."""

    command_id: str
    method: str
    """As in gRPC: ``/faristol.game.v1.GameService/PlacePlay``."""
    request: Message
    answer: bytes
    position: int
    """Of the last event that it brought about, as the answer says."""

    def __str__(self) -> str:
        return f"command {self.command_id} ({self.method.rpartition('/')[2]}, acknowledged at position {self.position})"


class Ledger:
    """It is stored by the clients. Every acknowledgement is also a line of a file, for later inspection."""

    def __init__(self, path: Path) -> None:
        self.sent: set[str] = set()
        self.acknowledged: dict[str, Acknowledged] = {}
        """By command id, in the order in which they were acknowledged for the first time."""
        self.repeated = 0
        """Acknowledgements of commands that had one already."""
        self.lost: Counter[str] = Counter()
        """Attempts without an answer, by status code."""
        self.wrong: list[str] = []
        """Answers that no client may ever get."""
        self._file = path.open("w", encoding="utf-8")
        self._news = asyncio.Event()
        self._last = (0.0, 0.0)
        """When the attempt began that was acknowledged last, of those begun, and when it was acknowledged."""

    def close(self) -> None:
        """Write the buffered lines."""
        self._file.close()

    def acknowledge(self, method: str, request: Any, answer: Any, began: float) -> None:
        """Note that a client got an answer to an attempt that it began at ``began``, by the monotonic clock."""
        new = Acknowledged(request.command_id, method, request, answer.SerializeToString(), answer.position)
        first = self.acknowledged.setdefault(new.command_id, new)
        if first is new:
            line = {"command_id": new.command_id, "method": method, "position": new.position, "answer": str(answer)}
            self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
            self._file.flush()
        else:
            self.repeated += 1
            if (method, new.answer) != (first.method, first.answer):
                self.wrong.append(f"{first} was answered otherwise when it was sent again: {answer}")
        if began > self._last[0]:
            self._last = (began, time.monotonic())
            news, self._news = self._news, asyncio.Event()
            news.set()

    async def acknowledged_after(self, moment: float, seconds: float) -> float | None:
        """Return the time at which the first command sent after ``moment`` was acknowledged; None after ``seconds``."""
        try:
            async with asyncio.timeout(seconds):
                while self._last[0] <= moment:
                    await self._news.wait()
        except TimeoutError:
            return None
        return self._last[1]

    async def acknowledged_so_many(self, count: int, seconds: float) -> bool:
        """Return whether ``count`` commands are acknowledged before ``seconds`` have passed."""
        try:
            async with asyncio.timeout(seconds):
                while len(self.acknowledged) < count:
                    await self._news.wait()
        except TimeoutError:
            return False
        return True
