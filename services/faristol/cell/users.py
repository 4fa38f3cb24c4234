"""The users of NATS in a cell of which each service is a process of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from faristol.bus.consumer import durable
from faristol.bus.permissions import User, user
from faristol.host.services import ASKING, RELAY, SERVICES

CONSUMERS: Mapping[str, Sequence[str]] = {
    "lexicon": ("lexicon.ruling", "docket@1"),
    "game": ("game.open", "game.follow"),
    "clock": ("clock.round",),
    "pairing": ("pairing.results", "pairing.sanctions"),
    "rating": ("rating.lists",),
    "results": ("results@5",),
}
"""The consumers of each service; access hears no news, and the gateway has no bus."""


def users(cell: str) -> list[User]:
    """A user for each service and for the relay; ``cell`` is what the names of consumers begin with (``nats_cell``)."""
    services = (
        user(name, [durable(cell, each) for each in CONSUMERS.get(name, ())]) for name in SERVICES if name not in ASKING
    )
    return [user(RELAY, relays=True), *services]
