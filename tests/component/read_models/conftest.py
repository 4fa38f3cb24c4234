"""both kinds of database for every change: these tests check SQL"""

from __future__ import annotations

from tests.support.databases import database_kind

__all__ = ["database_kind"]
