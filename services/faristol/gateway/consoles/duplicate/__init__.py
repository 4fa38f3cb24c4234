"""The consoles of a duplicate game: of players, of collectors, who type the slips of a hall, and of the judge."""

from faristol.gateway.consoles.duplicate import collector, judge, phone

ROUTES = (phone.routes, collector.routes, judge.routes)
"""The routes of all."""
