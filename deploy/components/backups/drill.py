"""Restore an archive into an empty record, verify it, and compare its standings with those of the running services.

``python drill.py ARCHIVE URL [ERASURES]``. The restored record is served here as after a loss, and the standings of
every tournament are compared at the last position of the archive. Each tournament has a line; the exit code is 1 if one
differs, else 0.
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
TIMEOUT_SECONDS = 600


def main(archive: str, live: str, erasures: str = "none") -> int:
    """Restore, verify and compare. Return the exit code."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("FARISTOL_DATA")) as folder:
        run("record", "restore", archive, "--erased", erasures, "--data", folder)
        run("record", "verify", "--data", folder)
        port = find_free_port()
        given = ["up", "--data", folder, "--http", str(port), "--grpc", "0"]
        with subprocess.Popen([FARISTOL, *given]) as up:
            try:
                restored = f"http://127.0.0.1:{port}"
                wait_until_built(up, restored)
                return compare(restored, live.rstrip("/"))
            finally:
                up.terminate()


def run(*arguments: str) -> None:
    """Run a command of Faristol. Raises ``CalledProcessError`` if it fails."""
    subprocess.run([FARISTOL, *arguments], check=True, timeout=TIMEOUT_SECONDS)


def find_free_port() -> int:
    """Return an unused port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_built(up: subprocess.Popen[bytes], restored: str) -> None:
    """Wait until the read models are built from the whole record. Raises ``RuntimeError`` after the timeout."""
    give_up = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < give_up and up.poll() is None:
        try:
            status = fetch_json(f"{restored}/api/v1/status")
        except OSError:
            status = {"position": 0, "consumers": []}
        built = [line["lag"] == 0 for line in status["consumers"] if line["kind"] == "projection"]
        if status["position"] and built and all(built):
            return
        time.sleep(1)
    raise RuntimeError("the restored record is not served")


def compare(restored: str, live: str) -> int:
    """Compare every tournament of the restored record with the live one. Return the exit code."""
    tournaments = fetch_json(f"{restored}/api/v1/tournaments")["tournaments"]
    different = 0
    for tournament in tournaments:
        path = f"/api/v1/tournaments/{tournament['tournament_id']}/standings"
        own = fetch_json(restored + path)
        theirs = fetch_json(f"{live}{path}?as_of_position={own['position']}")
        same = own["standings"] == theirs["standings"]
        different += not same
        print(f"{'equal' if same else 'DIFFERENT'}: {tournament['tournament_id']} at {own['position']}", flush=True)
    print(f"{len(tournaments)} tournaments, {different} different", flush=True)
    return 1 if different or not tournaments else 0


def fetch_json(address: str) -> Any:
    """Return a JSON answer."""
    with urllib.request.urlopen(address, timeout=60) as answer:  # noqa: S310 # the addresses are the operator's
        return json.load(answer)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
