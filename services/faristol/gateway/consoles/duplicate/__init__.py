"""The consoles of a duplicate game: its collectors, who type the slips of a hall, and its judge."""

from faristol.gateway.consoles.duplicate import collector, judge

ROUTES = (collector.routes, judge.routes)
"""The routes of both."""

__all__ = ["ROUTES"]
