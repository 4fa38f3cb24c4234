"""The client that the page for apps shows does what the page says, against a gateway that runs."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

import pytest
from tests.unit.gateway.stage import Stage

from faristol.kernel.topics import Topic
from faristol.results.news import PUBLIC, piece

pytestmark = pytest.mark.asyncio(loop_scope="module")

PAGE = Path(__file__).parents[3] / "docs" / "apps.md"


async def test_the_client_of_the_page_prints_the_plays_of_its_table(finished: Stage, tmp_path: Path) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    client = tmp_path / "client.py"
    client.write_text(code)
    plays = Topic.of({"lliga": ""}, rounds=[1], tables=[1], types=["PlayPlaced"])
    news = [each for each in map(piece, await finished.record.read(types=PUBLIC)) if plays.has(each)]
    assert len(news) > 3
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(client), str(finished.http.base_url).rstrip("/"), stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(20):
            told = [(await process.stdout.readline()).decode().strip() for _ in news]
    finally:
        process.kill()
        await process.wait()
    assert told == [f"{each.game_id} {each.position}" for each in news]
