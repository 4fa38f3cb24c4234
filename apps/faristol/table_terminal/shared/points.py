"""Points as text for a terminal."""

from __future__ import annotations


def format_points(points: int) -> str:
    """Format points with a minus sign instead of a hyphen, as clocks and sheets write it."""
    return str(points).replace("-", "−")
