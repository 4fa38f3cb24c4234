"""Failures of a record as a whole. ``decision`` has the refusals of a request."""

from __future__ import annotations


class RecordError(Exception):
    """The record cannot be used; the message states the reason and the remedy."""


class RecordUnavailable(RecordError):
    """The database does not answer at present: its server is starting, full, or unreachable."""


class UnknownDatabase(ValueError):
    """The URL does not name a database that a record supports."""


class CorruptData(Exception):
    """Stored data differs from the written data. The message states the data and the position."""
