"""The results of a round, entered by keyboard alone, confirmed by somebody else, or by the players on their phones."""

from faristol.gateway.consoles.results_entry.page import routes as routes
