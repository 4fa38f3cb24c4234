"""Pairings in events: the players at a table, and the players without one. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from faristol.kernel.byes import Bye
from faristol.pb.pairing.v1 import events_pb2 as events

REQUESTED_BYES: Mapping[int, Bye] = {
    events.BYE_KIND_HALF_POINT: Bye.HALF_POINT,
    events.BYE_KIND_FULL_POINT: Bye.FULL_POINT,
    events.BYE_KIND_ZERO_POINT: Bye.ZERO_POINT,
}
"""Byes on request, by their kind in events."""

BYE_KINDS: Mapping[Bye, events.ByeKind.ValueType] = {
    bye: events.ByeKind.ValueType(kind) for kind, bye in REQUESTED_BYES.items()
}
"""The kinds of byes in events, by bye: the inverse of ``REQUESTED_BYES``."""


def seats_of(pairing: events.Pairing) -> tuple[str, ...]:
    """Return the ids of the players at a table, in the order of turns if the pairing has it."""
    return tuple(pairing.player_ids) or (pairing.first_player_id, pairing.second_player_id)
