"""Two programs outside of the platform that follow a championship: one over NATS, one over the stream of HTTP.

The program on NATS is that of docs/apps.md. Each prints a line for an event. Its output is a file that outlives a kill.
"""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import time
from array import array
from collections.abc import Iterator
from pathlib import Path

import nats
from nats.errors import Error as NatsError
from nats.js.errors import APIError

from faristol.bus.permissions import NOTIFICATION_STREAM

PAGE = Path(__file__).parents[3] / "docs" / "apps.md"
STREAM_PROGRAM = Path(__file__).with_name("stream_program.py")

ON_NATS = "program-nats"
ON_HTTP = "program-http"
PROGRAMS = (ON_NATS, ON_HTTP)

STREAM_TIMEOUT_SECONDS = 60.0
"""Seconds within which the platform has made the stream on NATS."""


def extract_program(page: str) -> str:
    """Return the program on the page of docs/apps.md about events over NATS."""
    found = re.search(r"^```python\n(.*?)^```$", page.partition("## Events over NATS\n")[2], re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


class Programs:
    """Both programs, as processes that can be killed and started again."""

    def __init__(self, folder: Path, nats_url: str, http_port: int, tournament: str = "lliga") -> None:
        self._nats_url = nats_url
        program = folder / "nats_program.py"
        program.write_text(extract_program(PAGE.read_text(encoding="utf-8")))
        self._files = {name: folder / f"{name}.txt" for name in PROGRAMS}
        self._commands = {
            ON_NATS: [str(program), nats_url, "app", tournament],
            ON_HTTP: [str(STREAM_PROGRAM), f"http://127.0.0.1:{http_port}", tournament, str(self._files[ON_HTTP])],
        }
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    async def begin(self) -> None:
        """Start both once the stream on NATS exists."""
        async with asyncio.timeout(STREAM_TIMEOUT_SECONDS):
            while not await self._has_stream():  # noqa: ASYNC110 # NATS tells of no new stream
                await asyncio.sleep(0.2)
        for name in PROGRAMS:
            self.start(name)

    async def _has_stream(self) -> bool:
        try:
            client = await nats.connect(self._nats_url, allow_reconnect=False)
        except (NatsError, OSError):
            return False
        try:
            await client.jetstream().stream_info(NOTIFICATION_STREAM)
        except (APIError, NatsError, TimeoutError):
            return False
        finally:
            await client.close()
        return True

    def start(self, name: str) -> None:
        """Start a program, also again. Its output continues its file."""
        with self._files[name].open("ab") as output, self._files[name].with_suffix(".log").open("ab") as errors:
            self._processes[name] = subprocess.Popen(
                [sys.executable, "-u", *self._commands[name]], stdout=output, stderr=errors
            )

    def kill(self, name: str) -> None:
        """Send SIGKILL. A program that has not started yet is not killed."""
        if process := self._processes.get(name):
            process.kill()
            process.wait()

    def stop(self) -> None:
        """End both permanently."""
        for name in self._processes:
            self.kill(name)

    async def count_late(self, position: int, seconds: float) -> int:
        """Return the number of programs without the event at a position, after ``seconds`` at most."""
        give_up = time.monotonic() + seconds
        while True:
            late = sum(all(at < position for at, _, _ in self._read(name)) for name in PROGRAMS)
            if not late or time.monotonic() > give_up:
                return late
            await asyncio.sleep(0.5)

    def read_positions(self, name: str, event_type: str) -> array[int]:
        """Return the positions of the events of a type, such as ``PlayAccepted``, in the order of the lines.

        A message over NATS may be repeated: docs/apps.md says that ``ce-id`` identifies its event.
        """
        lines = [(event_id, at) for at, kind, event_id in self._read(name) if kind.rpartition(".")[2] == event_type]
        if name == ON_NATS:
            lines = list(dict(lines).items())  # a key keeps the place of its first line
        return array("q", (at for _, at in lines))

    def _read(self, name: str) -> Iterator[tuple[int, str, str]]:
        """Yield position, type and id of each whole line."""
        for line in self._files[name].read_text(encoding="utf-8").splitlines(keepends=True):
            if line.endswith("\n") and len(words := line.split()) >= 3:
                yield int(words[1]), words[2], words[0]
