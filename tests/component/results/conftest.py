"""Both kinds of database for every change: these tests hold what SQL does."""

from __future__ import annotations

from tests.support.databases import database_kind

__all__ = ["database_kind"]
