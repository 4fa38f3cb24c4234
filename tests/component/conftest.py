"""What the tests of this folder share beside what all tests do."""

from __future__ import annotations

import pytest


@pytest.fixture(params=["postgresql", pytest.param("sqlite", marks=pytest.mark.nightly)])
def database_kind(request: pytest.FixtureRequest) -> str:
    """PostgreSQL, and SQLite every night.

    What a database has to do is held on both of them for every change, by the conformance suite. Here many processes
    meet at it, which costs more and breaks on PostgreSQL first.
    """
    kind: str = request.param
    return kind
