"""Fixtures of databases and records."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from faristol.event_store import Record
from faristol.event_store.backends.databases import BACKENDS


@pytest.fixture(params=list(BACKENDS))
def database_kind(request: pytest.FixtureRequest) -> str:
    """Return each kind of database in turn."""
    kind: str = request.param
    return kind


@pytest.fixture
async def sqlite_record(tmp_path: Path) -> AsyncIterator[Record]:
    """Yield an empty record in SQLite."""
    opened = await Record.open(f"sqlite:///{tmp_path / 'record.db'}")
    yield opened
    await opened.close()
