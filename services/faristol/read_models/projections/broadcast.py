"""Stream slots and claimed tables: how events change them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf.message import Message

from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.read_models.storage.rows import StoredClaim, StoredSlot, Tournament


def point_slot(tournament: Tournament, event: pairing.SlotPointed) -> None:
    """Add a slot, or point it at another table."""
    others = [each for each in tournament.slots if each.slot != event.slot]
    tournament.slots = tuple(sorted([*others, StoredSlot(event.slot, event.table, event.for_round)]))


def remove_slot(tournament: Tournament, event: pairing.SlotRemoved) -> None:
    """Remove a slot."""
    tournament.slots = tuple(each for each in tournament.slots if each.slot != event.slot)


def claim_table(tournament: Tournament, event: pairing.TableClaimed) -> None:
    """Add a claim. It replaces the earlier one of the annotator."""
    others = [each for each in tournament.claims if each.annotator_id != event.annotator_id]
    tournament.claims = tuple(sorted([*others, StoredClaim(event.table, event.annotator_id)]))


def release_claim(tournament: Tournament, event: pairing.ClaimReleased) -> None:
    """Remove a claim."""
    tournament.claims = tuple(each for each in tournament.claims if each.table != event.table)


BROADCAST_HANDLERS: Mapping[type[Message], Any] = {
    pairing.SlotPointed: point_slot,
    pairing.SlotRemoved: remove_slot,
    pairing.TableClaimed: claim_table,
    pairing.ClaimReleased: release_claim,
}
"""The effect of an event on the slots and claims of a tournament."""
