"""The fault of a record that cannot be folded."""

from __future__ import annotations


class Broken(Exception):
    """An event that cannot follow those before it, or that nobody knows.

    It stops the projection, which then says so: an event that was skipped would be a result that is wrong.
    """
