"""The arbiter's pages: the tables of a hall by what waits at them, and a table with what an arbiter may do there."""

from faristol.gateway.consoles.arbiter.pages import routes as routes
