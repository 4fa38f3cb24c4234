"""How a record can fail as a whole. How it can refuse a request is in ``decision``."""

from __future__ import annotations


class RecordError(Exception):
    """The record cannot be used; the message says why and what to do."""


class RecordAway(RecordError):
    """The database does not answer now and may answer later: its server is starting, full, or cannot be reached."""


class UnknownDatabase(ValueError):
    """The URL is not one of a database that a record can stand on."""


class Wrong(Exception):
    """Something is not as it was written. The message says what and where."""
