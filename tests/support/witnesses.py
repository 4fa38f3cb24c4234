"""Witnesses as their operators run them: a process with its key, its state and its policy."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.component.processes import FARISTOL, environment

from faristol.event_store.integrity import keys
from faristol.event_store.transparency.signed_note import VerifierKey

STOP_SECONDS = 20


@dataclass
class WitnessProcess:
    """A running witness."""

    name: str
    address: str
    key: str
    folder: Path

    def policy_line(self, name: str) -> str:
        """Return the line of a policy for it."""
        return f"witness {name} {self.key} {self.address}\n"


@contextmanager
def running_witness(folder: Path, name: str, logs: Sequence[VerifierKey], port: int = 0) -> Iterator[WitnessProcess]:
    """Run a witness on the state in a folder, which is created with a key unless it exists."""
    folder.mkdir(exist_ok=True)
    key, accepted = folder / "witness.key", folder / "logs"
    if not key.exists():
        keys.make(key)
    accepted.write_text("".join(f"log {log}\n" for log in logs) + "quorum none\n")
    arguments = ("--name", name, "--key", key, "--folder", folder, "--logs", accepted, "--port", port, "--json")
    process = subprocess.Popen(
        [FARISTOL, "witness", *map(str, arguments)], env=environment(), stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        shown = json.loads(process.stdout.readline())
        yield WitnessProcess(name, shown["address"], shown["key"], folder)
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(STOP_SECONDS) == 0
        process.stdout.close()
