"""The commands of a tutorial have the output that it shows."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.component.processes import FARISTOL, Child, environment, free_port, wait_until_serving

pytestmark = pytest.mark.lexicon

TUTORIALS = sorted((Path(__file__).parents[2] / "docs" / "tutorials").glob("*.md"))
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """Commands of a tutorial, and the lines that they are to print; in one ``…`` stands for anything."""

    commands: str
    expected: list[str]


def blocks(page: str) -> Iterator[Block]:
    found = FENCE.findall(page)
    for place, (kind, text) in enumerate(found):
        if kind == "sh":
            follows = found[place + 1] if place + 1 < len(found) else ("", "")
            yield Block(text, follows[1].splitlines() if follows[0] == "text" else [])


@pytest.mark.nightly  # by day `test_commands.py` holds the commands of all documents to the command line
@pytest.mark.parametrize("tutorial", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_does_what_it_says(
    tutorial: Path, tmp_path: Path, lexicons: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ports = {"7070": str(free_port()), "8080": str(free_port())}
    page = re.sub("|".join(ports), lambda found: ports[found[0]], tutorial.read_text(encoding="utf-8"))
    settings = environment(lexicons=lexicons, open=False) | {"LC_ALL": "C.UTF-8"}
    settings["PATH"] = f"{Path(FARISTOL).parent}:{settings['PATH']}"
    exports, server = "", None
    try:
        for commands, expected in blocks(page):
            if commands.startswith("faristol up "):
                server = Child(commands.split()[1:], {"lexicons": lexicons, "open": False}, tmp_path / "up.log")
                wait_until_serving(f"127.0.0.1:{ports['7070']}", server)
                give_up = time.monotonic() + 60  # it serves before it prints
                while "faristol access grant director NAME --by link" not in server.output():
                    assert time.monotonic() < give_up, server.output()
                    time.sleep(0.1)
                continue
            script = ["bash", "-ec", exports + commands]
            done = subprocess.run(script, env=settings, capture_output=True, text=True, timeout=180, check=False)
            assert done.returncode == 0, f"{commands}\n{done.stdout}{done.stderr}"
            for line in expected:
                pattern = ".*".join(map(re.escape, line.split("…")))
                assert re.search(pattern, done.stdout), f"{line!r} is not printed by\n{commands}\n{done.stdout}"
            exports += "".join(re.findall(r"^export .*\n", commands, re.MULTILINE))
    finally:
        if server:
            server.terminate()


def test_there_is_a_tutorial_for_each_role() -> None:
    assert {path.stem for path in TUTORIALS} == {"arbiter", "director", "judge", "operator"}
