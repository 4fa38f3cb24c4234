"""Players and teams that an event names, by the fields that the contract marks. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message

from faristol.pb.event.v1 import event_pb2 as options


def players_of(event: Message) -> list[str]:
    """Return the ids of the players that ``event`` names at any depth, each once, in the order of the fields."""
    return [player_id for player_id in dict.fromkeys(_list_ids(event, options.NAMED_PLAYER)) if player_id]


def teams_of(event: Message) -> list[str]:
    """Return the ids of the teams that ``event`` names at any depth, each once, in the order of the fields."""
    return [team_id for team_id in dict.fromkeys(_list_ids(event, options.NAMED_TEAM)) if team_id]


def _list_ids(message: Message, whom: options.Named.ValueType) -> Iterator[str]:
    names = _names(message.DESCRIPTOR)
    for field, value in message.ListFields():
        if names.get(field.name) == whom:
            yield from value if field.is_repeated else (value,)
        elif field.message_type is not None and field.is_repeated:
            for part in value:
                yield from _list_ids(part, whom)


@cache
def _names(message: Descriptor) -> Mapping[str, options.Named.ValueType]:
    """Return, by field of a message, whether it names a player, a team or neither."""
    return {field.name: field.GetOptions().Extensions[options.names] for field in message.fields}
