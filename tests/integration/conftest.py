"""What the tests of this folder share beside what all tests do."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(params=["postgresql", pytest.param("sqlite", marks=pytest.mark.nightly)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """URL of an empty database: PostgreSQL, and SQLite every night.

    What a database has to do is held on both of them for every change, by the conformance suite. Here many processes
    meet at it, which costs more and breaks on PostgreSQL first.
    """
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/record.db"
    url: str = request.getfixturevalue("new_database")
    return url
