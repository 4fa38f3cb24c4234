"""Time a newcomer's first run: `make run` in a new clone, without caches and without a virtual environment.

``python -m tests.benchmarks.first_run`` clones the commit of this repository, runs ``make run`` with an empty home
folder, and prints the seconds to each step, to the first page and to the final standings, as JSON. The targets are 40
and 90 seconds on two quiet cores.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

ROOT = Path(__file__).parents[2]
FIRST_PAGE_SECONDS, STANDINGS_SECONDS = 40, 90
POLL_SECONDS = 0.2
PAGE = re.compile(r"Watch it at (http\S+)")
END = "Each role begins at"


def measure(timeout_seconds: float) -> dict[str, float]:
    """Return the seconds from the start to each step, to the first page and to the standings.

    Raises ``TimeoutError`` with the output if the standings are not there in time.
    """
    with tempfile.TemporaryDirectory() as scratch:
        clone, home, log = (Path(scratch) / name for name in ("clone", "home", "log"))
        home.mkdir()
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        kept = {name: os.environ[name] for name in os.environ if name.startswith(("PIP_", "UV_INDEX", "SSL_"))}
        environment = kept | {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        found: dict[str, float] = {}
        began = time.monotonic()
        with log.open("w") as out:
            running = subprocess.Popen(
                ["make", "run"], cwd=clone, env=environment, stdout=out, stderr=out, start_new_session=True
            )
        try:
            while "standings" not in found:
                time.sleep(POLL_SECONDS)
                passed, text = time.monotonic() - began, log.read_text(encoding="utf-8")
                for line in text.splitlines():
                    if re.match(r"(Creating|Installing|Generating|Starting) ", line):
                        found.setdefault(line, passed)
                if (page := PAGE.search(text)) and "first page" not in found and is_served(page[1]):
                    found["first page"] = passed
                if END in text:
                    found["standings"] = passed
                if passed > timeout_seconds or running.poll() is not None:
                    raise TimeoutError(text)
        finally:
            if running.poll() is None:
                os.killpg(running.pid, signal.SIGINT)
            running.wait()
        return {name: round(seconds, 1) for name, seconds in found.items()}


def is_served(page: str) -> bool:
    """Check whether a page is served."""
    try:
        with urlopen(page, timeout=5) as answer:
            return bool(answer.status == 200)
    except (URLError, OSError):
        return False


if __name__ == "__main__":
    targets = {"first page": FIRST_PAGE_SECONDS, "standings": STANDINGS_SECONDS}
    measured = measure(float(sys.argv[1]) if len(sys.argv) > 1 else 900.0)
    sys.stdout.write(json.dumps({**measured, "targets": targets}, indent=2) + "\n")
