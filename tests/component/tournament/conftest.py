from __future__ import annotations

from tests.support.databases import sqlite_record as record
from tests.support.pairing_service import service

__all__ = ["record", "service"]
