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


BESIDE_COUNT = 2
"""Versions of a projection before and after this one that its user may keep: those of the release before, and of the
next, whose processes run beside these during a rollout, whichever of both releases the users of NATS are of."""


def _versions(consumer: str) -> list[str]:
    """The names that a consumer has in this release and in those beside it. A projection is named ``name@version``."""
    name, versioned, version = consumer.partition("@")
    if not versioned:
        return [consumer]
    first = max(1, int(version) - BESIDE_COUNT)
    return [f"{name}@{each}" for each in range(first, int(version) + BESIDE_COUNT + 1)]


def users(cell: str) -> list[User]:
    """A user for each service and for the relay; ``cell`` is what the names of consumers begin with (``nats_cell``)."""
    services = (
        user(name, [durable(cell, each) for consumer in CONSUMERS.get(name, ()) for each in _versions(consumer)])
        for name in SERVICES
        if name not in ASKING
    )
    return [user(RELAY, relays=True), *services]
