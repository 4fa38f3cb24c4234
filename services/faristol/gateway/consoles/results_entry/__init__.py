"""Results of a round: entry by keyboard, confirmation by a second official or by the players on their phones."""

from faristol.gateway.consoles.results_entry.page import routes as routes
