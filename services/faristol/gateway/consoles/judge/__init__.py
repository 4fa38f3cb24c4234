"""The judge's desk: the queue of cases, and ruling on the words of one. Nothing of a game is shown but its words."""

from faristol.gateway.consoles.judge.pages import routes as routes
