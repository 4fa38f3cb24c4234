"""Schemathesis checks the interface against its document: every allowed request is answered as it says."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
from tests.support.plain_http import PLAIN
from tests.support.stage import Stage, open_stage
from tests.support.synthetic import Championship

from faristol.gateway.api.openapi.documentation import ENDLESS

pytestmark = pytest.mark.asyncio(loop_scope="module")

FINITE = ("--exclude-operation-id-regex", f"^({'|'.join(ENDLESS)})$")
"""Every operation but streams, which do not end."""

EXAMPLES = {"day": 2, "nightly": 25}
"""Requests that are made up for each operation, beside those of its examples and of the limits of its parameters."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def whole(tmp_path_factory: pytest.TempPathFactory, lexicons: Path) -> AsyncIterator[Stage]:
    """Yield a stage with every service that the gateway asks, after the whole championship."""
    folder = tmp_path_factory.mktemp("whole")
    more = {"lexicons": lexicons, "http_requests_per_second": 100_000}
    async with open_stage(folder, "rating", "lexicon", **more) as made:
        await made.add(*Championship().steps())
    # the tables of the championship exist: a running game service would have opened them
    async with open_stage(folder, "rating", "lexicon", "game", **more) as made:
        await made.caught_up()
        yield made


CLASSIC = {"tournament_id": ["lliga"], "game_id": ["lliga-r1-t1", "lliga-r2-t2"], "player_id": ["anna", "eloi"]}
"""Existing ids on the stage, by the name of the parameter."""


async def held_to_its_document(
    address: str, last: int, ids: Mapping[str, Sequence[str]], examples: int, *chosen: str
) -> None:
    """Generate requests with existing and other ids, and validate the answers against the document.

    ``last`` is the last position of the record. ``chosen`` are arguments of Schemathesis that select operations.
    """
    async with httpx.AsyncClient(verify=PLAIN, timeout=120) as http:  # it is made when it is asked for first
        assert (await http.get(f"{address}/openapi.json")).status_code == 200
    hooks = {"SCHEMATHESIS_HOOKS": "tests.component.gateway.api.document_hooks", "LAST_POSITION": str(last)}
    words = ["run", f"{address}/openapi.json", "--checks", "all", "--phases", "examples,coverage,fuzzing"]
    words += ["--max-examples", str(examples), "--generation-deterministic", "--no-color", "--request-timeout", "60"]
    words += ["--suppress-health-check", "all", "--max-response-time", "60", *chosen]
    program = shutil.which("st", path=str(Path(sys.executable).parent))
    assert program
    process = await asyncio.create_subprocess_exec(
        program,
        *words,
        env={**os.environ, **hooks, "IDS": json.dumps(ids), "PYTHONPATH": str(Path.cwd())},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await process.communicate()
    assert process.returncode == 0, said.decode()[-8_000:]


async def test_a_part_of_the_interface_is_as_its_document_says(whole: Stage) -> None:
    last = await whole.record.last_position()
    chosen = ("--include-operation-id-regex", "^(get_teams_csv|get_prizes)$")
    await held_to_its_document(whole.running.http_address, last, CLASSIC, EXAMPLES["day"], *chosen)


@pytest.mark.nightly
async def test_the_whole_interface_is_as_its_document_says(whole: Stage) -> None:
    last = await whole.record.last_position()
    await held_to_its_document(whole.running.http_address, last, CLASSIC, EXAMPLES["nightly"], *FINITE)
