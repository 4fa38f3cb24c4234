"""Fixtures that the tests of this folder share, in addition to those of all tests."""

from __future__ import annotations

import pytest


@pytest.fixture(params=["postgresql", pytest.param("sqlite", marks=pytest.mark.nightly)])
def database_kind(request: pytest.FixtureRequest) -> str:
    """Return the kind of database: PostgreSQL, and SQLite every night.

    The conformance suite checks the duties of a database on both kinds for every change. Here many processes
    share it, which costs more and breaks on PostgreSQL first.
    """
    kind: str = request.param
    return kind
