"""Tiles of a command, normalized to the tile set. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

from google.protobuf.message import Message

from faristol.rules.tiles import TileSet

M = TypeVar("M", bound=Message)

_FACE, _FACES = "face", "faces"
"""Fields of messages that hold tiles."""


def read_typed_tiles(request: M, tile_set: TileSet) -> M:
    """Return the command with other spellings of tiles replaced by the faces of ``tile_set``.

    A Latin letter stands for the Greek one that it looks like, ``l.l`` for ``L·L``. An unknown tile stays, and the
    decision refuses it. A command without other spellings is returned itself.
    """
    if all(_face(face, tile_set) == face for face in _list_typed_tiles(request)):
        return request
    changed = type(request)()
    changed.CopyFrom(request)
    _rewrite(changed, tile_set)
    return changed


def _face(text: str, tile_set: TileSet) -> str:
    return text if text in tile_set.counts else tile_set.face(text) or text


def _messages(message: Message) -> Iterator[Message]:
    """Yield the message and all nested ones."""
    yield message
    for field, value in message.ListFields():
        if field.message_type is not None and not field.message_type.GetOptions().map_entry:
            for inner in value if field.is_repeated else (value,):
                yield from _messages(inner)


def _list_typed_tiles(request: Message) -> Iterator[str]:
    for message in _messages(request):
        for field, value in message.ListFields():
            if field.message_type is None and field.name == _FACE:
                yield value
            elif field.message_type is None and field.name == _FACES:
                yield from value


def _rewrite(request: Message, tile_set: TileSet) -> None:
    for message in _messages(request):
        found: Any = message
        for field, value in message.ListFields():
            if field.message_type is None and field.name == _FACE:
                found.face = _face(value, tile_set)
            elif field.message_type is None and field.name == _FACES:
                found.faces[:] = [_face(face, tile_set) for face in value]
