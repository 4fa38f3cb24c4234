"""Print each event of a tournament from its stream over HTTP: ``stream_program.py ADDRESS TOURNAMENT OUTPUT``.

It uses the standard library only, as a program of another author would. After a kill it continues from its own output,
so that it prints each event once.
"""

from __future__ import annotations

import json
import sys
import time
import urllib.request
from http.client import HTTPException
from pathlib import Path

STREAM_TIMEOUT_SECONDS = 30.0
RETRY_SECONDS = 0.3


def read_last_id(output: Path) -> str:
    """Return the id of the last whole line of the output; remove a line that is cut."""
    text = output.read_text(encoding="utf-8") if output.exists() else ""
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        output.write_text(whole, encoding="utf-8")
    return whole.splitlines()[-1].split()[0] if whole else ""


def follow(address: str, tournament: str, last: str) -> str:
    """Print events after an id until the stream ends. Return the id of the last one."""
    request = urllib.request.Request(f"{address}/api/v1/tournaments/{tournament}/stream")
    if last:
        request.add_header("Last-Event-ID", last)
    try:
        with urllib.request.urlopen(request, timeout=STREAM_TIMEOUT_SECONDS) as stream:
            frame: dict[str, str] = {}
            for line in stream:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name:
                    frame[name] = value
                elif frame:
                    last = frame.get("id", last)
                    if "data" in frame:
                        news = json.loads(frame["data"])
                        sys.stdout.write(f"{last} {news['position']} {news['type']}\n")
                        sys.stdout.flush()
                    frame = {}
    except (OSError, HTTPException):
        pass  # it reconnects from the last whole frame
    return last


def main(address: str, tournament: str, output: str) -> None:
    """Follow the stream until killed."""
    last = read_last_id(Path(output))
    while True:
        last = follow(address, tournament, last)
        time.sleep(RETRY_SECONDS)


if __name__ == "__main__":
    main(*sys.argv[1:])
