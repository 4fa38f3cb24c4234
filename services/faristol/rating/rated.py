"""The mode of a tournament. Tournaments of duplicate games are not rated: they have no opponents."""

from __future__ import annotations

from google.protobuf.message import Message

from faristol.event_store import Record, load
from faristol.host.ruleset_store import rules_of
from faristol.kernel.pins import Pin
from faristol.kernel.refusal import Refusal
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.rating.model import tournament_stream


def note_rules(pin: Pin, event: Message) -> Pin:
    """Return the rules of a tournament after one more of its events."""
    return Pin.of(event.ruleset) if isinstance(event, pairing_events.RulesetPinned) else pin


async def mode_of(record: Record, tournament_id: str) -> str:
    """Return the mode of the rules of a tournament, or an empty string if its rules are not available."""
    pin = (await load(record, tournament_stream(tournament_id), Pin(), note_rules)).state
    try:
        return (await rules_of(record, pin)).game.mode
    except Refusal:
        return ""
