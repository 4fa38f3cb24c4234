"""Messages of officials that are shown: how events add and remove them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf.message import Message

from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.read_models.storage.rows import StoredMessage, Tournament


def add_message(tournament: Tournament, event: pairing.MessageSent | pairing.PlayerMessageSent, position: int) -> None:
    """Add a message. Those that had expired when it was sent are removed, so that the list stays short."""
    at = event.occurred_at.ToNanoseconds()
    public = event if isinstance(event, pairing.MessageSent) else None
    added = StoredMessage(
        number=event.number,
        kind=event.kind,
        audience=event.audience,
        hall=event.hall,
        tables=list(public.tables) if public else [],
        player_ids=list(event.player_ids) if isinstance(event, pairing.PlayerMessageSent) else [],
        round=event.round,
        until=event.until.ToNanoseconds() if event.HasField("until") else None,
        interrupts=public is not None and public.interrupts,
        sent_at=at,
        expires_at=event.expires_at.ToNanoseconds(),
        public=public is not None,
        text_at=position,
    )
    tournament.messages = (*(each for each in tournament.messages if each.expires_at > at), added)


def remove_message(
    tournament: Tournament, event: pairing.MessageWithdrawn | pairing.PlayerMessageWithdrawn, position: int
) -> None:
    """Remove a withdrawn message."""
    tournament.messages = tuple(each for each in tournament.messages if each.number != event.number)


MESSAGE_HANDLERS: Mapping[type[Message], Any] = {
    pairing.MessageSent: add_message,
    pairing.PlayerMessageSent: add_message,
    pairing.MessageWithdrawn: remove_message,
    pairing.PlayerMessageWithdrawn: remove_message,
}
"""The effect of an event with its position on the messages of a tournament."""
