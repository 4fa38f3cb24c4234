"""Restores an archive into an empty record, verifies it, and compares its standings with those that are served.

``python drill.py ARCHIVE URL [ERASURES]``. The restored record is served here as it would be after a loss, and every
tournament is asked for at the position where the archive ends. A line for each difference and exit code 1, or 0 where
there is none.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

FARISTOL = str(Path(sys.executable).with_name("faristol"))
SECONDS = 600


def main(archive: str, live: str, erasures: str = "none") -> int:
    """Restore, verify, compare; gives the exit code."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("FARISTOL_DATA")) as folder:
        run("record", "restore", archive, "--erased", erasures, "--data", folder)
        run("record", "verify", "--data", folder)
        port = free_port()
        given = ["up", "--data", folder, "--http", str(port), "--grpc", "0"]
        with subprocess.Popen([FARISTOL, *given]) as up:
            try:
                restored = f"http://127.0.0.1:{port}"
                wait_until_built(up, restored)
                return compare(restored, live.rstrip("/"))
            finally:
                up.terminate()


def run(*arguments: str) -> None:
    """Run a command of Faristol; raises where it fails."""
    subprocess.run([FARISTOL, *arguments], check=True, timeout=SECONDS)


def free_port() -> int:
    """A port that nothing listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_built(up: subprocess.Popen[bytes], restored: str) -> None:
    """Wait until the read models are those of the whole record. Raises ``RuntimeError`` when they do not come to be."""
    give_up = time.monotonic() + SECONDS
    while time.monotonic() < give_up and up.poll() is None:
        try:
            status = asked(f"{restored}/api/v1/status")
        except OSError:
            status = {"position": 0, "consumers": []}
        built = [line["lag"] == 0 for line in status["consumers"] if line["kind"] == "projection"]
        if status["position"] and built and all(built):
            return
        time.sleep(1)
    raise RuntimeError("the restored record is not served")


def compare(restored: str, live: str) -> int:
    """Compare every tournament of the restored record with the live one; gives the exit code."""
    tournaments = asked(f"{restored}/api/v1/tournaments")["tournaments"]
    different = 0
    for tournament in tournaments:
        path = f"/api/v1/tournaments/{tournament['tournament_id']}/standings"
        own = asked(restored + path)
        theirs = asked(f"{live}{path}?as_of_position={own['position']}")
        same = own["standings"] == theirs["standings"]
        different += not same
        print(f"{'equal' if same else 'DIFFERENT'}: {tournament['tournament_id']} at {own['position']}", flush=True)
    print(f"{len(tournaments)} tournaments, {different} different", flush=True)
    return 1 if different or not tournaments else 0


def asked(address: str) -> Any:
    """A JSON answer."""
    with urllib.request.urlopen(address, timeout=60) as answer:  # noqa: S310 # the addresses are the operator's
        return json.load(answer)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
