"""Consoles of a duplicate game: for players, for collectors, who type the slips of a hall, and for the judge."""

from faristol.gateway.consoles.duplicate_game import collector, judge, phone

ROUTES = (phone.routes, collector.routes, judge.routes)
"""Routes of all three."""
