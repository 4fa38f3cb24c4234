"""Whom a fact names. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from google.protobuf.message import Message

_SINGLE = frozenset(("player_id", "first_player_id", "second_player_id", "winner_id"))
_SEVERAL = frozenset(("player_ids", "loser_ids"))


def players_of(fact: Message) -> list[str]:
    """The ids of the players whom a fact names, wherever in it, each once, in the order in which they come."""
    return [player_id for player_id in dict.fromkeys(_named(fact)) if player_id]


def _named(message: Message) -> Iterator[str]:
    for field, value in message.ListFields():
        if field.name in _SINGLE:
            yield value
        elif field.name in _SEVERAL:
            yield from value
        elif field.message_type is not None and field.is_repeated:
            for part in value:
                yield from _named(part)
