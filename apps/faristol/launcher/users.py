"""The NATS users of a cell with one process per service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from faristol.bus.permissions import User, user
from faristol.consumers.consumer import durable
from faristol.host.services import ASKING, RELAY, SERVICES
from faristol.read_models.projections.projection import PROJECTION_NAME
from faristol.read_models.storage.tables import TABLES_VERSION

CONSUMERS: Mapping[str, Sequence[str]] = {
    "lexicon": ("lexicon.ruling", "docket@1"),
    "game": ("game.open", "game.follow"),
    "clock": ("clock.round",),
    "pairing": ("pairing.results", "pairing.sanctions", "pairing.entries", "pairing.erasures", "pairing.kept"),
    "rating": ("rating.lists",),
    "results": (f"{PROJECTION_NAME}@{TABLES_VERSION}",),
}
"""The consumers of each service. Access has none, and the gateway has no bus."""


BESIDE_COUNT = 2
"""Earlier and later projection versions that a user may have: those of neighbouring releases. Processes of both run in
parallel with these during a rollout, with the NATS users of either release.
"""


def _versions(consumer: str) -> list[str]:
    """Return the names of a consumer in this release and its neighbours. A projection is named ``name@version``."""
    name, versioned, version = consumer.partition("@")
    if not versioned:
        return [consumer]
    first = max(1, int(version) - BESIDE_COUNT)
    return [f"{name}@{each}" for each in range(first, int(version) + BESIDE_COUNT + 1)]


def users(cell: str) -> list[User]:
    """Return a user for each service and the relay; ``cell`` is the prefix of consumer names (``nats_cell``)."""
    services = (
        user(name, [durable(cell, each) for consumer in CONSUMERS.get(name, ()) for each in _versions(consumer)])
        for name in SERVICES
        if name not in ASKING
    )
    return [user(RELAY, relays=True), *services]
