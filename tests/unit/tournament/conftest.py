from __future__ import annotations

from tests.support.databases import sqlite_record as record

__all__ = ["record"]
