"""Arbiter's console: the tables of a hall by urgency, and a table with the commands of an arbiter."""

from faristol.gateway.consoles.arbiter.pages import routes as routes
