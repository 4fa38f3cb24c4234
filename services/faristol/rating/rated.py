"""The mode of a tournament. Tournaments of duplicate games are not rated: they have no opponents."""

from __future__ import annotations

from google.protobuf.message import Message

from faristol.event_store import Loaded, Record, load, load_at_once
from faristol.host.ruleset_store import rules_of
from faristol.kernel.errors import NotFound
from faristol.kernel.pins import Pin
from faristol.kernel.refusal import Refusal
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.rating.model import TournamentView, tournament_stream, view
from faristol.rules.ruleset.modes import refuse_without_tables


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


async def load_rated(record: Record, tournament_id: str) -> Loaded[TournamentView]:
    """Load the part of a tournament that ratings depend on.

    Raises ``NotFound`` for an unknown tournament, and ``Refusal`` for one of duplicate games.
    """
    found = await load_at_once(record, tournament_stream(tournament_id), TournamentView(), view)
    if not found.version:
        raise NotFound("tournament", tournament_id)
    refuse_without_tables(await mode_of(record, tournament_id), tournament_id)
    return found
