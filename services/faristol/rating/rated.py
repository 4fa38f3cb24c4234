"""Which tournaments are rated: those of games between players. Nobody meets an opponent in a duplicate game."""

from __future__ import annotations

from google.protobuf.message import Message

from faristol.host.ruleset_store import rules_of
from faristol.kernel.pins import Pin
from faristol.kernel.refusal import Refusal
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.rating.model import tournament_stream
from faristol.record import Record, load


def note_rules(pin: Pin, fact: Message) -> Pin:
    """Return the rules of a tournament after one more of its facts."""
    return Pin.of(fact.ruleset) if isinstance(fact, pairing_events.RulesetPinned) else pin


async def mode_of(record: Record, tournament_id: str) -> str:
    """Return the mode of the rules of a tournament; empty where its rules are not at hand."""
    pin = (await load(record, tournament_stream(tournament_id), Pin(), note_rules)).state
    try:
        return (await rules_of(record, pin)).game.mode
    except Refusal:
        return ""
