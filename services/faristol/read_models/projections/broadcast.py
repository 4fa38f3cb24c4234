"""Stream slots, claimed tables and the delay of a broadcast: how events change them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.likeness import read_shared_fields
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.read_models.storage.rows import StoredClaim, StoredSlot, Tournament


def point_slot(tournament: Tournament, event: pairing.SlotPointed, position: int) -> None:
    """Add a slot, or point it at another table."""
    others = [each for each in tournament.slots if each.slot != event.slot]
    tournament.slots = tuple(sorted([*others, StoredSlot(**read_shared_fields(event, StoredSlot))]))


def remove_slot(tournament: Tournament, event: pairing.SlotRemoved, position: int) -> None:
    """Remove a slot."""
    tournament.slots = tuple(each for each in tournament.slots if each.slot != event.slot)


def claim_table(tournament: Tournament, event: pairing.TableClaimed, position: int) -> None:
    """Add a claim. It replaces the earlier one of the annotator."""
    others = [each for each in tournament.claims if each.annotator_id != event.annotator_id]
    tournament.claims = tuple(sorted([*others, StoredClaim(event.table, event.annotator_id)]))


def release_claim(tournament: Tournament, event: pairing.ClaimReleased, position: int) -> None:
    """Remove a claim."""
    tournament.claims = tuple(each for each in tournament.claims if each.table != event.table)


def set_delay(tournament: Tournament, event: pairing.BroadcastDelaySet, position: int) -> None:
    """Set the delay. The first one begins to hold events back."""
    tournament.broadcast_delay_minutes = event.minutes
    if event.minutes and not tournament.held_from:
        tournament.held_from = tournament.told = position


def tell_event(tournament: Tournament, event: pairing.HeldEventTold, position: int) -> None:
    """Note the position up to which held events are published."""
    tournament.told = event.told


BROADCAST_HANDLERS: Mapping[type[Message], Any] = {
    pairing.SlotPointed: point_slot,
    pairing.SlotRemoved: remove_slot,
    pairing.TableClaimed: claim_table,
    pairing.ClaimReleased: release_claim,
    pairing.BroadcastDelaySet: set_delay,
    pairing.HeldEventTold: tell_event,
}
"""The effect of an event with its position on the broadcast of a tournament."""
