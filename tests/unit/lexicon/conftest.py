from __future__ import annotations

from tests.support.databases import sqlite_record as record
from tests.support.small_lexicon import catalan, library, settings

__all__ = ["catalan", "library", "record", "settings"]
