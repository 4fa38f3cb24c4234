from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from tests.support.stage import Stage, open_stage
from tests.support.synthetic import Championship


@pytest_asyncio.fixture(loop_scope="module")
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    """Yield an empty stage, for a test that appends to it."""
    async with open_stage(tmp_path) as made:
        yield made


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def finished_stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    """Yield a stage after the whole synthetic championship, for tests that read."""
    async with open_stage(tmp_path_factory.mktemp("finished")) as made:
        await made.add(*Championship().steps())
        yield made
