"""Judge's console: the queue of cases, and the ruling on a case. It shows no part of a game except its words."""

from faristol.gateway.consoles.judge.pages import routes as routes
