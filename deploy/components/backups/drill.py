"""Restores an archive into an empty record, verifies it, and compares its standings with those that are served.

``python drill.py ARCHIVE URL``. The restored record is served here as it would be after a loss, and every tournament is
asked for at the position where the archive ends. Exit code 1 and a line for each difference; 0 where there is none.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import Any

FARISTOL = str(Path(sys.executable).with_name("faristol"))
SECONDS = 600


def main(archive: str, live: str) -> int:
    """Restore, verify, compare; gives the exit code."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("FARISTOL_DATA")) as folder:
        run("record", "restore", archive, "--data", folder)
        run("record", "verify", "--data", folder)
        given = ["up", "--data", folder, "--http", "0", "--grpc", "0"]
        with subprocess.Popen([FARISTOL, *given], stdout=subprocess.PIPE, text=True) as up:
            try:
                return compare(address_of(up), live.rstrip("/"))
            finally:
                up.terminate()


def run(*arguments: str) -> None:
    """Run a command of Faristol; raises where it fails."""
    subprocess.run([FARISTOL, *arguments], check=True, timeout=SECONDS)


def address_of(up: subprocess.Popen[str]) -> str:
    """Where the restored record is served. Raises ``RuntimeError`` when it is not."""
    assert up.stdout is not None
    for line in up.stdout:
        print(line, end="", flush=True)
        if found := re.search(r"http://\S+", line):
            return found[0].rstrip("/")
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
