"""The client that the page for apps shows does what the page says, against a gateway that runs."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.unit.gateway.stage import Stage
from tests.unit.results.synthetic import Championship

from faristol.kernel.topics import Topic
from faristol.results.news import PUBLIC, piece

pytestmark = pytest.mark.asyncio(loop_scope="module")

PAGE = Path(__file__).parents[3] / "docs" / "apps.md"


def client(number: int, folder: Path) -> Path:
    """A client of the page in a file."""
    code = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)[number]
    made = folder / "client.py"
    made.write_text(code)
    return made


@asynccontextmanager
async def started(made: Path, stage: Stage) -> AsyncIterator[asyncio.StreamReader]:
    """What a client says that runs."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(made), str(stage.http.base_url).rstrip("/"), stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(20):
            yield process.stdout
    finally:
        process.kill()
        await process.wait()


async def test_the_client_with_content_keeps_its_game_and_fetches_nothing(stage: Stage, tmp_path: Path) -> None:
    hall = Championship()
    await stage.add(*hall.create())
    made = client(1, tmp_path)
    made.write_text(made.read_text().replace("json.load(", "no_answer("))  # whoever fetches breaks
    async with started(made, stage) as said:
        await stage.add(*hall.first_round())
        game = (await stage.http.get("/api/v1/games/lliga-r1-t1")).json()
        shown = [*(str(seat["score"]) for seat in game["seats"]), game["entries"][-1]["sheet_play"]]
        expected = " ".join(shown)
        while (await said.readline()).decode().rstrip("\n") != expected:
            pass


async def test_the_client_of_the_page_prints_the_plays_of_its_table(finished: Stage, tmp_path: Path) -> None:
    plays = Topic.of({"lliga": ""}, rounds=[1], tables=[1], types=["PlayPlaced"])
    news = [each for each in map(piece, await finished.record.read(types=PUBLIC)) if plays.has(each)]
    assert len(news) > 3
    async with started(client(0, tmp_path), finished) as said:
        told = [(await said.readline()).decode().strip() for _ in news]
    assert told == [f"{each.game_id} {each.position}" for each in news]
